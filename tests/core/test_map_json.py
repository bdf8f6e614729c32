"""Tables and maps as JSON."""

from __future__ import annotations

import pytest

from promptls.core.map import Directory, Map, Place
from promptls.core.map_json import map_json, table_json, table_of
from promptls.core.model import Limit
from promptls.core.sizes import Size
from promptls.core.table import Cell, Column, Row, Table

pytestmark = pytest.mark.same_everywhere


def test_a_table_is_the_same_again() -> None:
    columns = (
        Column("pi", "1", "model", 5, "estimate", 10, is_at_least=True, window=10, stopped="it asks."),
        Column("codex", "2", None, 6, "o200k_base", 0, is_at_least=False, window=None),
    )
    cells = (Cell(1, is_on_read=True), Cell(2, is_cut=True), Cell(3, is_at_least=True))
    rows = (Row(("/w/a.md", "/w/b.md"), "file", (cells[0], None)), Row(("skills",), "skills", cells[1:], 3))
    json = table_json(Table(columns, rows))
    assert table_of(json) == Table(columns, rows)
    assert json["rows"][0] == {
        "names": ["/w/a.md", "/w/b.md"],
        "kind": "file",
        "files": 0,
        "cells": [{"tokens": 1, "at": "read", "cut": False, "at_least": False}, None],
    }
    assert json["columns"][1] == {
        "harness": "codex",
        "version": "2",
        "model": None,
        "tokens": 6,
        "token_method": "o200k_base",
        "token_error": 0,
        "at_least": False,
        "window": None,
        "stopped": None,
        "fault": False,
        "own_text_only": False,
    }


def test_a_map() -> None:
    start, read, only = (Size(f"/w/{name}.md", "file", 1) for name in ("start", "read", "only"))
    place = Place((start,), (read,), (only,), (Limit("files", 12, 10, "bytes"),))
    json = map_json(Map("/w", ("pi",), (Directory("/w", (place,)),)))
    assert (json["root"], json["harnesses"]) == ("/w", ["pi"])
    [found] = json["directories"][0]["places"]
    assert [[each["name"] for each in found[key]] for key in ("at_start", "on_read", "only_at_start")] == [
        ["/w/start.md"],
        ["/w/read.md"],
        ["/w/only.md"],
    ]
    assert found["limits"] == [{"name": "files", "used": 12, "most": 10, "unit": "bytes", "left": 0}]
