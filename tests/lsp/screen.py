"""What a client shows that is pushed diagnostics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from promptls.lsp.uris import path_of, uri_of
from tests.lsp.client import LIMIT, PUBLISH, Client


class Screen:
    """The codes that a client shows, by path below ``top``, as they are pushed to it."""

    def __init__(self, client: Client, top: Path) -> None:
        self._client = client
        self._top = top
        self.codes: dict[str, list[str]] = {}
        self.items: dict[str, list[dict[str, Any]]] = {}

    async def until(self, wanted: dict[str, list[str]]) -> None:
        try:
            await self._client.until(lambda: self._taken() == wanted)
        except TimeoutError:
            raise AssertionError(f"{self.codes} is shown") from None

    def _taken(self) -> dict[str, list[str]]:
        for message in [each for each in self._client.inbox if each.get("method") == PUBLISH]:
            self._client.inbox.remove(message)
            path = (path_of(message["params"]["uri"]) or "").removeprefix(f"{self._top}/")
            self.items[path] = message["params"]["diagnostics"]
            self.codes[path] = [each["code"] for each in self.items[path]]
        return {path: codes for path, codes in self.codes.items() if codes}


def changed(*paths: Path) -> dict[str, Any]:
    return {"changes": [{"uri": uri_of(str(path)), "type": 2} for path in paths]}


async def until(condition: Callable[[], object]) -> None:
    """Wait for what no message tells."""
    async with asyncio.timeout(LIMIT):
        while not condition():  # noqa: ASYNC110 - it changes on the loop, and nobody tells of it
            await asyncio.sleep(0)
