"""Counts by our own reader of a vocabulary are those of the reference, the package bpe-openai."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptls.core.tokens import counter
from promptls.core.vocabularies import Vocabulary, exact

ROOT = Path(__file__).parent.parent.parent
ODD = (
    "four words of text",
    "Grüße 你好 🎉",
    "x\ud800y",
    "<|endoftext|> a",
    " \n\n\t\r\n",
    "{}[];",
    "it's I'LL 'Tis won't",
    "HTTPServer fooBar CamelCASE",
    "12345 1,234.5 ٣٤٥ ⅷ ²",
    "नमस्ते दुनिया, สวัสดี, שלום",
    "e\u0301 \u0301x ❤\ufe0f ok",
    "\u00a0\u2003x\u3000\u2028\x85\x1c",
    "a//\n//b /\r\n/",
    "Ǆ ǅ ǆ ʰ ª",
)


def _whole(text: str) -> str:
    """``text`` as the reference takes it: without halves of surrogate pairs."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@cache
def _encoding() -> Any:
    import bpe_openai  # noqa: PLC0415 - it takes three seconds, of each process that collects tests

    return bpe_openai.get_encoding("o200k_base")


def _reference(text: str) -> int:
    return len(_encoding().encode_ordinary(_whole(text)))


@pytest.mark.parametrize("text", ODD)
def test_the_counts_are_those_of_the_reference(text: str) -> None:
    count = counter("gpt-5")
    assert count.method == "o200k_base"
    assert count(text) == _reference(text)


@given(st.text())
def test_so_they_are_for_every_text(text: str) -> None:
    assert exact("o200k_base")(text) == _reference(text)


def test_files_of_this_project_are_counted_within_three_of_832_357() -> None:
    count, total, off = Vocabulary("o200k_base").count, 0, 0
    for path in [*ROOT.glob("docs/*.md"), *ROOT.glob("server/promptls/c*/*.py"), *ROOT.glob("docs/images/*.svg")]:
        text = path.read_text(encoding="utf-8")
        expected = _reference(text)
        total, off = total + expected, off + abs(count(text) - expected)
    assert total > 100_000
    assert off <= 3 * total / 832_357


def _long() -> Iterator[str]:
    """Texts whose pieces are long."""
    chance = random.Random(7)  # noqa: S311 - the same texts each time
    yield from ("a" * 900, "中文字" * 300, "é" * 500, "\u0301" * 500, " " * 900, "!" * 900, "👍🏽" * 300, "0" * 900)
    yield "".join(chr(chance.randrange(0x4E00, 0x9FFF)) for _ in range(900))
    yield "".join(chance.choice("abcXYZ") for _ in range(900))


@pytest.mark.parametrize("text", [*_long()], ids=range(10))
def test_a_long_piece_has_the_counts_of_the_reference(text: str) -> None:
    assert Vocabulary("o200k_base").count(text) == _reference(text)


@pytest.mark.parametrize("text", [*_long()], ids=range(10))
def test_twice_the_text_takes_about_twice_the_steps(text: str) -> None:
    def steps(times: int) -> int:
        count, taken = Vocabulary("o200k_base").count, 0

        def step(*_: object) -> None:
            nonlocal taken
            taken += 1

        gc.disable()
        sys.setprofile(step)
        try:
            count(text * times)
        finally:
            sys.setprofile(None)
            gc.enable()
        return taken

    assert steps(4) <= 2.4 * steps(2)
