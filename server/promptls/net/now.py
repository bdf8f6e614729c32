"""For the command line: fetch, and wait as long as the harness would."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx

    from promptls.core.model import FetchResult, Timeouts
    from promptls.net.addresses import Resolve
    from promptls.net.cache import Cache

    Wanted = tuple[str, Timeouts]

# At most this many URLs are requested per folder, and all of them together may take this many seconds.
MOST = 100
SECONDS = 60.0
TOO_MANY = f"promptls requests at most {MOST} URLs per folder"
TOO_LATE = f"promptls waits at most {SECONDS:g} s for all URLs of a folder"


class Fetcher:
    """A ``Fetch`` that waits. It requests each URL once, and its limits apply to all its requests together."""

    def __init__(
        self,
        *,
        allowed: Sequence[str] = (),
        cache: Cache | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        resolve: Resolve | None = None,
        seconds: float = SECONDS,
        say: Callable[[int], object] = lambda _: None,
    ) -> None:
        """``allowed``, ``transport`` and ``resolve`` are those of a client; ``say`` gets the number of pending URLs."""
        self._allowed = allowed
        self._cache = cache
        self._transport = transport
        self._resolve = resolve
        self._left = seconds
        self._say = say
        self._results: dict[Wanted, FetchResult] = {}
        self._urls: set[str] = set()

    def __call__(self, urls: Sequence[str], timeouts: Timeouts) -> list[FetchResult]:
        """The answers in the order of ``urls``. Never raises."""
        wanted = [url for url in dict.fromkeys(urls) if (url, timeouts) not in self._results]
        if wanted:
            self._fetch(wanted, timeouts)
        return [self._results[url, timeouts] for url in urls]

    def unasked(self) -> int:
        """How many URLs were not requested because of the limits."""
        over = {url for (url, _), known in self._results.items() if known.detail in (TOO_MANY, TOO_LATE)}
        return len(over)

    def _fetch(self, wanted: Sequence[str], timeouts: Timeouts) -> None:
        from promptls.core.model import FetchResult  # noqa: PLC0415 - most previews ask for no URL
        from promptls.core.secrets import without_userinfo  # noqa: PLC0415 - the same

        asked: list[str] = []
        for url in wanted:
            if url in self._urls or len(self._urls) < MOST:
                self._urls.add(url)
                asked.append(url)
            else:
                self._results[url, timeouts] = FetchResult(without_userinfo(url), "refused", detail=TOO_MANY)
        if not asked:
            return
        self._say(len(asked))
        started = time.monotonic()
        self._ask(asked, timeouts)
        self._left = max(0.0, self._left - (time.monotonic() - started))
        for url in asked:
            if (url, timeouts) not in self._results:
                self._results[url, timeouts] = FetchResult(without_userinfo(url), "refused", detail=TOO_LATE)

    def _ask(self, urls: Sequence[str], timeouts: Timeouts) -> None:
        """Record each answer that arrives in time."""
        import asyncio  # noqa: PLC0415 - most previews ask for no URL

        from promptls.net.cache import Cache  # noqa: PLC0415 - the same
        from promptls.net.client import Client  # noqa: PLC0415 - the same
        from promptls.net.thread import LoopThread  # noqa: PLC0415 - the same

        async def fetch() -> None:
            client = Client(self._cache or Cache(), self._transport, resolve=self._resolve, allowed=self._allowed)

            async def one(url: str) -> None:
                self._results[url, timeouts] = await client.fetch(url, timeouts)

            # Not asyncio.timeout: a request would mistake it for its own timeout.
            tasks = [asyncio.ensure_future(one(url)) for url in urls]
            _, late = await asyncio.wait(tasks, timeout=self._left)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

        thread = LoopThread("promptls-fetch")
        try:
            thread.submit(fetch()).result()
        finally:
            thread.close(seconds=0.2)


def fetch_now(
    urls: Sequence[str],
    timeouts: Timeouts,
    *,
    cache: Cache | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    resolve: Resolve | None = None,
    allowed: Sequence[str] = (),
) -> list[FetchResult]:
    """Fetch all ``urls`` at once and wait for them; the answers are in the same order.

    What is cached counts only after the server confirmed it now. Never raises.
    ``transport`` replaces the network, ``resolve`` the look-up of names.
    """
    return Fetcher(cache=cache, transport=transport, resolve=resolve, allowed=allowed)(urls, timeouts)
