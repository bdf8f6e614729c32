"""Files that a program sends by their time of change: the order of those of one millisecond is no difference."""

from __future__ import annotations

import pytest

from promptls.core.model import COMPUTED, Message, Segment
from promptls.wire.align import compare
from promptls.wire.request_formats import RequestBlock
from promptls.wire.ties import in_order

pytestmark = pytest.mark.same_everywhere
CALLED = r'Called \{"path":"([^"\n]+)"\}'
# In nanoseconds: the first two in the same millisecond.
TIMES = {"/w/a": 5_000_001, "/w/b": 5_900_000, "/w/ü": 7_000_000}


def _texts(*names: str) -> list[str]:
    """The blocks of these files: the first one is a message of its own, the last one ends without a line feed."""
    found = [text for each in names for text in (f'Called {{"path":"/w/{each}"}}', f"Text of {each}.")]
    return [found[0], *(f"{each}\n" for each in found[1:-1]), found[-1]]


def _kinds(previewed: list[str], sent: list[str]) -> tuple[bool, list[str]]:
    """Whether anything was put into another order, and the differences that are left."""
    expected = [
        Message("user", (Segment("runtime", "file", each, COMPUTED, "why"),), at) for at, each in enumerate(previewed)
    ]
    blocks = tuple(RequestBlock("user", each, at) for at, each in enumerate(sent))
    found = in_order(expected, blocks, CALLED, lambda path: TIMES[path])
    return found != blocks, [each.kind for each in compare(expected, found).differences]


def test_those_of_one_millisecond_may_change_places() -> None:
    assert _kinds(_texts("a", "b"), _texts("b", "a")) == (True, [])
    assert _kinds(_texts("ü", "a", "b"), _texts("ü", "b", "a")) == (True, [])
    assert _kinds(_texts("a", "b"), _texts("a", "b")) == (False, [])


@pytest.mark.parametrize("sent", [("a", "ü", "b"), ("a", "b", "ü"), ("b", "a", "ü")])
def test_others_may_not(sent: tuple[str, ...]) -> None:
    changed, kinds = _kinds(_texts("ü", "a", "b"), _texts(*sent))
    assert not changed
    assert "order" in kinds


def test_another_file_or_text_is_a_difference() -> None:
    assert _kinds(_texts("a", "b"), _texts("b", "ü"))[1]
    assert _kinds(_texts("a", "b"), _texts("b"))[1]
    assert _kinds(_texts("a", "b"), _texts("b", "a", "a"))[1]
    sent = _texts("b", "a")
    assert _kinds(_texts("a", "b"), [*sent[:-1], "Another text."])[1] == ["missing", "extra"]


def test_a_name_without_a_text_changes_nothing() -> None:
    sent = _texts("b", "a")
    assert _kinds(_texts("a", "b"), sent[:-1])[0] is False
    assert _kinds(_texts("a", "b"), [sent[0], sent[2], sent[1], sent[3]])[0] is False
