"""What nobody has seen is unknown: no zero, and no place among those who get nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.map_json import table_json, table_of
from promptls.core.model import Session
from promptls.core.table import table
from promptls.core.table_text import table_lines
from promptls.core.totals import is_at_least, is_own_only
from promptls.page.tree import harness_node
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def test_a_harness_that_is_only_documented(tmp_path: Path) -> None:
    folder = str(lay_out(tmp_path, {"AGENTS.md": "Use tabs.\n", ".mcp.json": "{}"}))
    prompts = [
        harnesses.preview(Session(name, folder), Host(home=f"{tmp_path}/home", env={})) for name in ("cursor", "codex")
    ]
    assert [is_own_only(each) for each in prompts] == [True, False]
    assert is_at_least(prompts[0])
    found = table([[each] for each in prompts])
    cells = {row.names[0]: row.cells[0] for row in found.rows}
    assert [name for name, cell in cells.items() if cell is not None and cell.is_unknown] == [
        *(name for name in cells if not name.startswith("/"))
    ]
    json = table_json(found)
    assert [each["own_text_only"] for each in json["columns"]] == [True, False]
    assert {each["cells"][0]["tokens"] for each in json["rows"] if each["kind"] in ("tools", "harness")} == {None}
    assert table_json(table_of(json)) == json
    lines = [line.text for line in table_lines(found, folder, None, width=100)]
    assert any(line.startswith("tools") and " ? " in line for line in lines)
    [total] = [line for line in lines if line.startswith("all ")]
    assert " own " in total
    assert "own: your own text only" in lines[-1]
    assert harness_node(prompts[0]).name == "cursor (own text only)"


def test_nothing_of_ones_own_is_no_zero(tmp_path: Path) -> None:
    prompt = harnesses.preview(Session("cursor", str(tmp_path)), Host(home=str(tmp_path / "home"), env={}))
    assert is_at_least(prompt)
    assert all(cell is not None and cell.is_unknown for row in table([[prompt]]).rows for cell in row.cells)
