"""``promptls check``: every problem in a folder, in every relevant prompt."""

from __future__ import annotations

import gc
import os
import sys

from promptls.cli.arguments import ALLOW, Options, Parser, absolute, current_directory, existing, only_below, takes_mine
from promptls.cli.check_run import CheckRun
from promptls.cli.faulty import tell
from promptls.cli.output import complain, show, show_patch
from promptls.cli.requested import requested
from promptls.cli.session_lines import tell_left_out
from promptls.core.paths import from_home, parent
from promptls.errors import UsageError
from promptls.git.listing import Listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.cli.reports import Report
    from promptls.core.host import Host
    from promptls.core.how import Open
    from promptls.core.model import Problem

FORMATS = ("text", "json", "sarif", "github", "gitlab")
SEVERITIES = ("error", "warning", "information", "hint")
# What --fail-on knows beside severities: errors, and more than some budget.
BUDGET, BUDGETS = "budget", frozenset(("token-budget", "window-share", "own-budget"))
UNDECIDED = "promptls: AGENTS.md is read by {names}; choose those that you use with “promptls harnesses --use {some}”."


def run(argv: list[str]) -> int:
    """Check a folder or file; 1 if there is a problem of at least the severity --fail-on, else 0."""
    options = _options(argv)
    paths = [existing(absolute(each), "file or directory") for each in options.paths or [current_directory()]]
    # Hundreds of thousands of values are made, none in a circle, and the process ends soon.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _check(options, paths)
    finally:
        if collects:
            gc.enable()


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls check",
        description="Report every problem, for the coding agents that the folder has files for.",
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a folder or file; repeatable (default: the current directory)",
    )
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("--no-network", action="store_true", help="do not fetch URLs")
    parser.add_argument("--allow", metavar="HOST", action="append", default=[], help=ALLOW)
    parser.add_argument(
        "--recorded", metavar="ID", help="report what did not reach a recorded session: its identifier, or “last”"
    )
    parser.add_argument("--baseline", metavar="FILE", help="leave out the known problems that are listed in this file")
    parser.add_argument(
        "--write-baseline", action="store_true", help="write the current problems to the file of --baseline"
    )
    parser.add_argument("--watch", action="store_true", help="check again whenever something changes, until Ctrl-C")
    parser.add_argument("--changed", metavar="REV", help="report only files that differ from this git revision")
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES[:3], BUDGET),
        default="error",
        help="exit with 1 on problems of this severity or higher; budget: on errors and exceeded budgets "
        "(default: error)",
    )
    parser.add_argument(
        "--profile",
        choices=("agentskills", "agentplugins"),
        action="append",
        default=[],
        help="also check against this specification, whether or not coding agents follow it; repeatable",
    )
    takes_mine(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="check only this coding agent; repeatable"
    )
    fixing = parser.add_mutually_exclusive_group()
    fixing.add_argument("--fix", action="store_true", help="apply safe fixes and report what remains")
    fixing.add_argument("--diff", action="store_true", help="print the fixes as a patch; exit with 1 if there are any")
    options = parser.parse_args(argv)
    if options.write_baseline and options.baseline is None:
        raise UsageError("--write-baseline needs the file to write; add --baseline FILE.")
    others = (options.fix, options.diff, options.write_baseline, options.recorded is not None, options.format != "text")
    if options.watch and any(others):
        raise UsageError("--watch only shows problems as text; omit the other option.")
    others = options.fix or options.diff or options.changed or options.baseline
    if options.recorded is not None and (others or len(options.paths) > 1):
        raise UsageError("--recorded reports one session of one folder; omit the other options and paths.")
    return options


def _of_record(options: Options, path: str) -> int:
    """What did not reach a recorded session."""
    from promptls.cli.reports import Report  # noqa: PLC0415 - only for recorded sessions
    from promptls.cli.unwinding import unwinding  # noqa: PLC0415 - the same
    from promptls.workspace.machine import load_harnesses  # noqa: PLC0415 - the same
    from promptls.workspace.recordings import one  # noqa: PLC0415 - the same
    from promptls.workspace.request import HERE  # noqa: PLC0415 - the same

    load_harnesses()
    with unwinding():
        record = one(options.recorded, path, options.harness[0] if options.harness else None)
    for sentence in record.unread:
        complain(f"promptls: {sentence}")
    found = record.problems(HERE.host)
    root = path if os.path.isdir(path) else parent(path)
    _write(options.format, Report(root, tuple(found), HERE.host(), root))
    return _status(options, found)


def _status(options: Options, found: Sequence[Problem]) -> int:
    if options.fail_on == BUDGET:
        return 1 if any(each.severity == SEVERITIES[0] or each.code in BUDGETS for each in found) else 0
    fatal = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1]
    return 1 if any(each.severity in fatal for each in found) else 0


