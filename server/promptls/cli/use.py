"""``promptls use``: keeps which programs the user has, in a file of their own, or shows what is known of them."""

from __future__ import annotations

import sys

from promptls.cli.arguments import Parser, current_directory
from promptls.cli.output import show, write, write_json
from promptls.core import specs
from promptls.core.render import Line
from promptls.core.session_line import seen_from
from promptls.workspace.machine import home, load_harnesses
from promptls.workspace.request import HERE, look_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.habits import Own
    from promptls.workspace.request import Here

NOBODY = "promptls knows no program of yours; “promptls use NAME” names one, and “promptls harnesses” lists them."


def run(argv: list[str]) -> int:
    """Keep the programs that are named, or show those that are known."""
    parser = Parser(
        prog="promptls use",
        description="Choose the coding agents that you use, for all your folders, or show those that were found.",
    )
    parser.add_argument("names", nargs="*", metavar="H[@VERSION]", help="the coding agents; the first is shown first")
    parser.add_argument(
        "--clear", action="store_true", help="forget the choice, and go by what is installed and recorded"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    load_harnesses()
    if options.names or options.clear:
        keep(options.names)
    here = _here()
    if options.format == "json":
        write_json({"chosen": here.habits.is_asked_for, "programs": [_json(each) for each in here.habits.own]})
    else:
        show(_lines(here))
    return 0


def keep(names: Sequence[str]) -> None:
    """Keep the names as the user's choice; none forgets it.

    Raises:
        UsageError: there is no such harness or version, or the file cannot be written.
    """
    from promptls.workspace.choice import keep_of_user  # noqa: PLC0415 - only where something is written

    keep_of_user(HERE.host(), names or None)


def ask(here: Here) -> bool:
    """Ask which of several programs the user means, if nothing says so and they can answer; it is asked only once."""
    habits = here.habits
    if habits.is_clear or habits.is_answered or len(habits.own) < 2 or not _can_answer():  # noqa: PLR2004 - one of several
        return False
    own = [each.name for each in here.found if each.is_own]
    write("You have several coding agents, and promptls has to know which you use most:\n")
    for number, name in enumerate(own, 1):
        write(f"  {number}  {specs.of(name).title}\n")
    write(f"Its number (Enter: {specs.of(own[0]).title}; “promptls use” changes it): ")
    sys.stdout.flush()
    said = sys.stdin.readline().strip()
    first = own[int(said) - 1] if said.isdecimal() and 0 < int(said) <= len(own) else own[0]
    keep([first, *(each for each in own if each != first)])
    write("\n")
    return True


def _can_answer() -> bool:
    streams = (sys.stdin, sys.stdout)
    return all(each is not None and each.isatty() for each in streams)


def _here() -> Here:
    folder = current_directory("/")
    return look_at(folder, folder)


def _json(own: Own) -> dict[str, object]:
    last = own.recent
    return {
        "name": own.harness,
        "chosen": own.chosen or None,
        "command": own.command or None,
        "version": own.version or None,
        "others": list(own.others),
        "home": list(own.home),
        "last_used_here": last.started or None if last is not None else None,
    }


def _lines(here: Here) -> Iterator[Line]:
    habits = here.habits
    if not habits.own:
        yield Line(f"Nothing was looked for, as {habits.off}." if habits.off else NOBODY)
        return
    yield Line(
        "You have chosen:" if habits.is_asked_for else "What promptls knows of you, the first one is shown:", "title"
    )
    ordered = [each.name for each in here.found if each.is_own]
    for own in sorted(habits.own, key=lambda each: ordered.index(each.harness)):
        yield Line(f"{own.harness}  {specs.of(own.harness).title}", "message")
        yield from (Line(f"    {each}", "note") for each in _evidence(own))
    yield from (Line(each, "problem") for each in habits.unread)
    yield Line(
        "“promptls use NAME ...” changes this for all folders; “promptls use --clear” forgets the choice.", "note"
    )


def _evidence(own: Own) -> Iterator[str]:
    """What is known of a program, a line each."""
    here, user = current_directory("/"), home()
    if own.command:
        yield f"installed: {own.version or 'version not known'}, {seen_from(here, own.command, user)}"
    elif own.home or own.recent is not None:
        yield "not on your PATH"
    if own.others:
        yield f"behind it on your PATH: {', '.join(seen_from(here, each, user) for each in own.others)}"
    if own.home:
        yield f"in your home directory: {', '.join(seen_from(here, each, user) for each in own.home)}"
    last = own.recent
    if last is not None:
        told = [last.version, last.model or "", last.agent or "", last.mode or ""]
        told += ["in an editor" if last.editor else {True: "interactive", False: "print", None: ""}[last.interactive]]
        yield f"last used here: {' · '.join(filter(None, [last.day, seen_from(here, last.cwd, user), *told]))}"
