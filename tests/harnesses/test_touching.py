"""Calls of tools that bring or name files below the working directory, as sessions say them in their steps."""

import json
from pathlib import Path

import pytest

from promptls.core.model import Call, Prompt, Turn
from tests.harnesses.shown import Files, outcomes, preview

pytestmark = pytest.mark.same_everywhere
FILES: Files = {
    **{f"{each}/AGENTS.md": f"of {each}" for each in ("a", "a/b", "c d")},
    "a/x.py": "x",
    "a/b/x.py": "x",
}


def after(top: Path, harness: str, tool: str, given: dict[str, object], files: Files = FILES) -> Prompt:
    turn = Turn(steps=((Call(tool=tool, input=json.dumps(given)),),))
    return preview(top, harness, files, turns=(turn,))


def brought(prompt: Prompt) -> list[str]:
    texts = "".join(each.text for each in prompt.messages)
    return [each for each in ("a", "a/b", "c d") if f"of {each}\n" in texts or texts.endswith(f"of {each}")]


def named(prompt: Prompt) -> list[str]:
    texts = "".join(each.text for each in prompt.messages)
    return [each for each in ("a", "a/b", "c d") if f"/{each}/AGENTS.md\n" in texts]


@pytest.mark.parametrize(
    ("command", "blocks"),
    [
        ("cat a/x.py", ["a"]),
        ("cat a/b/x.py", ["a/b"]),
        ("cat ./a/x.py", ["./a"]),
        ("cat a/b/", ["a"]),
        ("cat 'c d/x'", ["c d"]),
        ("cat a/x.py a/x.py ./a/y", ["a"]),
        ("cat x.py && grep -r x .", []),
        ("grep --include=a/x.py x", []),
        ("cat '", []),
        ("cat /etc/x.py", []),
        ("cat ../folder/a/x.py", ["../folder/a"]),
    ],
)
def test_goose_takes_the_words_of_a_command(tmp_path: Path, command: str, blocks: list[str]) -> None:
    prompt = after(tmp_path, "goose", "shell", {"command": command})
    system = prompt.messages[0].text
    found = [line for line in system.splitlines() if line.startswith("### Subdirectory Hints")]
    assert found == [f"### Subdirectory Hints ({tmp_path / 'folder'}/{each})" for each in blocks]


def test_goose_takes_the_path_that_a_tool_is_given(tmp_path: Path) -> None:
    for number, path in enumerate(("a/new.py", f"{tmp_path}/1/folder/a/x.py")):
        prompt = after(tmp_path / str(number), "goose", "write", {"path": path})
        assert "of a" in prompt.messages[0].text
    for number, wrong in enumerate((5, None, "", "a", ["a/x.py"]), 2):
        prompt = after(tmp_path / str(number), "goose", "write", {"path": wrong})
        assert "of a" not in prompt.messages[0].text


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Bash", {"command": "ls a"}, ["a"]),
        ("Bash", {"command": "cd a && ls b | head"}, ["a", "a/b"]),
        ("Bash", {"command": "find 'c d' -name '*.py' 2>&1"}, ["c d"]),
        ("Bash", {"command": "tree -L 2 a > out.txt"}, ["a"]),
        ("Bash", {"command": "cat a/x.py; ls"}, []),
        ("Bash", {"command": "(cd a; ls)"}, []),
        ("Bash", {"command": "ls $HOME a/*"}, []),
        ("Bash", {"command": "cd $X; ls a"}, []),
        ("Bash", {"command": "ls 'a"}, []),
        ("Bash", {"command": "make", "cwd": "a"}, ["a"]),
        ("Bash", {"command": 5}, []),
        ("Glob", {"pattern": "*.py", "path": "a/b"}, ["a", "a/b"]),
        ("Grep", {"pattern": "x", "path": "a/x.py"}, ["a"]),
        ("Grep", {"pattern": "x"}, []),
        ("Write", {"path": "a/b/c/new.py", "content": ""}, ["a", "a/b"]),
        ("Edit", {"path": "a/AGENTS.md"}, []),
        ("Agent", {"path": "a/x.py"}, []),
    ],
)
def test_kimi_code_names_the_files_near_a_call(
    tmp_path: Path, tool: str, given: dict[str, object], expected: list[str]
) -> None:
    prompt = after(tmp_path, "kimi-code", tool, given)
    assert named(prompt) == expected
    assert outcomes(prompt, "/AGENTS.md").count("AGENTS.md excluded") == len(expected)


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("LS", {"directory_path": "a/b"}, ["a", "a/b"]),
        ("LS", {"directory_path": "a/x.py"}, []),
        ("Grep", {"pattern": "x", "path": "a"}, ["a"]),
        ("Grep", {"pattern": "x", "path": "a/b/x.py"}, ["a", "a/b"]),
        ("Glob", {"patterns": ["*"], "folder": "c d"}, ["c d"]),
        ("Glob", {"patterns": ["*"]}, []),
        ("Read", {"file_path": "a/x.py"}, ["a"]),
        ("Read", {"file_path": "a/gone.py"}, []),
        ("Edit", {"file_path": "a/x.py"}, []),
        ("Execute", {"command": "cat a/x.py"}, []),
    ],
)
def test_droid_brings_the_files_on_the_way_of_a_search(
    tmp_path: Path, tool: str, given: dict[str, object], expected: list[str]
) -> None:
    prompt = after(tmp_path, "droid", tool, given)
    assert brought(prompt) == expected
    assert any("search finds" in each for each in prompt.notes) is (tool in ("Grep", "Glob"))


def test_droid_gives_the_text_of_a_skill_that_is_called(tmp_path: Path) -> None:
    files: Files = {".factory/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\n\nbody\n\n"}
    prompt = after(tmp_path, "droid", "Skill", {"skill": "s"}, files)
    assert prompt.messages[-1].text.endswith('SKILL.md">\nbody\n</skill>')
    assert "Skill" in after(tmp_path / "2", "droid", "Skill", {"skill": "gone"}, files).messages[-1].text
