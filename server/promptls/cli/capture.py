"""``promptls capture``: start the installed program and show what it really sends."""

from __future__ import annotations

from datetime import datetime

from promptls import harnesses
from promptls.cli.arguments import Options, Parser, absolute, existing
from promptls.cli.output import show, write_json
from promptls.cli.preview import add_later, asked_later, asked_of, start_place, turns_of
from promptls.cli.unwinding import unwinding
from promptls.core.habits import NO_HABITS
from promptls.core.later import undriven
from promptls.core.model import Turn
from promptls.core.paths import resolve, upwards
from promptls.core.phrases import and_list
from promptls.core.values import dataclass, replace
from promptls.errors import UsageError
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import Sources, look, session_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.kit.launch import Program
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture

LEFT_OUT = "Left out, because a program could run it, and from the preview, too: {}."
OTHERWISE = "The preview is one of a copy of the folder, and it is another than that of the folder itself."
MOST_LEFT_OUT = 8
NOT_READ = (
    "Reading a file changes nothing that {} sends, so it was run without reading {}: this is the start of a session."
)
# No URL is asked for, and what was kept of the program is what is to be shown.
SOURCES = Sources(with_known_texts=False)
# Where MCP servers run, or somebody asks for a preview, what they have answered counts.
WITH_ANSWERS = Sources(with_known_texts=False, with_answers=True)
RUNS = (
    "give the program the folder itself and let it run the MCP servers, hooks and plugins that are configured, also "
    "where this system cannot enclose it; only for a folder that you trust"
)


@dataclass(frozen=True, slots=True)
class Result:
    """A preview, what was sent, and both side by side.

    ``asked`` is the session as it was asked for, which ``prompt`` need not be: something is typed, and where
    ``has_all`` is false, something of the user's was left out that changes the prompt. ``has_screen``: the program has
    one, beside printing its answer.
    """

    asked: Session
    has_all: bool
    has_screen: bool
    prompt: Prompt
    capture: Capture
    sides: Sides
    date: str
    host: Host
    workspace: str


def run(argv: list[str]) -> int:
    """Show what the program sends."""
    parser = session_parser(
        "promptls capture",
        "Start the installed program of a coding agent without a network, with a dummy key and a scratch home "
        "directory, and show what it sends to the model. Nothing leaves this machine.",
    )
    parser.add_argument(
        "--save", action="store_true", help="keep the program's own texts, to show them in previews of this version"
    )
    options, args = split(parser, argv)
    with unwinding():
        result = captured(options, args)
    from promptls.core import text_view  # noqa: PLC0415 - the same
    from promptls.wire.sides import shown  # noqa: PLC0415 - not for --help

    prompt = shown(result.prompt, result.capture, result.sides, result.date)
    if options.save:
        from promptls.cli.keep import keep_texts  # noqa: PLC0415 - rarely asked for

        is_default = result.asked.model is None and result.prompt.session.model is not None
        says = keep_texts(result.prompt, result.capture, result.sides, result.date, is_default=is_default)
        prompt = replace(prompt, notes=(*prompt.notes, says))
    if options.format == "json":
        from promptls.core import prompt_json  # noqa: PLC0415 - only for this format

        write_json(prompt_json.to_json(prompt))
    else:
        show(text_view.to_text(prompt))
    return 0


