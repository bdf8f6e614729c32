"""A number of a version that cites only cases of the tests is asked for there: with another one, a preview differs.

A number that no preview of its cases asks for is in ``not-asked.txt``, with the reason; one that has become asked for
has to be taken off the list.
"""

from __future__ import annotations

import ast
import fnmatch
import json
import re
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Prompt
from promptls.harnesses.catalogue import FOLDERS
from tests.harnesses.test_rows import NAMES, SERVER, Number, Sources
from tests.parts.layout import PartsLayout
from tests.parts.layout import preview as preview_of_parts
from tests.requests.test_requests import RequestLayout
from tests.wire.case import Case, Layout
from tests.wire.case import preview as preview_of_wire

pytestmark = pytest.mark.same_everywhere(although="it lays out cases, which tests of other modules do, too")

HERE = Path(__file__).parent
# The folders of kept cases, as they are cited; what was only captured is not in the tests.
KINDS = ("parts", "requests", "later", "wire")
MARK = re.compile(rf"\b({'|'.join(KINDS)}): ([^()\[\]]*)")
# Sources beside kept cases: then they need not be what shows the number.
OTHERS = re.compile(r"captured|source|limit of ours|counted")
LINES = (HERE / "not-asked.txt").read_text(encoding="utf-8").splitlines()


def not_asked(name: str) -> set[str]:
    """``line of the file``: harness, numbers with commas, and the reason behind a colon."""
    listed = [line.partition(": ")[0].split(" ", 1) for line in LINES]
    return {number for harness, numbers in listed if harness == name for number in numbers.split(", ")}


def cited(said: str, name: str) -> Iterator[tuple[str, Path]]:
    """The kept cases that a comment names, ``*`` in a name standing for any letters."""
    for mark in MARK.finditer(said):
        names = [each.strip() for each in re.split(r"[,;]| and ", mark[2])]
        for kind in KINDS:
            files = sorted((HERE.parent / kind / "cases" / name).glob("*.json"))
            for each in dict.fromkeys(names):
                yield from ((kind, file) for file in files if fnmatch.fnmatchcase(file.stem, each))


def shown(prompt: Prompt) -> str:
    """All that a prompt holds."""
    return repr(prompt)


class Kept:
    """A case that is laid out once, and its preview with the numbers as they are."""

    def __init__(self, kind: str, path: Path, top: Path) -> None:
        case = Case(path, json.loads(path.read_text(encoding="utf-8")))
        layouts: dict[str, type[Layout]] = {
            "wire": Layout,
            "parts": PartsLayout,
            "requests": RequestLayout,
            "later": PartsLayout,
        }
        self.layout = layouts[kind](case, top / kind / path.stem)
        self.now = self.preview()

    def preview(self) -> str:
        layout = self.layout
        return shown(preview_of_parts(layout) if isinstance(layout, PartsLayout) else preview_of_wire(layout))


@contextmanager
def changed(name: str, number: Number, value: float) -> Iterator[None]:
    """The harness with another number in its rows."""
    folder = f"promptls.harnesses.{FOLDERS[name]}"
    module = import_module(f"{folder}.versions")
    was, tree = dict(vars(module)), ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and (node.lineno, node.col_offset) == number.place:
            node.value = value
    made = types.ModuleType(module.__name__)
    exec(compile(tree, str(module.__file__), "exec"), made.__dict__)  # noqa: S102 - the rows themselves
    # Rows and what they are made of, wherever they were imported.
    of_rows = {key for key, each in was.items() if isinstance(each, tuple | dict) or hasattr(each, "__match_args__")}
    of_rows = {key for key in of_rows if key.isupper() or (key.startswith("_") and not key.startswith("__"))}
    undo: list[tuple[Any, str, Any]] = []
    for other in [each for key, each in sys.modules.items() if f"{key}.".startswith(f"{folder}.")]:
        for key in of_rows:
            if vars(other).get(key) is was[key]:
                undo.append((other, key, was[key]))
                setattr(other, key, vars(made)[key])
    try:
        yield
    finally:
        for other, key, each in undo:
            setattr(other, key, each)


def is_asked(name: str, number: Number, cases: list[Kept]) -> bool:
    less = number.value // 3 if isinstance(number.value, int) else number.value / 3
    for value in (number.value * 2 + 11, less):
        with changed(name, number, value):
            if any(case.preview() != case.now for case in cases):
                return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_the_cited_case_asks_for_the_number(name: str, tmp_path: Path) -> None:
    text = (SERVER / "harnesses" / FOLDERS[name] / "versions.py").read_text(encoding="utf-8")
    kept: dict[tuple[str, Path], Kept] = {}
    found: set[str] = set()
    for number in Sources(text).numbers:
        needs_case = number.value and not OTHERS.search(number.said)
        places = list(cited(number.said, name)) if needs_case else []
        for place in places:
            kept[place] = kept.get(place) or Kept(*place, tmp_path)
        if places and not is_asked(name, number, [kept[place] for place in places]):
            found.add(str(number.value))
    assert found == not_asked(name)


def test_each_reason_is_said() -> None:
    assert all(line.partition(": ")[2].endswith(".") for line in LINES)
    assert {line.partition(" ")[0] for line in LINES} <= set(NAMES)
