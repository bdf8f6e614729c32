"""The table of sizes as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from promptls.core.table import Cell, Column, Row, Table
from promptls.core.table_text import fitting, table_lines
from promptls.core.tokens import ESTIMATE

if TYPE_CHECKING:
    from promptls.core.sizes import Kind

pytestmark = pytest.mark.same_everywhere


def column(harness: str, tokens: int = 1234, **more: object) -> Column:
    known: dict[str, object] = {"method": "o200k_base", "error": 0, "is_at_least": False, "window": 10_000}
    return Column(harness, "1", "model", tokens, **(known | more))  # type: ignore[arg-type] # its fields


def row(name: str, *cells: Cell | None, kind: Kind = "file", files: int = 0) -> Row:
    return Row((f"/w/{name}" if kind == "file" else name,), kind, cells, files)


def shown(columns: list[Column], rows: list[Row], path: str | None = None, width: int = 100) -> list[str]:
    """The lines, with one blank in the place of many."""
    lines = table_lines(Table(tuple(columns), tuple(rows)), "/w", path, width=width)
    return [" ".join(line.text.split()) for line in lines]


def test_files_by_harness() -> None:
    columns = [column("codex"), column("pi", 20, window=None, is_at_least=True, stopped="it asks first.")]
    rows = [
        row("AGENTS.md", Cell(1200), None),
        row("src/AGENTS.md", Cell(34, is_on_read=True), Cell(20, is_cut=True)),
        row("list of skills", Cell(5), Cell(7, is_at_least=True, is_cut=True), kind="skills", files=3),
        row("typed", Cell(0), None, kind="typed"),
        row("piped", Cell(2), None, kind="typed"),
        row("empty.md", Cell(0), None),
    ]
    assert shown(columns, rows) == [
        "started in w codex pi",
        "AGENTS.md 1,200 -",
        "src/AGENTS.md 34* 20!",
        "list of skills (3) 5 7+!",
        "piped 2 -",
        "empty.md 0 -",
        "all 1,234 20+",
        "of the model's window 12.3% ?",
        "tokens · - never · * on reading a file near it · ! cut by a limit · + at least",
        "pi sends nothing: it asks first.",
    ]


def test_the_signs_that_occur_are_explained_and_no_others() -> None:
    assert shown([column("codex", window=None)], [row("AGENTS.md", Cell(1))])[-1] == "tokens"
    estimated = column("codex", method=ESTIMATE, error=5)
    assert shown([estimated, column("pi")], [row("AGENTS.md", Cell(1), Cell(1))])[-1] == "tokens, estimated ±5 %"
    others = [column("pi", method=ESTIMATE, error=30), column("cline", method=ESTIMATE, error=10), estimated]
    assert shown(others, [row("AGENTS.md", *[Cell(1)] * 3)])[-1] == "tokens, estimated ±5 to ±30 %"
    read = shown([column("codex")], [row("AGENTS.md", Cell(1, is_on_read=True))], "/w/a.py")
    assert (read[0], read[-1]) == ("a.py codex", "tokens · * when this file is read")


def test_twenty_files_are_shown() -> None:
    rows = [row(f"{number:02}.md", Cell(1)) for number in range(21)]
    others = [row("own", Cell(5), kind="harness")]
    assert len(shown([column("codex", window=None)], [*rows[:20], *others])) == 1 + 20 + 1 + 2
    assert shown([column("codex", window=None)], [*rows, *others])[20:] == [
        "19.md 1",
        "1 more files …",
        "own 5",
        "all 1,234",
        "tokens",
    ]


def test_harnesses_that_do_not_fit_side_by_side_are_in_further_blocks() -> None:
    columns = [column("codex", window=None), column("claude-code", window=None), column("pi", 9999, window=None)]
    rows = [row("AGENTS.md", Cell(1), None, None), row("CLAUDE.md", None, Cell(1), Cell(1))]
    assert shown(columns, rows, width=66)[0] == "started in w codex claude-code pi"
    # Without room for all, names and columns are closer: 20, and 9 or the name and two more.
    assert shown(columns, rows, width=51)[0] == "started in w codex claude-code pi"
    assert shown(columns, rows, width=50) == [
        "started in w codex claude-code",
        "AGENTS.md 1 -",
        "CLAUDE.md - 1",
        "all 1,234 1,234",
        "",
        "started in w pi",
        # A file of none of the block has no row in it.
        "CLAUDE.md 1",
        "all 9,999",
        "tokens · - never",
    ]
    assert [line for line in shown(columns, rows, width=10) if "w" in line] == ["w codex", "w claude-code", "w pi"]


@pytest.mark.parametrize("width", range(40, 101, 5))
def test_no_column_is_lost_and_no_line_too_long(width: int) -> None:
    names = ["claude-code", "codex", "gemini-cli", "copilot-vscode", "opencode", "cline", "cursor"]
    columns = [column(name, 1000 + at, window=None) for at, name in enumerate(names)]
    lines = list(table_lines(Table(tuple(columns), (row("a" * 60, *[Cell(1)] * 7),)), "/w", None, width=width))
    text = "\n".join(line.text for line in lines)
    assert all(f"{each.tokens:,}" in text for each in columns)
    assert max(len(line.text) for line in lines if line.style != "note") <= width
    heads = [len(line.text.split()) - 2 for line in lines if line.style == "title"]
    assert max(heads) - min(heads) <= len(heads), "about as many in each block"


@pytest.mark.parametrize(("text", "expected"), [("12345", "12345"), ("123456", "…3456"), ("", "")])
def test_a_long_path_loses_its_beginning(text: str, expected: str) -> None:
    assert fitting(text, 5) == expected


@pytest.mark.parametrize(("width", "title"), [(27, "started in w codex"), (20, "w codex")])
def test_a_title_without_room_is_the_name_alone(width: int, title: str) -> None:
    assert shown([column("codex", window=None)], [row("AGENTS.md", Cell(1))], width=width)[0] == title


def test_a_total_of_own_text_is_apart_from_the_one_before_it() -> None:
    columns = [column("copilot-vscode", 26_059, is_at_least=True), column("cursor", 9_832, is_own_only=True)]
    found = shown(columns, [row("AGENTS.md", Cell(8_643), Cell(8_643))], width=50)
    assert "all 26,059+ 9,832 own" in found


def test_blocks_are_filled_where_those_of_one_size_would_be_more() -> None:
    names = ("claude-code", "opencode", "codex", "gemini-cli", "copilot-cli", "copilot-vscode")
    columns = [column(name, 1, window=None) for name in names]
    rows = [row("AGENTS.md", *(Cell(1) for _ in names))]
    titles = [line for line in shown(columns, rows, width=44) if line.startswith("started in w ")]
    assert titles == [
        "started in w claude-code opencode",
        "started in w codex gemini-cli",
        "started in w copilot-cli",
        "started in w copilot-vscode",
    ]
