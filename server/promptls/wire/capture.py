"""What the installed program of a harness really sends for a session: it is started, recorded and ended."""

from __future__ import annotations

import json
import os
import shutil
import sys

from promptls import harnesses
from promptls.core.model import COMPUTED, START, Message, Segment, Tool, Turn
from promptls.core.paths import is_below, join, name, relative
from promptls.core.secrets import is_config, masked
from promptls.core.text import decode
from promptls.core.uses import OF_TEXTS
from promptls.core.values import dataclass, replace
from promptls.core.visible import visible
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.harnesses.installed import installed
from promptls.harnesses.program import Run
from promptls.wire import scratch
from promptls.wire.align import compare
from promptls.wire.enclosure import SAYS
from promptls.wire.formats import Said
from promptls.wire.run import SHOWN, CaptureError, recorded, run, scratch_home, write
from promptls.wire.runner import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Session
    from promptls.harnesses.program import Program
    from promptls.wire.align import Sides
    from promptls.wire.formats import Offered
    from promptls.wire.runner import Report

# What is typed where the session does not say.
TYPED = "say ok"
WHY_SENT = "the program sent it"
LEAVE_OUT = "leave out --own-view"
OWN_VIEW = "This is what {} itself prints of its prompt; no request was recorded."


@dataclass(frozen=True, slots=True)
class Capture:
    """What a program sent: ``said`` is the last request that was wanted, with the paths of the user's home.

    ``notes`` say how it was run.
    """

    program: str
    version: str
    model: str | None
    said: tuple[Said, ...]
    offered: tuple[Offered, ...]
    notes: tuple[str, ...]


def program_of(harness: str) -> Program:
    """How the program of a harness is started.

    Raises:
        UsageError: nobody knows.
    """
    found = catalogue.program(harness)
    if found is None:
        known = ", ".join(each for each in catalogue.FOLDERS if catalogue.program(each))
        raise UsageError(f"promptls does not know how to start {harness}; choose one of {known}.")
    return found


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
) -> Capture:
    """Start the program of ``session`` and record what it sends.

    ``prompt`` is the preview that ``host`` made, which says what the program needs. ``workspace`` is the folder that
    the program must not change. ``runs``: the MCP servers, hooks and plugins of the workspace may run. ``is_case``: the
    home is that of a case, which has no credentials. ``etc``: a directory with files for /etc.
    ``own_view``: take what the program prints of its prompt in place of a request.

    Raises:
        UsageError: the program or the session cannot be run.
        CaptureError: it sent nothing.
    """
    harness = harnesses.get(session.harness)
    program = program_of(harness.name)
    if host.platform == "win32":
        raise UsageError("A program can be captured on Linux and macOS only.")
    if prompt.is_fault:
        raise UsageError(prompt.stopped or "")
    if prompt.stopped:
        raise UsageError(f"{harness.title} would send nothing here: {prompt.stopped}")
    if is_below(host.home, workspace):
        raise UsageError(f"{workspace} holds your home directory; choose a folder inside it.")
    command = _command(program, host, workspace)
    if program.launcher and (session.args or len(session.folders) > 1):
        raise UsageError(f"{harness.title} is started in one folder without arguments; leave out the others.")
    known = program.find_version(host, command) if program.find_version else installed(host, harness, workspace)
    if program.find_version and known is None:
        raise UsageError(f"{command} has no {harness.title}; install one that has. {program.advice}".rstrip())
    if not runs:
        _refuse_what_runs(prompt, program, host, workspace, harness.title)
    turns = _turns(session, program, harness.title)
    begin = program.view if own_view else program.start
    if begin is None or (own_view and len(turns) > 1):
        raise UsageError(f"{harness.title} does not print {'a later turn' if begin else 'its prompt'}; {LEAVE_OUT}.")
    with scratch_home() as home:
        moved = scratch.places(host.home, host.env, program)
        files = scratch.copies(host.has_read(), moved, workspace, program, is_case=is_case)
        files = scratch.with_home(files, host.home, home, program)
        one = Run(
            home=home,
            user_home=host.home,
            cwd=session.cwd,
            typed=TYPED,
            model=session.model or prompt.model,
            agent=session.agent,
            args=session.args,
            runs=runs,
            servers=_servers(prompt),
        )
        starts = [
            begin(replace(one, typed=_typed(turn), attached=turn.attached, opened=turn.open, goes_on=number > 0))
            for number, turn in enumerate(turns)
        ]
        start = starts[0]
        files = {path: data for path, data in files.items() if not path.startswith(start.leaves_out)}
        files = {**_git_settings(session.cwd, host), **files}
        files = scratch.with_settings(files, start.settings)
        write(home, files, scratch.links(host.looked_at(), moved, workspace, host.realpath))
        job = Job(
            command=command,
            arguments=[list(each.arguments) for each in starts],
            variables={**scratch.variables(home, host.home, host.env, program), **start.variables},
            cwd=session.cwd,
            settings={join(home, each): files[each].decode() for each in start.settings},
            version=program.version,
            known_version=known or "",
            launcher=_launcher(program, host, workspace),
            main=list(program.main),
            home=home,
            steps=[[[_call(call, program, harness.title) for call in step] for step in turn.steps] for turn in turns],
            patience=program.patience,
            protected="" if runs else workspace,
            changes=join(home, ".changes"),
            etc=etc,
            printed=join(home, ".tmp", "printed") if own_view else "",
        )
        report = run(job)
        found = _captured(report, job, harness.title, _back(home, moved, (session.cwd, workspace)))
        note = [OWN_VIEW.format(harness.title)] if own_view else _note(program, harness.title, len(turns))
        return replace(found, notes=(*found.notes, *note))