def session_parser(name: str, description: str) -> Parser:
    """The options that say what is run."""
    parser = Parser(prog=name, description=description)
    parser.add_argument("path", nargs="?", metavar="PATH", help="a file that the program reads, or a folder")
    parser.add_argument("--harness", metavar="H", help="the coding agent (default: the one that you use here)")
    parser.add_argument("--cwd", metavar="DIR", help="where the program is started (default: the workspace root)")
    parser.add_argument(
        "--read", metavar="FILE", action="append", default=[], help="a file that the agent reads; repeatable"
    )
    parser.add_argument("--prompt", metavar="TEXT", help="what the user types (default: “say ok”)")
    parser.add_argument("--session", metavar="FILE", help="a session as JSON, as for “promptls preview”")
    parser.add_argument("--model", metavar="ID", help="the model, by the name that the coding agent uses")
    parser.add_argument("--agent", metavar="NAME", help="the agent, as the coding agent names it, such as plan")
    add_later(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--run-workspace", action="store_true", help=RUNS)
    parser.add_argument(
        "--own-view",
        action="store_true",
        help="use the prompt that the program itself prints, if it can, instead of recording a request",
    )
    parser.epilog = (
        "The coding agent is the one that you use here, unless you name another. Its model, agent and mode are those "
        "of options and settings, not those of your last session; the program prints an answer and ends, unless "
        "you say --interactive. What follows -- is the command line of the coding agent itself."
    )
    return parser


def split(parser: Parser, argv: Sequence[str]) -> tuple[Options, tuple[str, ...] | None]:
    """The options, and what follows ``--``."""
    end = argv.index("--") if "--" in argv else len(argv)
    options = parser.parse_args(list(argv[:end]))
    options.attach, options.hint = [], []
    return options, tuple(argv[end + 1 :]) if end < len(argv) else None


def captured(options: Options, args: tuple[str, ...] | None) -> Result:
    """Preview a session, run it, and put both side by side.

    Raises:
        UsageError: the session or the program cannot be run.
        CaptureError: the program sent nothing.
    """
    from promptls.wire.capture import capture  # noqa: PLC0415 - not for --help
    from promptls.wire.dialogue import TYPED, typed_again  # noqa: PLC0415 - not for --help
    from promptls.wire.find_program import program_of  # noqa: PLC0415 - not for --help
    from promptls.wire.sides import is_same, sides  # noqa: PLC0415 - the same

    load_harnesses()
    path = existing(absolute(options.path), "file or directory") if options.path is not None else None
    asked = asked_of(options, args)
    sources = WITH_ANSWERS if options.run_workspace else SOURCES
    host = sources.host()
    here = look(start_place(asked.cwd, path, host, may_be_missing=False), sources, host=host)
    asked = asked_later(options, replace(asked, turns=turns_of(options, asked), is_of_file=True), here)
    # The program starts as options and settings say, not as the user last did.
    wanted = session_at(replace(here, habits=NO_HABITS), asked)
    if (own := here.habits.of(wanted.harness)) is not None:
        wanted = replace(wanted, program=own.program_of(wanted.version or own.version))
    program = program_of(harnesses.get(wanted.harness).name)
    wanted = trusting(_taken_up(compacting(wanted, program)), program)
    if says := undriven(wanted, program.drives):
        raise UsageError(f"promptls cannot make {wanted.harness} do this yet: {', '.join(says)}; leave it out.")
    if wanted.editor and any(turn.resumes for turn in wanted.turns):
        raise UsageError("A session in an editor starts anew; leave out the turns that resume it, or --editor.")
    if program.on_screen and wanted.interactive:
        _refuse_lists(wanted, program.on_screen.picks)
        _refuse_lost(wanted, program.on_screen.loses)
    session = _startable(wanted, reads=bool(program.read), typed=TYPED)
    prompt, host = _previewed(session, sources)
    if prompt.model is None and (model := program.model) is not None:
        session = replace(session, model=model)
        prompt, host = _previewed(session, sources)
    session = replace(session, cwd=prompt.session.cwd, turns=prompt.session.turns)
    workspace = next((each for each in upwards(session.cwd) if host.kind(f"{each}/.git") is not None), session.cwd)
    found = capture(session, prompt, host, workspace, runs=options.run_workspace, own_view=options.own_view)
    asked_for, prompt, host = prompt, found.prompt, found.host
    as_run = typed_again(session, program)
    if as_run is not session or asked_for.session.version != prompt.session.version:
        asked_for, _ = _previewed(replace(as_run, version=prompt.session.version), sources)
    has_all = is_same(asked_for, prompt)
    if not has_all and not found.left_out:
        found = replace(found, notes=(*found.notes, OTHERWISE))
    if not program.read and (unread := _files_read(wanted, workspace)):
        title = harnesses.get(wanted.harness).title
        found = replace(found, notes=(*found.notes, NOT_READ.format(title, and_list(unread))))
    if found.left_out:
        found = replace(found, notes=(*found.notes, _says_left_out(found.left_out, workspace)))
    date = f"{datetime.now().astimezone():%Y-%m-%d}"
    # What a program prints of its prompt need not have its tools.
    both = sides(prompt, found, host, has_tools=not options.own_view)
    return Result(wanted, has_all, program.on_screen is not None, prompt, found, both, date, host, workspace)


def _files_read(session: Session, workspace: str) -> list[str]:
    """The files that a session reads, from the root of the workspace; each once."""
    calls = (call for turn in session.turns for step in turn.steps for call in step)
    paths = (resolve(session.cwd, call.read) for call in calls if call.read is not None)
    return list(dict.fromkeys(path.removeprefix(f"{workspace}/") for path in paths))


def _says_left_out(left_out: Sequence[tuple[str, str]], workspace: str) -> str:
    """What was left out, by its name: where a name stands in many files, only how many these are."""
    places: dict[str, list[str]] = {}
    for what, path in left_out:
        places.setdefault(what, []).append(path.removeprefix(f"{workspace}/"))
    named = [_of(what, paths) for what, paths in places.items()]
    more = len(named) - MOST_LEFT_OUT
    return LEFT_OUT.format(", ".join((*named[:MOST_LEFT_OUT], *([f"and {more} more"] if more > 0 else []))))


def _of(what: str, paths: Sequence[str]) -> str:
    if paths == [""]:
        return what
    return f"{what} of {paths[0] if len(paths) == 1 else f'{len(paths)} files'}"


def as_asked(result: Result) -> Prompt:
    """The preview of the session as it was asked for, with the version that was run."""
    session = replace(result.asked, version=result.asked.version or result.capture.version)
    return _previewed(session, WITH_ANSWERS)[0]


def _previewed(session: Session, sources: Sources) -> tuple[Prompt, Host]:
    host = sources.host()
    return harnesses.preview(session, host), host


def compacting(session: Session, program: Program) -> Session:
    """The session on the screen, where it is compacted and nobody has said which program does it.

    Something is typed after a compaction that ends it: no program asks the model by itself then.

    Raises:
        UsageError: the program that prints an answer compacts nothing.
    """
    if all(turn.compact is None for turn in session.turns):
        return session
    if session.editor and not program.compacts_in_editor:
        title = harnesses.get(session.harness).title
        raise UsageError(f"In an editor, {title} takes {program.compacts} for a prompt; leave out --editor.")
    if session.editor or program.on_screen is None:
        return session
    if session.turns[-1].compact is not None and session.request is None:
        session = replace(session, turns=(*session.turns, Turn(resumes=session.turns[-1].resumes)))
    if session.interactive is None:
        return replace(session, interactive=True)
    if not session.interactive and not program.compacts_printing:
        title = harnesses.get(session.harness).title
        raise UsageError(f"{title} compacts a session on its screen only; leave out --print, or say --interactive.")
    return session


def trusting(session: Session, program: Program) -> Session:
    """The session in a folder that the user trusts, where the program asks on its screen and is told so."""
    asks = session.interactive and program.on_screen is not None and program.on_screen.dialogs
    return replace(session, is_trusted=True) if asks else session


def _taken_up(session: Session) -> Session:
    """The session with later turns as they are run: by new processes, where it is known what these add."""
    spec = harnesses.get(session.harness).spec
    if spec is None or "resume" not in spec.later or session.interactive or session.editor:
        return session
    return replace(session, turns=(*session.turns[:1], *(replace(turn, resumes=True) for turn in session.turns[1:])))


def _refuse_lists(session: Session, picks: str) -> None:
    """What is typed chooses nothing from the list that a program shows for a mention."""
    import re  # noqa: PLC0415 - few programs have one

    for turn in session.turns:
        if picks and turn.prompt and re.search(picks, turn.prompt):
            title = harnesses.get(session.harness).title
            says = f"{title} shows a list for “@” on the screen, from which promptls cannot choose"
            raise UsageError(f"{says}: end the prompt with another word, leave the mention out, or use --print.")


def _refuse_lost(session: Session, losing: Sequence[str]) -> None:
    """What is typed behind such a command is lost while the program begins anew."""
    for turn in session.turns[:-1]:
        if (command := (turn.prompt or "").strip()) in losing:
            title = harnesses.get(session.harness).title
            raise UsageError(f"{title} loses what is typed right behind {command}; write /clear, which does the same.")


def _startable(session: Session, *, reads: bool, typed: str) -> Session:
    """The session with something typed, and with what is answered to a request for a summary.

    There are no files in it where reading one adds nothing to what is sent.
    """
    from promptls.wire.replies import TEXT  # noqa: PLC0415 - not for --help

    def turn_of(turn: Turn) -> Turn:
        kept = (tuple(call for call in step if reads or call.read is None) for step in turn.steps)
        prompt = typed if turn.prompt is None and turn.compact is None else turn.prompt
        summary = turn.summary if turn.compact is None else turn.summary or TEXT
        return replace(turn, prompt=prompt, summary=summary, steps=tuple(step for step in kept if step))

    return replace(session, turns=tuple(map(turn_of, session.turns or (Turn(),))))
