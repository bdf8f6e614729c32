from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core.formats.read_again import read
from promptls.core.host import Host
from promptls.core.model import GitState, Prompt, Session, reading
from promptls.harnesses.claude_code.files.at_start import slug
from promptls.harnesses.claude_code.files.rules import applies, split
from promptls.harnesses.claude_code.listing.agents import by_name
from promptls.harnesses.claude_code.models import has_system_messages, sent_model
from promptls.harnesses.claude_code.spec import IMPORTS
from promptls.harnesses.claude_code.turns.calls import touched
from promptls.harnesses.claude_code.turns.unknown_commands import nearest
from promptls.harnesses.claude_code.versions import NEWEST, V2_1_85
from tests.folder import lay_out
from tests.harnesses.shown import preview as show

pytestmark = pytest.mark.same_everywhere
SEEN: dict[str, dict[str, dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "claude_code_front_matter.json").read_text(encoding="utf-8")
)


def preview(folder: Path, files: dict[str, str | bytes | dict[str, object]], **session: Any) -> Prompt:
    """The prompt of a session in a folder with these files."""
    workspace = lay_out(folder / "workspace", files)
    turns = reading(str(workspace / path) for path in session.pop("reads", ()))
    started = Session("claude-code", str(workspace), "2.1.330", turns=turns, **session)
    return harnesses.preview(started, Host(home=str(folder / "home"), env={}))


def sent_at(prompt: Prompt, path: str) -> str:
    """When the text of a file is sent."""
    at = [
        message.at
        for message in prompt.messages
        for segment in message.segments
        if (segment.origin.path or "").endswith(path) and not segment.frame
    ]
    return {"start": "start"}.get(at[0], "on read") if at else "never"


@pytest.mark.parametrize("name", SEEN["rules"])
def test_a_rule_is_sent_when_its_front_matter_says_so(name: str, tmp_path: Path) -> None:
    rule = SEEN["rules"][name]
    files: dict[str, str | bytes | dict[str, object]] = {
        f".claude/rules/{name}": rule["text"].encode(),
        "src/deep/x.ts": "x",
    }
    assert sent_at(preview(tmp_path, files, reads=("src/deep/x.ts",)), name) == rule["wire"]


@pytest.mark.parametrize("name", SEEN["agents"])
def test_an_agent_is_listed_as_its_front_matter_says(name: str, tmp_path: Path) -> None:
    agent = SEEN["agents"][name]
    prompt = preview(tmp_path, {f".claude/agents/{name}": agent["text"].encode()})
    lines = [
        segment.text
        for message in prompt.messages
        for segment in message.segments
        if (segment.origin.path or "").endswith(name)
    ]
    assert lines == ([agent["wire"] + "\n"] if agent["wire"] else [])


def test_what_is_read_again_keeps_its_place() -> None:
    text = '---\ndescription:   a: b\npaths: [x, "*.ts"] # c\ntools:\n\t- Read\n---\ntext'
    matter = read(text)
    found = {key: matter.get(key) for key in ("description", "paths")}
    spans = {key: matter.span(value) for key, value in found.items() if value}
    assert {key: text[start:end] for key, (start, end) in spans.items()} == {
        "description": "a: b",
        "paths": '[x, "*.ts"] # c',
    }
    tools = matter.get("tools")
    assert tools
    start, end = matter.span(tools.items[0])
    assert text[start:end] == "Read"


def test_blank_lines_behind_front_matter_are_not_sent_on_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        "pkg/CLAUDE.md": "---\na: b\n---\n\n\n  nested\n\nend\n\n",
        "pkg/x.py": "x",
    }
    prompt = preview(tmp_path, files, reads=("pkg/x.py",))
    where = tmp_path / "workspace" / "pkg" / "CLAUDE.md"
    wanted = f"<system-reminder>\nContents of {where}:\n\nnested\n\nend\n\n\n</system-reminder>"
    assert wanted in [message.text for message in prompt.messages]


@pytest.mark.parametrize(
    ("tools", "ending"),
    [
        ("", "</system-reminder>"),
        ("tools: Bash, Read\n", "</system-reminder>"),
        ("tools: Read\n", "</system-reminder>\n"),
    ],
)
def test_the_files_end_with_a_line_break_where_no_block_on_commits_follows(
    tools: str, ending: str, tmp_path: Path
) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        ".claude/agents/x.md": f"---\nname: x\ndescription: y\n{tools}---\nbody",
        "CLAUDE.md": "root",
    }
    prompt = preview(tmp_path, files, agent="x")
    [block] = [message.text for message in prompt.messages if "Contents of" in message.text]
    assert block.endswith(f"root\n{ending}")


