"""``promptls servers``: lists MCP servers and hooks, and with ``--ask`` asks servers what they offer."""

from __future__ import annotations

import contextlib
import sys
from threading import Event, Thread

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing
from promptls.cli.keep import check_can_be_kept
from promptls.cli.output import complain, show, write, write_json
from promptls.cli.preview import start_place
from promptls.core import specs
from promptls.core.prompt_json import range_json
from promptls.core.render import Line
from promptls.core.servers import KEPT
from promptls.core.session_line import seen_from
from promptls.core.values import dataclass
from promptls.errors import ServerError, UsageError
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import HERE, look
from promptls.workspace.servers_here import WAITS, configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.workspace.request import Here
    from promptls.workspace.servers_here import Costs, Listed

# Seconds after which somebody is told that a server has not answered, and then each time twice as many.
PATIENCE = 10.0
# Tools that are listed with what they cost.
MOST_TOOLS = 20
STATES = {
    "open": "not asked yet",
    "waits": "not asked",
    "off": "not started",
    "apart": "cannot be asked",
}
ENCLOSED = "It would run enclosed: without a network, with an empty home, and it can only read this folder."
OPEN = "It would run with your rights and your network, as the program itself starts it."
AT_ADDRESS = "It would get requests with the headers that the configuration has for it."
NOBODY = "Nobody can be asked here; name each server that may be started, and add --yes."
NONE = "No MCP server and no hook is configured here, for the coding agents in use."


@dataclass(slots=True)
class Question:
    """A command that is asked about once, for each program that has it."""

    name: str
    shown: str
    servers: list[Listed]


def run(argv: list[str]) -> int:
    """List them, or ask."""
    options = _options(argv)
    load_harnesses()
    path = existing(absolute(options.path), "file or directory") if options.path is not None else None
    host = HERE.host()
    here = look(start_place(None, path, host, may_be_missing=False), host=host)
    names = tuple(map(specs.canonical, options.harness))
    found = configured(here, names)
    if options.forget is not None:
        _forget(options.forget, found.servers)
        if options.format == "text":
            return 0
        found = configured(here, names)
    if options.ask is not None:
        failed = _ask(here, found.servers, options)
        if options.format == "text":
            return 1 if failed else 0
        found = configured(here, names)
    if options.format == "json":
        listed = {"servers": list(map(_json, found.servers)), "hooks": list(map(_json, found.hooks))}
        write_json({**listed, "costs": list(map(_cost_json, found.costs))})
    else:
        show((*_lines(here, found.servers, found.hooks), *_cost_lines(found.costs)))
    return 0


