"""Where the cursor, shown as |, is in a half-typed text."""

from __future__ import annotations

import pytest

from promptls.core.formats.cursor import (
    MAX_DEPTH,
    JsonCursor,
    TomlCursor,
    front_matter_value,
    front_matter_word,
    json_cursor,
    mention_word,
    toml_cursor,
)

pytestmark = pytest.mark.same_everywhere


def split(text: str) -> tuple[str, int]:
    return text.replace("|", ""), text.index("|")


@pytest.mark.parametrize(
    ("text", "keys", "is_key", "typed", "is_string"),
    [
        ('{"a|', (), True, "a", True),
        ("{|", (), True, "", False),
        ('{"a": |', ("a",), False, "", False),
        ('{"a": "b|', ("a",), False, "b", True),
        ('{"a": "b"|}', ("a",), False, "", False),
        ('{"a": 1, |}', (), True, "", False),
        ('{"a": {"b": [1, "x|', ("a", "b", 1), False, "x", True),
        ('{"a": {"b": [|', ("a", "b", 0), False, "", False),
        ('{"a": {"b": []}, "c|', (), True, "c", True),
        ('{"a": [{}, {"b|', ("a", 1), True, "b", True),
        ('{"a\\"b": |', ('a"b',), False, "", False),
        ('{"a": "open\n "b|', ("a",), False, "b", True),
        ('// no\n{"a": /* x */ |', ("a",), False, "", False),
        ("[/* x */|", (0,), False, "", False),
        ("]]}[|", (0,), False, "", False),
        (",[|", (0,), False, "", False),
        ('"a" {|', (), True, "", False),
    ],
)
def test_json(text: str, keys: tuple[str | int, ...], is_key: bool, typed: str, is_string: bool) -> None:
    text, offset = split(text)
    assert json_cursor(text, offset) == JsonCursor(keys, is_key, offset - len(typed), typed, is_string)


@pytest.mark.parametrize("text", ["|", '"a|', "{} |", "{// a|", "{/* a|", "{/*|", "[" * (MAX_DEPTH + 1) + "|"])
def test_no_place_in_json(text: str) -> None:
    assert json_cursor(*split(text)) is None


def test_json_may_be_deep() -> None:
    found = json_cursor("[" * MAX_DEPTH, MAX_DEPTH)
    assert found
    assert len(found.keys) == MAX_DEPTH


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("---\nna|", "na"),
        ("--- \r\n|\n---\n", ""),
        ("---\na: 1\nb-c|: 2\n---", "b-c"),
        ("---\n---\na|", None),
        ("na|", None),
        ("---|", None),
        ("---\na: b|", None),
        ("---\n  a|", None),
        ("---\n-a|", None),
        ("---\r\na: b\r\n---\r\nmo|", None),
        ("---\na: b\n--- \nmo|", None),
        ("---\na: b\n----\nmo|", "mo"),
    ],
)
def test_a_key_of_front_matter(text: str, word: str | None) -> None:
    assert front_matter_word(*split(text)) == word


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("---\nmodel: op|", ("model", "op")),
        ("---\nmodel:|", ("model", "")),
        ("---\ntools: Read, Gr|", ("tools", "Gr")),
        ("---\ntools: [Read, 'Gr|", ("tools", "Gr")),
        ('---\ntools: ["Re|', ("tools", "Re")),
        ("---\ntools:\n  - Read\n  - Gr|", ("tools", "Gr")),
        ("---\n- Gr|", None),
        ("---\nmodel: a b|", None),
        ("---\nmodel: 'a'|", None),
        ("---\nmodel|", None),
        ("---\na: b\n---\nmodel: op|", None),
        ("---\r\na: b\r\n---\r\nmodel: op|", None),
        ("---\r\na: b\r\nmodel: op|", ("model", "op")),
        ("model: op|", None),
    ],
)
def test_a_value_of_front_matter(text: str, found: tuple[str, str] | None) -> None:
    assert front_matter_value(*split(text)) == found


@pytest.mark.parametrize(
    ("text", "cursor"),
    [
        ("mo|", TomlCursor((), None, "mo", False)),
        ("[a.b]\n  mo|", TomlCursor(("a", "b"), None, "mo", False)),
        ("[a]\n[b] # x\n|", TomlCursor(("b",), None, "", False)),
        ('x = "v|', TomlCursor((), "x", "v", True)),
        ("x = 'v|", TomlCursor((), "x", "v", True)),
        ("x = tr|", TomlCursor((), "x", "tr", False)),
        ('x = ["a", "b|', TomlCursor((), "x", "b", True)),
        ('x = [\n  "a",\n  "b|', TomlCursor((), "x", "b", True)),
        ('x = ["a"]\ny = ["b|', TomlCursor((), "y", "b", True)),
        ('[t]\nx = ["a"]\ny|', TomlCursor(("t",), None, "y", False)),
        ('x = ["a"] |', None),
        ("x = a b|", None),
    ],
)
def test_toml(text: str, cursor: TomlCursor | None) -> None:
    assert toml_cursor(*split(text)) == cursor


@pytest.mark.parametrize(
    ("text", "word"),
    [("@a/b|", "a/b"), ("x\n@|", ""), ("x @a|", "a"), ("x@a|", None), ("@a b|", None), ("@a\nb|", None)],
)
def test_a_mention(text: str, word: str | None) -> None:
    assert mention_word(*split(text)) == word


def test_the_line_above_front_matter_has_no_key() -> None:
    assert front_matter_word("---\na", 0) is None
