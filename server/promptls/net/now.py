"""For the command line: fetch, and wait as long as the harness would."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx

    from promptls.core.model import Fetched, Patience
    from promptls.net.cache import Cache


def fetch_now(
    urls: Sequence[str],
    patience: Patience,
    *,
    cache: Cache | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[Fetched]:
    """Fetch all ``urls`` at once and wait for them; the answers in the same order.

    What is cached counts only after the server confirmed it now. Never raises.
    ``transport`` replaces the network.
    """
    if not urls:
        return []
    import asyncio  # noqa: PLC0415 - most previews ask for no URL

    from promptls.net.cache import Cache  # noqa: PLC0415 - the same
    from promptls.net.client import Client  # noqa: PLC0415 - the same
    from promptls.net.thread import LoopThread  # noqa: PLC0415 - the same

    async def fetch() -> list[Fetched]:
        client = Client(cache or Cache(), transport)
        wanted = list(dict.fromkeys(urls))
        answers = await asyncio.gather(*(client.fetch(url, patience) for url in wanted))
        known = dict(zip(wanted, answers, strict=True))
        return [known[url] for url in urls]

    thread = LoopThread("promptls-fetch")
    try:
        return thread.submit(fetch()).result()
    finally:
        thread.close(patience=0.2)
