"""Auggie: the types of rules, links, and what a skill may be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.model import Call, Prompt, Turn
from tests.harnesses.shown import Files, outcome, preview, text_of


def field(prompt: Prompt, role: str) -> str:
    return "".join(each.text for each in prompt.messages if each.role == role)


@pytest.mark.parametrize(
    ("matter", "line"),
    [
        ("", "type=0 description=None"),
        ("---\ntype: always_apply\ndescription: d\n---\n", "type=0 description=d"),
        ("---\ntype: agent_requested\ndescription: d\n---\n", "type=2 description=d"),
        ("---\ndescription: d\n---\n", "type=2 description=d"),
        ("---\ndescription: d\nalwaysApply: true\n---\n", "type=0 description=d"),
        ("---\nalwaysApply: false\nglobs: '*.py'\n---\n", "type=0 description=None"),
        ("---\ntype: [\n---\n", "type=0 description=None"),
        ("---\ntype: manual\n---\n", ""),
    ],
)
def test_the_type_of_a_rule(tmp_path: Path, matter: str, line: str) -> None:
    prompt = preview(tmp_path, "auggie", {".augment/rules/sub/r.mdc": f"{matter}text\n"})
    said = field(prompt, "rules")
    assert (f"\nrule path=.augment/rules/sub/r.mdc {line}\ntext\n" in said) is bool(line)
    assert outcome(prompt, "r.mdc") == ("loaded" if line else "unscoped")


def test_rules_are_sorted_and_hidden_ones_are_none(tmp_path: Path) -> None:
    names = ("A.md", "aa.md", "sub/deep/s.md", "x.mdc")
    files: Files = {f".augment/rules/{each}": each for each in (*reversed(names), ".h.md", "t.txt", ".d/x.md")}
    said = field(preview(tmp_path, "auggie", files), "rules")
    assert [line.split()[1] for line in said.split("\n") if line.startswith("rule ")] == [
        f"path=.augment/rules/{each}" for each in names
    ]


def test_a_link_is_left_out_and_said_so(tmp_path: Path) -> None:
    (tmp_path / "folder/.augment/rules").mkdir(parents=True)
    for name in ("AGENTS.md", ".augment-guidelines", ".augment/rules/r.md"):
        (tmp_path / "folder" / name).symlink_to(tmp_path / "folder/docs/A.md")
    prompt = preview(tmp_path, "auggie", {"docs/A.md": "rules", "CLAUDE.md": ""})
    for name in ("folder/AGENTS.md", ".augment-guidelines", "rules/r.md"):
        assert outcome(prompt, name) == "excluded"
    assert field(prompt, "workspace_guidelines") == ""
    assert field(prompt, "rules").endswith("\nrule path=CLAUDE.md type=0 description=None\n")


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "auggie", {"AGENTS.md": "café\r\n".encode("latin-1")})
    assert text_of(prompt, "folder/AGENTS.md") == "caf\ufffd\r\n"


@pytest.mark.parametrize(("hints", "is_sent"), [((), False), (("enable_hierarchical_rules",), True)])
def test_nested_files_come_if_the_server_says_so(tmp_path: Path, hints: tuple[str, ...], *, is_sent: bool) -> None:
    files: Files = {"p/AGENTS.md": "nested", "p/a.py": "x", "AGENTS.md": "root"}
    prompt = preview(tmp_path, "auggie", files, reads=("p/a.py", "p/a.py"), hints=hints)
    assert field(prompt, "tool").count("Contents of p/AGENTS.md:\n\nnested\n\n</supervisor>") == int(is_sent)
    assert outcome(prompt, "folder/p/AGENTS.md") == ("loaded" if is_sent else "excluded")


@pytest.mark.parametrize(("size", "is_listed"), [(1024, True), (1025, False)])
def test_a_skill_with_a_long_description_is_left_out(tmp_path: Path, size: int, *, is_listed: bool) -> None:
    files: Files = {".agents/skills/a/b/SKILL.md": f"---\nname: s\ndescription: {'d' * size}\n---\nx"}
    assert ("skill name=s source=.agents" in field(preview(tmp_path, "auggie", files), "skills")) is is_listed


def test_a_linked_directory_of_a_skill_is_followed(tmp_path: Path) -> None:
    skill = "---\nname: n\ndescription: d\n---\n"
    links = tmp_path / "folder/.claude/skills"
    links.mkdir(parents=True)
    (links / "n").symlink_to("../../.agents/skills/n")
    prompt = preview(tmp_path, "auggie", {".agents/skills/n/SKILL.md": skill})
    (line,) = [each for each in field(prompt, "skills").splitlines() if each.startswith("skill name=n ")]
    assert line.endswith("/.claude/skills/n/SKILL.md")


EDIT = {"command": "str_replace", "path": "a.py"}


@pytest.mark.parametrize(
    ("entries", "shown"),
    [
        ([{"old_str": "l5", "new_str": "m5\nm6"}], [*range(1, 11)]),
        ([{"old_str": "l9", "new_str": "m9"}], [*range(5, 14)]),
        ([{"old_str": "l1", "new_str": "m"}], []),
        ([{"old_str": "gone", "new_str": "m"}], []),
        ([{"old_str": "l5", "new_str": "m"}, {"old_str": "l6", "new_str": "m"}], []),
    ],
)
def test_an_edit_shows_the_lines_around_it(tmp_path: Path, entries: list[dict[str, str]], shown: list[int]) -> None:
    """Four before and four behind it; of a text that stands twice, or of several, nobody knows (wire: nested-tools)."""
    call = Call(tool="str-replace-editor", input=json.dumps({**EDIT, "str_replace_entries": entries}))
    lines = "".join(f"l{number}\n" for number in range(1, 20))
    prompt = preview(tmp_path, "auggie", {"a.py": lines}, turns=(Turn("x", steps=((call,),)),))
    said = field(prompt, "tool")
    numbers = [int(line.partition("\t")[0]) for line in said.split("\n") if "\t" in line]
    assert numbers == shown


def test_a_long_file_is_not_shown_whole(tmp_path: Path) -> None:
    for size in (50_000, 50_001):
        prompt = preview(tmp_path / str(size), "auggie", {"a.py": "x" * size}, reads=("a.py",))
        assert ("xx" in field(prompt, "tool")) is (size == 50_000)


@pytest.mark.parametrize(
    ("body", "prompt", "sent"),
    [
        # Seen in requests of the program itself.
        ("Run with $ARGUMENTS\n", "/c do it", "Run with do it\n\n"),
        ("Run with $arguments, $2.", "/C  do it ", "Run with do it, it.\n"),
        ("Run with $ARGUMENTS", "/c", "Run with $ARGUMENTS\n"),
        ("{{all}} {one} {two 2} $1 $3", "/c 'a b' c", "'a b' c 'a b' c {two 2} a b \n"),
        ("Run.\n", "/c do it", "Run.\n\n\ndo it\n"),
        ("Run.\n", "/c", "Run.\n\n"),
    ],
)
@pytest.mark.parametrize("path", [".augment/commands/c.md", ".claude/commands/c.txt", ".agents/skills/c/SKILL.md"])
def test_a_typed_command_or_skill_is_filled(tmp_path: Path, path: str, body: str, prompt: str, sent: str) -> None:
    files: Files = {path: f"---\nname: c\ndescription: d\n---\n{body}"}
    said = preview(tmp_path, "auggie", files, turns=(Turn(prompt),))
    assert next(each.text for each in said.messages if each.role == "user") == sent


def test_of_a_name_the_command_at_home_comes_first(tmp_path: Path) -> None:
    files: Files = {
        "~/.augment/commands/sub/c.md": "home",
        ".augment/commands/sub/c.md": "folder",
        ".agents/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nskill",
        ".claude/commands/s.md": "command",
    }
    sent = {"/sub:c": "home\n", "/s": "command\n", "/sub/c": "/sub/c", "/gone x": "/gone x"}
    said = preview(tmp_path, "auggie", files, turns=tuple(Turn(each) for each in sent))
    assert [each.text for each in said.messages if each.role == "user"][::2] == [*sent.values()]


def test_with_ask_words_of_its_own_come_first(tmp_path: Path) -> None:
    said = preview(tmp_path, "auggie", {}, turns=(Turn("hello"),), args=("--ask",))
    (first, *_) = [each for each in said.messages if each.role == "user"]
    assert [each.title for each in first.segments] == ["words on asking", "prompt"]
    said = preview(tmp_path / "editor", "auggie", {}, turns=(Turn("hello"),), args=("--ask",), editor=True)
    assert next(each.text for each in said.messages if each.role == "user") == "hello"


def test_in_an_editor_the_first_prompt_calls_nothing(tmp_path: Path) -> None:
    """Seen in requests of the program itself."""
    files: Files = {".augment/commands/c.md": "do it"}
    said = preview(tmp_path, "auggie", files, editor=True, turns=(Turn("/c"), Turn("/c")))
    assert [each.text for each in said.messages if each.role == "user"][::2] == ["/c", "do it\n"]
