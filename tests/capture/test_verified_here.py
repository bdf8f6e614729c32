"""What ``promptls verify`` has found is said by previews of the same prompt, and only by those."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli.keep import MOST, keep_verified
from promptls.core.host import Host
from promptls.core.model import Session, VerifiedHere
from promptls.core.values import replace
from promptls.git.state import state
from promptls.harnesses.known_texts import digest
from promptls.workspace.machine import local_host
from tests.capture.conftest import Run
from tests.capture.fakes import OTHER, install, newest


@pytest.fixture
def here(run: Run) -> Callable[[], dict[str, Any] | None]:
    """What a preview of the package says of it."""

    def here() -> dict[str, Any] | None:
        found: dict[str, Any] = json.loads(run("preview", "pkg/a.py", "--harness", "codex", "--format", "json")[1])
        mark: dict[str, Any] | None = found["verified_here"]
        return mark

    return here


Here = Callable[[], dict[str, Any] | None]


@pytest.fixture
def verified(place: Path, run: Run) -> Path:
    """A prompt that the program was seen to send."""
    install(place / "bin", "codex", version=newest("codex"))
    code, out, err = run("verify", "pkg/a.py", "--harness", "codex")
    assert (code, err) == (0, "")
    assert "Previews of this prompt now say that it is verified here." in out
    return place


def test_a_preview_says_it_in_words(verified: Path, run: Run) -> None:
    assert verified.is_dir()
    says = f": the installed codex {newest('codex')} sends this prompt."
    for form in ("text", "markdown"):
        out = run("preview", "pkg/a.py", "--harness", "codex", "--format", form)[1]
        assert sum("Verified here on " in line and line.endswith(says) for line in out.splitlines()) == 1


def test_it_goes_and_comes_with_the_prompt(verified: Path, here: Here) -> None:
    rules = verified / "project" / "AGENTS.md"
    before = rules.read_text("utf-8")
    rules.write_text("Other rules.\n", "utf-8")
    assert here() is None
    rules.write_text(before, "utf-8")
    assert here() is not None


def test_it_is_forgotten_where_the_program_sends_something_else(verified: Path, run: Run, here: Here) -> None:
    version = newest("codex")
    install(verified / "bin", "codex", version=version, instead=OTHER.format(harness="codex", version=version))
    code, out, _ = run("verify", "pkg/a.py", "--harness", "codex", "--format", "json")
    assert code == 1
    found = json.loads(out)
    left, right = found["expected"].splitlines(), found["sent"].splitlines()
    assert [(a, b) for a, b in zip(left, right, strict=True) if a != b] == [
        ("The rules of the root.", "The rules of nobody.")
    ]
    assert any("Expected because Codex loads one file of each directory" in line for line in left)
    assert here() is None


def test_it_is_one_of_the_version(verified: Path, run: Run) -> None:
    assert verified.is_dir()
    out = run("preview", "pkg/a.py", "--harness", "codex@0.166.0", "--format", "json")[1]
    assert json.loads(out)["verified_here"] is None


def test_a_version_that_is_not_known_can_be_verified(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version="99.0.0")
    code, out, _ = run("verify", "--harness", "codex")
    assert "99.0.0 is not known to promptls" in out
    assert code == 0
    out = run("preview", "--harness", "codex@99.0.0")[1]
    assert "(verified here)" in out
    assert "the installed codex 99.0.0 sends this prompt" in out


def test_what_was_turned_off_is_said(place: Path, run: Run) -> None:
    session = Session("codex", str(place / "project"), is_trusted=True)
    prompt = harnesses.preview(session, local_host(with_known_texts=False, git=state))
    keep_verified(prompt, VerifiedHere(newest("codex"), "2026-11-22", has_all=False), is_same=True)
    out = run("preview", "--harness", "codex")[1]
    assert f"{newest('codex')} sends this prompt, without what the folder or you let it run." in out


def test_a_directory_that_cannot_be_written_is_named(
    place: Path, run: Run, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "file").write_text("", "utf-8")
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(place / "file"))
    install(place / "bin", "codex", version=newest("codex"))
    code, out, err = run("verify", "pkg/a.py", "--harness", "codex")
    assert code == 0
    assert "now say" not in out
    assert err.startswith(f"promptls: {place / 'file'}")
    assert err.endswith("Previews do not say what this has shown.\n")
    assert err.count("\n") == 1
    assert here() is None


def test_nothing_is_kept_in_the_folder_and_no_text_anywhere(verified: Path) -> None:
    [kept] = (verified / "data").iterdir()
    assert kept.name == f"codex@{newest('codex')}.json"
    assert "rules" not in kept.read_text("utf-8")
    assert not list((verified / "project").rglob("*codex@*"))


@pytest.mark.parametrize("text", ["", "[]", '{"verified": []}', '{"verified": {"x": 1}, "models": 3}', "[" * 100_000])
def test_a_file_that_is_broken_is_no_matter(text: str, verified: Path, run: Run, here: Here) -> None:
    [kept] = (verified / "data").iterdir()
    kept.write_text(text, "utf-8")
    assert here() is None
    assert run("verify", "pkg/a.py", "--harness", "codex")[0] == 0
    assert here() is not None


def test_the_last_ones_are_remembered(place: Path) -> None:
    session = Session("codex", str(place / "project"))
    prompt = harnesses.preview(session, local_host(with_known_texts=False))
    for number in range(MOST + 1):
        keep_verified(replace(prompt, model=str(number)), VerifiedHere("1", "2026-11-22"), is_same=True)
    [kept] = (place / "data").iterdir()
    names = list(json.loads(kept.read_text("utf-8"))["verified"])
    assert len(names) == MOST
    assert names[-1] == digest(replace(prompt, model=str(MOST)))


@pytest.mark.parametrize("harness", ["claude-code", "codex", "opencode", "gemini-cli", "copilot-cli"])
def test_another_day_does_not_matter(harness: str, place: Path) -> None:
    def of(day: datetime) -> str:
        host = Host(home=str(place / "home"), env={}, clock=lambda: day)
        return digest(harnesses.preview(Session(harness, str(place / "project")), host))

    today = datetime(2026, 11, 22, 12, tzinfo=UTC)
    assert of(today) == of(today + timedelta(days=40))