def _check(options: Options, paths: list[str]) -> int:
    if options.recorded is not None:
        return _of_record(options, requested(paths[:1], None).paths[0])
    from promptls.workspace.request import project_of  # noqa: PLC0415 - not for a recorded session

    wanted = requested(paths, options.changed)
    check = CheckRun(options, wanted, project_of(wanted.root, only_below()))
    try:
        if options.watch:
            from promptls.cli.watch import watch  # noqa: PLC0415 - only to watch

            code = watch(check.requested.root, lambda: _reported(check.again()))
        else:
            code = _fix(check) if options.fix or options.diff else _report(check)
    finally:
        check.progress.end()
    check.tell_limits()
    return code


def _report(check: CheckRun) -> int:
    return _reported(check)[0]


def _reported(check: CheckRun) -> tuple[int, Host]:
    """Check once and report; the exit code, and the host that has read the files."""
    options, root = check.options, check.requested.root
    with Listing(check.project) as listing:  # git works while the rest is imported
        found, host = check.problems(listing)
    check.progress.end()
    if listing.note is not None:
        complain(f"promptls: {listing.note}")

    from promptls.cli.reports import Report  # noqa: PLC0415 - after everything that may fail
    from promptls.sessions.start import place_of  # noqa: PLC0415 - the same

    top = place_of(host, root, root).top
    if options.baseline is not None:
        found = _beside_baseline(check, found, host, top)
    if options.format == "text" and not options.fix:
        check.tell_sessions()
    said = (check.sessions, check.budgets(), check.unknown())
    _write(options.format, Report(root, tuple(found), host, top, check.prompts, *said))
    least = tell(check.prompts, options.harness)
    if least:
        return least, host
    if not found and options.format == "text" and not options.fix and options.baseline is None:
        complain(f"promptls: {check.nothing_found()}")
    if options.format == "text" and not options.fix:
        _tell_unknown(said[-1])
    if check.by_agents and options.format == "text" and not check.is_told:
        check.is_told = True
        complain(UNDECIDED.format(names=", ".join(check.by_agents), some=",".join(check.by_agents[:2])))
    if options.format == "text" and not options.with_habits:
        _tell_left_out(check)
        _tell_of_home(check)
    return _status(options, found), host


def _beside_baseline(check: CheckRun, found: list[Problem], host: Host, top: str) -> list[Problem]:
    """The problems that the baseline does not list; with --write-baseline, it then lists all of them."""
    from promptls.cli import baseline  # noqa: PLC0415 - only where there is one

    path, holds = absolute(check.options.baseline), check.requested.holds
    if not check.options.write_baseline:
        return baseline.without_known(path, found, host, top, holds)
    baseline.write(path, found, host, top, holds)
    return []


def _write(form: str, report: Report) -> None:
    """Write the report in a format; as text, nothing if there are no problems."""
    if form == "text":
        from promptls.cli.reports import text  # noqa: PLC0415 - after everything that may fail

        show(text(report))
    else:
        from promptls.cli.report_formats import write_report  # noqa: PLC0415 - only for programs

        write_report(form, report)


def _tell_unknown(found: Sequence[Open]) -> None:
    """Say what is not known, and may have problems."""
    for each in found:
        complain(f"promptls: {each.text}, so it is not checked. To know it: {each.how.text}")


def _tell_left_out(check: CheckRun) -> None:
    """Which programs of the user the check was not for: it is the same for everybody."""
    from promptls.workspace.request import look_at  # noqa: PLC0415 - for text only

    if not check.options.harness:
        checked = (each.session.harness for each in check.prompts)
        tell_left_out(look_at(check.project, check.project), checked, "checked", "check")


def _tell_of_home(check: CheckRun) -> None:
    """What in the user's own files ends a program or takes the place of its prompt: it is not so for everybody."""
    from promptls.workspace.machine import home  # noqa: PLC0415 - for text only

    places = dict.fromkeys(
        (from_home(each.path, home()), "an error" if each.severity == "error" else "a whole prompt")
        for each in check.at_home
        if each.severity == "error" or each.code == "prompt-replaced"
    )
    for path, what in places:
        complain(f"promptls: Not reported: {what} in {path}, which only you have; add --mine to see it.")


def _fix(check: CheckRun) -> int:
    """Apply the safe fixes and report what remains; with --diff only print them, and return 1 if there are any."""
    from promptls.cli import fix  # noqa: PLC0415 - only if something is fixed

    with Listing(check.project) as listing:
        plan = fix.plan(
            check.requested.root, lambda buffers: check.problems(listing, buffers)[0], check.may_fix, check.may_change
        )
    if check.options.fix:
        fix.carry_out(plan)
    else:
        fix.leave_what_cannot_be_shown(plan)
    check.progress.end()
    for path, reason in plan.left.items():
        complain(f"promptls: {plan.relative(path)} was not changed because {reason}.")
    problems, places = plan.fixed.total(), len(plan.fixed)
    counted = f"{problems} problem{'' if problems == 1 else 's'} in {places} file{'' if places == 1 else 's'}"
    if check.options.fix:
        print(f"promptls: fixed {counted}.", file=sys.stderr)
        return _report(check)
    print(f"promptls: --fix would fix {counted}.", file=sys.stderr)
    show_patch(fix.patch(plan))
    return tell(check.prompts, check.options.harness) or (1 if problems else 0)
