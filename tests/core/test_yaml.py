from __future__ import annotations

import itertools

import pytest

from promptls.core.formats import parse_yaml
from promptls.core.formats.tree import MAX_DEPTH, Flaw, Value
from promptls.core.formats.yaml_reader import MOST_ALIASED

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("text", "kind", "data"),
    [
        ("a: |\n", "string", ""),
        ("a: >-\n\n", "string", ""),
        ("a: |\n  x\n", "string", "x\n"),
        ("a: |+\n  x\n\n", "string", "x\n\n"),
        ("a: >\n  x\n  y\n\n  z\n\n\n  é\n   in\n", "string", "x y\nz\n\né\n in\n"),
        ("a: >-\n  é\n  y\n", "string", "é y"),
        ("a: >\n  x\n    in\n    deep\n  y\n  z\n", "string", "x\n  in\n  deep\ny z\n"),
        ("a: >+\n  x\n\n", "string", "x\n\n"),
        ("a: |-\n  x\n\n", "string", "x"),
        ("a: |+\n  x\n\n \nb: 1\n", "string", "x\n\n\n"),
        ("a: 'x\n\n  y\n\n\n  z'\n", "string", "x\ny\n\nz"),
        ('a: "x \n  y "\n', "string", "x y "),
        (r'a: "\x41\0\v\e\N\_\L\P\/\ b\U0001F600"', "string", "A\0\v\x1b\x85\xa0\u2028\u2029/ b\U0001f600"),
        ('a: "x \\\n  y\n  z\\\\\n  u"', "string", "x y z\\ u"),
        (r'a: "\U0010FFFF"', "string", "\U0010ffff"),
        (r'a: "\U00110000"', "string", r"\U00110000"),
        ("a: .5\n", "number", 0.5),
        ("a: 0o9\n", "string", "0o9"),
        ("a: yes\n", "string", "yes"),
        ("a: &x b\n", "string", "b"),
        ("a: *x\n", "string", "*x"),
        ("a: !!str 5\n", "number", 5.0),
        ("a: FALSE\n", "false", None),
        ("a: 0x1F\n", "number", 31.0),
        ("a: 0o17\n", "number", 15.0),
        ("a: 5\n", "number", 5.0),
        ("a: 0xZZ\n", "string", "0xZZ"),
        ("a: |+\n\n", "string", "\n"),
        ("a: 'it''s'\n", "string", "it's"),
        ("a: 'x\n  y\n  z'\n", "string", "x y z"),
        ('a: "x\\ty"\n', "string", "x\ty"),
        ("a: True\n", "true", None),
        ("a: false\n", "false", None),
        ("a: ~\n", "null", None),
        ("a:\n", "null", None),
        ("a: 1.5\n", "number", 1.5),
        ("#\na: x + y\n\nb: 1\n", "string", "x + y"),
        ("a: .inf\n", "string", ".inf"),
        ("a: 2026-01-02\n", "string", "2026-01-02"),
    ],
)
def test_scalars(text: str, kind: str, data: str | float | None) -> None:
    root = parse_yaml(text).root
    value = root.get("a") if root else None
    assert value
    assert (value.kind, value.data) == (kind, data)


BITS = (
    *("a", "true", "null", "False", ": ", ":", " ", "\n", '"', "'", " #", "é", "x y", "-", "[", "|", "1", "\\", "\t"),
    *("\r", "\u2028", "\x85", "\xa0", "\ufeff", "\u200b"),
)


def test_plain_lines_are_read_as_the_parser_reads_them() -> None:
    values = ["".join(bits) for bits in itertools.product(BITS, repeat=2)]
    plain = 0
    keys = [f"{key}: b" for key in ("a", "true", "False", "NULL", "yes")]
    for text in (*keys, *(f"name: {value}\nb: c" for value in values), *(f"b: c\n{value}" for value in values)):
        # A comment keeps a text from being plain.
        found, read = parse_yaml(text), parse_yaml(f"#\n{text}")
        assert (found.flaw is None) == (read.flaw is None)
        if found.root is not None and read.root is not None and found.flaw is None:
            assert _described(found.root, 0) == _described(read.root, 2)
            plain += 1
    assert plain > len(BITS)


