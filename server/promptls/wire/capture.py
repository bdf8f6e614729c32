"""What the installed program of a harness really sends for a session: it is started, recorded and ended."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from promptls import harnesses
from promptls.core import files, specs
from promptls.core.paths import is_below, join, name
from promptls.core.secrets import masked
from promptls.core.values import dataclass, replace
from promptls.core.visible import visible
from promptls.errors import UsageError
from promptls.harnesses.installed import installed
from promptls.kit.launch import Run
from promptls.wire import scratch
from promptls.wire.copies import Laid, lay_out
from promptls.wire.dialogue import TYPED, of_turn, replies, silent_turns, turns_of, typed_again, typed_lines
from promptls.wire.enclosing import let_git_read
from promptls.wire.enclosure import MOVES, SAYS
from promptls.wire.error_output import last_error
from promptls.wire.find_program import (
    command_of,
    commands_of_servers,
    enclosure_of,
    launcher_of,
    means_for,
    program_of,
    search_path,
    shown_commands,
)
from promptls.wire.given_arguments import arguments
from promptls.wire.given_files import is_of_system
from promptls.wire.job import Job
from promptls.wire.request_formats import RequestBlock, joined
from promptls.wire.run import SHOWN, CaptureError, merged_etc, recorded, run, scratch_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.kit.launch import OnScreen, Program, Start
    from promptls.wire.enclosure import Means
    from promptls.wire.job import Report
    from promptls.wire.request_formats import Offered
    from promptls.wire.visible_disk import Bind

LEAVE_OUT = "leave out --own-view"
FOLDER_ITSELF = "It was given the folder itself, which it could change, and what you have configured to run."
READS_WITH = "{} has a tool that reads a file only with {}, and was started with it."
TAKEN_UP = (
    "The session was taken up on the screen. A preview shows that, too, where the turn has args, which may be empty."
)
IN_CONTAINER = "The script starts it in a container: install promptls there, and run it inside."
RUNS_LONGER = 3
SHIM = "If {} is a script or a shim of a version manager, put the directory of the program itself first on PATH."
# Bytes of a script that are looked at.
MOST_SCRIPT = 1 << 16
OWN_VIEW = "This is what {} itself prints of its prompt; no request was recorded."


@dataclass(frozen=True, slots=True)
class Capture:
    """What a program sent: ``blocks`` are those of the last request that was wanted, with the paths of the user's home.

    ``notes`` say how it was run, ``left_out`` what of the user's files it was not given: nouns with paths, "" for an
    argument.
    ``prompt`` is the preview of the files that it was given, which ``host`` made.
    """

    program: str
    version: str
    model: str | None
    blocks: tuple[RequestBlock, ...]
    offered: tuple[Offered, ...]
    notes: tuple[str, ...]
    prompt: Prompt
    host: Host
    left_out: tuple[tuple[str, str], ...] = ()


def capture(
    session: Session,
    prompt: Prompt,
    host: Host,
    workspace: str,
    *,
    runs: bool,
    is_case: bool = False,
    etc: str = "",
    own_view: bool = False,
    names_model: bool = True,
    unpacked: str = "",
) -> Capture:
    """Start the program of ``session`` and record what it sends.

    ``prompt`` is the preview that ``host`` made, which says what the program needs. ``workspace`` is the folder that
    the program must not change; it gets a copy of what the preview looked at (``given``). ``runs``: it gets the folder
    itself, whose MCP servers, hooks and plugins may run. ``is_case``: the home is that of a case, which has no
    credentials. ``etc``: a directory with files for /etc. ``own_view``: take what the program prints of its prompt in
    place of a request. Without ``names_model``, a program whose session names no model asks the one that it chooses.
    ``unpacked``: a directory in which a package that the program unpacks is kept for the next run.

    Raises:
        UsageError: the program or the session cannot be run.
        CaptureError: it sent nothing.
    """
    plan = _planned(session, prompt, host, workspace, runs=runs, etc=etc, own_view=own_view, unpacked=unpacked)
    args, dropped = (session.args, ()) if runs else arguments(session.args, plan.program)
    reads_with = _reads_with(session, plan.program)
    session = replace(session, args=(*reads_with, *args))
    with scratch_home() as folder:
        system = enclosure_of(plan.commands, plan.search, workspace, host.home)
        # What is neither empty nor the system's is a package.
        packages = tuple(at for source, at, _ in system.binds if source and not is_of_system(at, ()))
        laid = lay_out(session, prompt, host, workspace, packages, folder=folder, runs=runs, is_case=is_case)
        # Where nothing shows the copies at their own paths, the program is told where they are.
        at = "" if plan.by in MOVES else laid.root
        if runs:
            let_git_read(laid.root + host.home)
        model = session.model or (_first_model(session, host) if names_model else None)
        job = _job(plan, session, laid, model=model, at=at, folder=folder)
        report = run(job)
        _complain(report, job, plan.title)
        _keep_package(plan, laid)
        shown = replace(typed_again(session, plan.program), version=session.version or report.version)
        of_copy = harnesses.preview(shown, laid.host)
        # A program that asks for a summary twice has the first one checked by the second.
        before = plan.program.summaries - 1 if session.request == "summary" else 0
        found = _captured(report, job, plan, at, prompt=of_copy, host=laid.host, before=before)
        # Nothing of it is there afterwards.
        laid.host.has_read()
    started = sum(each is not None for each in job.arguments)
    known = _note(plan.program, plan.title, started, is_known=plan.is_resumption_known)
    note = [OWN_VIEW.format(plan.title)] if own_view else known
    note += _notes(plan, session, reads_with, runs=runs)
    left = (*((each, "") for each in dropped), *laid.given.left_out)
    return replace(found, notes=(*found.notes, *note), left_out=left)


def _notes(plan: _Plan, session: Session, reads_with: Sequence[str], *, runs: bool) -> Iterator[str]:
    """Sentences on how it was started."""
    if typed_again(session, plan.program) is not session:
        yield TAKEN_UP
    if runs:
        yield FOLDER_ITSELF
    if reads_with:
        yield READS_WITH.format(plan.title, " ".join(reads_with))


def _reads_with(session: Session, program: Program) -> tuple[str, ...]:
    """The option with which the program has a tool that reads, if the session reads and does not give it."""
    gives = not set(program.reads_with[:1]).isdisjoint(session.args)
    return program.reads_with if session.reads and not gives else ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a program is started: ``by`` what it is enclosed, and with what it ``begins``.

    ``commands``: programs whose packages it sees. ``search`` is its PATH, ``known`` is its version where that is known
    before it runs.
    ``is_resumption_known``: previews know what a new process adds that takes a session up.
    """

    program: Program
    title: str
    host: Host
    workspace: str
    search: str
    by: Means
    command: str
    launcher: list[str]
    known: str | None
    begin: Callable[[Run], Start]
    commands: list[str]
    runs: bool
    etc: str
    own_view: bool
    unpacked: str
    is_resumption_known: bool


