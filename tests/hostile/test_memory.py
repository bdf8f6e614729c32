"""Whatever the text, four times of it takes at most about four times the memory."""

from __future__ import annotations

import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.cli import main
from tests.hostile.readers import OF_FILES, READERS, TEXTS, Read, text, whole
from tests.hostile.test_linear import ROWS, forget_texts, warm
from tests.limits import at_most

same_everywhere = pytest.mark.same_everywhere
SMALL, TIMES = 500, 4
A_LITTLE = 40
# More than that, as the tables that Python makes of a short expression are small.
MOST = 1.5 * TIMES
# Of a preview: what it needs whatever the text is a larger part of it, and the tables are small beside it.
MOST_OF_A_PREVIEW = 1.125 * TIMES
# What a reader needs once, whatever the text, and for what Python has of small numbers, in bytes.
ONCE = 50_000
# Bytes of a whole command, once and for each byte of the files.
COMMAND, OF_A_BYTE = 8_000_000, 100


def names(size: int) -> str:
    """One file that is named, of as many directories as there is room for."""
    return "@" + "a/" * (size // 2)


def many_names(size: int) -> str:
    """Many of the longest paths that can be, each another."""
    return "".join(f"@a{number}/{'a/' * 1900}x.md\n" for number in range(size // 3800 + 1))


def held(act: Callable[[], object]) -> int:
    """The most memory that is in use at once, in bytes.

    In a thread of its own: the whole stack is walked for each allocation, and that of a test is some forty calls deep.
    """
    most: Future[int] = Future()

    def hold() -> None:
        tracemalloc.start()
        try:
            act()
            most.set_result(tracemalloc.get_traced_memory()[1])
        except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
            most.set_exception(error)
        finally:
            tracemalloc.stop()

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    thread.join()
    return most.result()


def known(read: Read, pieces: Iterable[Callable[[int], str]]) -> None:
    """Read a little of each, traced, so that imports, tables and expressions are there.

    And what was traced has its table of lines: without it each allocation looks for its line.
    """
    before = sys.gettrace()
    sys.settrace(before or (lambda *_: None))
    try:
        warm(lambda: [read(grown(A_LITTLE)) for grown in pieces])
    finally:
        sys.settrace(before)


def of_a_reader(read: Read, content: str) -> int:
    forget_texts()
    return held(lambda: read(content))


def too_much(read: Read, grown: Callable[[int], str], size: int, most: float = MOST, none: int = 0) -> str | None:
    """What is too much, and is so of twice the text as well: a table that has just grown is a jump at one size.

    The long text comes first, so that nothing which is made once is a part of what the short one needs.

    ``none``: the bytes for an empty text. What is not too much beside these is not beside those of a short text.
    """
    found = ""
    for small in (size, 2 * size):
        more = of_a_reader(read, grown(TIMES * small))
        if more <= most * none + ONCE:
            return None
        one = of_a_reader(read, grown(small))
        if more > most * one + ONCE:
            more = of_a_reader(read, grown(TIMES * small))
        if more <= most * one + ONCE:
            return None
        found = f"{grown(20)[:20]!r}: {one} bytes, then {more}"
    return found


@same_everywhere
@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_four_times_the_text_takes_four_times_the_memory(kind: str, name: str) -> None:
    read = READERS[kind][name]
    pieces = [*(lambda size, piece=piece: text(piece, size) for piece in TEXTS[kind]), names]
    with at_most(120):
        known(read, pieces)
        assert [found for grown in pieces if (found := too_much(read, grown, SMALL))] == []


@same_everywhere
@pytest.mark.parametrize("harness", harnesses.names())
def test_a_preview_and_all_that_is_said_of_it(harness: str) -> None:
    pieces = [*(lambda size, piece=piece: text(piece, size) for piece in (*OF_FILES, "@a/@")), names]
    read = whole(harness)
    with at_most(120):
        known(read, pieces)
        none = of_a_reader(read, "")
        found = [too_much(read, grown, 2 * SMALL, MOST_OF_A_PREVIEW, none) for grown in pieces]
        assert [each for each in found if each] == []


@pytest.mark.parametrize("grown", [lambda size: text("@a/", size), names, many_names])
def test_a_command_needs_little_more_than_the_files(
    tmp_path: Path, grown: Callable[[int], str], capfd: pytest.CaptureFixture[str]
) -> None:
    """For every harness, with files that name others; of a path, each directory is looked at at most."""
    folder = str(tmp_path)
    content = grown(40_000)
    for top in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"):
        (tmp_path / top).write_text(content, encoding="utf-8")
    commands = [
        ["check", folder, "--no-network"],
        [folder],
        ["map", folder],
        *(["preview", folder, "--no-network", "--harness", each] for each in harnesses.names()),
    ]
    found = {" ".join(command): held(lambda command=command: main(command)) for command in commands}  # type: ignore[misc] # its default
    capfd.readouterr()
    assert {each: size for each, size in found.items() if size > COMMAND + 4 * OF_A_BYTE * len(content)} == {}


@same_everywhere
def test_the_test_sees_a_square() -> None:
    def square(content: str) -> list[str]:
        return [content[at:] for at in range(len(content))]

    assert too_much(square, lambda size: text("a", size), SMALL)
