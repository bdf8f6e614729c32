"""What ``promptls learn`` tries where a text is not sent as a row says."""

from __future__ import annotations

from typing import Any

import pytest

from promptls.core.model import COMPUTED, Elided, Message, Prompt, Segment, Session
from promptls.core.values import dataclass
from promptls.kit.facts import GONE
from promptls.wire.align import Sides, compare
from promptls.wire.capture import Capture
from promptls.wire.formats import RequestBlock
from promptls.wire.search import Trial, searched

pytestmark = pytest.mark.same_everywhere


@dataclass(frozen=True, slots=True)
class Row:
    """A version with notes of these sizes, each on a line of its own."""

    notes: tuple[int, ...] = (40, 60)
    others: tuple[int, ...] = (40, 60)


def _trial(sent: str) -> Trial:
    def held(row: Any) -> tuple[Prompt, Sides]:
        def text(words: str, size: int | None = None) -> Segment:
            elided = None if size is None else Elided("note", size)
            return Segment("provider", "text", words, COMPUTED, "why", elided=elided)

        notes = [part for size in row.notes for part in (text("⟪note⟫", size), text("\n"))]
        message = Message("system", (text("# Notes\n"), *notes, text("# End")), 0)
        return Prompt(Session("codex", "/w"), (message,), ()), compare([message], [RequestBlock("system", sent, 0)])

    prompt = held(Row())[0]
    return Trial("one", Capture("codex", "9", None, (), (), (), prompt, None), held)  # type: ignore[arg-type]


def _searched(sent: str) -> list[Any]:
    trial = _trial(sent)
    return searched(Row(), [trial], {trial.name: trial.held(Row())})


@pytest.mark.parametrize(("left", "gone"), [("n" * 40, 1), ("n" * 60, 0)])
def test_a_note_that_is_no_longer_sent_leaves_the_list_of_sizes(left: str, gone: int) -> None:
    assert _searched(f"# Notes\n{left}\n# End") == [(("notes", gone), GONE)]


def test_a_list_of_sizes_stays_where_nothing_differs() -> None:
    assert _searched(f"# Notes\n{'n' * 40}\n{'n' * 60}\n# End") == []


@dataclass(frozen=True, slots=True)
class Named:
    """A version with other names of models."""

    aliases: dict[str, str]


@pytest.mark.parametrize(("asked", "found"), [("m-3", [(("aliases", "m-2"), "m-3")]), ("m-2", [])])
def test_a_model_may_be_another_name_of_one(asked: str, found: list[Any]) -> None:
    session = Session("codex", "/w", model="m-2")

    def held(row: Any) -> tuple[Prompt, Sides]:
        words = f"# Rules of {row.aliases.get('m-2', 'm-2')}"
        message = Message("system", (Segment("provider", "text", words, COMPUTED, "why"),), 0)
        both = compare([message], [RequestBlock("system", "# Rules of m-3", 0)])
        return Prompt(session, (message,), ()), both

    row = Named({"flash": "m-1", "pro": "m-3"})
    capture = Capture("codex", "9", asked, (), (), (), held(row)[0], None)  # type: ignore[arg-type]
    assert searched(row, [trial := Trial("one", capture, held)], {trial.name: held(row)}) == found