def _planned(
    session: Session, prompt: Prompt, host: Host, workspace: str, *, runs: bool, etc: str, own_view: bool, unpacked: str
) -> _Plan:
    """How the program is started, if it can be.

    Raises:
        UsageError: the program or the session cannot be run.
    """
    harness = harnesses.get(session.harness)
    program = program_of(harness.name)
    _check_that_it_sends(prompt, host, workspace, harness.title)
    search = search_path(host, workspace)
    by = means_for(harness.title, runs=runs, etc=etc)
    command = command_of(program, search, workspace)
    if program.launcher and (session.args or len(session.folders) > 1):
        raise UsageError(f"{harness.title} is started in one folder without arguments; leave out the others.")
    if program.find_version:
        known = program.find_version(host, command)
    else:
        known = installed(host, specs.detection(harness.name), workspace)
    if program.find_version and known is None:
        raise UsageError(f"{command} has no {harness.title}; install one that has. {program.advice}".rstrip())
    begin = program.view if own_view else program.start
    if begin is None or (own_view and len(session.turns) > 1):
        raise UsageError(f"{harness.title} does not print {'a later turn' if begin else 'its prompt'}; {LEAVE_OUT}.")
    launcher = launcher_of(program, search, workspace)
    of_servers = commands_of_servers(host, harness.name, search, workspace) if runs else ()
    return _Plan(
        program=program,
        title=harness.title,
        host=host,
        workspace=workspace,
        search=search,
        by=by,
        command=command,
        launcher=launcher,
        known=known,
        begin=begin,
        commands=[*shown_commands(launcher), command, *of_servers],
        runs=runs,
        etc=etc,
        own_view=own_view,
        unpacked=unpacked,
        is_resumption_known=harness.spec is not None and "resume" in harness.spec.later,
    )


def _first_model(session: Session, host: Host) -> str | None:
    """The model that the session starts with; its last request may be for that of a sub-agent or of a skill."""
    return harnesses.preview(replace(session, turns=(), request=None), host).model


