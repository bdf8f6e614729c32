"""Progress of what takes long: nothing for what is over soon, and only where the client shows it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from concurrent.futures import Future

from lsprotocol import types

from promptls.lsp.protocol import ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from promptls.lsp.server import PromptServer

# Seconds after which something takes long.
LONG = 0.5

_tokens = itertools.count(1)


class Progress:
    """Work that may take long, as an asynchronous context manager.

    ``stop`` is called, on the loop, when the user has had enough; without it that cannot be said. With the client's
    own ``token`` it begins at once.
    """

    def __init__(
        self,
        server: PromptServer,
        title: str,
        stop: Callable[[], object] | None = None,
        token: types.ProgressToken | None = None,
    ) -> None:
        self._server = server
        self._title = title
        self._stop = stop
        self._given = token
        self._token: types.ProgressToken | None = None
        self._last = ""
        self._waiting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin, sooner or later."""
        if self._given is not None:
            self._begin(self._given)
        elif self._server.client.work_done_progress:
            self._waiting = asyncio.ensure_future(self._begin_late())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say that it is over, if it was said to have begun."""
        if self._waiting is not None:
            self._waiting.cancel()
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._server.work_done_progress.tokens.pop(self._token, None)

    def report(self, message: str) -> None:
        """How far it is; on the loop."""
        self._last = message
        if self._token is not None:
            self._server.work_done_progress.report(self._token, types.WorkDoneProgressReport(message=message))

    async def _begin_late(self) -> None:
        await asyncio.sleep(LONG)
        token = f"promptls-{next(_tokens)}"
        with contextlib.suppress(ClientError):  # it does not want to show it
            await asyncio.shield(asyncio.ensure_future(self._server.work_done_progress.create_async(token)))
            self._begin(token)

    def _begin(self, token: types.ProgressToken) -> None:
        progress = self._server.work_done_progress
        begin = types.WorkDoneProgressBegin(self._title, cancellable=self._stop is not None, message=self._last or None)
        self._token = token
        progress.begin(token, begin)
        progress.tokens[token].add_done_callback(self._cancelled)

    def _cancelled(self, future: Future[object]) -> None:
        if future.cancelled() and self._stop is not None:
            self._stop()
