"""For the server: answers at once with what is known, fetches in the background, and reports changes."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass

from promptls.core.model import FetchResult
from promptls.core.secrets import masked_url, without_userinfo
from promptls.net.cache import Cache
from promptls.net.client import SLOW, Client
from promptls.net.now import MOST, TOO_MANY
from promptls.net.thread import LoopThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx

    from promptls.core.model import Timeouts
    from promptls.net.addresses import Resolve

    # Timeouts differ between harnesses: the same URL may be in time for one and too late for another.
    Key = tuple[str, Timeouts]

MAX_AGE = 300.0
RETRY_AFTER = 30.0
# A URL that has not been requested for this long (seconds) is forgotten.
FORGET_AFTER = 3600.0
# A URL not requested for this long (seconds) makes room for another: it was half of one being typed.
MAKES_ROOM_AFTER = 30.0
# Answers that arrive this close together (seconds) are reported together.
_TOGETHER = 0.01
_CLOSING = 0.1


@dataclass(slots=True)
class _Answer:
    """The last answer for one URL. ``run`` is set while it is being fetched.

    ``latest`` came last, and may differ in its times.
    """

    fetched: FetchResult
    asked: float
    checked: float | None = None
    run: object | None = None
    latest: FetchResult | None = None


class Background:
    """A ``Fetch`` that never waits. The same answer is the same object until something changed.

    Callable from any thread.
    """

    def __init__(
        self,
        on_change: Callable[[frozenset[str]], None],
        *,
        on_run: Callable[[bool], None] | None = None,
        cache: Cache | None = None,
        max_age: float = MAX_AGE,
        retry_after: float = RETRY_AFTER,
        clock: Callable[[], float] = time.monotonic,
        transport: httpx.AsyncBaseTransport | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        """``on_change`` receives the URLs whose answer has changed, on the background thread.

        ``on_run`` is called, on any thread, when something begins to run and when nothing does any more.
        ``max_age`` and ``retry_after`` are seconds: a good and a failed answer older than that is checked
        again when asked for. ``transport`` replaces the network, ``resolve`` the look-up of names.
        """
        self._on_change = on_change
        self._on_run = on_run
        self._runs = False
        self._cache = cache or Cache()
        self._client = Client(self._cache, transport, resolve=resolve)
        self._max_age = max_age
        self._retry_after = retry_after
        self._clock = clock
        # Guards everything below.
        self._lock = threading.RLock()
        self._enabled = True
        self._closed = False
        self._answers: dict[Key, _Answer] = {}
        self._changed: set[str] = set()
        self._thread: LoopThread | None = None

    def __call__(self, urls: Sequence[str], timeouts: Timeouts) -> list[FetchResult]:
        """What is known of ``urls`` now, in their order; unknown and stale ones are fetched."""
        with self._lock:
            return [self._answer((url, timeouts)) for url in urls]

    @property
    def enabled(self) -> bool:
        """Whether anything may be sent. Switching it off cancels running requests."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        with self._lock:
            self._enabled = value
            if not value:
                self._drop_runs()
                if self._thread is not None:
                    self._thread.cancel()

    def allow(self, hosts: Sequence[str]) -> None:
        """Allow these hosts, addresses and networks, which are otherwise refused; retry refused URLs."""
        with self._lock:
            if tuple(hosts) != self._client.allowed:
                self._client.allowed = tuple(hosts)
                for known in self._answers.values():
                    known.checked = None if known.fetched.state == "refused" else known.checked

    def latest(self, url: str) -> FetchResult | None:
        """The result of the last request for ``url``, with any timeouts; None if none has finished yet."""
        with self._lock:
            found = [
                known
                for (each, _), known in self._answers.items()
                if masked_url(each) == url and known.latest is not None
            ]
            return max(found, key=lambda known: known.checked or 0.0).latest if found else None

    def stop(self) -> None:
        """Cancel the running requests; they are retried as after a failure."""
        with self._lock:
            now = self._clock()
            for known in self._answers.values():
                if known.run is not None:
                    known.run, known.checked = None, now
            self._tell_runs()
            if self._thread is not None:
                self._thread.cancel()

    def close(self) -> None:
        """Stop at once: cancel running requests, send and report nothing more."""
        with self._lock:
            self._closed = True
            self._drop_runs()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.close(_CLOSING)

    def _answer(self, key: Key) -> FetchResult:
        if not self._enabled:
            return FetchResult(without_userinfo(key[0]), "disabled", detail="fetching is switched off")
        now = self._clock()
        known = self._answers.get(key)
        if known is None:
            self._forget()
            if not self._has_room(key[0], now):
                return FetchResult(without_userinfo(key[0]), "refused", detail=TOO_MANY)
            known = self._answers[key] = _Answer(self._remembered(key), now)
        known.asked = now
        age = self._max_age if known.fetched.state == "ok" else self._retry_after
        if known.checked is None or now - known.checked >= age:
            self._start(key, known)
        return known.fetched

    def _has_room(self, url: str, now: float) -> bool:
        """Whether one more URL may be requested."""
        others = {each for (each, _), known in self._answers.items() if known.asked > now - MAKES_ROOM_AFTER}
        return url in others or len(others) < MOST

    def _remembered(self, key: Key) -> FetchResult:
        """The cached answer, unless it was too slow for these timeouts; else ``pending``."""
        url, timeouts = without_userinfo(key[0]), key[1]
        entry = self._cache.load(url)
        if entry is None or entry.headers_seconds > timeouts.headers or entry.total_seconds > timeouts.total:
            return FetchResult(url, "pending", detail="not answered yet")
        return FetchResult(
            url,
            "ok",
            entry.text,
            status=entry.status,
            final_url=entry.final_url,
            headers_seconds=entry.headers_seconds,
            total_seconds=entry.total_seconds,
            from_cache=True,
            truncated=entry.truncated,
            fetched_at=entry.fetched_at,
        )

    def _forget(self) -> None:
        since = self._clock() - FORGET_AFTER
        self._answers = {key: known for key, known in self._answers.items() if known.asked > since}

    def _start(self, key: Key, known: _Answer) -> None:
        if known.run is not None or self._closed or not self._enabled:
            return
        known.run = run = object()
        if self._thread is None:
            self._thread = LoopThread("promptls-urls")
        self._thread.submit(self._check(key, run))
        self._tell_runs()

    def _drop_runs(self) -> None:
        for known in self._answers.values():
            known.run = None
        self._changed.clear()
        self._tell_runs()

    def _tell_runs(self) -> None:
        runs = any(known.run is not None for known in self._answers.values())
        if runs != self._runs:
            self._runs = runs
            if self._on_run is not None and not self._closed:
                self._on_run(runs)

    # From here on: the background thread.

    async def _check(self, key: Key, run: object) -> None:
        fetched = await self._client.fetch(*key)
        with self._lock:
            known = self._answers.get(key)
            if known is None or known.run is not run:  # switched off in the meantime
                return
            known.run = None
            known.checked = self._clock()
            known.latest = fetched
            if _differ(known.fetched, fetched):
                known.fetched = fetched
                if not self._changed:
                    asyncio.get_running_loop().call_later(_TOGETHER, self._tell)
                self._changed.add(key[0])
            self._tell_runs()

    def _tell(self) -> None:
        with self._lock:
            changed = frozenset(self._changed)
        try:
            if changed:
                self._on_change(changed)
        finally:
            # Only this thread adds to it, so no change is lost.
            with self._lock:
                self._changed.clear()


def _differ(old: FetchResult, new: FetchResult) -> bool:
    """Whether users would see a different answer; exact times do not count, but being slow does."""
    return _essence(old) != _essence(new)


def _essence(fetched: FetchResult) -> tuple[object, ...]:
    slow = (fetched.total_seconds or 0.0) >= SLOW
    return fetched.state, fetched.text, fetched.status, fetched.final_url, fetched.truncated, slow
