"""Front matter that is no YAML until it is read again with quotes."""

from __future__ import annotations

import pytest

from promptls.core.formats.read_again import FrontMatter, read
from promptls.core.formats.tree import Value

pytestmark = pytest.mark.same_everywhere


def plain(value: Value) -> object:
    if value.kind == "object":
        return {key.data: plain(each) for key, each in value.members}
    return [plain(each) for each in value.items] if value.kind == "array" else value.data


# The texts at their places, and what is read there.
@pytest.mark.parametrize(
    ("text", "written", "said"),
    [
        ("a: b: c", ["b: c"], {"a": "b: c"}),
        ("a:   b: c\nd: e", ["b: c", "e"], {"a": "b: c", "d": "e"}),
        ("a:\n\t- b\nc: *.ts", ["- b", "*.ts"], {"a": ["b"], "c": "*.ts"}),
        ('a: say "x" \\ y: z', ['say "x" \\ y: z'], {"a": 'say "x" \\ y: z'}),
        ("b: c: d\na: plain", ["c: d", "plain"], {"b": "c: d", "a": "plain"}),
        ("b: c: d\na: {x: y}", ["c: d", "{x: y}"], {"b": "c: d", "a": "{x: y}"}),
        # A list that YAML can read stays one.
        ("b: c: d\na: [x, y]", ["c: d", "[x, y]"], {"b": "c: d", "a": ["x", "y"]}),
        ("b: c: d\na: [x] # y", ["c: d", "[x] # y"], {"b": "c: d", "a": "[x] # y"}),
        ("a: [b, *c]", ["[b, *c]"], {"a": "[b, *c]"}),
        ("a: [x]: y", ["[x]: y"], {"a": "[x]: y"}),
        # What is in quotes is not put in quotes again.
        ("b: c: d\na: 'x: y'", ["c: d", "'x: y'"], {"b": "c: d", "a": "x: y"}),
        ("b: c: d\na: 'x: y", ["c: d", "'x: y"], {"b": "c: d", "a": "'x: y"}),
        # An alias of an anchor is YAML.
        ("a: &x b\nc: *x", ["b", "*x"], {"a": "b", "c": "b"}),
    ],
)
def test_what_is_read_and_where_it_stands(text: str, written: list[str], said: object) -> None:
    text = f"---\n{text}\n---\n"
    matter = read(text)
    assert matter.document
    assert matter.document.root
    assert [text[slice(*matter.span(value))] for _, value in matter.document.root.members] == written
    assert plain(matter.document.root) == said
    assert [text[slice(*matter.span(key))] for key, _ in matter.document.root.members] == [
        key.data for key, _ in matter.document.root.members
    ]


def test_a_tab_is_nothing() -> None:
    matter = read("---\n\t\n---\ntext")
    assert (matter.unread, matter.get("a")) == (False, None)


@pytest.mark.parametrize("text", ["- a: b: c", "b: c: d\n\ta: x"])
def test_some_cannot_be_read(text: str) -> None:
    assert read(f"---\n{text}\n---\n").unread


@pytest.mark.parametrize("text", ["", "text", "---\na: b", "--- a\n---\n"])
def test_without_front_matter_all_is_body(text: str) -> None:
    assert read(text) == FrontMatter()


@pytest.mark.parametrize(
    ("text", "body"),
    [("---\na: b\n---x", "x"), ("---\na: b\n---\n\n x", "x"), ("---\na: b---x", "x"), ("---\n---", "")],
)
def test_the_body_begins_behind_the_dashes_and_blanks(text: str, body: str) -> None:
    assert text[read(text).body :] == body


def test_a_text_is_no_number() -> None:
    matter = read("---\na: b\nc: 5\n---\n")
    assert [matter.text(key) for key in ("a", "c", "none")] == ["b", None, None]
    assert read("text").text("a") is None
