"""A message in pieces: what a file brings, with the harness's frame around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from promptls.core.blocks import blocks, parts
from promptls.core.model import Elided, Message, Origin, Segment

if TYPE_CHECKING:
    from promptls.core.model import Frame

pytestmark = pytest.mark.same_everywhere


def piece(text: str, path: str | None = None, frame: Frame | None = None, why: str = "why") -> Segment:
    elided = Elided("size") if text == "⟪own⟫" else None
    return Segment("instructions", path or "own", text, Origin("file", path), why, frame=frame, elided=elided)


HEAD, TAIL = piece("<", frame="head"), piece(">", frame="tail")


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        ((), []),
        ((piece("a"),), [("a", 0)]),
        ((HEAD, piece("a"), TAIL, HEAD, HEAD, piece("b"), TAIL, TAIL), [("<a>", 1), ("<<b>>", 2)]),
        # The tail of nothing goes with what follows, and so does one behind a head.
        ((TAIL, piece("a")), [(">a", 1)]),
        ((piece("a"), HEAD, TAIL, piece("b")), [("a", 0), ("<>b", 2)]),
        ((piece("a"), HEAD), [("a", 0), ("<", 0)]),
    ],
)
def test_a_frame_goes_with_its_text(segments: tuple[Segment, ...], expected: list[tuple[str, int]]) -> None:
    found = blocks(Message("user", segments, 0))
    assert [(each.text, each.start) for each in found] == expected
    assert "".join(each.text for each in found) == "".join(each.text for each in segments)


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        ((piece("a", "/a"), piece("b", "/a"), piece("c", "/c")), [2, 1]),
        ((piece("a"), piece("b")), [1, 1]),
        ((piece("a", "/a"), piece("b", "/a", why="another rule")), [1, 1]),
        ((piece("a", "/a"), piece("⟪own⟫", "/a"), piece("b", "/a")), [1, 1, 1]),
    ],
)
def test_pieces_of_one_file_belong_together(segments: tuple[Segment, ...], expected: list[int]) -> None:
    assert [len(each) for each in parts(Message("user", segments, 0))] == expected
