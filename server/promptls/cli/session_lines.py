"""Which session an answer is about, as every command says it first."""

from __future__ import annotations

import sys

from promptls.cli.arguments import current_directory
from promptls.cli.output import complain, width
from promptls.core import specs
from promptls.core.render import Line
from promptls.core.session_line import NEWEST
from promptls.core.table_text import WIDTH, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.model import Prompt
    from promptls.core.prompt_json import Json
    from promptls.workspace.request import Here


def sessions_json(prompts: Iterable[Prompt], here: Here, only: Iterable[str] = ()) -> list[Json]:
    """Which session each prompt is of, for ``session_lines``; ``only``: the harnesses that are asked for by name."""
    from promptls.core.session_line import session_line_json  # noqa: PLC0415 - not for an answer that was kept
    from promptls.sessions.session_facts import session_facts  # noqa: PLC0415 - the same
    from promptls.sessions.start import Overrides  # noqa: PLC0415 - the same

    asked = {name.partition("@")[0]: Overrides(harness=name) for name in map(specs.canonical, only)}
    known = (
        session_facts(each, here.settings, here.found, here.habits, asked.get(each.session.harness) or Overrides())
        for each in prompts
    )
    return [session_line_json(each, current_directory("/"), here.host.home) for each in known]


def tell_left_out(here: Here, shown: Iterable[str], done: str, to_do: str) -> None:
    """Say which programs of the user an answer is not for, which is the same for everybody.

    ``shown``: the names of those that it is for.
    """
    names = set(shown)
    left = [specs.of(each).title for each in here.habits.names() if each not in names]
    if left:
        complain(f"promptls: Not {done} for {', '.join(left)}, which only you have; add --mine to {to_do} for them.")


def first_of_each(prompts: Iterable[Prompt]) -> list[Prompt]:
    """The first prompt of each harness."""
    found: dict[tuple[str, str], Prompt] = {}
    for each in prompts:
        found.setdefault((each.session.harness, each.session.version), each)
    return list(found.values())


def session_lines(sessions: list[Json], *, is_verbose: bool = False, is_wrapped: bool = True) -> Iterator[Line]:
    """The session that is shown, and the programs of the other columns, which are started there too."""
    room = width(WIDTH) if is_wrapped else sys.maxsize
    if not sessions:
        return
    first, *others = (each["line"] for each in sessions)
    yield from (Line(each, "title") for each in wrapped(first, " · ", room))
    for each in sessions[0]["facts"] if is_verbose else ():
        yield Line(f"  {each['kind']}: {each['says']}, {each['source']}", "note")
    if others:
        names = (each.partition(" · ")[0].removesuffix(f" ({NEWEST})") for each in others)
        yield from (Line(each, "note") for each in wrapped(f"also {', '.join(names)}", ", ", room))
