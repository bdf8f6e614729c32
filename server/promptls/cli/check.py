"""``promptls check``: every problem of a folder, in every prompt that matters there."""

from __future__ import annotations

import gc
import os
import sys

from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.cli.output import show_patch, visible
from promptls.core.host import NO_BUFFERS
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field
from promptls.listing import Listing, changed_since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from promptls.core.host import Buffers, Host
    from promptls.core.model import Fetched, Patience, Problem

FORMATS = ("text", "json", "sarif", "github", "gitlab")
SEVERITIES = ("error", "warning", "information", "hint")
# Progress is told once in so many prompts.
STEP = 100


def run(argv: list[str]) -> int:
    """Check a folder or file; 1 if there is a problem as grave as --fail-on, else 0."""
    options = _options(argv)
    path = existing(absolute(options.path or current_directory()), "file or directory")
    # Harnesses see a directory by its own path, whatever links lead to it; a file may be a link.
    path = os.path.realpath(path) if os.path.isdir(path) else _in_real_directory(path)
    # Hundreds of thousands of values are made, none in a circle, and the process ends soon.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _check(options, path)
    finally:
        if collects:
            gc.enable()


def _in_real_directory(path: str) -> str:
    directory, name = os.path.split(path)
    return os.path.join(os.path.realpath(directory), name)


def _options(argv: list[str]) -> Namespace:
    parser = Parser(prog="promptls check", description="Every problem of a folder, for the coding agents in use there.")
    parser.add_argument("path", nargs="?", metavar="PATH", help="a folder or file; the current directory if unset")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("--no-network", action="store_true", help="do not fetch URLs")
    parser.add_argument("--changed", metavar="REV", help="only problems in files that differ from this git revision")
    parser.add_argument(
        "--fail-on", choices=SEVERITIES[:3], default="error", help="exit with 1 from this severity on (default: error)"
    )
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only for this coding agent; repeatable"
    )
    mending = parser.add_mutually_exclusive_group()
    mending.add_argument("--fix", action="store_true", help="mend what is safe to mend, and report what is left")
    mending.add_argument(
        "--diff", action="store_true", help="show what --fix would change, for git apply; exit with 1 if it would"
    )
    return parser.parse_args(argv)


def _check(options: Namespace, path: str) -> int:
    root = path if os.path.isdir(path) else os.path.dirname(path)
    changed = changed_since(root, options.changed) if options.changed is not None else None
    check = _Check(options, path, root, changed)
    try:
        return _mend(check) if options.fix or options.diff else _report(check)
    finally:
        check.progress.end()


def _report(check: _Check) -> int:
    with Listing(check.root) as listing:  # git works while the rest is imported
        found, host = check.problems(listing)
    check.progress.end()

    from promptls.cli.reports import Report, write_report  # noqa: PLC0415 - after everything that may fail
    from promptls.harnesses.detect import workspace_of  # noqa: PLC0415 - the same

    workspace = workspace_of(host, check.root, check.root)
    write_report(check.options.format, Report(check.root, tuple(found), host, workspace))
    fatal = SEVERITIES[: SEVERITIES.index(check.options.fail_on) + 1]
    return 1 if any(each.severity in fatal for each in found) else 0


def _mend(check: _Check) -> int:
    """Carry out the safe fixes and report what is left; with --diff show them only, and 1 if there are any."""
    from promptls.cli import mend  # noqa: PLC0415 - only where something is mended

    with Listing(check.root) as listing:
        plan = mend.plan(
            check.root, lambda buffers: check.problems(listing, buffers)[0], check.may_mend, check.may_change
        )
    if check.options.fix:
        mend.carry_out(plan)
    check.progress.end()
    for path, reason in plan.left.items():
        says = f"promptls: {plan.relative(path)} is left as it is, because {reason}."
        print(visible(says), file=sys.stderr)
    problems, places = plan.mended.total(), len(plan.mended)
    counted = f"{problems} problem{'' if problems == 1 else 's'} in {places} file{'' if places == 1 else 's'}"
    if check.options.fix:
        print(f"promptls: {counted} mended.", file=sys.stderr)
        return _report(check)
    print(f"promptls: --fix would mend {counted}.", file=sys.stderr)
    show_patch(mend.patch(plan))
    return 1 if problems else 0


