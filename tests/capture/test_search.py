"""What ``promptls learn`` tries where a text is not sent as a row says."""

from __future__ import annotations

from typing import Any

import pytest

from promptls.core.model import COMPUTED, Elided, Message, Prompt, Segment, Session, Tool
from promptls.core.values import dataclass, replace
from promptls.kit.facts import GONE, with_changes
from promptls.wire.align import Sides, compare
from promptls.wire.capture import Capture
from promptls.wire.offers import offers
from promptls.wire.request_formats import Offered, RequestBlock
from promptls.wire.search import Trial, enlisted, searched

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


@dataclass(frozen=True, slots=True)
class Told:
    """A version with models that are told how many tokens are left."""

    counting_models: tuple[str, ...] = ("m-1", "m-2")
    labels: tuple[str, ...] = ()


def _told(model: str, sent: int) -> Trial:
    """A session with a text of 71 characters, and one more of 51 where the model is told of tokens."""

    def held(row: Any) -> tuple[Prompt, Sides]:
        names = ["skill", *(["counter"] if model in row.counting_models else [])]
        sizes = {"skill": 71, "counter": 51}
        segments = [Segment("provider", each, "", COMPUTED, "why", elided=Elided(each, sizes[each])) for each in names]
        message = Message("system", (*segments, Segment("provider", "end", "\n# The end", COMPUTED, "why")), 0)
        both = compare([message], [RequestBlock("system", f"{'p' * sent}\n# The end", 0)])
        return Prompt(Session("codex", "/w", model=model), (message,), ()), both

    capture = Capture("codex", "9", model, (), (), (), held(Told())[0], None)  # type: ignore[arg-type]
    return Trial(f"{model} {sent}", capture, held)


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ({"m-1": (122,), "m-2": (122,), "m-3": (71,)}, []),
        ({"m-1": (122,), "m-2": (122,), "m-3": (122, 122)}, [(("counting_models", 2), "m-3")]),
        ({"m-1": (122,), "m-2": (71,), "m-3": (71,)}, [(("counting_models", 1), GONE)]),
        ({"m-1": (71,), "m-2": (71,)}, [(("counting_models", 0), GONE), (("counting_models", 0), GONE)]),
        ({"m-1": (122,), "m-2": (122,), "m-3": (122, 71)}, []),
    ],
)
def test_of_another_model_something_may_be_so_that_a_row_says_of_some(
    sent: dict[str, tuple[int, ...]], found: list[Any]
) -> None:
    trials = [_told(model, size) for model, sizes in sent.items() for size in sizes]
    changes = enlisted(Told(), trials, {each.name: each.held(Told()) for each in trials})
    assert changes == found
    made = with_changes(Told(), changes)
    assert not found or not any(each.held(made)[1].differences for each in trials)


@dataclass(frozen=True, slots=True)
class Tables:
    """A version with tools of the screen, and with some that a server decides on."""

    screen: dict[str, int]
    online: dict[str, int]


def test_a_change_that_helps_some_sessions_does_not_stand_in_the_way_of_one_for_all() -> None:
    def trial(name: str, *, screen: bool) -> Trial:
        def held(row: Any) -> tuple[Prompt, Sides]:
            shown = {**row.online, **(row.screen if screen else {"read": 5})}
            offered = tuple(Tool(each, True, "why", size) for each, size in shown.items())
            prompt = Prompt(Session("codex", "/w"), (), (), tools=offered)
            sent = [Offered(each, "", 3) for each in ("read", "sync", *(["ask"] if screen else []))]
            tools = offers(offered, sent, [], "")
            return prompt, replace(compare([], []), differences=tools.differences, tools=tools)

        offered = (Offered("sync", "", 3),)
        return Trial(name, Capture("codex", "9", None, (), offered, (), held(row)[0], None), held)  # type: ignore[arg-type]

    row = Tables({"read": 5, "ask": 5}, {})
    trials = [trial("first", screen=True), trial("second", screen=False)]
    assert searched(row, trials, {each.name: each.held(row) for each in trials}) == [(("online", "sync"), 5)]
