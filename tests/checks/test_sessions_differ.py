from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import cli
from tests.folder import lay_out


def test_an_import_that_one_session_follows_is_not_reported_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Claude Code drops the imports of a CLAUDE.md above the working directory; most people start in the root."""
    folder = lay_out(
        tmp_path / "folder",
        {
            "CLAUDE.md": "See @docs/a.md and @docs/missing.md\n",
            "docs/a.md": "a\n",
            "src/CLAUDE.md": "nested\n",
            "src/a.py": "x\n",
        },
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(folder)
    assert cli.main(["check", "--format", "json", "--no-network"]) == 0
    found = json.loads(capsysbinary.readouterr().out)["problems"]
    assert [(each["code"], each["range"]["start"]["character"]) for each in found] == [("import-missing", 19)]