@dataclass(slots=True)
class Progress:
    """One line on the terminal that says how far it is; nothing where standard error is no terminal."""

    shown: bool = False

    def say(self, what: str) -> None:
        """What is done now."""
        if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self.shown = True
            print(f"\r\x1b[Kpromptls: {what}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Take the line away."""
        if self.shown:
            self.shown = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@dataclass(slots=True)
class _Check:
    """A check of ``path``, in the folder ``root``, as the options say; ``changed`` are the only files that count."""

    options: Namespace
    path: str
    root: str
    changed: set[str] | None
    fetched: dict[object, Fetched] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)

    def problems(self, listing: Listing, buffers: Buffers = NO_BUFFERS) -> tuple[list[Problem], Host]:
        """The problems that are asked for, by file and place, and the host that has read the files."""
        from promptls.core.settings import Settings  # noqa: PLC0415 - git works meanwhile
        from promptls.folder_check import check_folder  # noqa: PLC0415 - the same

        checked = check_folder(
            self.root,
            listing,
            fetch=self._fetch,
            buffers=buffers,
            settings=Settings(urls_enabled=not self.options.no_network),
            only=self.options.harness,
            say=self.progress.say,
        )
        is_meant = _meant(self.path, self.root, self.changed, checked.host)
        return [each for each in checked.problems if is_meant(each)], checked.host

    def may_mend(self, problem: Problem) -> bool:
        """Whether --fix mends a problem that is asked for: with --changed, only one that a changed file has."""
        return self.changed is None or problem.path in self.changed

    def may_change(self, path: str) -> bool:
        """Whether --fix may change a file: the one that is asked for, or those of the folder that have changed."""
        return self.path in (self.root, path) and (self.changed is None or path in self.changed)

    def _fetch(self, urls: Sequence[str], patience: Patience) -> Sequence[Fetched]:
        """Each URL is asked for once, however often the files are looked at."""
        wanted = [url for url in urls if (url, patience) not in self.fetched]
        if wanted:
            self.progress.say(f"waiting for {len(wanted)} URL{'' if len(wanted) == 1 else 's'}")
            from promptls.net.now import fetch_now  # noqa: PLC0415 - httpx is only needed where there is a URL

            answers = fetch_now(wanted, patience)
            self.fetched.update(((url, patience), answer) for url, answer in zip(wanted, answers, strict=True))
        return [self.fetched[url, patience] for url in urls]


def _meant(path: str, root: str, changed: set[str] | None, host: Host) -> Callable[[Problem], bool]:
    """Whether a problem is asked for: below the folder, in the file, of what has changed or is gone."""
    top = root.rstrip("/") + "/"
    gone = [each for each in changed or () if host.kind(each) is None]

    def is_meant(problem: Problem) -> bool:
        places = {problem.path, *(each.path for each in problem.related)}
        return (
            path in (root, problem.path)
            and problem.path.startswith(top)
            and (changed is None or not places.isdisjoint(changed) or (bool(gone) and _misses(problem, gone, host)))
        )

    return is_meant


def _misses(problem: Problem, gone: list[str], host: Host) -> bool:
    """Whether a problem is, as far as its place says, that one of the files is gone."""
    if host.realpath(problem.path) in gone:
        return True
    index = LineIndex(decode(host.read(problem.path).data, keep_bom=False))
    where = problem.range
    start = index.offset(where.start_line, where.start_character)
    named = index.text[start : index.offset(where.end_line, where.end_character)].strip("\"'`<>@").partition("#")[0]
    return bool(named) and any(each.endswith("/" + os.path.normpath(named).lstrip("./")) for each in gone)
