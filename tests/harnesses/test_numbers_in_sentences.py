"""A number of a version stands in its row alone: a sentence that has it takes it from there."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from promptls import harnesses as package
from promptls.harnesses.catalogue import FOLDERS

pytestmark = pytest.mark.same_everywhere

TOP = Path(package.__file__).parent
WORDS = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# Smaller ones stand in nearly every row, and in nearly every sentence.
LEAST = 3
_NUMBER = re.compile(r"(?<![\w.\-/#<{(\[$&])\d[\d,]*(?![\w.\-/}])|[a-z]+")
# What the programs themselves say, word for word, and what happens to be the same as another number of a row.
THEIRS = {("claude_code/at_start.py", 200): "Keep index entries to one line under ~200 chars"}


def numbers(value: object) -> Iterator[int]:
    """The numbers in a row."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        yield from numbers(tuple(value.values()))
    elif isinstance(value, tuple | list | frozenset):
        for each in value:
            yield from numbers(each)
    else:
        for name in getattr(type(value), "__slots__", ()):
            yield from numbers(getattr(value, name))


def sentences(source: str) -> Iterator[str]:
    """The texts of a module, and the parts of those with values in them; not its documentation."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    documentation = {
        each.body[0].value
        for each in ast.walk(tree)
        if isinstance(each, documented) and each.body and isinstance(each.body[0], ast.Expr)
    }
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each not in documentation:
            yield from (each.value,) if " " in each.value else ()


def said(sentence: str) -> Iterator[int]:
    """The numbers in a sentence, as digits or words."""
    for each in _NUMBER.findall(sentence.lower()):
        if each.isalpha():
            yield from (WORDS.index(each) + LEAST,) if each in WORDS else ()
        else:
            yield int(each.replace(",", ""))


def repeated(folder: str) -> Iterator[tuple[str, int, str]]:
    rows = importlib.import_module(f"promptls.harnesses.{folder}.versions").ROWS
    own = {each for each in numbers(rows) if each >= LEAST}
    for path in sorted((TOP / folder).rglob("*.py")):
        for sentence in sentences(path.read_text(encoding="utf-8")) if path.name != "versions.py" else ():
            name = f"{folder}/{path.name}"
            for number in own.intersection(said(sentence)):
                if (name, number) not in THEIRS or THEIRS[name, number] not in sentence:
                    yield name, number, sentence


@pytest.mark.parametrize("folder", sorted(FOLDERS.values()))
def test_no_sentence_repeats_a_number_of_a_row(folder: str) -> None:
    assert list(repeated(folder)) == []


def test_the_test_sees_digits_and_words() -> None:
    source = '"""Of 7."""\nSAYS = "five levels, 25,000 characters"\nMORE = f"up to {4} of 200 files"\n'
    assert [*map(said, sentences(source))]
    assert {number for each in sentences(source) for number in said(each)} == {5, 25_000, 200}
    assert {*numbers(({"a": (1, 2)}, [3], "4"))} == {1, 2, 3}