def _options(argv: Sequence[str]) -> Options:
    parser = Parser(
        prog="promptls servers",
        description="List the MCP servers and hooks that this folder and your home configure, and whether it is known "
        "what they offer. With --ask, start servers and keep what they answer, for all previews.",
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="a folder, or a file in it (default: this folder)")
    parser.add_argument(
        "--harness", metavar="H", action="append", default=[], help="only for this coding agent; repeatable"
    )
    parser.add_argument(
        "--ask",
        metavar="NAME",
        nargs="*",
        help="start these servers, or all that were never asked; you are asked before each start",
    )
    parser.add_argument(
        "--forget",
        metavar="NAME",
        nargs="*",
        help="forget the answers of these servers; without a name, those of all servers of all folders",
    )
    parser.add_argument("--yes", action="store_true", help="start servers without asking; name each one")
    parser.add_argument(
        "--network", action="store_true", help="start servers as the coding agent does, with your rights and a network"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(list(argv))
    if options.ask is None and (options.yes or options.network):
        raise UsageError("--yes and --network are for --ask.")
    if options.forget is not None and options.ask is not None:
        raise UsageError("Say --ask or --forget, not both.")
    if options.yes and not options.ask:
        raise UsageError("With --yes, name each server that may be started: --ask NAME --yes.")
    return options


def _ask(here: Here, servers: Sequence[Listed], options: Options) -> bool:
    """Ask the user, and each server that they let start; whether one has failed.

    Raises:
        UsageError: a name is none of a server that can be asked, or nobody can answer.
    """
    wanted = list(dict.fromkeys(options.ask))
    for name in wanted:
        _check(name, servers)
    # One that has answered is asked again where it is named.
    states = ("open", "known") if wanted else ("open",)
    questions = _questions([each for each in servers if each.state in states and (not wanted or each.name in wanted)])
    if not questions:
        waits = any(each.state == "waits" for each in servers)
        write(f"Not asked: {WAITS}.\n" if waits else "There is no server that nobody has asked yet.\n")
    elif not options.yes and not all(each is not None and each.isatty() for each in (sys.stdin, sys.stdout)):
        raise UsageError(NOBODY)
    if questions:
        check_can_be_kept(KEPT)
    failed = False
    for question in questions:
        if options.yes or _may(here, question, is_open=options.network):
            failed = not _asked(here, question, is_open=options.network) or failed
    return failed


def _forget(names: Sequence[str], servers: Sequence[Listed]) -> None:
    """Forget answers, and say how many.

    Raises:
        UsageError: a name is none of a server.
        PromptlsError: one cannot be removed.
    """
    from promptls.wire.ask import forget  # noqa: PLC0415 - rarely asked for

    for name in names:
        if all(each.name != name for each in servers):
            known = ", ".join(dict.fromkeys(each.name for each in servers)) or "none"
            raise UsageError(f"There is no server {name!r} here; those that are configured: {known}.")
    meant = [each.start for each in servers if each.name in names and each.start is not None]
    number = forget(meant if names else None)
    complain(f"{number} answer{' was' if number == 1 else 's were'} forgotten.")


def _check(name: str, servers: Sequence[Listed]) -> None:
    meant = [each for each in servers if each.name == name]
    if not meant:
        known = ", ".join(dict.fromkeys(each.name for each in servers)) or "none"
        raise UsageError(f"There is no server {name!r} here; those that are configured: {known}.")
    if all(each.state not in ("open", "known") for each in meant):
        raise UsageError(f"{name} is not asked: {meant[0].why}.")


def _questions(servers: Sequence[Listed]) -> list[Question]:
    found: dict[tuple[object, ...], Question] = {}
    for each in servers:
        if each.start is not None:
            start = each.start
            what = (each.name, start.command, start.url, start.cwd, start.env, start.path)
            found.setdefault(what, Question(each.name, start.shown, [])).servers.append(each)
    return list(found.values())


def _may(here: Here, question: Question, *, is_open: bool) -> bool:
    first = question.servers[0]
    titles = ", ".join(dict.fromkeys(each.title for each in question.servers))
    show(
        [
            Line(f"{question.name}, for {titles}, from {_place(here, first)}:", "message"),
            Line(f"    {question.shown}"),
            Line(AT_ADDRESS if first.start and first.start.url else OPEN if is_open else ENCLOSED, "note"),
        ]
    )
    write("Start it? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _asked(here: Here, question: Question, *, is_open: bool) -> bool:
    """Ask a server as each program does, and say what came of it."""
    from promptls.cli.unwinding import unwinding  # noqa: PLC0415 - only where something is started
    from promptls.wire.ask import ask_for  # noqa: PLC0415 - the same

    try:
        with unwinding():
            for each in question.servers:
                with _patient(each):
                    told = ask_for(each, here, is_open=is_open)
                number = len(told.answer["tools"])
                says = (
                    f"{each.name}: {number} tool{'' if number == 1 else 's'} for {each.title}, in {told.seconds:.1f} s."
                )
                show([Line(says), *(Line(note, "note") for note in told.notes)])
    except ServerError as error:
        show([Line(str(error), "problem")])
        return False
    return True


@contextlib.contextmanager
def _patient(listed: Listed) -> Iterator[None]:
    """Say from time to time that a server has not answered yet."""
    answered = Event()

    def tell() -> None:
        seconds = PATIENCE
        while not answered.wait(seconds / 2 if seconds > PATIENCE else seconds):
            complain(f"{listed.name} has not answered {listed.title} for {seconds:g} s; Ctrl-C ends it.")
            seconds *= 2

    thread = Thread(target=tell, name="promptls-waits")
    thread.start()
    try:
        yield
    finally:
        answered.set()
        thread.join()


def _place(here: Here, listed: Listed) -> str:
    where, origin = current_directory("/"), listed.origin
    line = f":{origin.range.start_line + 1}" if origin.range is not None else ""
    return f"{seen_from(where, origin.path, here.host.home)}{line}" if origin.path else "the command line"


def _lines(here: Here, servers: Sequence[Listed], hooks: Sequence[Listed]) -> Iterator[Line]:
    if not servers and not hooks:
        yield Line(NONE)
        return
    if servers:
        yield Line("MCP servers", "title")
    for rows in _alike(servers):
        first = rows[0]
        yield Line(f"{first.name}  {first.start.shown if first.start is not None else ''}".rstrip(), "message")
        yield Line(f"    {_place(here, first)} · {', '.join(each.title for each in rows)}", "note", origin=first.origin)
        for says in dict.fromkeys(_says(each, is_alone=len(rows) == 1) for each in rows):
            yield Line(f"    {says}", "note")
    if hooks:
        yield from (Line(""), Line("Hooks, of which promptls runs none", "title"))
    for rows in _alike(hooks):
        first = rows[0]
        why = f" · not run: {first.why}" if first.state == "off" else ""
        titles = ", ".join(dict.fromkeys(each.title for each in rows))
        yield Line(f"{first.name} · {_place(here, first)} · {titles}{why}", "note", origin=first.origin)
    if any(each.state == "open" for each in servers):
        yield from (Line(""), Line("“promptls servers --ask” asks them, after a question for each.", "note"))


def _cost_lines(found: Sequence[Costs]) -> Iterator[Line]:
    """What servers cost each program, and for the first of these that sends any, which tools cost most."""
    if found:
        yield from (Line(""), Line("What they cost at start, in tokens (estimate)", "title"))
    is_listed = False
    for each in found:
        says = [f"{_tools(len(each.sent))} in full"] if each.sent else []
        says += [f"{_tools(each.named)} by name only"] if each.named else []
        yield Line(f"{specs.of(each.harness).title}: ~{each.tokens:,} · {' · '.join(says)}", "message")
        if each.sent and not is_listed:
            is_listed = True
            width = max(len(name) for name, _, _ in each.sent[:MOST_TOOLS])
            yield from (
                Line(f"    {name:<{width}} {tokens:>7,}  {server}") for name, server, tokens in each.sent[:MOST_TOOLS]
            )
            left = each.sent[MOST_TOOLS:]
            yield from [Line(f"    and {len(left)} more: {sum(tokens for _, _, tokens in left):,}")] if left else ()


def _tools(number: int) -> str:
    return f"{number:,} tool{'' if number == 1 else 's'}"


def _cost_json(found: Costs) -> dict[str, Any]:
    sent = [{"name": name, "server": server, "tokens": tokens} for name, server, tokens in found.sent]
    return {"harness": found.harness, "tokens": found.tokens, "sent": sent, "named": found.named}


def _says(listed: Listed, *, is_alone: bool) -> str:
    whose = "" if is_alone else f" for {listed.title}"
    kept = listed.kept
    if kept is None:
        return f"{STATES[listed.state]}{whose}{f': {listed.why}' if listed.why else ''}"
    by = f" ({kept.offered_by})" if kept.offered_by else ""
    return f"{_tools(len(kept.answer.tools))}{whose}{by}, asked on {kept.asked}"


def _alike(listed: Sequence[Listed]) -> list[list[Listed]]:
    """Those of one place together."""
    found: dict[tuple[object, ...], list[Listed]] = {}
    for each in listed:
        found.setdefault((each.name, each.origin.path, each.origin.range), []).append(each)
    return list(found.values())


def _json(listed: Listed) -> dict[str, Any]:
    origin, start, kept = listed.origin, listed.start, listed.kept
    return {
        "harness": listed.harness,
        "name": listed.name,
        "path": origin.path,
        "range": range_json(origin.range) if origin.range is not None else None,
        "start": start.shown if start is not None else None,
        "state": listed.state,
        "why": listed.why or None,
        "tools": [each.name for each in kept.answer.tools] if kept is not None else None,
        "asked": (kept.asked or None) if kept is not None else None,
        "server": (kept.offered_by or None) if kept is not None else None,
    }
