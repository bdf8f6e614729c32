"""Each row of the tables in SECURITY.md is held by tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptls import git
from promptls.cli import remembered
from promptls.core import files
from promptls.net import cache, client, now
from promptls.workspace import record_store as store

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


@pytest.mark.parametrize(
    ("says", "number"),
    [
        ("up to 4 MiB of a file", files.LARGE / 2**20),
        ("the first 1 MiB of a larger one", files.KEPT_OF_LARGE / 2**20),
        ("up to 256 MiB of each", store.MOST / 2**20),
        ("of at most 1 GiB", store.DATABASE / 2**30),
        ("100 URLs, 60 s", now.MOST),
        ("60 s for all together", now.SECONDS),
        ("at most 64 MiB", cache.LIMIT_BYTES / 2**20),
        ("1 MiB | 1 MiB", client.BODY / 2**20),
        ("the last 50 answers", remembered.MOST_ANSWERS),
        ("for at most ten seconds", git.LIMIT),
    ],
)
def test_the_page_has_the_numbers_of_the_code(says: str, number: float) -> None:
    [row] = [line for line in ROWS if says in line]
    [first] = re.findall(r"\d+", says.replace("ten", "10"))[:1]
    assert int(first) == number, row


def test_who_writes_files() -> None:
    asked = {
        "cli/fix.py",
        "workspace/choice.py",
        "cli/write_page.py",
        "cli/baseline.py",
        "cli/cases.py",
        "cli/probe.py",
        "system/write_together.py",
    }
    of_its_own = {"cli/remembered.py", "cli/keep.py", "wire/ask.py", "workspace/calibrating.py"}
    root = TOP / "server" / "promptls"
    writes = re.compile(r"import write_file$|fix import .*\bwrite\b", re.MULTILINE)
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    found = {path for path, text in texts.items() if re.search(writes, text.replace("  # noqa: PLC0415", "\n"))}
    assert found == asked | of_its_own
