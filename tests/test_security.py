"""Each row of the tables in SECURITY.md is held by tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
LINES = (TOP / "SECURITY.md").read_text(encoding="utf-8").splitlines()
ROWS = [line for line in LINES if line.startswith("| ") and not line.startswith(("| what |", "| --- |"))]
NAMED = re.compile(r"`((?:tests|vscode-extension)/[^`:]+)::([^`]+)`")


def is_there(file: str, name: str) -> bool:
    """Whether a file has a test of this name; in a TypeScript file the name is its title."""
    path = TOP / file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if file.endswith(".py"):
        return re.search(rf"^ *(?:async )?def {re.escape(name)}\(", text, re.MULTILINE) is not None
    return re.search(rf"""\btest\(\s*['"`]{re.escape(name)}['"`]""", text) is not None


def test_there_are_rows() -> None:
    assert len(ROWS) >= 10
    assert len({line.count(" | ") for line in ROWS}) == 1, "each row has as many cells"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split(" | ")[0][2:].replace("`", "")[:60])
def test_the_tests_of_each_row_are_there(row: str) -> None:
    named = NAMED.findall(row.rpartition(" | ")[2])
    assert named, "the last cell names a test"
    assert [each for each in named if not is_there(*each)] == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("tests/test_security.py", "test_that_is_gone"),
        ("tests/gone.py", "test_there_are_rows"),
        ("vscode-extension/test/server.test.ts", "a title that nobody has"),
    ],
)
def test_a_test_that_is_gone_is_noticed(file: str, name: str) -> None:
    assert not is_there(file, name)
