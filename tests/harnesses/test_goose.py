"""Goose: where it says what the moment is, and what a skill brings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Call, Turn
from tests.harnesses.shown import Files, outcome, preview

pytestmark = pytest.mark.same_everywhere
SKILL = "---\nname: {0}\ndescription: about {0}\n---\n\n\nMARK-{0}\n\n"
FILES: Files = {
    ".agents/skills/one/SKILL.md": SKILL.format("one"),
    ".agents/skills/two/SKILL.md": SKILL.format("two"),
    ".agents/skills/two/docs/ref.md": "MARK-ref\n",
    ".agents/skills/two/inner/SKILL.md": SKILL.format("inner"),
    ".agents/skills/two/inner/more.md": "MARK-more\n",
}


def turn(prompt: str, *skills: str) -> Turn:
    """A turn with a step for each skill that is loaded."""
    calls = (Call(tool="load_skill", input=json.dumps({"name": each})) for each in skills)
    return Turn(prompt, steps=tuple((each,) for each in calls))


@pytest.mark.parametrize(
    ("turns", "wanted"),
    [
        ((Turn("a"),), ["user info a"]),
        ((turn("a", "one"),), ["user a info", "tool"]),
        ((turn("a", "one", "two"),), ["user a", "tool", "user info", "tool"]),
        ((Turn("a"), Turn("b")), ["user a info", "user b"]),
        ((turn("a", "one"), Turn("b")), ["user a", "tool", "user info", "user b"]),
        ((turn("a", "one"), turn("b", "two")), ["user a", "tool", "user b info", "tool"]),
    ],
)
def test_the_moment_stands_before_the_last_message_of_the_model(
    tmp_path: Path, turns: tuple[Turn, ...], wanted: list[str]
) -> None:
    """As the program was seen to have it with one turn of no, one, two and six calls (captured: moments).

    Nobody has seen a second turn: that it is the same there is what the rule says.
    """
    found: list[str] = []
    for message in preview(tmp_path, "goose", FILES, turns=turns).messages[1:]:
        there = {
            "info": message.text.find("<info-msg>"),
            **{each: f"\n{message.text}\n".find(f"\n{each}\n") for each in "ab"},
        }
        places = sorted((at, each) for each, at in there.items() if at >= 0)
        found.append(" ".join([message.role, *(each for _, each in places if message.role == "user")]))
    assert found == wanted


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("one", "# Loaded Skill: one (skill)\n\n## one (skill)\n\nabout one\n\n### Content\n\nMARK-one\n\n⟪remark"),
        (
            "two",
            '{top}/folder/.agents/skills/two\n\n- docs/ref.md → load_skill(name: "two/docs/ref.md")\n\n⟪remark',
        ),
        ("two/docs/ref.md", "# Loaded: two/docs/ref.md\n\nMARK-ref\n\n\n⟪remark"),
        ("two/inner/more.md", "⟪result of load_skill"),
        ("nobody", "⟪result of load_skill"),
        ("goose-doc-guide", "⟪result of load_skill"),
    ],
)
def test_what_a_skill_brings(tmp_path: Path, name: str, wanted: str) -> None:
    prompt = preview(tmp_path, "goose", FILES, turns=(turn("a", name),))
    assert wanted.format(top=tmp_path) in prompt.messages[-1].text


def test_a_file_of_a_skill_is_loaded_when_it_is_called(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "goose", FILES, turns=(turn("a", "two/docs/ref.md"),))
    assert outcome(prompt, "docs/ref.md") == "loaded"


# As verify saw them, with all tools of each way.
BY_CHAT, BY_RESPONSES = ["info\na"], ["info", "a"]


@pytest.mark.parametrize(
    ("settings", "wanted", "shell"),
    [
        ({"model": "gpt-4.1"}, BY_CHAT, 608),
        ({"model": "codex-mini-latest"}, BY_CHAT, 608),
        ({"model": "gpt-6-sol"}, BY_CHAT, 608),
        ({"model": "gpt-5.5"}, BY_RESPONSES, 650),
        ({"model": "openai/gpt-5-codex"}, BY_RESPONSES, 650),
        ({"model": "o3-mini"}, BY_RESPONSES, 650),
        ({"env": {"GOOSE_MODEL": "gpt-5.5"}}, BY_RESPONSES, 650),
        ({"model": "gpt-5.5", "env": {"GOOSE_PROVIDER": "databricks"}}, BY_CHAT, None),
    ],
)
def test_a_model_decides_on_how_it_is_asked(
    tmp_path: Path, settings: dict[str, Any], wanted: list[str], shell: int | None
) -> None:
    prompt = preview(tmp_path, "goose", {}, turns=(Turn("a"),), **settings)
    said = [each.text for each in prompt.messages if each.role == "user"]
    found = [re.sub(r"(?s)<info-msg>.*</info-msg>", "info", each) for each in said]
    assert (found, {each.name: each.size for each in prompt.tools or ()}["shell"]) == (wanted, shell)


def test_a_setting_names_the_model_and_the_provider(tmp_path: Path) -> None:
    files: Files = {"~/.config/goose/config.yaml": "GOOSE_PROVIDER: openai\nGOOSE_MODEL: gpt-5.5\n"}
    assert len(preview(tmp_path, "goose", files, turns=(Turn("a"),)).messages) == 3
    files["~/.config/goose/config.yaml"] = "GOOSE_PROVIDER: anthropic\nGOOSE_MODEL: gpt-5.5\n"
    assert len(preview(tmp_path / "b", "goose", files, turns=(Turn("a"),)).messages) == 2


def test_a_variable_that_is_not_modelled_is_named(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "goose", {}, env={"GOOSE_TOOLSHIM": "1"})
    assert [each.why for each in prompt.candidates if each.origin.name == "GOOSE_TOOLSHIM"] == [
        "promptls does not model GOOSE_TOOLSHIM; the prompt is shown without it"
    ]


def memory(tmp_path: Path, files: Files, *args: str, env: dict[str, str] | None = None) -> str:
    """What is said of memories."""
    prompt = preview(tmp_path, "goose", files, args=args or ("--with-builtin", "memory"), env=env)
    _, _, said = prompt.messages[0].text.partition("\n\nGlobal Memories:\n")
    return said


def test_memories_are_listed_line_by_line_and_of_the_same_tags_the_last_counts(tmp_path: Path) -> None:
    """As 1.34.0 was seen to have them, in another order each time."""
    files: Files = {
        "~/.config/goose/memory/alpha.txt": "  \nMARK-al\n\n\nMARK-al2\n",
        "~/.config/goose/memory/dev.txt": "# tag one\nMARK-a\n\nMARK-un\n\n#tag   one\nMARK-c\n\n",
        "~/.config/goose/memory/empty.txt": "",
        "~/.config/goose/memory/nope.md": "MARK-md\n",
        "~/.config/goose/memory/windows.txt": "MARK-w\r\n\r\nMARK-x\r\n# y\r\n",
        "~/.config/goose/memory/sub/x.txt": "MARK-sub\n",
        ".goose/memory/local.txt": "MARK-local\n",
    }
    assert memory(tmp_path, files).startswith(
        "\nCategory: alpha\n-   \n- MARK-al\n- \n- MARK-al2\n\nCategory: dev\n- MARK-c\n- MARK-un\n"
        "\nCategory: empty\n\nCategory: nope.md\n\nCategory: windows\n- MARK-w\n- \n- MARK-x\n- # y\n"
    )


@pytest.mark.parametrize(
    ("args", "config", "is_said"),
    [
        (("--with-builtin", "developer,memory"), "", True),
        (("--no-profile", "--with-builtin", "memory"), "", True),
        (("--max-turns", "3"), "extensions:\n  memory:\n    enabled: true\n", True),
        (("--no-profile",), "extensions:\n  memory:\n    enabled: true\n", False),
        (("--max-turns", "3"), "extensions:\n  memory:\n    enabled: false\n", False),
        (("--with-builtin", "developer"), "", False),
    ],
)
def test_memories_are_said_where_the_extension_is_on(
    tmp_path: Path, args: tuple[str, ...], config: str, is_said: bool
) -> None:
    files: Files = {"~/.config/goose/memory/dev.txt": "MARK-a\n", "~/.config/goose/config.yaml": config}
    assert ("- MARK-a\n" in memory(tmp_path, files, *args)) is is_said


def test_one_memory_that_is_not_utf_8_keeps_all_out(tmp_path: Path) -> None:
    """As 1.34.0 was seen to do."""
    files: Files = {"~/.config/goose/memory/a.txt": "MARK-a\n", "~/.config/goose/memory/bad.txt": b"MARK-\xff\n"}
    prompt = preview(tmp_path, "goose", files, args=("--with-builtin", "memory"))
    assert "Memories" not in prompt.messages[0].text
    assert (outcome(prompt, "a.txt"), outcome(prompt, "bad.txt")) == ("excluded", "failed")


def test_memories_stay_where_they_are_with_goose_path_root(tmp_path: Path) -> None:
    files: Files = {"~/.config/goose/memory/dev.txt": "MARK-a\n"}
    assert "MARK-a" in memory(tmp_path, files, env={"GOOSE_PATH_ROOT": "elsewhere"})


def test_what_turns_memories_on_is_said(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "goose", {"~/.config/goose/memory/dev.txt": "MARK-a\n"})
    (found,) = (each for each in prompt.candidates if (each.path or "").endswith("dev.txt"))
    assert (found.outcome, "--with-builtin memory" in found.reason) == ("disabled", True)


def test_the_tools_of_extensions_that_are_added_are_counted(tmp_path: Path) -> None:
    def names(*args: str) -> dict[str, int | None]:
        prompt = preview(tmp_path / "-".join((*args, "x")), "goose", {}, args=args)
        return {each.name: each.size for each in prompt.tools or ()}

    plain, added = names(), names("--with-builtin", "developer,memory")
    assert plain.items() < added.items()
    assert {each.partition("__")[0] for each in added.keys() - plain.keys()} == {"memory"}
    assert all(added.values())
    assert names("--with-builtin", "unheard") == {}
