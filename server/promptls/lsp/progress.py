"""Work-done progress: nothing for short operations, and only if the client shows it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from concurrent.futures import Future

from lsprotocol import types

from promptls.core.visible import visible
from promptls.errors import ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from pygls.progress import Progress as ClientProgress

# Seconds after which an operation counts as long.
LONG = 0.5

_tokens = itertools.count(1)


class Progress:
    """Work that may take long, as an asynchronous context manager.

    ``stop`` is called, on the loop, when the user has had enough; without it that cannot be said. With the client's
    own ``token`` it begins at once, else only if it ``may_begin``: the client can show it.
    """

    def __init__(
        self,
        shown: ClientProgress,
        title: str,
        stop: Callable[[], object] | None = None,
        token: types.ProgressToken | None = None,
        *,
        may_begin: bool,
    ) -> None:
        self._shown = shown
        self._may_begin = may_begin
        self._title = title
        self._stop = stop
        self._given = token
        self._token: types.ProgressToken | None = None
        self._last = ""
        self._waiting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin, now or later."""
        if self._given is not None:
            self._begin(self._given)
        elif self._may_begin:
            self._waiting = asyncio.ensure_future(self._begin_late())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Report the end, if the beginning was reported."""
        if self._waiting is not None:
            self._waiting.cancel()
        if self._token is not None:
            self._shown.end(self._token, types.WorkDoneProgressEnd())
            self._shown.tokens.pop(self._token, None)

    def report(self, message: str) -> None:
        """Report progress; on the loop."""
        self._last = message = visible(message)
        if self._token is not None:
            self._shown.report(self._token, types.WorkDoneProgressReport(message=message))

    async def _begin_late(self) -> None:
        await asyncio.sleep(LONG)
        token = f"promptls-{next(_tokens)}"
        with contextlib.suppress(ClientError):  # the client refuses to show it
            await asyncio.shield(asyncio.ensure_future(self._shown.create_async(token)))
            self._begin(token)

    def _begin(self, token: types.ProgressToken) -> None:
        begin = types.WorkDoneProgressBegin(self._title, cancellable=self._stop is not None, message=self._last or None)
        self._token = token
        self._shown.begin(token, begin)
        self._shown.tokens[token].add_done_callback(self._cancelled)

    def _cancelled(self, future: Future[object]) -> None:
        if future.cancelled() and self._stop is not None:
            self._stop()