def _job(plan: _Plan, session: Session, laid: Laid, *, model: str | None, at: str, folder: str) -> Job:
    """What the runner is asked to do in the scratch ``folder``; ``at``: where the program sees the copies."""
    program, title, host, begins = plan.program, plan.title, plan.host, "" if plan.runs else at
    cwd = begins + session.cwd
    one = Run(
        home=at + host.home,
        user_home=host.home,
        cwd=cwd,
        typed=TYPED,
        model=model,
        agent=session.agent,
        args=session.args,
        runs=plan.runs,
        servers=_servers(laid.prompt),
        trusted=tuple(begins + each for each in laid.prompt.once_trusted if session.is_trusted),
    )
    turns = turns_of(session, program, title)
    screen = program.on_screen if session.interactive else None
    speaks = program.speaks if session.editor else None
    one = replace(one, is_on_screen=screen is not None, is_in_editor=speaks is not None, mode=session.mode or "")
    starts: list[Start] = []
    for number, turn in enumerate(turns):
        one = replace(one, agent=turn.agent or one.agent, goes_on=number > 0)
        starts.append(plan.begin(of_turn(one, turn, program)))
    stays = screen is not None or speaks is not None
    is_typed = [stays and number > 0 and not turn.resumes for number, turn in enumerate(turns)]
    settings = {scratch.place_of(each, host.home, host.env, program): keys for each, keys in starts[0].settings.items()}
    texts = {path: scratch.with_settings(path, scratch.own(laid.root, path), keys) for path, keys in settings.items()}
    own = {**scratch.variables(host.home, host.env, program, plan.search, laid.own), **starts[0].variables}
    seen = enclosure_of(plan.commands, plan.search, plan.workspace, host.home, _binds(plan, laid))
    return Job(
        command=plan.command,
        arguments=[
            None if is_further else list(each.arguments) for each, is_further in zip(starts, is_typed, strict=True)
        ],
        typed=typed_lines(session, turns, program),
        speaks=speaks,
        chosen=[each for each in (session.mode, session.agent) if each] if speaks else [],
        **_on_screen(session, screen),
        variables={name: _moved(value, name, at, program) for name, value in own.items()},
        cwd=cwd,
        settings={laid.root + path: text for path, text in texts.items()},
        version=program.version,
        known_version=plan.known or "",
        launcher=plan.launcher,
        main=_main_tools(screen.main if screen is not None and screen.main else program.main, laid.prompt),
        aside=program.aside,
        asks=program.compacts_beside,
        tasks=program.tasks,
        progress=program.progress,
        home=folder,
        answers=replies(session, turns, program, title, laid.prompt, silent_turns(session, turns, laid.host)),
        inputs=[turn.stdin for turn in turns],
        # What a folder configures may be ten servers, and a program waits for each.
        patience=program.patience * (RUNS_LONGER if plan.runs else 1),
        printed=plan.own_view,
        means=plan.by,
        binds=list(seen.binds),
        links=list(seen.links),
    )


def _main_tools(usual: Sequence[str], prompt: Prompt) -> list[str]:
    """The tools by which a request of the agent is known, also where a session has none of the ``usual`` ones."""
    if not usual or prompt.tools is None:
        return list(usual)
    offered = [each.name for each in prompt.tools if each.enabled]
    if not offered:
        return [*usual, "*"]
    return list(usual) if set(usual).intersection(offered) else [*usual, *offered]


def _on_screen(session: Session, screen: OnScreen | None) -> dict[str, Any]:
    """The fields of a job that lead a program on its screen."""
    if screen is None:
        return {}
    return {
        "keys": list(screen.modes.get(session.mode or "", ())[:-1]),
        "dialogs": list(screen.dialogs),
        "leaves": screen.leaves,
        "after_paste": screen.after_paste,
    }


def _check_that_it_sends(prompt: Prompt, host: Host, workspace: str, title: str) -> None:
    """Raise unless there is something to compare, on a system and in a folder where that can be done."""
    if host.platform == "win32":
        raise UsageError("A program can be captured on Linux and macOS only.")
    if prompt.is_fault:
        raise UsageError(prompt.stopped or "")
    if prompt.stopped:
        says = " ".join((prompt.stopped.removeprefix(f"{title} sends nothing: "), *prompt.notes))
        raise UsageError(f"{title} would send nothing here: {says}")
    if is_below(host.home, workspace):
        raise UsageError(f"{workspace} holds your home directory; choose a folder inside it.")


def _binds(plan: _Plan, laid: Laid) -> list[Bind]:
    """What of the scratch folder a program sees, and where it runs the workspace, that itself."""
    kept, place = _package(plan)
    if is_kept := bool(kept) and os.path.isdir(kept):
        # Made by the enclosure, its directories would not be the program's own.
        os.makedirs(laid.root + place, exist_ok=True)
    binds = scratch.binds(laid.root, laid.own) if plan.by in MOVES else ((laid.root, laid.root),)
    shown = [(source, at, True) for source, at in binds]
    if plan.runs:
        shown.append((plan.workspace, plan.workspace, True))
    if plan.etc:
        shown.append((merged_etc(f"{laid.root}.etc", plan.etc), "/etc", False))
    return [*shown, (kept, place, False)] if is_kept else shown


