"""The skills of Pi, Kilo Code and Qwen Code: which are listed, in which order, and who wins a name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptls.core.model import Prompt
from tests.harnesses.shown import Files, outcome, outcomes, preview

pytestmark = pytest.mark.same_everywhere

PI, KILO, QWEN = "pi", "kilo-code", "qwen-code"
ARGS = {PI: ("--approve",)}


def skill(name: str, says: str = "", more: str = "") -> str:
    return f"---\nname: {name}\ndescription: {says or 'MARK ' + name}\n{more}---\nbody\n"


def listed(prompt: Prompt) -> list[str]:
    """What is said of each skill that a file has, in order."""
    text = "".join(each.text for message in prompt.messages for each in message.segments)
    return re.findall(r"MARK ([\w-]+)", text)


TREE: Files = {
    "pkg/.agents/skills/b/SKILL.md": skill("b"),
    "pkg/.agents/skills/same/SKILL.md": skill("same", "MARK same-below"),
    ".agents/skills/above/SKILL.md": skill("above"),
    ".agents/skills/same/SKILL.md": skill("same", "MARK same-above"),
    "~/.agents/skills/user/SKILL.md": skill("user"),
    "~/.agents/skills/same/SKILL.md": skill("same", "MARK same-user"),
}


@pytest.mark.parametrize(
    ("harness", "names"),
    [
        (PI, ["b", "same-below", "above", "user"]),
        (KILO, ["above", "b", "same-above", "user"]),
        (QWEN, ["b", "same-below", "user"]),
    ],
)
def test_places_and_who_wins_a_name(tmp_path: Path, harness: str, names: list[str]) -> None:
    prompt = preview(tmp_path, harness, TREE, cwd="pkg", args=ARGS.get(harness, ()))
    assert listed(prompt) == names
    assert outcome(prompt, "pkg/.agents/skills/b/SKILL.md") == "loaded"
    assert len([each for each in prompt.candidates if each.outcome == "shadowed"]) == (1 if harness == QWEN else 2)


OWN: Files = {
    ".pi/skills/a/SKILL.md": skill("own"),
    ".kilo/skills/a/SKILL.md": skill("own"),
    ".qwen/skills/a/SKILL.md": skill("own"),
    ".agents/skills/a/SKILL.md": skill("own", "MARK of-agents"),
}


@pytest.mark.parametrize("harness", [PI, KILO, QWEN])
def test_a_folder_of_its_own_wins(tmp_path: Path, harness: str) -> None:
    assert listed(preview(tmp_path, harness, OWN, args=ARGS.get(harness, ()))) == ["own"]


@pytest.mark.parametrize(
    ("harness", "names"), [(PI, ["no-name", "user"]), (KILO, ["hidden", "user"]), (QWEN, ["user"])]
)
def test_what_is_left_out(tmp_path: Path, harness: str, names: list[str]) -> None:
    files: Files = {
        ".agents/skills/no-name/SKILL.md": "---\ndescription: MARK no-name\n---\n",
        ".agents/skills/no-words/SKILL.md": "---\nname: no-words\n---\n",
        ".agents/skills/bare/SKILL.md": "MARK bare\n",
        ".agents/skills/hidden/SKILL.md": skill("hidden", more="disable-model-invocation: true\n"),
        "~/.agents/skills/user/SKILL.md": skill("user"),
    }
    prompt = preview(tmp_path, harness, files, args=ARGS.get(harness, ()))
    assert listed(prompt) == names
    assert outcome(prompt, "no-words/SKILL.md") in {"failed", "excluded"}


def test_pi_wants_trust_for_those_of_the_project(tmp_path: Path) -> None:
    prompt = preview(tmp_path, PI, TREE, cwd="pkg", is_trusted=False)
    assert listed(prompt) == ["same-user", "user"]
    assert outcome(prompt, "pkg/.agents/skills/b/SKILL.md") == "excluded"


def test_pi_takes_markdown_in_folders_and_leaves_out_what_is_ignored(tmp_path: Path) -> None:
    files: Files = {
        ".agents/skills/top.md": skill("top"),
        ".agents/skills/group/leaf.md": skill("leaf"),
        ".agents/skills/gone/SKILL.md": skill("gone"),
        ".agents/skills/.gitignore": "gone/\n",
        ".pi/skills/top.md": skill("own-top"),
        ".pi/skills/group/leaf.md": skill("own-leaf"),
    }
    assert listed(preview(tmp_path, PI, files, args=("--approve",))) == ["own-top", "leaf"]
    assert listed(preview(tmp_path / "off", PI, files, args=("--approve", "--no-skills"))) == []


def test_pi_says_that_settings_may_name_more(tmp_path: Path) -> None:
    files: Files = {"~/.pi/agent/settings.json": '{"skills": ["~/more"]}', **TREE}
    system = preview(tmp_path, PI, files, args=("--approve",)).messages[0]
    assert "further skills" in [each.elided.name for each in system.segments if each.elided]


@pytest.mark.parametrize(
    ("variable", "names"),
    [("KILO_DISABLE_EXTERNAL_SKILLS", ["own"]), ("KILO_DISABLE_CLAUDE_CODE_SKILLS", ["agents", "own"]), ("", None)],
)
def test_kilo_code_with_those_of_other_programs_off(tmp_path: Path, variable: str, names: list[str] | None) -> None:
    files: Files = {
        ".claude/skills/claude/SKILL.md": skill("claude"),
        ".agents/skills/agents/SKILL.md": skill("agents"),
        "~/.config/kilo/skill/own/SKILL.md": skill("own"),
    }
    prompt = preview(tmp_path, KILO, files, env={variable: "1"} if variable else {})
    assert listed(prompt) == (names or ["agents", "claude", "own"])
    assert outcomes(prompt, "claude/SKILL.md") == [f"SKILL.md {'disabled' if variable else 'loaded'}"]


def test_a_skill_of_qwen_code_with_paths_comes_with_the_file(tmp_path: Path) -> None:
    files: Files = {
        ".agents/skills/p/SKILL.md": skill("p", more="paths: ['*.py']\nwhen_to_use: MARK when\n"),
        "a.py": "",
    }
    prompt = preview(tmp_path, QWEN, files)
    assert (listed(prompt), outcome(prompt, "p/SKILL.md")) == ([], "unscoped")
    read = preview(tmp_path / "read", QWEN, files, reads=("a.py",))
    assert (listed(read), outcome(read, "p/SKILL.md")) == (["p", "when"], "loaded")


def test_qwen_code_leaves_out_what_its_settings_name(tmp_path: Path) -> None:
    files: Files = {"~/.qwen/settings.json": '{"skills": {"disabled": ["User", "loop"]}}', **TREE}
    prompt = preview(tmp_path, QWEN, files, cwd="pkg")
    assert listed(prompt) == ["b", "same-below"]
    assert outcome(prompt, ".agents/skills/user/SKILL.md") == "disabled"
    assert "skill loop" not in "".join(each.text for message in prompt.messages for each in message.segments)


def test_qwen_code_cuts_descriptions_where_there_are_too_many(tmp_path: Path) -> None:
    files: Files = {
        f".agents/skills/s{at}/SKILL.md": skill(f"s{at}", f"|\n  MARK s{at}\n  {'x' * 800}") for at in range(10)
    }
    prompt = preview(tmp_path, QWEN, files)
    assert listed(prompt) == [f"s{at}" for at in range(10)]
    assert "xxx" not in "".join(each.text for message in prompt.messages for each in message.segments)
