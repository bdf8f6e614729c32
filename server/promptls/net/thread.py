"""An event loop on its own daemon thread, so that exiting never waits for the network."""

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
    """A running event loop, and the work submitted to it."""

    def __init__(self, name: str) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_DaemonThreads())
        # A library drops a connection that was made at the moment its task was cancelled. asyncio refers to it weakly;
        # so that it is not lost before the end, it is held here.
        self._connections: dict[int, asyncio.Transport] = {}
        if "_transports" in vars(self._loop):
            vars(self._loop)["_transports"] = self._connections
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
        """Cancel submitted work that has not finished."""
        for future in tuple(self._futures):
            future.cancel()

    def close(self, seconds: float) -> None:
        """Cancel running work and stop; work that has not ended after ``seconds`` is abandoned."""
        self.cancel()
        self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        loop = self._loop
        loop.run_forever()
        # Already cancelled, from the outside in: cancelling a library's inner task before it starts may fail.
        if tasks := asyncio.all_tasks(loop):
            loop.run_until_complete(asyncio.wait(tasks))
        for transport in tuple(self._connections.values()):
            transport.abort()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


class _DaemonThreads(ThreadPoolExecutor):
    """One thread per call. A host name lookup cannot be cancelled, and exiting must not wait for it."""

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
