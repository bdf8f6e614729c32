"""Random histories: what ``promptls log`` keeps from commit to commit changes none of its rows."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest

from promptls.workspace import prompt_history
from tests.repository import git
from tests.torture import pools

HARNESSES = ("claude-code", "codex", "copilot-cli", "copilot-vscode", "cursor", "gemini-cli", "opencode", "cline")
# Besides what all random folders have.
PLACES = ("api", "api/deep", "docs", "lib/x")
SKILL = "{place}/skills/{name}/SKILL.md"
HEAD = "---\nname: {name}\ndescription: {name} {number}\n---\n"


def run(seed: int, count: int) -> None:
    """``count`` histories of a dozen commits."""
    chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated
    rows = 0
    for at in range(count):
        with tempfile.TemporaryDirectory() as place:
            top = Path(place).resolve() / "project"
            top.mkdir()
            _history(chance, top)
            only = chance.sample(HARNESSES, 3)
            quick, slow = _rows(top, only), _slowly(top, only)
            assert quick == slow, f"seed {seed}, history {at}, {only}: {_first(quick, slow)}"
            rows += len(quick)
    assert rows > count, f"seed {seed}: only {rows} commits change a prompt"


def _history(chance: random.Random, top: Path) -> None:
    git(top, "init", "-q")
    for number in range(12):
        for _ in range(chance.randrange(1, 4)):
            _change(chance, top)
        git(top, "add", "-A", "--force")
        git(top, "commit", "-q", "--allow-empty", "-m", str(number))


def _change(chance: random.Random, top: Path) -> None:
    dice = chance.random()
    if dice < 0.05:
        name = chance.choice("abc")
        skill = top / SKILL.format(place=chance.choice((".claude", ".agents", ".cursor")), name=name)
        if not any(each.exists() and not each.is_dir() for each in skill.parents) and not skill.is_dir():
            skill.parent.mkdir(parents=True, exist_ok=True)
            skill.write_text(HEAD.format(name=name, number=chance.randrange(2)) + f"{chance.randrange(9)}\n")
    elif dice < 0.15:
        code = top / chance.choice(PLACES) / f"{chance.choice('abc')}.py"
        if not any(each.exists() and not each.is_dir() for each in code.parents) and not code.is_dir():
            code.parent.mkdir(parents=True, exist_ok=True)
            code.write_text(f"{chance.randrange(9)}\n")
    elif dice < 0.3:
        there = sorted(each for each in top.iterdir() if each.name != ".git")
        if there:
            pools.remove(chance.choice(there))
    elif dice < 0.5:
        files = sorted(each for each in top.rglob("*.md*") if ".git" not in each.parts and each.is_file())
        if files:
            with chance.choice(files).open("ab") as file:
                file.write(pools.text(chance).encode("utf-8", "surrogatepass"))
    else:
        pools.put(chance, top / pools.name(chance))


def _rows(top: Path, only: list[str]) -> list[Any]:
    return [
        (step.commit.subject, sorted(map(_row, step.comparisons)))
        for step in prompt_history.history(str(top), only=only)
    ]


def _row(found: Any) -> Any:
    session = found.prompt.session
    return session.harness, session.cwd, session.reads, found.tokens, str(found.changes)


def _slowly(top: Path, only: list[str]) -> list[Any]:
    """Each prompt is made anew for each commit, from what git says of it."""
    add = prompt_history._Way.add

    def added(way: Any, commit: Any) -> None:
        add(way, commit)
        way.is_whole = False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prompt_history._Way, "add", added)
        return _rows(top, only)


def _first(quick: list[Any], slow: list[Any]) -> str:
    one, other = next((pair for pair in zip(quick, slow, strict=False) if pair[0] != pair[1]), (len(quick), len(slow)))
    return f"quick {one}{os.linesep}slow {other}"
