from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest

from promptls.lsp.main import create
from tests.lsp.client import Client


@pytest.fixture
async def client(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Client]:
    """A client of a server of its own. Every message has to be taken, and nothing may be in the log:
    a test that expects an entry takes it by ``caplog.clear()``."""
    client = Client(create())
    yield client
    client.finish()
    records = caplog.get_records("call")
    assert [each.getMessage() for each in records if each.levelno >= logging.WARNING] == []