def test_the_list_of_agents_to_the_character(tmp_path: Path) -> None:
    prompt = preview(
        tmp_path,
        {
            ".claude/agents/b.md": "---\nname: b\ndescription: 'one\\ntwo'\nmemory: project\ntools: Read\n---\n",
            ".claude/agents/none.md": "---\nname: z\ndescription: d\ntools: Read\ndisallowedTools: Read\n---\n",
        },
    )
    [text] = [message.text for message in prompt.messages if "Available agent types" in message.text]
    listed = text[text.index("Available") :].split("\n")
    assert listed[:4] == [
        "Available agent types for the Agent tool:",
        "- b: one",
        "two (Tools: Read, Write, Edit)",
        "- claude: ⟪description of claude of Claude Code, 111 characters: not reproduced⟫ (Tools: *)",
    ]
    end = listed.index("- z: d (Tools: None)")
    assert listed[end + 1] == ""
    assert "how to use agents" in listed[end + 2]


@pytest.mark.parametrize("option", ["--disallowedTools=Agent,Skill", "--tools=Read,Bash", "--disallowed-tools=Agent"])
def test_no_agents_without_the_tool_for_them(option: str, tmp_path: Path) -> None:
    prompt = preview(tmp_path, {"CLAUDE.md": "root"}, args=(option,))
    assert not any("Available agent types" in message.text for message in prompt.messages)


def test_names_in_alphabetical_order() -> None:
    names = ["10", "9", "a_b", "a-b", "a.b", "a1", "ab", "AB", "aB2", "b c", "claude", "Explore", "Zy", "zz", "é"]
    names_backwards = list(reversed(names))
    assert sorted(names_backwards, key=by_name) == names


def test_only_the_first_letter_puts_an_agent_last() -> None:
    assert sorted(["éa", "zoe", "aéb"], key=by_name) == ["aéb", "zoe", "éa"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.md", True), ("A.MD", True), ("Makefile", True), (".env", True), ("x.env", True), ("a.tsx", True)]
    + [(name, False) for name in ("a.mdx", "a.mdc", "a.jsonc", ".env.local", "go.mod", "a.ipynb", "a.", "x.nosuch")],
)
def test_endings_that_are_imported(name: str, expected: bool) -> None:
    assert IMPORTS.takes(f"/a.dir/{name}") is expected


def test_the_name_of_a_projects_directory() -> None:
    assert slug("/we ird.d_x+(a)@é日~$/😀") == "-we-ird-d-x--a---------"
    assert slug("/" + "a" * 199) == "-" + "a" * 199
    # 31 times what there is plus each character, in 32 bits, as a signed number without its sign.
    assert slug("/" + "a" * 200) == "-" + "a" * 199 + "-" + "b6ymvl"


@pytest.mark.parametrize(
    ("asked", "sent", "is_new"),
    [
        (None, "claude-opus-5-5", True),
        ("default", "claude-opus-5-5", True),
        ("best", "claude-opus-5-5", True),
        ("opusplan", "claude-sonnet-5-5", True),
        ("sonnet[1m]", "claude-sonnet-5-5", True),
        ("haiku", "claude-haiku-5-5", True),
        ("claude-opus-4-1", "claude-opus-5-5", True),
        ("claude-opus-4-1-20250805", "claude-opus-5-5", True),
        ("claude-opus-4-20250514", "claude-opus-5-5", True),
        ("claude-opus-4-5-20251101", "claude-opus-4-5-20251101", False),
        ("claude-opus-4-6", "claude-opus-4-6", False),
        ("claude-opus-4-7", "claude-opus-4-7", False),
        ("claude-opus-4-8", "claude-opus-4-8", True),
        ("claude-opus-5", "claude-opus-5", True),
        ("claude-sonnet-4-0", "claude-sonnet-4-0", False),
        ("claude-sonnet-4-20250514", "claude-sonnet-4-20250514", False),
        ("claude-sonnet-4-6", "claude-sonnet-4-6", False),
        ("claude-sonnet-5", "claude-sonnet-5", True),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001", False),
        ("claude-3-7-sonnet-20250219", "claude-3-7-sonnet-20250219", False),
        ("my-own-model", "my-own-model", True),
    ],
)
def test_which_model_is_sent_and_where_its_reminders_are(asked: str | None, sent: str, is_new: bool) -> None:
    assert sent_model(asked, NEWEST) == sent
    assert has_system_messages(sent, NEWEST) is is_new
    assert not has_system_messages(sent, V2_1_85)


