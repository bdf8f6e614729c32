"""Whatever the text, twice of it takes at most about twice the work."""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any

import pytest

from promptls import harnesses
from promptls.core.host import Buffers, Host
from promptls.core.model import Session
from tests.hostile.readers import OF_FILES, READERS, ROOT, TEXTS, Piece, Read, text, whole
from tests.limits import at_most

pytestmark = pytest.mark.same_everywhere

SMALL = 400
MOST = 2.3
# Of a preview, beside what it takes whatever the text. Once: what it says of a text that is cut.
SMALL_OF_A_PREVIEW, MOST_OF_A_PREVIEW, ONCE_OF_A_PREVIEW = 600, 2.25, 4000
# What a reader does once, whatever the text: steps, and the seconds below which nothing is slow.
ONCE, QUICK = 120, 0.01
# Short texts that are together as long as the long one: the time of one is less than some clocks tell apart.
LARGE, SHORT_ONES, MOST_TIMES = 1_000, 8, 3
# Characters of an expression: one that is made of a text is longer.
LONGEST = 200
ROWS = [pytest.param(kind, name, id=f"{kind}: {name}") for kind, readers in READERS.items() for name in readers]


def forget() -> None:
    """Empty the caches: what one reader has read would be free for the next."""
    re.purge()
    for clear in clearing(len(sys.modules)):
        clear()


def forget_texts() -> None:
    """The same, but expressions that are there whatever the text stay: to compile them takes longer than a reader."""
    for kept in (vars(re)["_cache"], vars(re).get("_cache2", {})):
        for key in [key for key in kept if len(key[1]) > LONGEST]:
            del kept[key]
    for clear in clearing(len(sys.modules)):
        clear()


@cache
def clearing(_modules: int) -> list[Callable[[], None]]:
    """What empties each cache of promptls. Looked for again when modules have come: it takes longer than a reader.

    What takes nothing is a table, and no text is in it: to make them all again takes as long as many a reader.
    """
    modules = [module for name, module in sys.modules.items() if name.startswith("promptls.")]
    cached = [value for module in modules for value in vars(module).values() if hasattr(value, "cache_clear")]
    return [value.cache_clear for value in cached if inspect.signature(value).parameters]


def steps(read: Read, content: str) -> int:
    """How many lines, calls and returns of Python it takes to read a text."""
    forget_texts()
    count = 0

    def trace(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read(content)
    finally:
        sys.settrace(before)
    return count


def seconds(read: Read, content: str) -> float:
    """The processor's time: expressions are read within one step."""
    began = time.process_time()
    read(content)
    return time.process_time() - began


def anew(read: Read, content: str) -> float:
    """The same of a text that no other reader has read before."""
    forget()
    return seconds(read, content)


def warm(act: Callable[[], object]) -> None:
    """Once before: imports, tables and expressions that are made when they are first needed, and of others none."""
    re.purge()
    act()


def once_and_twice(read: Read, piece: Piece, size: int) -> tuple[int, int]:
    """The steps for a text, and for one of twice its length."""
    warm(lambda: read(text(piece, size // 2)))
    return steps(read, text(piece, size)), steps(read, text(piece, 2 * size))


def too_many(read: Read, piece: Piece) -> str | None:
    one, two = once_and_twice(read, piece, SMALL)
    return f"{piece!r}: {one} steps, then {two}" if two > MOST * one + ONCE else None


def too_many_in_a_preview(read: Read) -> list[str]:
    """The fewest steps are those that a preview takes whatever the text: no part of what grows with it."""
    counts = {piece: once_and_twice(read, piece, SMALL_OF_A_PREVIEW) for piece in OF_FILES}
    least = min(one for one, _ in counts.values())
    return [
        f"{piece!r}: {one - least} steps, then {two - least}, each beside {least}"
        for piece, (one, two) in counts.items()
        if two - least > MOST_OF_A_PREVIEW * (one - least) + ONCE_OF_A_PREVIEW
    ]


def too_long(read: Read, piece: Piece) -> str | None:
    long = text(piece, SHORT_ONES * LARGE)
    many = seconds(read, long)
    few = 0.0
    # Again what is too long: another program may have held up the first one. Each short text is another one.
    for more in range(0, 3 * SHORT_ONES, SHORT_ONES):
        if many < QUICK:
            return None
        few = max(few, sum(anew(read, text(piece, LARGE + more + one)) for one in range(SHORT_ONES)))
        if many <= MOST_TIMES * few:
            return None
        many = min(many, anew(read, long))
    return f"{piece!r}: {few:.3f} s in short ones, {many:.3f} s in one" if many > max(MOST_TIMES * few, QUICK) else None


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_twice_the_text_takes_twice_the_steps(kind: str, name: str) -> None:
    read = READERS[kind][name]
    with at_most(300):
        assert [found for piece in TEXTS[kind] if (found := too_many(read, piece))] == []


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_a_large_text_takes_no_square_of_the_time(kind: str, name: str) -> None:
    read = READERS[kind][name]
    with at_most(120):
        assert [found for piece in TEXTS[kind] if (found := too_long(read, piece))] == []


@pytest.mark.parametrize("harness", harnesses.names())
def test_a_preview_and_all_that_is_said_of_it(harness: str) -> None:
    with at_most(120):
        assert too_many_in_a_preview(whole(harness)) == []


@pytest.mark.parametrize("harness", harnesses.names())
def test_many_imports_of_files_that_are_there(harness: str) -> None:
    def read(count: int) -> int:
        names = [f"{ROOT}/{number}.md" for number in range(count)]
        main = "".join(f"@{name}\n" for name in names)
        tops = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
        files = {f"{ROOT}/{top}": main for top in tops} | dict.fromkeys(names, "See @x.md.\n")
        host = Host(home="/nobody", env={}, buffers=Buffers(files))
        return steps(lambda _: harnesses.preview(Session(harness, ROOT), host), "")

    read(3)
    one, two = read(60), read(120)
    assert two <= MOST * one + 1000


def test_the_test_sees_a_square() -> None:
    def square(content: str) -> None:
        [one for one in content for _ in content]

    assert too_many(square, "a")


def test_the_test_sees_a_square_beside_a_preview() -> None:
    """Of the words of one file, and only that: a preview does much beside."""
    read = whole("codex")

    def square(content: str) -> None:
        read(content)
        words = content.split(" ")
        [one for one in words for _ in words]

    assert too_many_in_a_preview(square)


def test_the_test_sees_a_square_in_time() -> None:
    def square(content: str) -> None:
        re.findall(r"a+b", content)

    assert too_long(square, "a")