def test_a_quoted_text_stands_where_its_quotes_are() -> None:
    text = "a: \"x y\"\nb: 'z'\n"
    root = parse_yaml(text).root
    assert root is not None
    assert [text[value.start : value.end] for _, value in root.members] == ['"x y"', "'z'"]
    assert (root.start, root.end) == (0, len(text))


@pytest.mark.parametrize("text", ["a: ~\n", "- ~\n"])
def test_nothing_stands_where_it_is_written(text: str) -> None:
    root = parse_yaml(text).root
    assert root is not None
    value = root.get("a") or root.items[0]
    assert (value.kind, text[value.start : value.end]) == ("null", "~")


def test_what_is_nested_too_deeply_is_not_read() -> None:
    text = "- " * 120 + "a"
    document = parse_yaml(text)
    assert document.root is None
    assert document.flaw == Flaw(0, len(text), "this is nested too deeply")


def test_a_long_text_is_not_deep() -> None:
    root = parse_yaml("".join(f"a{number}: [b]\n" for number in range(200))).root
    assert root is not None
    assert len(root.members) == 200


def _described(root: Value, moved: int) -> list[tuple[object, ...]]:
    return [(each.kind, each.data, each.start - moved, each.end - moved) for pair in root.members for each in pair]


def plain(value: Value | None) -> object:
    if value is None or value.kind in ("true", "false", "null"):
        return value and value.kind
    if value.kind == "object":
        return {key.data: plain(each) for key, each in value.members}
    return [plain(each) for each in value.items] if value.kind == "array" else value.data


@pytest.mark.parametrize(
    ("text", "read", "end", "flaw"),
    [
        ("a: [b, c]\n", {"a": ["b", "c"]}, 10, None),
        ("a:\n  - b\n  - c: d\n", {"a": ["b", {"c": "d"}]}, 18, None),
        ("a: {b: c, d: [e]}\n", {"a": {"b": "c", "d": ["e"]}}, 18, None),
        ("? a\n: b\n", {"a": "b"}, 8, None),
        ("- a\n- b\n", ["a", "b"], 8, None),
        ("'a': b\n5: c\n", {"a": "b", 5: "c"}, 12, None),
        ("a: b\n---\nc: d\n", {"a": "b"}, 4, None),
        ("", None, 0, None),
        ("a: [b", None, 0, (0, 5)),
        ("a: b: c\n", {"a": "b"}, 4, (0, 4)),
        ("x\n  y: [\nb: c\n", None, 0, (0, 5)),
        ('a: "b\nc: d\n', {"a": "null", "c": "d"}, 11, (3, 5)),
    ],
)
def test_collections_and_what_is_left_of_broken_ones(
    text: str, read: object, end: int, flaw: tuple[int, int] | None
) -> None:
    document = parse_yaml(text)
    assert plain(document.root) == read
    assert (document.root.end if document.root else 0) == end
    assert (document.flaw and (document.flaw.start, document.flaw.end)) == flaw


def _size(value: Value) -> int:
    return 1 + sum(map(_size, value.items)) + sum(_size(key) + _size(each) for key, each in value.members)


def test_aliases_of_aliases_are_followed_only_so_far() -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    root = parse_yaml("\n".join(lines)).root
    assert root is not None
    assert _size(root) <= MOST_ALIASED + 30 * 12


def test_a_chain_of_aliases_is_no_deeper_than_what_is_written() -> None:
    deep = MAX_DEPTH - 20
    lines = [f"a0: &a0 {'[' * deep}1{']' * deep}"]
    lines += [f"a{n}: &a{n} {'[' * deep}*a{n - 1}{']' * deep}" for n in range(1, 5)]
    root = parse_yaml("\n".join(lines)).root

    def depth(value: Value) -> int:
        return 1 + max(map(depth, value.items), default=0)

    assert root is not None
    assert max(depth(each) for _, each in root.members) <= MAX_DEPTH + 2


def test_many_aliases_of_much_are_left_as_they_are() -> None:
    items = ", ".join(["1"] * (MOST_ALIASED + 1))
    root = parse_yaml(f"a: &a [{items}]\nb: [*a, *a]\n").root
    second = root.get("b") if root is not None else None
    assert second is not None
    assert [each.data for each in second.items] == ["*a", "*a"]
