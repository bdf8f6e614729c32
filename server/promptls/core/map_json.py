"""Tables and maps as JSON."""

from __future__ import annotations

from promptls.core.how import how_json
from promptls.core.prompt_json import limit_json, size_json
from promptls.core.table import Cell, Column, Row, Table
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.map import Map, Place
    from promptls.core.prompt_json import Json


def table_json(table: Table) -> Json:
    """The columns and rows of a table; a cell is null where the harness never gets the row, its tokens if unknown."""
    return {
        "columns": [_column(each) for each in table.columns],
        "rows": [
            {
                "names": list(row.names),
                "kind": row.kind,
                "files": row.files,
                "cells": [None if cell is None else _cell(cell) for cell in row.cells],
            }
            for row in table.rows
        ],
    }


def table_of(found: Json) -> Table:
    """The table that ``table_json`` has made this of."""
    names = ("harness", "version", "model", "tokens", "token_method", "token_error", "at_least", "window", "stopped")

    columns = [
        replace(Column(*(each[name] for name in names)), is_fault=each["fault"], is_own_only=each["own_text_only"])
        for each in found["columns"]
    ]
    rows = [
        Row(tuple(row["names"]), row["kind"], tuple(map(_cell_of, row["cells"])), row["files"]) for row in found["rows"]
    ]
    return Table(tuple(columns), tuple(rows))


def map_json(found: Map) -> Json:
    """The directories of a map; the places are in the order of ``harnesses``."""
    return {
        "root": found.root,
        "harnesses": list(found.harnesses),
        "directories": [
            {"path": each.path, "places": [_place(place) for place in each.places]} for each in found.directories
        ],
    }


def _place(place: Place) -> Json:
    return {
        "at_start": [size_json(each) for each in place.at_start],
        "on_read": [size_json(each) for each in place.on_read],
        "only_at_start": [size_json(each) for each in place.only_at_start],
        "limits": [limit_json(each) for each in place.limits],
        "how": [how_json(each)["how"] for each in place.ways],
    }


def _column(column: Column) -> Json:
    return {
        "harness": column.harness,
        "version": column.version,
        "model": column.model,
        "tokens": column.tokens,
        "token_method": column.method,
        "token_error": column.error,
        "at_least": column.is_at_least,
        "window": column.window,
        "stopped": column.stopped,
        "fault": column.is_fault,
        "own_text_only": column.is_own_only,
    }


def _cell_of(found: Json | None) -> Cell | None:
    if found is None:
        return None
    tokens, at = found["tokens"], found["at"]
    cell = Cell(tokens or 0, at == "read", found["cut"], found["at_least"], at == "elsewhere")
    return replace(cell, is_unknown=tokens is None)


def _cell(cell: Cell) -> Json:
    return {
        # None is not known: at least 0 says as little.
        "tokens": None if cell.is_unknown or (cell.is_at_least and not cell.tokens) else cell.tokens,
        "at": "elsewhere" if cell.is_elsewhere else "read" if cell.is_on_read else "start",
        "cut": cell.is_cut,
        "at_least": cell.is_at_least,
    }
