"""What calls of tools, mentions and scripts bring in Claude Code, near the edges of each rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.model import Call, Turn
from promptls.harnesses.claude_code.files.at_start import slug
from promptls.harnesses.claude_code.listing.skills import meta
from promptls.harnesses.claude_code.turns.mentions import Mention, mentions
from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere
FILES: Files = {"a.txt": "one\ntwo\nthree\n", "empty.txt": "", "b.bin": b"\0\1"}
UNKNOWN = "⟪result of Read of Claude Code: not reproduced⟫"


def results(top: Path, *calls: tuple[str, str]) -> list[str]:
    steps = tuple((Call(tool=tool, input=given),) for tool, given in calls)
    prompt = preview(top, "claude-code", FILES, turns=(Turn("hi", steps=steps),))
    texts = ["".join(each.text for each in message.segments) for message in prompt.messages if message.role == "tool"]
    return [each.replace(f"{top / 'folder'}/", "") for each in texts]


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ({"file_path": "a.txt"}, "1\tone\n2\ttwo\n3\tthree\n4\t"),
        ({"file_path": "a.txt", "offset": 2}, "2\ttwo\n3\tthree\n4\t"),
        ({"file_path": "a.txt", "limit": 1}, "1\tone"),
        ({"file_path": "a.txt", "offset": 2, "limit": 2}, "2\ttwo\n3\tthree"),
        ({"file_path": "a.txt", "offset": "2", "limit": 0}, "1\tone\n2\ttwo\n3\tthree\n4\t"),
        ({"file_path": "a.txt", "offset": 9}, "⟪result of reading a.txt of Claude Code: not reproduced⟫"),
        ({"file_path": "empty.txt"}, "⟪result of reading empty.txt of Claude Code: not reproduced⟫"),
        ({"file_path": "b.bin"}, "⟪refusal to read b.bin of Claude Code, 218 characters: not reproduced⟫"),
        ({"file_path": "gone"}, UNKNOWN),
        ({"file_path": 1}, UNKNOWN),
        ([1], UNKNOWN),
    ],
)
def test_a_read(tmp_path: Path, given: object, result: str) -> None:
    assert results(tmp_path, ("Read", json.dumps(given))) == [result]


def test_a_second_read_a_broken_call_and_another_tool(tmp_path: Path) -> None:
    given = '{"file_path": "a.txt"}'
    first, *rest = results(tmp_path, ("Read", given), ("Read", given), ("Read", "{"), ("Grep", given))
    assert (first[:5], rest) == ("1\tone", [UNKNOWN, UNKNOWN, UNKNOWN.replace("Read", "Grep")])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@a.md", [Mention("a.md")]),
        ("see @a.md. And x@b.md @a.md", [Mention("a.md")]),
        ('@"a b.md" @c/d/', [Mention("a b.md"), Mention("c/d")]),
        ("@a.md#L2 @b.md#L2-4", [Mention("a.md", 2, 2), Mention("b.md", 2, 4)]),
        ("@a.md#L1234567890", [Mention("a.md", 1234567890, 1234567890)]),
        ("@a.md#part @b.md#L2#x @c.md#L2-x @d.md#x#L2", [Mention("a.md"), Mention("b.md", 2, 2), Mention("c.md")]),
        ('@a.md @"b c.md" @"d.md#L3"', [Mention("b c.md"), Mention("d.md", 3, 3), Mention("a.md")]),
        ("@... @ @.x", [Mention(".x")]),
    ],
)
def test_what_a_prompt_mentions(text: str, found: list[Mention]) -> None:
    assert list(mentions(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("meta = {name: 'n', description: \"d\"}", [("name", 8, "n"), ("description", 19, "d")]),
        ("export const meta={'name' : `n`, other: 1} name: 'x'", [("name", 20, "n")]),
        ("meta = {name: 'n'", []),
        ("{name: 'n'}", []),
        ("meta = {name: 'a\\n'}", []),
    ],
)
def test_the_meta_of_a_workflow(text: str, found: list[tuple[str, int, str]]) -> None:
    pairs = list(meta(text))
    assert [(key.data, key.start, value.data) for key, value in pairs] == found
    assert all(text[each.start : each.end] == each.data for pair in pairs for each in pair)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/a/b.c", "-a-b-c"),
        ("/é/😀", "-----"),
        ("/" + "x" * 199, "-" + "x" * 199),
        ("/" + "x" * 200, "-" + "x" * 199 + "-d0i18x"),
        ("/" + "y" * 300, "-" + "y" * 199 + "-j6t6y7"),
        ("/" + "ab" * 150, "-" + "ab" * 99 + "a" + "-gv4bzv"),
    ],
)
def test_the_name_of_the_directory_of_a_project(path: str, name: str) -> None:
    assert slug(path) == name
