from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

import pytest
from lsprotocol import converters

from promptls.lsp import folder_checks
from promptls.lsp.features import changes
from promptls.lsp.main import create
from tests.lsp.checking import InProcess
from tests.lsp.client import Client

_converter = cache(converters.get_converter)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with nothing in it."""
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ETCODE_TEST_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(home / "cache"))
    return home


@pytest.fixture(autouse=True)
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server looks for changes when it is asked to: on a busy machine a look of its own may come in between."""
    monkeypatch.setattr(changes, "LOOK_EVERY", 3600.0)


@pytest.fixture(autouse=True)
def converted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """All servers have one converter, which compiles the code for each message once; a process has one server."""
    monkeypatch.setattr(converters, "get_converter", _converter)


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are checked in the process of the tests, which is faster; test_checker.py has the real one."""
    monkeypatch.setattr(folder_checks, "Checker", InProcess)


@pytest.fixture
async def client(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Client]:
    """A client of a server of its own. Every message has to be taken, and nothing may be in the log:
    a test that expects an entry takes it by ``caplog.clear()``."""
    client = Client(create())
    yield client
    client.finish()
    await client.stop()
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING] == []