def _command(program: Program, host: Host, workspace: str) -> str:
    """The path of the program."""
    found = _on_path(program.command, host, workspace)
    if found is None:
        says = f"There is no {program.command} on the search path; install it, or add it to PATH."
        raise UsageError(f"{says} {program.advice}".rstrip())
    return found


def _launcher(program: Program, host: Host, workspace: str) -> list[str]:
    """What starts the program; [] where it is started itself."""
    if not program.launcher:
        return []
    beside = next(filter(None, (_on_path(each, host, workspace) for each in program.beside)), None)
    if beside is None:
        raise UsageError(f"{program.command} needs a browser beside it, such as {program.beside[0]}; install one.")
    return [sys.executable, "-P", "-c", f"from promptls.wire.{program.launcher} import main; main()", beside]


def _on_path(name: str, host: Host, workspace: str) -> str | None:
    """The path of a program on the user's search path; nothing in the workspace counts."""
    named = (host.env.get("PATH") or "").split(host.list_separator)
    path = host.list_separator.join(each for each in named if os.path.isabs(each) and not is_below(each, workspace))
    found = shutil.which(name, path=path)
    if found is not None and is_below(os.path.realpath(found), os.path.realpath(workspace)):
        raise UsageError(f"{found} leads into the workspace, and nothing there is run; install it elsewhere.")
    return found


def _refuse_what_runs(prompt: Prompt, program: Program, host: Host, workspace: str, title: str) -> None:
    """Raise if the program would run something of the workspace or the user that cannot be turned off."""
    advice = f"which {title} would run; add --run-workspace to let it."
    for each in prompt.candidates:
        if each.use in ("server", "hook") and each.outcome == "loaded" and each.use not in program.turns_off:
            what = "an MCP server" if each.use == "server" else "hooks"
            raise UsageError(f"{each.path or each.origin.path} has {what}, {advice}")
    for directory in program.runs:
        place = next((p for p in _upwards(prompt.session.cwd, workspace) if host.entries(join(p, directory))), None)
        if place is not None:
            raise UsageError(f"{join(place, directory)} has programs, {advice}")
    for path, contents in host.has_read().items():
        # The user's own configurations are copied without these keys.
        dropped = () if is_below(path, workspace) else program.drops
        for key in program.runs_keys:
            if is_config(path) and key not in dropped and f'"{key}"'.encode() in contents.data:
                raise UsageError(f"{path} has {key}, {advice}")


def _upwards(directory: str, top: str) -> list[str]:
    found = [directory]
    while directory != top and is_below(directory, top):
        directory = directory.rpartition("/")[0] or "/"
        found.append(directory)
    return found


def _servers(prompt: Prompt) -> tuple[str, ...]:
    """The names of the MCP servers that the configuration has on."""
    named = (each.origin for each in prompt.candidates if each.use == "server" and each.outcome == "loaded")
    offered = (each.origin for each in prompt.tools or () if each.enabled)
    return tuple(dict.fromkeys(each.name for each in (*named, *offered) if each.kind == "config" and each.name))


def _turns(session: Session, program: Program, title: str) -> tuple[Turn, ...]:
    """The turns of a session that the program can be led through."""
    turns = session.turns or (Turn(),)
    if len(turns) > 1 and not program.goes_on:
        raise UsageError(f"{title} takes up no session by its command line; leave out all turns but the first.")
    if any(turn.attached for turn in turns) and not program.attaches:
        raise UsageError(f"{title} takes no attached files by its command line; type @FILE in the prompt instead.")
    if any(turn.stdin is not None for turn in turns):
        raise UsageError("promptls pipes nothing to a program that it starts; leave out stdin.")
    if any(turn.open for turn in turns) and not program.opens:
        raise UsageError("Only an editor tells a program which files are open; leave them out.")
    return turns


def _note(program: Program, title: str, turns: int) -> list[str]:
    """What to know of a session with several turns."""
    known = f": {program.then}" if program.then else ""
    says = f"For each later turn {title} took up its session again, which is not quite the same as going on{known}."
    return [says] if turns > 1 else []


def _typed(turn: Turn) -> str:
    return TYPED if turn.prompt is None else turn.prompt


def _call(call: Call, program: Program, title: str) -> dict[str, object]:
    if call.read is None:
        return {"name": call.tool, "arguments": json.loads(call.input)}
    if not program.read:
        raise UsageError(f"What {title} sends does not change when it reads a file; leave out the file.")
    return {"name": program.read, "arguments": {program.read_argument: call.read}}


