"""``promptls preview``: the prompt for a file, as text, Markdown or JSON."""

from __future__ import annotations

import os
import sys

from promptls.cli.arguments import ALLOW, Options, Parser, absolute, current_directory, existing, takes_habits
from promptls.cli.output import as_text, complain, session_lines, show, takes_colour, write, write_json
from promptls.core import files
from promptls.core.files import expand_home
from promptls.core.host import NO_ANSWERS
from promptls.core.model import Call, Turn
from promptls.core.settings import DEFAULT
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.sessions.start import Overrides, existing_start, place_of
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import NO_URLS, Sources, answered, delegated, look, session_at, started_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.core.host import Disk, Fetch, Host
    from promptls.core.model import FetchResult, Problem, Prompt, Timeouts
    from promptls.core.render import Line
    from promptls.core.servers import ServerAnswer
    from promptls.sessions.start import Place
    from promptls.workspace.recordings import Record
    from promptls.workspace.request import Here


def run(argv: list[str]) -> int:
    """Show the prompt; what follows ``--`` is the harness's own command line."""
    options, args = _options(argv)
    if options.servers == options.session == "-":
        raise UsageError("Standard input has the session or the servers; name a file for one of them.")
    load_harnesses()
    path = absolute(options.path) if options.path is not None else None
    record = _recorded(options, path) if options.recorded is not None else None
    asked = asked_of(options, args, record)
    if path is not None and options.rev is None:
        existing(path, "file or directory")
    sysroot = existing(absolute(options.sysroot), "directory") if options.sysroot else ""
    sources = Sources(
        fetch=_fetch(options.allow),
        disk=_disk(options.rev, path, asked.cwd),
        sysroot=sysroot,
        with_habits=options.with_habits,
        servers=_servers(options),
    )
    host = sources.host(DEFAULT)
    place = start_place(asked.cwd, path, host, may_be_missing=options.rev is not None)
    here = look(place, sources, NO_URLS if options.no_network else DEFAULT, host)
    answer = answered(here, asked_later(options, replace(asked, turns=turns_of(options, asked), is_of_file=True), here))
    prompt, found_problems = answer.prompt, answer.problems()

    if options.format == "json":
        from promptls.core import prompt_json  # noqa: PLC0415 - only for this format
        from promptls.core.session_line import session_line_json  # noqa: PLC0415 - the same

        evidence = [{"name": each.name, "evidence": list(each.evidence)} for each in here.found]
        base = here.place.workspace
        json = prompt_json.to_json(
            prompt, found_problems, evidence, session_line_json(answer.session_facts, base, host.home)
        )
        if record is not None:
            json["recorded"] = record.as_json(record.arrived(prompt.session, sources.host))
        write_json(json)
        return 2 if prompt.is_fault else 0
    told = tuple(session_lines(answer.session_facts, current_directory("/"), host.home, is_verbose=options.verbose))
    first = tuple(record.lines(record.arrived(prompt.session, sources.host), prompt)) if record is not None else ()
    if options.format == "markdown":
        from promptls.core import render  # noqa: PLC0415 - only for this format

        title = f"Effective prompt of {os.path.basename(path)}" if path else "Effective prompt"
        title += f" at {options.rev}" if options.rev else ""
        show((*first, *render.to_markdown(prompt, found_problems, title, told[0].text)))
    else:
        view = (prompt, found_problems, options, told, host.home)
        _show_text((*first, *_text_lines(*view)), options, place.workspace)
    return 2 if prompt.is_fault else 0


def _text_lines(
    prompt: Prompt, problems: Sequence[Problem], options: Options, told: tuple[Line, ...], home: str
) -> Iterator[Line]:
    from promptls.core import text_view  # noqa: PLC0415 - after everything that may fail

    for name in options.only:
        if not text_view.has_part(prompt, name):
            words = ", ".join(text_view.part_names(prompt))
            raise UsageError(f"This prompt has no part {name!r}; name one of its files, or {words}.")
    view = text_view.Shown(
        has_own=options.all,
        has_missing=options.looked_for,
        only=tuple(options.only),
        first=told,
        home=home,
        here=current_directory(""),
    )
    return text_view.to_text(prompt, problems, view)


def _show_text(lines: Sequence[Line], options: Options, root: str) -> None:
    is_coloured = takes_colour() if options.color == "auto" else options.color == "always"
    text = as_text(lines, is_coloured=is_coloured)
    if options.no_pager or not _paged(text, root):
        write(text)


def _paged(text: str, root: str) -> bool:
    """Whether a pager has shown ``text``, as on a terminal that it does not fit on."""
    if sys.stdout is None or not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return False
    from promptls.cli import pager  # noqa: PLC0415 - only on a terminal

    return pager.is_long(text) and pager.page(text, root)


