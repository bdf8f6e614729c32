"""Skills, commands and agents as nobody would write them: a reason for each, in bounded time."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks.folder import reported_problems
from promptls.checks.tree import Tree
from promptls.cli import main
from promptls.core.host import Host
from promptls.core.model import Prompt, Session
from promptls.core.prompt_json import to_json
from promptls.core.settings import DEFAULT
from promptls.core.text_view import to_text
from tests.hostile.test_linear import MOST, ONCE, steps
from tests.limits import at_most
from tests.looks import counted

LIMIT = 10.0
"""Seconds for the preview of one harness, on a slow machine."""
SKILL = "---\nname: {name}\ndescription: {name} is told of\n---\nDo it.\n"
# Where each harness that lists skills looks for them.
PLACES = {
    "opencode": ".opencode/skills",
    "claude-code": ".claude/skills",
    "codex": ".agents/skills",
    "gemini-cli": ".gemini/skills",
    "copilot-cli": ".github/skills",
    "copilot-vscode": ".github/skills",
}
each_place = pytest.mark.parametrize(("harness", "place"), PLACES.items())


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def made(harness: str, folder: Path) -> Prompt:
    """The prompt of a start in a folder that is trusted; it can be shown."""
    session = Session(harness, str(folder), is_trusted=True)
    with at_most(LIMIT):
        prompt = harnesses.preview(session, Host(home=str(folder.parent / "home"), env={}))
        assert list(to_text(prompt))
        assert json.dumps(to_json(prompt))
    return prompt


@each_place
def test_names_that_change_what_is_seen(
    tmp_path: Path, harness: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("../../etc", "a/b", "\u202egpj.exe", "\x1b[2J", "x" * 5000, "${x}", "</available_skills>")
    for at, name in enumerate(names):
        put(tmp_path / "project" / place / str(at) / "SKILL.md", SKILL.format(name=json.dumps(name)))
    prompt = made(harness, tmp_path / "project")
    assert {each.path for each in prompt.candidates if each.use == "skill" and each.outcome != "missing"} >= {
        str(tmp_path / "project" / place / str(at) / "SKILL.md") for at in range(len(names))
    }
    main(["preview", str(tmp_path / "project"), "--harness", harness])
    main(["explain", str(tmp_path / "project" / place / "2" / "SKILL.md"), "--harness", harness])
    text = capsys.readouterr().out
    assert harness in text
    assert "\u202e" not in text
    assert "\x1b" not in text


@each_place
def test_directories_that_lead_to_themselves(tmp_path: Path, harness: str, place: str) -> None:
    top = tmp_path / "project" / place
    put(top / "good" / "SKILL.md", SKILL.format(name="good"))
    for name in ("one", "two", "good/inner"):
        (top / name).symlink_to(top, target_is_directory=True)
    (top / "left").symlink_to("right")
    (top / "right").symlink_to("left")
    prompt = made(harness, tmp_path / "project")
    assert any(each.use == "skill" and each.outcome == "loaded" for each in prompt.candidates)


@each_place
def test_a_skill_of_five_megabytes(tmp_path: Path, harness: str, place: str) -> None:
    put(tmp_path / "project" / place / "long" / "SKILL.md", SKILL.format(name="long") + "Do it again.\n" * 400_000)
    prompt = made(harness, tmp_path / "project")
    path = str(tmp_path / "project" / place / "long" / "SKILL.md")
    assert {each.outcome for each in prompt.candidates if each.path == path} & {"loaded", "cut", "excluded", "failed"}


@each_place
def test_hundreds_of_skills(tmp_path: Path, harness: str, place: str) -> None:
    number = 300
    for at in range(number):
        put(tmp_path / "project" / place / f"s{at}" / "SKILL.md", SKILL.format(name=f"s{at}"))
    prompt = made(harness, tmp_path / "project")
    assert len({each.path for each in prompt.candidates if each.use == "skill" and each.path}) >= number


def test_what_is_broken_has_a_problem_and_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    broken = ("", "---\n", "---\nname: [\n---\n", "---\n- a\n---\n", "---\nname: 1\ndescription: {}\n---\nx\n", "\0")
    files = [
        put(folder / place / str(at) / "SKILL.md", text) for place in PLACES.values() for at, text in enumerate(broken)
    ]
    files += [put(folder / ".claude/agents" / f"{at}.md", text) for at, text in enumerate(broken)]
    files += [put(folder / ".gemini/agents" / f"{at}.md", text) for at, text in enumerate(broken)]
    host = Host(home=str(tmp_path / "home"), env={})
    prompts = [harnesses.preview(Session(each, str(folder), is_trusted=True), host) for each in PLACES]
    tree = Tree(str(folder), tuple(sorted(map(str, files))), tuple(prompts), host)
    with at_most(LIMIT):
        found = reported_problems(tree, DEFAULT)
    assert found
    assert all(each.message.endswith(".") or each.code == "front-matter-invalid" for each in found)


@pytest.mark.parametrize("command", ["preview", "explain", "check"])
@each_place
def test_twice_the_skills_take_twice_the_steps(
    tmp_path: Path, harness: str, place: str, command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def taken(number: int) -> int:
        folder = many(tmp_path / str(number), place, number)
        what = folder / place / "s0" / "SKILL.md" if command == "explain" else folder
        return steps(lambda _: main([command, str(what), "--harness", harness]), "")

    taken(5)  # imports
    one, two, four = taken(50), taken(100), taken(200)
    assert four - two <= MOST * (two - one) + ONCE
    assert capfd.readouterr().out or command == "check"


MORE = 100


@each_place
def test_a_skill_costs_few_looks(tmp_path: Path, harness: str, place: str) -> None:
    def looks(number: int) -> Counter[str]:
        session = Session(harness, str(many(tmp_path / str(number), place, number)), is_trusted=True)
        with counted() as counts:
            harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
        return counts

    more = looks(10 + MORE) - looks(10)
    assert more["open"] == MORE
    assert sum(more.values()) <= 6 * MORE


def many(folder: Path, place: str, number: int) -> Path:
    """A repository with so many skills."""
    (folder / ".git").mkdir(parents=True)
    for at in range(number):
        put(folder / place / f"s{at}" / "SKILL.md", SKILL.format(name=f"s{at}"))
    return folder
