"""Small parts that harnesses share: budgets, command lines, inputs of tools, sizes as JSON, lists of tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.formats import parse_yaml
from promptls.core.formats.header import header
from promptls.core.formats.yaml_reader import odd_anchor
from promptls.core.host import Host
from promptls.core.model import Call, Cut, Origin, Range
from promptls.kit import args
from promptls.kit import tool_calls as calls
from promptls.kit.base import json_size
from promptls.kit.budget import Budget
from promptls.kit.configs import read_source
from promptls.kit.numbered_read import read_label
from promptls.kit.paths import home_or
from promptls.kit.pieced_text import File, Piece, after, before, segments, trimmed
from promptls.kit.tool_calls import text_of
from promptls.kit.tool_lists import unknown_tools
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("name: &amp; x", "&amp;"),
        ("name:\n  &é-x b", "&é-x"),
        ("name: &a_B-1 x", None),
        ("name: x &amp; y", None),
        ("name: x", None),
    ],
)
def test_anchors_with_other_letters(text: str, found: str | None) -> None:
    root = parse_yaml(text).root
    assert root
    ((key, value),) = root.members
    flaw = odd_anchor(text, key, value)
    assert (text[flaw.start : flaw.end] if flaw else None) == found
    assert flaw is None or flaw.message == "the value of name begins with &, which YAML reserves"


def test_a_budget_is_spent_in_order() -> None:
    budget = Budget(10, "bytes", "its limit", None)
    assert [budget.fits(size) for size in (4, 10, 11)] == [4, 10, 10]
    budget.spend(4)
    assert (budget.left, budget.fits(9)) == (6, 6)
    budget.spend(9)
    assert (budget.left, budget.fits(1)) == (0, 0)


def test_what_a_budget_takes_of_a_text() -> None:
    setting = Origin("config", "/w/a.json", name="limit")
    fixed, own = Budget(10, "bytes", "its limit", None), Budget(10, "bytes", "its limit", setting)
    assert (fixed.cut(9, 9), fixed.cut(10, 9)) == (None, None)
    assert fixed.cut(8, 9) == Cut(8, 9, "bytes", "its limit", None, is_fixed=True)
    assert own.cut(0, 9) == Cut(0, 9, "bytes", "its limit", setting, is_fixed=False)


def test_a_command_line() -> None:
    given = ["--a=1", "--b", "x", "-", "rest", "--un", "--on", "--many", "1", "2", "--a", "3", "--many", "4", "--a="]
    values = {"--a": "a", "--b": "b", "--many": "many"}
    found = args.read([*given, "--b"], values=values, switches=("--on", "--off"), greedy=("many",))
    assert found.values == {"a": ["1", "3", ""], "b": ["x", ""], "many": ["1", "2", "4"]}
    assert (found.switches, found.rest, found.unknown) == ({"--on"}, ["-", "rest"], ["--un"])
    assert (found.last("many"), found.last("none")) == ("4", None)
    assert found.not_modelled(("--on", "--off", "b", "c")) == ["--on", "b", "--un"]


def test_nothing_is_an_option_behind_two_dashes() -> None:
    found = args.read(["x", "--", "--a", "--un", "--"], values={"--a": "a"})
    assert (found.values, found.rest, found.unknown) == ({}, ["x", "--a", "--un", "--"], [])


@pytest.mark.parametrize(
    ("given", "text"),
    [('{"a": "b"}', "b"), ('{"a": 1}', ""), ("{}", ""), ('["a"]', ""), ("{", ""), ("", ""), ("[" * 100_000, "")],
)
def test_a_text_of_what_a_tool_is_called_with(given: str, text: str) -> None:
    assert calls.text(Call(tool="t", input=given), "a") == text


@pytest.mark.parametrize("text", ["", "plain", 'a "b" \\', "a\n\t\r\b\f", "\x00\x07\x0b\x0e\x1f", "\x7f é 😀"])
def test_how_long_a_text_is_as_json(text: str) -> None:
    assert json_size(text) == len(json.dumps(text, ensure_ascii=False)) - 2


def test_the_whole_text_of_a_file(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "a.txt": b"\xef\xbb\xbfa\n",
            "latin.txt": b"\xe9",
            "binary.txt": b"a\x00b",
            "opencode.json": '{"a": 1}',
            "in/opencode.json": '{"apiKey": "sk-aaaaaaaaaaaaaaaaaaaaaaaa"}',
            "notes.txt": "apiKey: sk-aaaaaaaaaaaaaaaaaaaaaaaa",
        },
        git=False,
    )
    host = Host(home=str(tmp_path), env={})
    names = ("a.txt", "latin.txt", "binary.txt", "gone.txt", "in", "opencode.json", "in/opencode.json", "notes.txt")
    found = [text_of(host, str(tmp_path / name)) for name in names]
    assert found == ["a\n", None, None, None, None, '{"a": 1}', None, "apiKey: sk-aaaaaaaaaaaaaaaaaaaaaaaa"]


@pytest.mark.parametrize(
    ("tools", "says"),
    [
        ("Read, Wriet", ["X has no tool Wriet. Write Write."]),
        ("[Read, 'Wriet', \"Raed\"]", ["X has no tool Wriet. Write Write.", "X has no tool Raed. Write Read."]),
        ("Frob, Nicate", ["X has no tool of these names. Name those that it has."]),
        ("Frob", ["X has no tool of this name. Name those that it has."]),
        ("Frob(x:*)", ["X has no tool of this name. Name those that it has."]),
        ("Frob, Wriet", ["X has no tool Wriet. Write Write."]),
        ("Read, Frob", []),
        ("read, WRITE", []),
        ("mcp__srv__x, Frob", []),
        ("Frob, x*", []),
        ("''", []),
        ("[]", []),
        ("12", []),
    ],
)
def test_names_that_are_no_tools(tools: str, says: list[str]) -> None:
    matter = header(f"---\ntools: {tools}\n---\n")
    value = matter.value("tools")
    faults = unknown_tools("X", matter.text, matter.start, value, ("Read", "Write"))
    assert [each.message for each in faults] == says
    among_others = unknown_tools("X", matter.text, matter.start, value, ("Read", "Write"), is_all=False)
    assert [each.message for each in among_others if "Name those" in each.message] == []


def test_where_a_name_is_that_is_no_tool() -> None:
    matter = header("---\ntools: Read, Wriet\n---\n")
    (fault,) = unknown_tools("X", matter.text, matter.start, matter.value("tools"), ("Read", "Write"))
    assert (fault.code, fault.range.start, fault.range.end) == ("tool-unknown", (1, 13), (1, 18))
    assert unknown_tools("X", "", 0, None, ("Read",)) == ()


def test_pieces_of_files_know_their_places() -> None:
    file = File("/w/a.md", "\ufeffone\ntwo\n", None)
    pieces = [Piece(file.text, file), before("1", announces="/w/a.md"), before("2", announces="/w/b.md"), after("3")]
    again = Piece("two\n", file, 5)
    found = list(segments([*pieces, Piece(" \n", file, 8), again], "instructions", "why", set()))
    assert [(each.origin.path, each.origin.again, each.frame) for each in found] == [
        ("/w/a.md", False, None),
        (None, False, "head"),
        ("/w/b.md", False, "head"),
        (None, False, "tail"),
        ("/w/a.md", True, "tail"),
        ("/w/a.md", True, None),
    ]
    assert [found[at].origin.range for at in (0, -1)] == [Range(0, 0, 2, 0), Range(1, 0, 2, 0)]


def test_pieces_are_trimmed_like_their_text() -> None:
    file = File("/w/a.md", " \n  one two \t", None)
    pieces = [Piece("\n"), Piece(" \n", file), Piece("", file), Piece("  one", file, 2), Piece(" two \t", file, 7)]
    found = trimmed([*pieces, Piece(" ")])
    assert [(each.text, each.start) for each in found] == [("one", 4), (" two", 7)]
    assert [(each.text, each.start) for each in trimmed([Piece(file.text, file)])] == [("one two", 4)]
    assert trimmed([Piece(" "), Piece("")]) == []


def test_what_is_said_before_an_attached_file() -> None:
    label = read_label("/w/größe.md", "why")
    assert label.text == 'Called the Read tool with the following input: {"filePath":"/w/größe.md"}'


@pytest.mark.parametrize(
    ("home", "entry", "path"),
    [
        ("/h", "~/a.md", "/h/a.md"),
        ("/h", "~\\a.md", None),
        ("/h", "d/a.md", None),
        ("/h", "~a.md", None),
        ("C:/h", "~/a.md", "C:/h/a.md"),
        ("C:/h", "~\\a.md", "C:/h/a.md"),
        ("C:/h", "d\\a.md", None),
    ],
)
def test_what_begins_with_the_home_directory(home: str, entry: str, path: str | None) -> None:
    assert home_or(home, entry) == path


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1 /* a comment */} // and another', None),
        ('{"a": 1,}', "config-invalid"),
        ('\ufeff{"a": 1}', "config-invalid"),
        ("", "config-invalid"),
        ("[]", "config-type"),
    ],
)
def test_what_is_no_file_of_settings(text: str, code: str | None) -> None:
    _, fault = read_source("/w/settings.json", text.encode(), {})
    assert (fault.code if fault else None) == code