def _git_settings(cwd: str, host: Host) -> dict[str, bytes]:
    """What of the user's own settings git has to know, so that it says the same of the workspace."""
    state = host.git(cwd)
    quoted = json.dumps(state.user, ensure_ascii=False) if state is not None and state.user else None
    user = f"[user]\n\tname = {quoted}\n" if quoted else ""
    return {".gitconfig": f"{user}[safe]\n\tdirectory = *\n".encode()}


def _captured(report: Report, job: Job, title: str, back: Mapping[str, str]) -> Capture:
    _complain(report, job, title)
    # A program that is slow to end asks once more.
    last = recorded(report)[job.wanted[-1] - 1]
    notes = [f"{title} {report.version} ({job.command}) was run {SAYS[report.means]}."]
    if report.hosts:
        notes.append(f"It tried to reach {', '.join(map(visible, report.hosts))}, and was refused.")
    said = tuple(replace(each, text=_replaced(each.text, back)) for each in last.said)
    offered = tuple(
        replace(
            each,
            description=_replaced(each.description, back),
            inner=tuple(_replaced(text, back) for text in each.inner),
        )
        for each in last.offered
    )
    return Capture(name(job.command), report.version, last.model, said, offered, tuple(notes))


def _complain(report: Report, job: Job, title: str) -> None:
    """Raise unless the program sent what was wanted."""
    last = report.said.strip().rpartition("\n")[2]
    says = f"; it said last: {visible(masked(last))[:SHOWN].rstrip('.')}" if last else ""
    if report.end == "bare":
        raise CaptureError("Files for /etc can be laid out in a namespace only, and there is none here.")
    if report.end == "other":
        raise CaptureError(f"{job.command} is not {title}: “--version” does not answer as {title} does{says}.")
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


def _back(home: str, moved: Mapping[str, str], bases: Iterable[str]) -> dict[str, str]:
    """Directories of the scratch home, longest first, with those of the user's that they stand for.

    A program may name them from one of ``bases``.
    """
    found = {join(home, below) if below else home: place for place, below in moved.items()}
    named = [(relative(each, base), relative(place, base)) for each, place in found.items() for base in bases]
    found |= dict(named)
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


def _replaced(text: str, back: Mapping[str, str]) -> str:
    for directory, place in back.items():
        text = text.replace(directory, place)
    return text


def turned_off(prompt: Prompt, host: Host) -> dict[str, str]:
    """Configurations as they count for a program whose MCP servers and hooks are turned off: texts by path."""
    if all(each.use not in ("server", "hook") or each.outcome != "loaded" for each in prompt.candidates):
        return {}
    keys = program_of(prompt.session.harness).off_keys
    read = {path: contents.data for path, contents in host.has_read().items() if contents.state == "file"}
    texts = {path: scratch.without(path, data, keys) for path, data in read.items()}
    return {path: text for path, text in texts.items() if text is not None}


def sides(prompt: Prompt, found: Capture, host: Host) -> Sides:
    """A preview and a capture side by side; ``host`` made the preview."""
    described = [
        Said("tools", text, 0, number)
        for number, each in enumerate(found.offered)
        for text in (each.description, *each.inner)
    ]
    texts = [
        decode(contents.data, keep_bom=False)
        for path, contents in host.has_read().items()
        if contents.state == "file" and not is_config(path)
    ]
    # What the preview passes over, it may not have read.
    named = {each.path for each in prompt.candidates if each.path is not None and each.use in OF_TEXTS}
    return compare(prompt.messages, (*found.said, *described), texts, [path for path in named if host.kind(path)])


def shown(prompt: Prompt, found: Capture, both: Sides, date: str) -> Prompt:
    """A capture as a preview shows it: with the texts that a preview leaves out, and the origins that it knows."""
    by_number = {pair.number: pair for pair in both.pairs if pair.said is not None and pair.gaps is not None}
    messages = []
    for number, each in enumerate(found.said, 1):
        pair = by_number.get(number)
        if pair is not None:
            segments = filled(pair.expected.segments, pair.gaps or {}, date)
            at = pair.expected.at
        else:
            segments, at = (Segment("runtime", each.role, each.text, COMPUTED, WHY_SENT),), START
        messages.append(Message(each.role, segments, each.index, each.block, at, each.cached))
    tools = tuple(Tool(each.name, enabled=True, why=WHY_SENT, size=each.size) for each in found.offered)
    session = replace(prompt.session, version=found.version)
    return replace(
        prompt, session=session, messages=tuple(messages), model=found.model, tools=tools, notes=found.notes, limits=()
    )


def filled(segments: Sequence[Segment], gaps: Mapping[int, str], date: str) -> tuple[Segment, ...]:
    """Segments with the captured texts in place of what a preview leaves out."""
    found = []
    for number, each in enumerate(segments):
        if each.elided is None:
            found.append(each)
        elif gaps.get(number):
            found.append(replace(each, text=gaps[number], elided=None, captured=date))
    return tuple(found)