def _package(plan: _Plan) -> tuple[str, str]:
    """Where the package that a program unpacks into its home is kept, "" for nowhere, and where it unpacks it.

    That takes most of a start, and is the same each time.
    """
    is_kept = plan.unpacked and plan.program.unpacks and plan.by in MOVES
    return join(plan.unpacked, "package") if is_kept else "", join(plan.host.home, plan.program.unpacks)


def _keep_package(plan: _Plan, laid: Laid) -> None:
    kept, place = _package(plan)
    if kept and not os.path.isdir(kept) and os.path.isdir(laid.root + place):
        # Another run may have been faster.
        with suppress(OSError):
            os.rename(laid.root + place, kept)


def _moved(value: str, variable: str, at: str, program: Program) -> str:
    """The value of a variable where the copies of files have other paths."""
    is_path = variable in ("HOME", *scratch.PLACES, *program.places, *program.files)
    return at + value if at and is_path and os.path.isabs(value) else value


def _servers(prompt: Prompt) -> tuple[str, ...]:
    """The names of the MCP servers that the configuration has on."""
    named = (each.origin for each in prompt.candidates if each.use == "server" and each.outcome == "loaded")
    offered = (each.origin for each in prompt.tools or () if each.enabled)
    return tuple(dict.fromkeys(each.name for each in (*named, *offered) if each.kind == "config" and each.name))


def _note(program: Program, title: str, processes: int, *, is_known: bool) -> list[str]:
    """What to know of a session of several processes."""
    known = f": {program.then}" if program.then else ""
    says = f"Each later turn resumed the session of {title} in a new process, "
    says += "and the preview shows it so." if is_known else f"which may differ slightly from one continuous run{known}."
    return [says] if processes > 1 else []


def _captured(
    report: Report, job: Job, plan: _Plan, at: str, *, prompt: Prompt, host: Host, before: int = 0
) -> Capture:
    # A program that is slow to end asks once more; ``before``: so many come behind the one that is wanted.
    last = recorded(report)[job.wanted[-1] - 1 - before]
    notes = [f"{plan.title} {report.version} ({job.command}) was run {SAYS[report.means]}."]
    if report.hosts:
        notes.append(f"It tried to reach {', '.join(map(visible, report.hosts))}, and was refused.")
    blocks = joined(last.blocks) if plan.program.joins else last.blocks
    said = tuple(replace(each, text=_replaced(each.text, at)) for each in blocks)
    offered = tuple(
        replace(
            each,
            description=_replaced(each.description, at),
            inner=tuple(_replaced(text, at) for text in each.inner),
        )
        for each in last.offered
    )
    return Capture(name(job.command), report.version, last.model, said, offered, tuple(notes), prompt, host)


def _complain(report: Report, job: Job, title: str) -> None:
    """Raise unless the program sent what was wanted."""
    last = last_error(report.output)
    says = f"; it said last: {visible(masked(last))[:SHOWN].rstrip('.')}" if last else ""
    if report.end == "open":
        raise CaptureError(report.output)
    if report.end == "other":
        advice = IN_CONTAINER if _starts_container(job.command) else SHIM.format(name(job.command))
        raise CaptureError(f"{job.command} is not {title}: “--version” does not answer as {title} does{says}. {advice}")
    if not report.version:
        raise CaptureError(f"{job.command} does not answer to “--version”; see whether it starts by itself.")
    sent = len(report.requests)
    wanted = job.wanted[-1]
    if sent >= wanted:
        return
    why = {
        "exited": f"ended with code {report.code}",
        "late": f"was stopped after {job.patience:.0f} s",
        "large": "was stopped because it took too much memory",
    }.get(report.end, "could not be run")
    what = "without a request to a model" if not sent else f"after {sent} of {wanted} requests"
    hosts = f"; it tried to reach {', '.join(map(visible, report.hosts))}" if report.hosts else ""
    raise CaptureError(f"{title} {report.version} {why} {what}{hosts}{says}.")


def _starts_container(command: str) -> bool:
    """Whether a command is a script that starts a container, by its text."""
    text = files.read(command, MOST_SCRIPT).data
    return text.startswith(b"#!") and re.search(rb"\b(?:docker|podman|nerdctl|distrobox|toolbox)\b", text) is not None


def _replaced(text: str, at: str) -> str:
    """A text with the paths that files have where they belong."""
    return text.replace(at, "") if at else text
