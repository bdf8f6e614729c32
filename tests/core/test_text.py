from __future__ import annotations

import pytest

from promptls.core.model import Range
from promptls.core.text import LineIndex, decode, early_range, is_binary, lines_of, newlines, units, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.text import Encoding

pytestmark = pytest.mark.same_everywhere


def test_only_three_line_ends_break_a_line() -> None:
    for end in ("\r\n", "\n"):
        index = LineIndex(f"a\fb\u2028c{end}d{end}e")
        assert index.position(index.text.index("d")) == (1, 0)
        assert index.position(index.text.index("e")) == (2, 0)
    assert LineIndex("d\re").position(2) == (1, 0)


def test_a_place_past_the_end_of_its_line_is_the_end() -> None:
    index = LineIndex("abc\r\nd")
    assert index.offset(0, 99) == 3
    assert index.offset(1, 99) == index.offset(7, 0) == 6
    assert index.offset(-1, 5) == index.offset(0, -5) == 0
    assert index.position(99) == (1, 1)
    assert index.position(-1) == (0, 0)


def test_the_middle_of_a_line_end_is_the_end_of_the_line() -> None:
    assert LineIndex("a\r\nb").position(2) == (0, 1)


@pytest.mark.parametrize("text", ["", "\nab\n", "ab\ncd\n", "a\r\nb\n\r\nc", "a\rb\r\n", "é\n🙂x🙂\n🙂"])
def test_an_early_range_is_that_of_the_index(text: str) -> None:
    for start in range(len(text) + 1):
        for end in range(start, len(text) + 1):
            assert early_range(text, start, end) == LineIndex(text[:end]).range(start, end)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("text", ["", "\n", "\r\n", "ab\r\ncd\r\n", "a\n\n\nb\rc\r\n\r\nd", "\r\r\n\n\r"])
def test_the_size_of_a_block_shows_nowhere(monkeypatch: pytest.MonkeyPatch, text: str, size: int) -> None:
    whole = LineIndex(text)
    monkeypatch.setattr("promptls.core.text._BLOCK", size)
    for offset in range(len(text) + 1):
        assert LineIndex(text).position(offset) == whole.position(offset)
    for place in ((line, character) for line in range(text.count("\n") + 4) for character in range(4)):
        assert LineIndex(text).offset(*place) == whole.offset(*place)


def test_of_a_long_text_only_one_place_is_looked_into() -> None:
    index = LineIndex("line\n" * 1_000_000)
    assert index.position(index.offset(600_000, 2)) == (600_000, 2)
    assert sum(map(len, index._starts.values())) < 50_000


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_characters_are_units_of_the_encoding(encoding: Encoding, end: int) -> None:
    index = LineIndex("é😀\nb", encoding)
    assert index.position(2) == (0, end)
    assert index.offset(0, end) == 2
    assert units("é😀", encoding) == end


@pytest.mark.parametrize(("encoding", "unit"), [("utf-8", 3), ("utf-16", 1), ("utf-32", 1)])
def test_a_lone_surrogate_has_a_place_too(encoding: Encoding, unit: int) -> None:
    assert LineIndex("\ud800b", encoding).position(1) == (0, unit)


@pytest.mark.parametrize("length", [127, 128, 129, 256, 400])
def test_places_in_a_long_line(length: int) -> None:
    text = f"first\n{'é😀' * length}\nlast"
    index = LineIndex(text)
    for step in range(2 * length + 1):
        character = units(text[6 : 6 + step])
        assert index.position(6 + step) == (1, character)
        assert index.offset(1, character) == 6 + step
    assert index.position(2) == (0, 2)
    assert index.offset(1, 9 * length) == 6 + 2 * length
    assert LineIndex(text).offset(1, 9 * length) == 6 + 2 * length


def test_a_place_inside_of_a_character_is_the_place_behind_it() -> None:
    assert LineIndex("😀b").offset(0, 1) == 1


@pytest.mark.parametrize(
    ("text", "end"),
    [("", (0, 0)), ("ab", (0, 2)), ("a\nb😀", (1, 3)), ("a\n", (1, 0)), ("a\r\nbc", (1, 2)), ("a\rb", (1, 1))],
)
def test_the_range_of_a_whole_text(text: str, end: tuple[int, int]) -> None:
    assert whole(text) == Range(0, 0, *end)
    assert LineIndex(text).range(0, len(text)) == Range(0, 0, *end)
    assert lines_of(text).position(len(text)) == end


def test_a_mark_of_byte_order_is_left_out_or_kept() -> None:
    data = "\ufeffa".encode()
    assert decode(data, keep_bom=True) == "\ufeffa"
    assert decode(data, keep_bom=False) == decode(b"a", keep_bom=False) == "a"
    assert decode(b"\xff", keep_bom=False) == "\ufffd"


@pytest.mark.parametrize(
    ("data", "is_one"),
    [
        (b"", False),
        (b"text\r\n\t\f", False),
        (b"a\0b", True),
        (b"\x01\x02\x03" + b"a" * 7, False),
        (b"\x01\x02\x03\x04" + b"a" * 7, True),
        (b"\x08\x0e\x1f\x01" + b"a" * 7, True),
        (b"\t\t\n\x0b\x0c\r", False),
        (b"a" * 4096 + b"\0", False),
    ],
)
def test_what_is_binary(data: bytes, is_one: bool) -> None:
    assert is_binary(data) is is_one


@pytest.mark.parametrize("text", ["a\r\nb\rc\n", "a\nb\nc\n"])
def test_each_line_end_as_a_line_feed(text: str) -> None:
    assert newlines(text) == "a\nb\nc\n"


@pytest.mark.parametrize(("text", "expected"), [("\uffff", 1), ("\U00010000", 2), ("a", 1)])
def test_letters_of_two_units(text: str, expected: int) -> None:
    assert units(text) == expected
