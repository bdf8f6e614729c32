"""``promptls sessions``: the sessions that the installed programs recorded of a folder."""

from __future__ import annotations

import contextlib
import os
from argparse import ArgumentTypeError

from promptls import harnesses
from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing, takes_page
from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core import files
from promptls.core.render import Line
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.workspace import recordings
from promptls.workspace.calibrating import calibrated, learn
from promptls.workspace.machine import home
from promptls.workspace.record_store import LocalStore
from promptls.workspace.request import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.kit.recording import Recorded
    from promptls.workspace.calibrating import Calibrated

NONE_OF = "There is no recorded session of {names} of this folder."
UNKNOWN = "The records of {name} are not known; choose from {names}."
PART = (
    "{path} is large: of it, the list has the beginning and the end. “promptls preview --recorded ID” reads all of it."
)
NONE = "No program has recorded a session of this folder. promptls knows the records of {names}."


def run(argv: list[str]) -> int:
    """List them, the newest first."""
    options = _options(argv)
    name, path = _named(options.named)
    only = [harnesses.get(name).name for name in options.harness]
    known = [name for name in harnesses.names() if catalogue.records(name) is not None]
    if unknown := [name for name in only if name not in known]:
        raise UsageError(UNKNOWN.format(name=" and ".join(unknown), names=", ".join(known)))
    folder = files.realpath(existing(absolute(path or current_directory()), "folder"))
    if options.rules:
        code = show_rules(folder, only or known, options.last, as_json=options.format == "json")
        learn(folder, Sources().host, only)  # so a server, which asks for these tables, learns too
        return code
    if options.tools:
        return show_tools(folder, only or known, options.last, as_json=options.format == "json")
    if name is not None:
        from promptls.cli.session_requests import show_requests  # noqa: PLC0415 - it makes previews

        is_json, one = options.format == "json", only[0] if only else None
        page, is_shared = options.html, options.redact
        return show_requests(name, folder, one, options.find, as_json=is_json, page=page, is_shared=is_shared)
    for option in ("html", "find"):
        if getattr(options, option) is not None:
            raise UsageError(f"--{option} is for one session; name it, or write “last”.")
    with unwinding(), contextlib.closing(LocalStore(home(), os.environ)) as store:
        found = recordings.find(store, folder, only, recordings.SEARCHED if options.all else recordings.SHOWN)
    for path in dict.fromkeys(
        f"Session {each.id}" if each.id in store.parts else each.path for each in found if store.is_part(each)
    ):
        store.say(PART.format(path=path))
    found = found if options.all else [each for each in found if each.parent is None][: recordings.SHOWN]
    if options.format == "json":
        learn(folder, Sources().host, only)
        counted = [each.as_json() for each in calibrated(only or known)]
        write_json({"sessions": [recordings.as_json(each) for each in found], "calibrations": counted})
    else:
        none = NONE_OF.format(names=" and ".join(only)) if only else NONE.format(names=", ".join(known))
        show(_lines(found, none))
        learn(folder, Sources().host, only)
        show(_counted(calibrated(only or known)))
    for sentence in store.unread:
        complain(f"promptls: {sentence}")
    return 0


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls sessions",
        description="List the sessions that programs recorded in a folder, or show one of them, request by request.",
    )
    parser.add_argument(
        "named",
        nargs="*",
        metavar="ID | DIR",
        help="a session, by its identifier or “last”, and the folder (default: the current directory)",
    )
    parser.add_argument(
        "--harness", metavar="H", action="append", default=[], help="only this coding agent; repeatable"
    )
    parser.add_argument("--all", action="store_true", help="also list older sessions, and those of sub-agents")
    parser.add_argument(
        "--rules",
        action="store_true",
        help="show in how many sessions each instruction file, rule and skill was sent, or why it never was",
    )
    parser.add_argument(
        "--tools",
        action="store_true",
        help="show for each tool in the requests what it costs, and in how many sessions it was called",
    )
    parser.add_argument(
        "--last",
        type=_number,
        metavar="N",
        default=50,
        help="with --rules and --tools: how many of the last sessions to look at (default: 50)",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--format", choices=("text", "json"), default="text")
    takes_page(parser, shown, "with ID: ")
    parser.add_argument(
        "--find", metavar="TEXT", help="with ID: show which requests had an instruction file with this text"
    )
    return parser.parse_args(argv)


def _named(words: Sequence[str]) -> tuple[str | None, str | None]:
    """The session and the folder that are named: what is a path that is there, or looks like one, is the folder.

    Raises:
        UsageError: there are two of a kind.
    """
    paths = [each for each in words if "/" in each or each in (".", "..") or os.path.isdir(each)]
    names = [each for each in words if each not in paths]
    if len(paths) > 1 or len(names) > 1:
        raise UsageError("Name one session and one folder; see “promptls sessions --help”.")
    return next(iter(names), None), next(iter(paths), None)


def _number(text: str) -> int:
    """A number of sessions, at least one."""
    number = int(text) if text.isdecimal() and len(text) < len("10000000") else 0
    if not number:
        raise ArgumentTypeError(f"{text!r} is not a number of sessions, such as 50")
    return number


def _lines(found: Sequence[Recorded], none: str) -> Iterator[Line]:
    if not found:
        yield Line(none)
        return
    rows = [("started", "program", "model", "tokens", "reads", "session")]
    rows += [_row(each) for each in found]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [f"{cell:>{widths[at]}}" if at in (3, 4) else f"{cell:<{widths[at]}}" for at, cell in enumerate(row)]
        yield Line("  ".join(cells).rstrip(), "title" if not number else "text")
    yield Line("")
    yield Line(
        "promptls preview --recorded last   the prompt of the newest, and which instruction files reached it", "note"
    )
    yield Line("promptls sessions last             the newest, request by request: what entered and what left", "note")
    yield Line("promptls sessions --rules          in how many of them each file was sent", "note")
    yield Line("promptls sessions --tools          in how many of them each tool was called", "note")


def _counted(found: Sequence[Calibrated]) -> Iterator[Line]:
    """How well tokens are counted for each program and model, by what was reported."""
    if found:
        yield Line("")
        yield Line("tokens, counted as these programs reported them, of all folders:", "title")
    for each in found:
        yield Line(f"  {each.harness} · {each.model}: {each.says()}", "text" if each.is_used else "note")


def _row(each: Recorded) -> tuple[str, str, str, str, str, str]:
    return (
        recordings.when(each).removesuffix(" UTC"),
        f"{each.harness} {each.version}".rstrip(),
        each.model or "-",
        f"{each.tokens[-1]:,}" if each.tokens else "-",
        str(len(each.reads)),
        each.id,
    )


# -- in how many recorded sessions each rule and skill stood in a prompt -----------------------------------------------


def show_rules(folder: str, names: Sequence[str], last: int, *, as_json: bool) -> int:
    """The table of each program that has recorded sessions of the folder."""
    from promptls.workspace.rules_table import rules_lines, rules_of  # noqa: PLC0415 - only for --rules

    with unwinding(), contextlib.closing(LocalStore(home(), os.environ)) as store:
        tables = rules_of(store, folder, names, last)
    if as_json:
        write_json({"last": last, "programs": tables})
    else:
        show(rules_lines(tables, folder))
    for sentence in store.unread:
        complain(f"promptls: {sentence}")
    return 0


def show_tools(folder: str, names: Sequence[str], last: int, *, as_json: bool) -> int:
    """The tools that the requests of each program carry, and how often they were called."""
    from promptls.workspace.tools_table import tools_lines, tools_of  # noqa: PLC0415 - only for --tools

    with unwinding(), contextlib.closing(LocalStore(home(), os.environ)) as store:
        tables = tools_of(store, folder, names, last)
    if as_json:
        write_json({"last": last, "programs": tables})
    else:
        show(tools_lines(tables))
    for sentence in store.unread:
        complain(f"promptls: {sentence}")
    return 0
