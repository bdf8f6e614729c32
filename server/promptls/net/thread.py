"""An event loop on a daemon thread of its own, so that nobody has to wait for the network to end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


class LoopThread:
    """A running event loop, and what was submitted to it."""

    def __init__(self, name: str) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_DaemonThreads())
        self._futures: set[Future[Any]] = set()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, coroutine: Coroutine[object, object, T]) -> Future[T]:
        """Run ``coroutine`` on the loop."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def cancel(self) -> None:
        """Cancel what was submitted and has not ended."""
        for future in tuple(self._futures):
            future.cancel()

    def close(self, patience: float) -> None:
        """Cancel what runs and end; what has not ended after ``patience`` seconds is left behind."""
        self.cancel()
        self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join(patience)

    def _run(self) -> None:
        loop = self._loop
        loop.run_forever()
        # Cancelled already, from the outside in: a library's inner task may not like to be hit before it began.
        if tasks := asyncio.all_tasks(loop):
            loop.run_until_complete(asyncio.wait(tasks))
        # A library drops the connection that was made at the moment in which its task was cancelled.
        for transport in list(getattr(loop, "_transports", {}).values()):
            transport.abort()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


class _DaemonThreads(ThreadPoolExecutor):
    """A thread for each call. Looking up a host name cannot be cancelled, and no exit may wait for it."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the future
                future.set_exception(error)

        threading.Thread(target=work, name="promptls-lookup", daemon=True).start()
        return future