def _options(argv: Sequence[str]) -> tuple[Options, tuple[str, ...] | None]:
    end = argv.index("--") if "--" in argv else len(argv)
    parser = Parser(prog="promptls preview", description="Show the prompt that a coding agent gets for a file.")
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="the file to preview; with a directory, no file is read"
    )
    takes_habits(parser)
    parser.add_argument("--verbose", action="store_true", help="say how the session was determined")
    parser.add_argument(
        "--harness",
        metavar="H[@VERSION]",
        help="the coding agent (default: the one that you use here, or one that the folder has files for)",
    )
    parser.add_argument("--cwd", metavar="DIR", help="where the coding agent is started (default: the workspace root)")
    parser.add_argument(
        "--read", metavar="FILE", action="append", default=[], help="a file that the agent reads; repeatable"
    )
    parser.add_argument(
        "--prompt", metavar="TEXT", help="what the user types; @files, /commands and skills in it are resolved"
    )
    parser.add_argument(
        "--attach", metavar="FILE", action="append", default=[], help="a file attached to the prompt; repeatable"
    )
    parser.add_argument(
        "--session",
        metavar="FILE",
        help="a session as JSON, or - for standard input; its last request is shown; --harness and --cwd override it",
    )
    parser.add_argument(
        "--recorded",
        metavar="ID",
        help="show a recorded session (its identifier, or “last”), and which instruction files reached it",
    )
    parser.add_argument(
        "--servers",
        metavar="FILE",
        help="answers of MCP servers as JSON (- for standard input), so that their tools are shown",
    )
    parser.add_argument("--model", metavar="ID", help="the model, by the name that the coding agent uses")
    parser.add_argument("--agent", metavar="NAME", help="the agent that runs the whole session, such as plan")
    add_later(parser)
    parser.add_argument(
        "--hint", metavar="TEXT", action="append", default=[], help="a hint given while the agent runs; repeatable"
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    _add_texts(parser)
    parser.add_argument(
        "--rev", metavar="REV", help="use the files of the git repository as they were at this revision"
    )
    parser.add_argument("--sysroot", metavar="DIR", help="read DIR/etc in place of /etc")
    parser.add_argument("--no-network", action="store_true", help="do not fetch URLs")
    parser.add_argument("--allow", metavar="HOST", action="append", default=[], help=ALLOW)
    parser.epilog = "What follows -- is the command line of the coding agent itself."
    options = parser.parse_args(list(argv[:end]))
    if options.format != "text" and (options.all or options.looked_for or options.only):
        raise UsageError(f"--all, --looked-for and --only are for text; {options.format} has everything.")
    return options, tuple(argv[end + 1 :]) if end < len(argv) else None


def _add_texts(parser: Parser) -> None:
    """The options for the form of a text."""
    texts = parser.add_argument_group("with --format text")
    texts.add_argument(
        "--all", action="store_true", help="show the coding agent's own parts in full, not only their sizes"
    )
    texts.add_argument("--looked-for", action="store_true", help="also list places that were searched but are empty")
    texts.add_argument(
        "--only",
        metavar="PART",
        action="append",
        default=[],
        help="only a file, a role such as system, or parts such as summary, problems, skills or tools; repeatable",
    )
    texts.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    texts.add_argument("--no-pager", action="store_true", help="write long texts straight to the terminal")


def add_later(parser: Parser) -> None:
    """The options for what comes later in a session than its first request."""
    later = parser.add_argument_group("kind and state of the session")
    which = later.add_mutually_exclusive_group()
    which.add_argument(
        "--interactive",
        dest="interactive",
        action="store_true",
        default=None,
        help="a session in the interactive program",
    )
    which.add_argument(
        "--print", dest="interactive", action="store_false", help="a session that prints one answer and ends"
    )
    which.add_argument(
        "--editor",
        action="store_true",
        default=None,
        help="a session in the panel of an editor, which runs the program over its protocol",
    )
    later.add_argument("--mode", metavar="MODE", help="the mode that the user has chosen, such as plan")
    later.add_argument(
        "--after-compact", action="store_true", help="show what is left after the session has been compacted"
    )
    later.add_argument(
        "--subagent",
        metavar="NAME[: TASK]",
        help="show the first request of a sub-agent with this name and task; --agent names the session's own agent",
    )


def _recorded(options: Options, path: str | None) -> Record:
    from promptls.cli.unwinding import unwinding  # noqa: PLC0415 - only for recorded sessions
    from promptls.workspace.recordings import one  # noqa: PLC0415 - the same

    if options.session is not None or options.rev is not None:
        raise UsageError("--recorded cannot be combined with --session or --rev.")
    folder = path or (absolute(options.cwd) if options.cwd is not None else current_directory())
    with unwinding():
        record = one(options.recorded, folder, options.harness)
    for sentence in record.unread:
        complain(f"promptls: {sentence}")
    return record


def asked_of(options: Options, args: tuple[str, ...] | None, record: Record | None = None) -> Overrides:
    """What the options ask for, over what the session of ``--session`` or ``--recorded`` does."""
    own = _session(options) if options.session is not None else Overrides()
    own = record.asked() if record is not None else own
    return replace(
        own,
        is_given=options.session is not None or record is not None,
        harness=options.harness or own.harness,
        cwd=options.cwd if options.cwd is not None else own.cwd,
        model=options.model or own.model,
        agent=options.agent or own.agent,
        args=own.args if args is None else args,
        hints=tuple(options.hint) or own.hints,
        interactive=own.interactive if options.interactive is None else options.interactive,
        editor=(own.editor or options.editor) if options.interactive is None else None,
        mode=options.mode or own.mode,
    )


def _session(options: Options) -> Overrides:
    from promptls.workspace.session_file import MOST, parse  # noqa: PLC0415 - pydantic costs more than a preview

    return parse(*_input_and_name(options.session, "session", MOST), harness=options.harness, cwd=options.cwd)


def _servers(options: Options) -> Mapping[str, ServerAnswer]:
    if options.servers is None:
        return NO_ANSWERS
    from promptls.workspace.servers_file import MOST, parse  # noqa: PLC0415 - pydantic costs more than a preview

    return parse(*_input_and_name(options.servers, "list of servers", MOST))


def _input_and_name(name: str, what: str, most: int) -> tuple[bytes, str]:
    """What a file or standard input holds, and its name as the subject of a sentence."""
    if name == "-":
        if sys.stdin is None:
            raise UsageError(f"Standard input is closed; name a file, or write the {what} to standard input.")
        return sys.stdin.buffer.read(most + 1), f"The {what} on standard input"
    found = files.read(existing(absolute(name), "file"), most)
    if found.state != "file" or found.is_cut:
        why = f"is larger than {most // 1024 // 1024} MiB" if found.is_cut else "cannot be read as a file"
        raise UsageError(f"The {what} {name} {why}; check the path.")
    return found.data, f"The {what} {name}"


def turns_of(options: Options, asked: Overrides) -> tuple[Turn, ...]:
    """The turns of the session that is given, then one with what the options say."""
    last = Turn(
        prompt=options.prompt,
        attached=tuple(map(expand_home, options.attach)),
        steps=tuple((Call(read=expand_home(read)),) for read in options.read),
    )
    return (*(asked.turns or ()), *((last,) if last != Turn() else ()))


def _disk(rev: str | None, path: str | None, cwd: str | None) -> Disk:
    if rev is None:
        return files
    from promptls.git.revision import revision  # noqa: PLC0415 - only if a revision is requested

    return revision(path or (absolute(cwd) if cwd is not None else current_directory(path)), rev)


def asked_later(options: Options, asked: Overrides, here: Here) -> Overrides:
    """``asked`` with what ``--after-compact`` and ``--subagent`` add to it.

    Raises:
        UsageError: the harness starts no sub-agents, as far as its rules know.
    """
    if not options.after_compact and options.subagent is None:
        return asked
    from promptls.sessions.later import compacted  # noqa: PLC0415 - few sessions have a later life

    if options.after_compact:
        turns = session_at(here, asked).turns
        asked = replace(asked, turns=compacted(turns), is_of_file=False)
    return delegated(here, asked, options.subagent) if options.subagent is not None else asked


def start_place(cwd: str | None, path: str | None, host: Host, *, may_be_missing: bool) -> Place:
    """The place of the file or folder ``path``, or of the directory to start in.

    Raises:
        UsageError: there is no such directory.
    """
    cwd = absolute(cwd) if cwd is not None else None
    here = current_directory("" if path or cwd else None)
    folder = started_in(path, here) if cwd is None and not may_be_missing else None
    return existing_start(
        host, place_of(host, path, folder, cwd=cwd, here=here, may_be_missing=may_be_missing, is_start=path is None)
    )


def _fetch(allowed: Sequence[str]) -> Fetch:
    def fetch(urls: Sequence[str], timeouts: Timeouts) -> Sequence[FetchResult]:
        from promptls.net.now import fetch_now  # noqa: PLC0415 - httpx is needed only if there is a URL

        return fetch_now(urls, timeouts, allowed=allowed)

    return fetch