def test_a_retired_model_that_is_written_with_a_dot_is_sent_and_named(tmp_path: Path) -> None:
    prompt = show(tmp_path, "claude-code", {"CLAUDE.md": "Use tabs.\n"}, model="claude-opus-4.1", version="2.1.332")
    text = "".join(each.text for each in prompt.messages)
    assert "You are powered by the model named Opus 4.1. The exact model ID is claude-opus-4.1." in text
    assert "Co-Authored-By: Claude <" in text


@pytest.mark.parametrize(
    ("tool", "given", "paths"),
    [
        ("Read", {"file_path": "/w/s/none.py"}, ("/w/s/none.py",)),
        ("Edit", {"file_path": "s/a.py"}, ("/w/s/a.py",)),
        ("Write", {"file_path": "/w/s/new.py"}, ("/w/s/new.py",)),
        ("Bash", {"command": "cat s/a.py"}, ("/w/s/a.py",)),
        ("Bash", {"command": "cat /w/s/a.py"}, ("/w/s/a.py",)),
        ("Bash", {"command": "cat s/a.py; cat 's/t/b c.py'"}, ("/w/s/a.py", "/w/s/t/b c.py")),
        ("Bash", {"command": "head -1 s/a.py"}, ("/w/s/a.py",)),
        ("Bash", {"command": "head -n 1 s/a.py"}, ("/w/s/a.py",)),
        ("Bash", {"command": "sed -n 1p s/a.py"}, ("/w/s/a.py",)),
        ("Bash", {"command": "grep -n x s/a.py"}, ("/w/s/a.py",)),
        ("Bash", {"command": "grep 5 s/a.py -n"}, ("/w/s/a.py",)),
        ("Bash", {"command": "head -c 5 s/a.py"}, ("/w/s/a.py",)),
        ("Bash", {"command": "grep --recursive a s"}, ()),
        ("Bash", {"command": 1}, ()),
        ("Other", {"command": "cat s/a.py"}, ()),
        ("Edit", {"file_path": ""}, ()),
        *(
            ("Bash", {"command": command}, ())
            for command in (
                *("cat s/a.py | head -1", "cd s && cat a.py", "grep -r a s", "grep -rn a s", "ls s", "cat 's/a.py"),
                *("python3 -c \"open('s/a.py')\"", "cat $F", ""),
            )
        ),
        ("Glob", {"pattern": "s/*"}, ()),
        ("Read", {}, ()),
    ],
)
def test_which_calls_touch_files(tool: str, given: dict[str, object], paths: tuple[str, ...]) -> None:
    assert touched(tool, given, "/w") == paths


def test_a_call_that_failed_touches_nothing_but_for_a_read() -> None:
    given = {"file_path": "a.py", "command": "cat a.py"}
    found = {tool: touched(tool, given, "/w", failed=True) for tool in ("Read", "Edit", "Write", "Bash")}
    assert found == {"Read": ("/w/a.py",), "Edit": (), "Write": (), "Bash": ()}


def test_a_definition_alone_makes_a_reference_a_link(tmp_path: Path) -> None:
    text = "see[@a.md][The\nname] [@b.md][other]\n\n> [the NAME]: u\n"
    prompt = preview(tmp_path, {"CLAUDE.md": text, "a.md": "a", "b.md": "b"})
    assert [sent_at(prompt, name) for name in ("/a.md", "/b.md")] == ["start", "never"]


@pytest.mark.parametrize(
    ("entry", "patterns"),
    [
        ("a, b", ["a", "b"]),
        ("{a,b}/c", ["a/c", "b/c"]),
        ("a,{b,c}", ["a", "b", "c"]),
        (r"\[x\].{ts,js}", [r"\[x\].ts", r"\[x\].js"]),
        (",,a,", ["a"]),
        ("{1..99999}", ["{1..99999}"]),
    ],
)
def test_patterns_of_a_rule(entry: str, patterns: list[str]) -> None:
    assert list(split(entry)) == patterns


@pytest.mark.parametrize(
    ("patterns", "path", "is_meant"),
    [
        (("src/*.TS",), "/w/src/a.ts", True),
        (("src/*.ts",), "/w/SRC/a.ts", True),
        (("src",), "/w/src/deep/a.ts", True),
        (("src", "!src/a.ts"), "/w/src/a.ts", True),
        (("*.ts", "!a.ts"), "/w/a.ts", False),
        (("*",), "/w", False),
        (("*",), "/wx/a.ts", False),
    ],
)
def test_files_of_a_rule(patterns: tuple[str, ...], path: str, is_meant: bool) -> None:
    assert applies(patterns, "/w", path) is is_meant


