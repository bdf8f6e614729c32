from __future__ import annotations

from typing import Any

import pytest

from promptls.core.formats import toml
from promptls.core.formats.tree import Value


def plain(value: Value | None) -> Any:
    if value is None or value.kind == "null":
        return None
    if value.kind == "object":
        return {key.data: plain(inner) for key, inner in value.members}
    if value.kind == "array":
        return [plain(item) for item in value.items]
    return value.data if value.data is not None else value.kind == "true"


def test_tables_are_put_together_from_headers_dotted_keys_and_inline_tables() -> None:
    text = """
a.b = 1
[projects."/x"]
level = 'literal\\'
[projects]
"/y" = { level = "es\\u0063aped", on = true, day = 2026-01-02 }
[[list]]
n = 1.5
[[list]]
[list.deep]
n = [1, # comment
  2]
"""
    document = toml.parse(text)
    assert document.flaw is None
    assert plain(document.root) == {
        "a": {"b": 1},
        "projects": {"/x": {"level": "literal\\"}, "/y": {"level": "escaped", "on": True, "day": None}},
        "list": [{"n": 1.5}, {"deep": {"n": [1, 2]}}],
    }


def test_values_know_their_place_behind_letters_of_two_units() -> None:
    document = toml.parse('a = "𝄞"; b\nc = "𝄞"\n')
    value = document.root and document.root.get("c")
    assert value
    where = document.range(value)
    assert (where.start_line, where.start_character, where.end_character) == (1, 4, 8)


@pytest.mark.parametrize(
    ("text", "read", "where"),
    [
        ('names = ["A", "B"\nx = 1\n', {"names": ["A", "B"]}, "x = 1"),
        ('max = \n[t]\nk = "v"\n', {"t": {"k": "v"}}, "max ="),
        ("a = 1\na = 2\n", {"a": 2}, "a = 2"),
        ("a = " + "[" * 5000, {}, None),
    ],
)
def test_what_is_halfway_typed_is_read_as_far_as_possible(text: str, read: Any, where: str | None) -> None:
    document = toml.parse(text)
    assert plain(document.root) == read
    assert document.flaw
    assert where is None or text[document.flaw.start : document.flaw.end] == where


@pytest.mark.parametrize("text", ["", "=", "[", "[[", '"', "a.b.", "[a]\n[a.b\nc=", "\ufeffa = 1", "a = 1\r\rb", "\0"])
def test_nothing_raises(text: str) -> None:
    assert toml.parse(text).root is not None
