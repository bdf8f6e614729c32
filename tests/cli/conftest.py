from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from tests.limits import at_most

Check = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with nothing in it."""
    home = tmp_path_factory.mktemp("home")
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "PROMPTLS_CACHE_DIR",
        "ETCODE_TEST_HOME",
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_DIR",
        "NO_COLOR",
        "COLUMNS",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def check(capsysbinary: pytest.CaptureFixture[bytes]) -> Check:
    """Run a check; its JSON, and the exit code as ``code``."""

    def check(*args: object) -> dict[str, Any]:
        with at_most(10):
            code = main(["check", *map(str, args), "--format", "json", "--no-network"])
        out, err = capsysbinary.readouterr()
        assert err == b""
        return {"code": code, **json.loads(out)}

    return check


def reported(found: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Path, line from 1 and code of each problem."""
    return [(each["path"], each["range"]["start"]["line"] + 1, each["code"]) for each in found["problems"]]


def below_session(text: str) -> list[str]:
    """The lines of an answer below those that say which session it is about."""
    lines = text.splitlines()
    assert " · started in " in lines.pop(0)
    while lines and lines[0].startswith(("  ", "also ", "promptls:   ", "promptls: also ")):
        lines.pop(0)
    return lines