def test_the_last_of_two_styles_of_one_name_is_used(tmp_path: Path) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        ".claude/settings.json": {"outputStyle": "terse"},
        ".claude/output-styles/a.md": "---\nname: terse\n---\nOne.",
        ".claude/output-styles/b.md": "---\nname: terse\n---\nTwo.",
    }
    prompt = preview(tmp_path, files)
    (shadowed,) = [each for each in prompt.candidates if each.outcome == "shadowed"]
    paths = (shadowed.path or "", shadowed.other or "")
    assert sorted(path.rpartition("/")[2] for path in paths) == ["a.md", "b.md"]
    assert sent_at(prompt, paths[1]) == "start"
    assert sent_at(prompt, paths[0]) == "never"


@pytest.mark.parametrize(("version", "status"), [("2.1.330", " M a\n M b"), ("2.1.318", "M a\n M b")])
def test_the_first_line_of_the_state_of_git(version: str, status: str, tmp_path: Path) -> None:
    """As ``verify`` found it against both programs."""
    host = Host(home=str(tmp_path), env={}, git=lambda _: GitState("main", "main", None, " M a\n M b", "c"))
    prompt = harnesses.preview(Session("claude-code", str(lay_out(tmp_path / "w", {})), version), host)
    assert [each.text for message in prompt.messages for each in message.segments if each.title == "status"] == [status]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n\n  <!-- c -->\n\nb\n", "a\n\nb\n"),
        ("- a\n\n <!-- c -->\nb", "- a\n\nb"),
        (" <!-- c -->\n <!-- d -->\nb", "b"),
        ("a\n <!-- c -->\nb", "a\n <!-- c -->\nb"),
        ("# a\n <!-- c -->\nb", "# a\nb"),
        ("\n# a\n <!-- c -->\nb", "\n# a\nb"),
        ("---\nx: y\n---\n<!-- c -->\nb", "b"),
        ("a\n\n<!-- c -->d<!-- e -->\nb", "a\n\nd\nb"),
    ],
)
def test_a_comment_goes_with_the_blanks_before_it(tmp_path: Path, text: str, left: str) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": text})
    prompt = harnesses.preview(Session("claude-code", str(folder)), Host(home=f"{folder}-home", env={}))
    sent = [each.text for message in prompt.messages for each in message.segments if each.title.endswith("CLAUDE.md")]
    assert "".join(sent).strip() == left.strip()


def test_instructions_of_managed_settings_are_sent_whole(tmp_path: Path) -> None:
    settings = '{"claudeMd": "Managed rules."}'
    lay_out(tmp_path, {"etc/claude-code/managed-settings.json": settings, "workspace/a.md": "a"}, git=False)
    host = Host(home=str(tmp_path / "home"), env={}, sysroot=str(tmp_path))
    prompt = harnesses.preview(Session("claude-code", str(tmp_path / "workspace")), host)
    sent = [each for message in prompt.messages for each in message.segments if "anaged rules." in each.text]
    assert [each.text.strip() for each in sent] == ["Managed rules."]


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("reveiw", "review"),
        ("revie", "review"),
        ("reviews", "review"),
        ("reviewed", "review"),
        ("reviewing", None),
        # Three letters differ, though the lengths differ by two.
        ("revivw", "review"),
        ("raviay", None),
        ("rexiewed", None),
        ("compac", "compact"),
        ("xxreview", "review"),
        ("view", "review"),
        ("rvew", "review"),
        ("rexvixew", "review"),
    ],
)
def test_the_nearest_command(typed: str, known: str | None) -> None:
    assert nearest(typed, ("compact", "review"), 2) == known


@pytest.mark.parametrize(
    ("one", "other", "away"),
    [
        ("kitten", "sitting", 3),
        ("abc", "", 3),
        ("", "ab", 2),
        ("flaw", "lawn", 2),
        ("ab", "ba", 2),
        ("saturday", "sunday", 3),
        ("axc", "abc", 1),
        ("abc", "abcd", 1),
        ("abc", "bc", 1),
    ],
)
def test_by_how_many_letters_commands_differ(one: str, other: str, away: int) -> None:
    assert (nearest(one, (other,), away), nearest(one, (other,), away - 1)) == (other, None)
