"""Answers that are kept: never another one than would be made now, and nothing of a file's text."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main, overview, remembered
from tests.folder import lay_out
from tests.repository import commit

LONG_AGO = 1_600_000_000
MARK, SECRET = "UNMISTAKABLE", "sk-ant-api03-" + "x" * 40
FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": f"# Rules\n\n{MARK}: see [this](docs/gone.md) and `src/gone.py`.\n",
    "CLAUDE.md": "@AGENTS.md\n@docs/style.md\n",
    ".codex/config.toml": f'model = "gpt-5"\n[mcp_servers.a]\ncommand = "a"\nenv = {{ KEY = "{SECRET}" }}\n',
    ".cursor/rules/python.mdc": "---\nglobs: src/**/*.py\n---\nUse tabs.\n",
    "src/AGENTS.md": "In src.\n",
    "src/app.py": "print()\n",
    "docs/style.md": "Style.\n",
    ".gitignore": "out\n",
}

NAMES = (*FILES, "src/CLAUDE.md", "promptls.toml", ".claude/skills/a/SKILL.md", "out/AGENTS.md", "GEMINI.md")
TEXTS = ("", "a\n", "See @AGENTS.md.\n", "b\n", 'harnesses = ["codex"]\n', "---\nname: a\ndescription: d\n---\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(tmp_path / "project", FILES)
    commit(folder)
    age(tmp_path)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A word for each answer that is made."""
    made: list[str] = []

    def counted(make: Callable[..., Any], *args: Any) -> Any:
        made.append(make.__name__)
        return make(*args)

    for make in (overview._made_of_folder, overview._made_of_file):
        monkeypatch.setattr(overview, make.__name__, partial(counted, make))
    return made


def age(top: Path, seconds: int = 0) -> None:
    """As if all had been written long ago: what has just been written is not kept."""
    for directory, _, names in os.walk(top):
        for path in (directory, *(os.path.join(directory, name) for name in names)):
            os.utime(path, (LONG_AGO + seconds,) * 2, follow_symlinks=False)


def answer(capsysbinary: pytest.CaptureFixture[bytes], *args: str) -> Any:
    assert main([*args, "--format", "json"]) == 0
    return json.loads(capsysbinary.readouterr().out)


@pytest.mark.parametrize("args", [(), ("src/app.py",), ("--harness", "codex")])
def test_an_answer_is_given_again(
    folder: Path, made: list[str], capsysbinary: pytest.CaptureFixture[bytes], args: tuple[str, ...]
) -> None:
    first = answer(capsysbinary, *args)
    assert (answer(capsysbinary, *args), len(made)) == (first, 1)
    (folder / "AGENTS.md").write_text("Less.\n", encoding="utf-8")
    assert answer(capsysbinary, *args) != first
    assert len(made) == 2


def test_what_has_just_been_written_is_not_kept(
    folder: Path, made: list[str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    os.utime(folder / "AGENTS.md", (2**33,) * 2)
    answer(capsysbinary)
    answer(capsysbinary)
    assert len(made) == 2


@pytest.mark.usefixtures("folder")
def test_the_environment_and_packages_count(
    made: list[str], capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(capsysbinary)
    monkeypatch.setenv("SHLVL", "99")
    answer(capsysbinary)
    assert len(made) == 1
    monkeypatch.setenv("CODEX_HOME", "/nowhere")
    answer(capsysbinary)
    assert len(made) == 2
    monkeypatch.setattr(remembered, "__version__", "0")
    answer(capsysbinary)
    assert len(made) == 3
    monkeypatch.setattr(remembered, "has_additions", lambda: True)
    answer(capsysbinary)
    answer(capsysbinary)
    assert len(made) == 5


@pytest.mark.usefixtures("folder")
def test_no_text_is_kept(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    answer(capsysbinary)
    answer(capsysbinary, "AGENTS.md")
    kept = [*home.rglob("answers/*.json")]
    assert len(kept) == 2
    for each in kept:
        text = each.read_text(encoding="utf-8")
        assert "AGENTS.md" in text
        assert MARK not in text
        assert SECRET not in text
        assert os.name == "nt" or each.parent.stat().st_mode & 0o77 == 0


@pytest.mark.usefixtures("folder")
def test_old_and_broken_ones_do_no_harm(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MOST_ANSWERS", 2)
    first = answer(capsysbinary)
    for args in ("src/app.py", "AGENTS.md", "CLAUDE.md"):
        answer(capsysbinary, args)
    (directory,) = home.rglob("answers")
    assert len([*directory.iterdir()]) == 2
    for text in (b"", b"[]", b"{}", b'{"state": 1', b"\xff"):
        for each in directory.iterdir():
            each.write_bytes(text)
        assert answer(capsysbinary) == first
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(next(directory.iterdir())))
    assert answer(capsysbinary) == first


def edit(path: Path, dice: random.Random, step: int) -> None:
    """Do something to the file at ``path``, as if long ago."""
    act = dice.choice(("write", "write", "remove", "link", "move", "nothing"))
    is_there = os.path.lexists(path)
    if act == "write" and not path.is_symlink():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dice.choice(TEXTS), encoding="utf-8")
    elif act == "link" and not is_there and path.parent.is_dir():
        path.symlink_to(dice.choice(("AGENTS.md", "nowhere")))
    elif act == "move" and is_there:
        path.replace(path.with_name("moved.md"))
    elif act == "remove" and is_there:
        path.unlink()
    else:
        return
    for each in (path, *path.parents[:3]):
        if os.path.lexists(each):
            os.utime(each, (LONG_AGO + step,) * 2, follow_symlinks=False)


@pytest.mark.parametrize("seed", range(2))
def test_after_any_edit_it_is_what_would_be_made_now(
    folder: Path,
    home: Path,
    made: list[str],
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    dice = random.Random(seed)  # noqa: S311 - no secret
    (home / ".codex").mkdir()
    age(home)
    places = [folder / name for name in NAMES] + [home / ".codex/AGENTS.md"]
    answer(capsysbinary)
    for step in range(15):
        path = dice.choice(places)
        edit(path, dice, step)
        now = answer(capsysbinary)
        monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(home / f"none{step}"))
        assert answer(capsysbinary) == now, (step, path)
        monkeypatch.delenv("PROMPTLS_CACHE_DIR")
    # Of twice fifteen answers those of the empty caches were made, and some of the others.
    assert 15 + 5 < len(made) < 30


@pytest.mark.usefixtures("folder")
def test_nothing_is_kept_where_the_package_is_not_installed_as_files(
    made: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuses(*_: object) -> None:
        raise NotADirectoryError

    monkeypatch.setattr(remembered, "_program", refuses)
    for _ in range(2):
        assert main([]) == 0
    assert len(made) == 2
    assert "AGENTS.md" in capsys.readouterr().out
