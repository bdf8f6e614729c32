from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from promptls.net.cache import Cache
from tests.net.loopback import Server


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """No name is ever looked up: every one is unknown. Holds the names."""
    names: list[object] = []

    def unknown(host: object, *_: object, **__: object) -> None:
        names.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    return names
