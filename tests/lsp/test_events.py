"""Who may tell what has happened: the loop, and no worker."""

from __future__ import annotations

import asyncio

import pytest

from promptls.lsp.events import Event


async def test_an_event_is_for_the_loop() -> None:
    event: Event[str] = Event()
    heard: list[str] = []
    event.listen(heard.append)
    event.emit("here")
    with pytest.raises(RuntimeError):
        await asyncio.to_thread(event.emit, "elsewhere")
    assert heard == ["here"]
