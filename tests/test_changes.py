"""Fragments of the changelog have the form that changes/README.md describes, and the tool joins them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import changes
from promptls import __version__

ROOT = Path(__file__).parent.parent


FRAGMENTS = [path for path in sorted((ROOT / "changes").iterdir()) if path.name != "README.md"]


def test_every_fragment_has_the_form() -> None:
    assert {
        path.name: found for path in FRAGMENTS if (found := changes.faults(path.name, path.read_text("utf-8")))
    } == {}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("codex-skills.fixed.md", "Skills are listed once.\n", ""),
        ("Codex.fixed.md", "Skills are listed once.", "its name"),
        ("codex.improved.md", "Skills are listed once.", "its name"),
        ("codex.fixed.md", "- Skills are listed once.", "one plain paragraph"),
        ("codex.fixed.md", "One.\n\nTwo.", "one plain paragraph"),
        ("codex.fixed.md", "Skills are listed once", "full stop"),
        ("codex.fixed.md", "x" * 121 + ".", "longer than"),
    ],
)
def test_what_is_wrong_with_a_fragment_is_said(name: str, text: str, says: str) -> None:
    found = changes.faults(name, text)
    assert [says in each for each in found] == ([True] if says else [])


def test_fragments_become_a_version_above_the_others() -> None:
    fragments = {"b.fixed.md": "B is\nright.\n", "a.fixed.md": "A is right.\n", "c.added.md": "C is new.\n"}
    new = changes.section("0.2.0", "2027-01-02", fragments)
    changed = changes.with_section("# Changelog\n\nWords.\n\n## 0.1.0 - 2026-11-24\n\n- First.\n", new)
    assert changed == (
        "# Changelog\n\nWords.\n\n## 0.2.0 - 2027-01-02\n\n### Added\n\n- C is new.\n\n"
        "### Fixed\n\n- A is right.\n- B is\n  right.\n\n## 0.1.0 - 2026-11-24\n\n- First.\n"
    )


def test_without_fragments_nothing_is_written() -> None:
    before = (ROOT / "CHANGELOG.md").read_bytes()
    command = [sys.executable, str(ROOT / "tools" / "changes.py"), "not-a-version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[:5]) == (2, "Usage")
    assert (ROOT / "CHANGELOG.md").read_bytes() == before


def test_one_version_is_named_everywhere() -> None:
    package = json.loads((ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## ")[2].split(" ")[0]
    assert newest == __version__
