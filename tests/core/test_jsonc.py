"""JSON without a flaw is read by a short reader, all else by tree-sitter: where both can read, they agree."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptls.core.formats import broken_json, parse_json
from promptls.core.formats.grammars import parser
from promptls.core.formats.tree import MAX_DEPTH, TOO_DEEP, Value

pytestmark = pytest.mark.same_everywhere
# No larger floats: tree-sitter-json reads 1e+16 as 1.
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(-1e15, 1e15)
JSON = st.recursive(
    SCALARS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n\t", " :\r\n ")])


def by_tree_sitter(text: str) -> Value | None:
    return broken_json._Reader(text).value(parser("tree_sitter_json").parse(text.encode("utf-8", "replace")).root_node)


@pytest.mark.property
@settings(max_examples=60, deadline=None)
@given(JSON, SEPARATORS, st.booleans(), st.sampled_from([None, 2]))
def test_both_readers_agree(data: Any, separators: tuple[str, str], ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(data, separators=separators, ensure_ascii=ascii_only, indent=indent)
    document = parse_json(text, comments=False)
    assert document.flaw is None
    assert document.root == by_tree_sitter(text)


def test_plain_json_has_places() -> None:
    text = ' {"a": [1, "é\\n", true], "b": {}} '
    root = parse_json(text, comments=False).root
    assert root is not None
    a, b = root.get("a"), root.get("b")
    assert a is not None
    assert b is not None
    assert [text[v.start : v.end] for v in (root, a, *a.items, b)] == [
        text.strip(),
        '[1, "é\\n", true]',
        "1",
        '"é\\n"',
        "true",
        "{}",
    ]
    assert [v.data for v in a.items] == [1.0, "é\n", None]


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 50])
def test_deep_nesting_is_the_same_for_both(depth: int) -> None:
    text = "[" * depth + "1" + "]" * depth
    root = value = parse_json(text, comments=False).root
    assert root == by_tree_sitter(text)
    brackets = 0
    while value is not None and value.kind == "array":
        value, brackets = next(iter(value.items), None), brackets + 1
    assert brackets == min(depth, MAX_DEPTH)


@pytest.mark.parametrize("text", ["1e+16", "[1e+16]", "[0,1e+16]", '{"a":1e+16}', '{"a": 0, "b": 1e+16}'])
def test_an_exponent_with_a_sign_is_part_of_its_number(text: str) -> None:
    # tree-sitter reads 1 there, so this shows which reader it was.
    root = parse_json(text, comments=False).root
    assert root is not None
    inner = [*root.items, *(value for _, value in root.members), root]
    assert 1e16 in [value.data for value in inner]


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ('{"a": 1, // one\n "b": [2, /* two\n */ ], }', None),
        ('{"a": "// no, ]", "b": "/* no */", "c": "\\"//"}', None),
        ('["https://a.example/x",]', None),
        ("[1, 2 // three\n, ]", None),
        ("// only\n{}\n// comments", None),
        ('{"a": ["x", "y",], "b": {"c": "d",}} // end', None),
        ("[1, /**/ 2]", None),
        ("[1 ,]", None),
        ("[ ,]", 2),
        ("[,]", 1),
        ("[1,,]", 3),
        ('{"a":,}', 5),
        ('{"a": 1 /* never closed', 8),
        ('{"a": "http://x\n, "b": 1}', 6),
        ("// nothing", 0),
    ],
)
def test_comments_and_trailing_commas(text: str, flaw: int | None) -> None:
    document = parse_json(text, comments=True)
    assert (document.flaw.start if document.flaw else None) == flaw
    if flaw is None:
        assert document.root == by_tree_sitter(text)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("[" * 1000, True),
        ("[" * 1001, False),
        ("{" * 1001, False),
        ("[] " * 1001, True),
        ("[" * 999 + "]" * 500 + "[" * 501, True),
        ("[" * 999 + "]" * 500 + "[" * 501 + "{", False),
        ("]" * 10 + "[" * 1001, False),
        ("]" * 10 + "[" * 1000 + '"[[["', True),
    ],
)
def test_more_than_a_thousand_open_brackets_are_not_read(text: str, is_read: bool) -> None:
    document = parse_json(text, comments=True)
    assert document.flaw
    assert (document.root is not None) is is_read
    assert is_read or document.flaw.start == 0


def test_a_number_of_too_many_digits_is_a_flaw() -> None:
    document = parse_json(f'{{"a": {"1" * 5000}, "b": 1}}', comments=False)
    assert document.flaw
    assert (document.flaw.start, document.flaw.message) == (0, TOO_DEEP)


@pytest.mark.parametrize(
    ("text", "start", "end", "message"),
    [
        ("", 0, 0, "the file is empty"),
        ("  \n", 0, 3, "the file is empty"),
        ("\ufeff{}", 0, 1, "it begins with a byte order mark"),
        ('{"a": "b\n}', 6, 8, "a string does not end on its line"),
        ('"a\nb"', 0, 2, "a string does not end on its line"),
        ('{"a": "b\r\n}', 6, 8, "a string does not end on its line"),
        ('{"a": "b', 6, 8, "a string does not end on its line"),
        ('{"a\n": 1}', 1, 3, "a string does not end on its line"),
        ('{"a": 1', 6, 7, "the text ends before everything is closed"),
        ('{"a": [1, 2 \n', 10, 11, "the text ends before everything is closed"),
        ('{"a": 1}  // no\n', 10, 15, "comments are not allowed here"),
        ("/* no */ {}", 0, 11, "comments are not allowed here"),
        ('{"a": 1,}', 7, 8, "the last comma is one too many"),
        ("[1, 2 , ]", 6, 7, "the last comma is one too many"),
        ("[1,\n]", 2, 3, "the last comma is one too many"),
        ('{"a" 1}', 5, 7, "a colon is missing here"),
        ('{"a", "b": 1}', 4, 13, "a colon is missing here"),
        ('{"a": 1 "b": 2}', 8, 15, "a comma or a closing bracket is missing here"),
        ("[1 2]", 3, 5, "a comma or a closing bracket is missing here"),
        ("{a: 1}", 1, 6, "a key in double quotes is missing here"),
        ("{} x\ny", 3, 4, "nothing may follow the end of the value"),
        ("{} \r\nx", 5, 6, "nothing may follow the end of the value"),
        ('{"a": 1}}', 8, 9, "nothing may follow the end of the value"),
        ('{"a": NaN}', 6, 9, "NaN is not a JSON value"),
        ("[-Infinity]", 1, 10, "-Infinity is not a JSON value"),
        ('{"a": tru}', 6, 10, "this is not a JSON value"),
    ],
)
def test_what_is_wrong_and_where(text: str, start: int, end: int, message: str) -> None:
    flaw = parse_json(text, comments=False).flaw
    assert flaw
    assert (flaw.start, flaw.end, flaw.message) == (start, end, message)


def plain(value: Value | None) -> object:
    if value is None or value.kind in ("true", "false", "null"):
        return value and value.kind
    if value.kind == "object":
        return {key.data: plain(each) for key, each in value.members}
    return [plain(each) for each in value.items] if value.kind == "array" else value.data


@pytest.mark.parametrize(
    ("text", "read", "end"),
    [
        ('{"a": 1, "b"', {"a": 1}, 12),
        ('{"a": [1, {"b": 2, "c": 3}', {"a": [1, {"b": 2, "c": 3}]}, 26),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, 15),
        ('{"a", "b": 2}', {"b": 2}, 13),
        ('{"a": 1}, "b": 2}', {"a": 1}, 8),
        ("[1, }, 2]", [1], 2),
        ('{"a": tru, "b": false, "c": null}', {"b": "false", "c": "null"}, 33),
        ('{1: 2, "a": 3}', {"a": 3}, 14),
        ('{"a": {"b": }, "c": [true]}', {"a": {}, "c": ["true"]}, 27),
        ('["a\\x", "b"]', ["a\\x", "b"], 12),
        ('"a" "b"', "a", 3),
        ("x", None, 0),
    ],
)
def test_what_is_left_of_a_broken_text(text: str, read: object, end: int) -> None:
    document = parse_json(text, comments=False)
    assert document.flaw
    assert plain(document.root) == read
    assert (document.root.end if document.root else 0) == end


# What is near to JSON: each of these pieces is part of some valid text.
PIECES = st.sampled_from(
    [*'[]{},:"', " ", "\n", "1", "-", "0", ".5", "e1", '"a"', "true", "null", "NaN", "\\", "\x01", "\ufeff"]
)


@pytest.mark.property
@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=9).map("".join))
def test_only_valid_json_has_no_flaw(text: str) -> None:
    document = parse_json(text, comments=False)
    try:
        json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        assert document.flaw is not None
    else:
        assert document.flaw is None
        assert document.root == by_tree_sitter(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "[1,]", '{"a":1,}', "[,]", "{,}", "01", "1.", ".5", "-", "+1", "1e", "[1 2]", '{"a" 1}', "{1: 2}"),
        *(
            '"\\x"',
            '"\\u12"',
            '"a\nb"',
            '"\t"',
            "'a'",
            "tru",
            "truex",
            "nul",
            "NaN",
            "-Infinity",
            "[1]x",
            "\xa01",
            "1\v",
        ),
        *("\ufeff1", "١", "[" * 300, '{"a": [}'),
    ],
)
def test_what_is_not_json_has_a_flaw(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        json.loads(text, parse_constant=int)
    assert parse_json(text, comments=False).flaw is not None


@pytest.mark.parametrize(
    "text", ["1" * 301, "1" * 4300, "-" + "1" * 400 + ".5", '"\\u00e9\\ud83d\\ude00\\/"', "1E5", "-0.0"]
)
def test_unusual_json_has_no_flaw(text: str) -> None:
    document = parse_json(text, comments=False)
    assert document.flaw is None
    assert document.root is not None
    assert document.root.data == (float(text) if text[0] != '"' else json.loads(text))
