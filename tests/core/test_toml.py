from __future__ import annotations

from typing import Any

import pytest

from promptls.core.formats import parse_toml
from promptls.core.formats.tree import MAX_DEPTH, TOO_DEEP, Value

pytestmark = pytest.mark.same_everywhere


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
    document = parse_toml(text)
    assert document.flaw is None
    assert document.root
    assert (document.root.start, document.root.end) == (0, len(text))
    assert plain(document.root) == {
        "a": {"b": 1},
        "projects": {"/x": {"level": "literal\\"}, "/y": {"level": "escaped", "on": True, "day": None}},
        "list": [{"n": 1.5}, {"deep": {"n": [1, 2]}}],
    }


def test_values_know_their_place_behind_letters_of_two_units() -> None:
    document = parse_toml('a = "𝄞"; b\nc = "𝄞"\n')
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
        ("a = ", {"a": ""}, None),
        ("''a = ", {"": ""}, None),
        ("a = " + "[" * 5000, {}, None),
    ],
)
def test_what_is_halfway_typed_is_read_as_far_as_possible(text: str, read: Any, where: str | None) -> None:
    document = parse_toml(text)
    assert plain(document.root) == read
    assert document.flaw
    assert where is None or text[document.flaw.start : document.flaw.end] == where


@pytest.mark.parametrize("text", ["", "=", "[", "[[", '"', "a.b.", "[a]\n[a.b\nc=", "\ufeffa = 1", "a = 1\r\rb", "\0"])
def test_nothing_raises(text: str) -> None:
    assert parse_toml(text).root is not None


LONG = ".".join(['"a+"'] * (MAX_DEPTH + 1))


def depth_of(value: Value | None) -> int:
    """How deep the first values are nested, the number at the bottom included."""
    depth = 0
    while value is not None:
        depth += 1
        inner = [*value.items, *(each for _, each in value.members)]
        value = inner[0] if inner else None
    return depth


@pytest.mark.parametrize(
    "text",
    [
        f"a = {'[' * (MAX_DEPTH - 1)}1{']' * (MAX_DEPTH - 1)}",
        f"{'.'.join('a' * (MAX_DEPTH - 1))} = [1]",
        f"{'.'.join('a' * MAX_DEPTH)} = 1",
        f"[{'.'.join('a' * MAX_DEPTH)}]\nb = 1",
        f"[[{'.'.join('a' * MAX_DEPTH)}]]\nb = 1",
    ],
)
def test_as_deep_as_it_may_be(text: str) -> None:
    root = parse_toml(text).root
    assert depth_of(root) > MAX_DEPTH
    assert root
    assert root.get("a") is not None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"{LONG} = 1", {}),
        (f"[{LONG}]\nb = 1", {"b": 1}),
    ],
)
def test_deeper_it_is_left_out(text: str, read: Any) -> None:
    assert plain(parse_toml(text).root) == read


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("a = 1\nb = @\n", (10, 11), "invalid value"),
        ("a = 1\n\n  [t]\nx\n", (13, 14), None),
        ("x = ", (0, 3), None),
        ("x = 1\ny =", (6, 9), None),
        ("\nx = ", (1, 4), None),
        (f"a = {'1' * 5000}", (0, 5004), TOO_DEEP),
        (f"{'a.' * 250}b = 1", (0, 505), TOO_DEEP),
    ],
)
def test_a_flaw_has_a_place_and_a_clause(text: str, where: tuple[int, int], says: str | None) -> None:
    flaw = parse_toml(text).flaw
    assert flaw
    assert (flaw.start, flaw.end) == where
    assert says is None or flaw.message == says


def test_a_key_of_many_parts_is_read_up_to_a_limit() -> None:
    assert parse_toml(f"{'a.' * 199}b = 1").flaw is None
    assert parse_toml(f"{'a.' * 200}b = 1").root is None


def test_tables_know_where_they_are() -> None:
    text = "[a]\nx = 1\n\n[[b]]\ny = 2\n[[b]]\ny = 3\n[a.c]\n"
    root = parse_toml(text).root
    assert root
    a, b = root.get("a"), root.get("b")
    assert a
    assert b
    assert text[a.start : a.end].strip() == "[a]\nx = 1"
    assert text[b.start : b.end].strip() == "[[b]]\ny = 2\n[[b]]\ny = 3"
    assert plain(root) == {"a": {"x": 1, "c": {}}, "b": [{"y": 2}, {"y": 3}]}


def test_single_values_of_what_is_half_typed() -> None:
    assert plain(parse_toml("b = true\nc = false\nd = 12:00:00\ne =\n").root) == {"b": True, "c": False, "d": None}
