"""Pages for others: no path elsewhere, no name of a person or folder, no message, no link."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.cli import main
from tests.folder import lay_out
from tests.page.test_page import EVIL, NONCE, Page
from tests.repository import commit

FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "Use tabs.\n",
    "CLAUDE.md": "@~/ada/notes.md\n@gone-secret.md\n@AGENTS.md\n",
    f"{EVIL}/CLAUDE.md": "evil\n",
    f"{EVIL}/a.py": "1\n",
    "opencode.json": {"instructions": ["https://ada.example/rules.md"]},
    "promptls.toml": '[budgets."."]\nown = 1\nowner = "@ada-team"\n',
}


def written(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main([*argv, "--html", "-"]) == 0
    return capsys.readouterr().out


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    lay_out(tmp_path / "home", {"ada/notes.md": "Mine.\n", ".claude/CLAUDE.md": "Mine, too.\n"})
    folder = lay_out(tmp_path / "shop-of-ada", FILES, git=False)
    monkeypatch.chdir(commit(folder))
    (folder / "CLAUDE.md").write_text("@~/ada/notes.md\n@gone-secret.md\n@AGENTS.md\nMore.\n")
    (folder / "new.md").write_text("new\n")
    return folder


@pytest.mark.parametrize("command", ["map", "diff"])
def test_a_page_for_others_names_nobody(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    mine, shared = written(capsys, command, "--mine"), written(capsys, command, "--mine", "--redact")
    assert "CLAUDE.md" in shared
    assert any("of 1" in each for each in Page(shared).texts), "the budget"
    assert "@ada-team" in mine
    for each in ("ada", "home", "gone-secret"):
        assert each not in shared, each
    assert "ada" in mine
    found = Page(shared)
    assert [each["href"] for each in found.all("a") if not (each["href"] or "").startswith("#")] == []
    assert not found.all("img")
    assert folder.exists()


def test_what_is_cut_or_sent_twice_is_said_in_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A limit may be named after a setting, and a reason after a file elsewhere; numbers name nobody."""
    folder = commit(lay_out(tmp_path / "shop-of-ada", {"AGENTS.md": "x" * 30_000}, git=False))
    (folder / "AGENTS.md").write_text("x" * 40_000)
    found = Page(written(capsys, "diff", "--folder", str(folder), "--harness", "codex", "--redact"))
    assert "cut: 32,768 of 40,000 bytes" in found.texts


def test_the_page_of_a_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = written(capsys, "diff")
    found = Page(text)
    assert {each.get("id") for each in found.all("section")} == {"changes", "prompts", "budgets"}
    assert "./CLAUDE.md" in [each["href"] for each in found.all("a")]
    assert "claude-code" in "".join(found.texts)
    assert any("of 1, " in each for each in found.texts), "the budget"
    policy = next(each["content"] for each in found.all("meta") if "http-equiv" in each) or ""
    assert policy.startswith("default-src 'none'; ")
    assert [each["nonce"] for each in found.all("script")] == [each["nonce"] for each in found.all("style")]
    assert not [each for _, attributes in found.elements for each in attributes if each.startswith("on")]
    assert written(capsys, "diff", "HEAD..HEAD").count("<tr>") <= 1
    assert NONCE not in text
    assert folder.exists()


def test_a_file_that_is_gone_is_no_link(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md").unlink()
    found = Page(written(capsys, "diff"))
    assert "AGENTS.md" in found.texts
    assert "./AGENTS.md" not in [each["href"] for each in found.all("a")]
