"""One request under the limits: time, redirects, size, schemes, and how many run at once.

httpx is imported by the first fetch, not with this module.
"""

from __future__ import annotations

import asyncio
import codecs
import functools
import logging
import re
import socket
import ssl
import time
from collections import defaultdict
from contextlib import aclosing
from dataclasses import dataclass

from promptls import __version__
from promptls.core.model import Fetched
from promptls.net.cache import Cache, Entry
from promptls.net.urls import without_userinfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    import httpx

    from promptls.core.model import FetchState, Patience

AT_ONCE = 4
AT_ONCE_PER_HOST = 2
REDIRECTS = 5
BODY = 1024 * 1024
# From here on (seconds) an answer is slow: its times are evidence, and a change across it is a change.
SLOW = 1.0

_HEADERS = {
    "User-Agent": f"promptls/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
_SCHEMES = ("http", "https")
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_REDIRECT = frozenset({301, 302, 303, 307, 308})
_NOT_MODIFIED = 304


class Client:
    """Fetches URLs on one event loop. All requests of one client share its limits."""

    def __init__(self, cache: Cache, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """``transport`` replaces the network."""
        self._cache = cache
        self._transport = transport
        self._all = asyncio.Semaphore(AT_ONCE)
        self._hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE_PER_HOST))

    async def fetch(self, asked: str, patience: Patience) -> Fetched:
        """What a harness with this patience gets for the URL ``asked``; never raises."""
        import httpx  # noqa: PLC0415 - 100 ms that only a fetch needs

        url = without_userinfo(asked)
        visit = _Visit(url, patience, self._cache.load(url))
        try:
            return await self._follow(visit)
        except TimeoutError:
            return visit.too_late()
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            what = "it is not a URL" if visit.is_new() else "it redirects to what is not a URL"
            return visit.failed("refused", f"{what} that can be asked for")
        except Exception as error:  # noqa: BLE001 - whatever a server or a URL causes is an answer
            return visit.failed("unreachable", _reason(error))

    async def _follow(self, visit: _Visit) -> Fetched:
        import httpx  # noqa: PLC0415 - loaded by fetch

        if self._transport is None:
            self._transport = _network()
        for _ in range(REDIRECTS + 1):
            url = httpx.URL(visit.at)
            if url.scheme not in _SCHEMES:
                return visit.failed("refused", "it has another scheme than http and https")
            if not url.host:
                return visit.failed("refused", "it names no host")
            # For one hop only: the next one may be another host's. Waiting here takes none of the patience.
            async with self._hosts[url.host], self._all:
                answer = await self._hop(visit, url, self._transport)
            if isinstance(answer, Fetched):
                return answer
            scheme = _SCHEME.match(answer)
            if scheme and scheme[1].lower() not in _SCHEMES:
                return visit.failed("refused", "it redirects to another scheme than http and https")
            visit.at = without_userinfo(str(url.join(answer)))
        return visit.failed("refused", f"more than {REDIRECTS} redirects")

    async def _hop(self, visit: _Visit, url: httpx.URL, transport: httpx.AsyncBaseTransport) -> Fetched | str:
        """The answer of one server, or where it redirects to."""
        import httpx  # noqa: PLC0415 - loaded by fetch

        request = httpx.Request("GET", url, headers={**_HEADERS, **visit.validators()})
        visit.resume()
        try:
            async with (
                asyncio.timeout(visit.left(visit.patience.headers)) as limit,
                aclosing(await transport.handle_async_request(request)) as response,
            ):
                if response.status_code in _REDIRECT and "location" in response.headers:
                    return response.headers["location"]
                visit.headers_arrived()
                limit.reschedule(asyncio.get_running_loop().time() + visit.left(visit.patience.total))
                return await self._answer(visit, response)
        finally:
            visit.pause()

    async def _answer(self, visit: _Visit, response: httpx.Response) -> Fetched:
        visit.status = response.status_code
        if visit.status == _NOT_MODIFIED and visit.entry is not None and visit.validators():
            entry = visit.entry
            truncated = entry.truncated
            text = entry.text
            visit.status = entry.status
            visit.from_cache = True
        elif not response.is_success:
            return visit.failed("status", f"the server answered {visit.status}")
        else:
            body, truncated = await _body(response)
            text = _decode(body, whole=not truncated)
        visit.pause()
        if visit.is_late():
            return visit.too_late()
        if not text:
            return visit.failed("empty", "the body is empty")
        fetched = visit.succeeded(text, truncated=truncated)
        if "no-store" not in response.headers.get("cache-control", "").lower():
            self._cache.store(visit.url, _entry(fetched, response.headers, visit.entry))
        return fetched


@dataclass(slots=True)
class _Visit:
    """How far one URL has come, and how long it has taken.

    ``spent`` are the seconds of the hops that are over: the time between them, spent waiting for other URLs,
    is not the server's.
    """

    url: str
    patience: Patience
    entry: Entry | None
    at: str = ""
    spent: float = 0.0
    started: float | None = None
    headers: float | None = None
    status: int | None = None
    from_cache: bool = False

    def __post_init__(self) -> None:
        self.at = self.url

    def resume(self) -> None:
        self.started = time.monotonic()

    def pause(self) -> None:
        self.spent, self.started = self.elapsed(), None

    def elapsed(self) -> float:
        return self.spent if self.started is None else self.spent + time.monotonic() - self.started

    def headers_arrived(self) -> None:
        self.headers = self.elapsed()

    def left(self, limit: float) -> float:
        return max(0.0, min(limit, self.patience.total) - self.elapsed())

    def is_late(self) -> bool:
        return self.headers is None or self.headers > self.patience.headers or self.spent > self.patience.total

    def validators(self) -> dict[str, str]:
        """What makes the server answer 304.

        Only for the address that gave the entry. Never where the body was slow: the harness fetches it whole,
        and a quick 304 would hide how long that takes.
        """
        entry = self.entry
        if entry is None or entry.final_url != self.at or entry.total_seconds > min(SLOW, self.patience.total):
            return {}
        headers = {"If-None-Match": entry.etag, "If-Modified-Since": entry.last_modified}
        return {name: value for name, value in headers.items() if value is not None and _is_plain(value)}

    def succeeded(self, text: str, *, truncated: bool) -> Fetched:
        detail = "longer than 1 MiB: only its beginning was read" if truncated else ""
        return self._fetched("ok", detail, text, truncated=truncated)

    def failed(self, state: FetchState, detail: str) -> Fetched:
        return self._fetched(state, detail)

    def too_late(self) -> Fetched:
        self.from_cache = False
        if self.headers is None or self.headers > self.patience.headers:
            return self.failed("timeout", f"no headers within {min(self.patience.headers, self.patience.total):g} s")
        return self.failed("timeout", f"the body was not complete within {self.patience.total:g} s")

    def is_new(self) -> bool:
        return not self.spent and self.started is None

    def _fetched(self, state: FetchState, detail: str, text: str = "", *, truncated: bool = False) -> Fetched:
        return Fetched(
            self.url,
            state,
            text,
            status=self.status,
            final_url=self.at if self.status is not None else None,
            headers_seconds=None if self.headers is None else round(self.headers, 3),
            total_seconds=None if self.is_new() else round(self.elapsed(), 3),
            from_cache=self.from_cache,
            truncated=truncated,
            detail=detail,
            fetched_at=None if self.is_new() else round(time.time(), 3),
        )


def _network() -> httpx.AsyncBaseTransport:
    """A bare transport: unlike a client it knows of no cookies, netrc, proxies of the environment or redirects.

    Each request is measured from its beginning, and no socket is left open.
    """
    import httpx  # noqa: PLC0415 - loaded by fetch

    # What it logs below a warning are URLs and headers, also the secrets in them.
    logging.getLogger("httpcore").setLevel(logging.WARNING)
    return httpx.AsyncHTTPTransport(verify=_tls(), trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))


@functools.cache
def _tls() -> ssl.SSLContext:
    """One for all clients: reading the certificates takes 40 ms."""
    import httpx  # noqa: PLC0415 - loaded by fetch

    return httpx.create_ssl_context(trust_env=False)


async def _body(response: httpx.Response) -> tuple[bytes, bool]:
    """The body, and whether it was cut at our limit."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > BODY:
            return bytes(body[:BODY]), True
    return bytes(body), False


def _decode(body: bytes, *, whole: bool) -> str:
    """UTF-8 with its byte order mark kept; a character that our limit cut in two is left out."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(body, final=whole)


def _entry(fetched: Fetched, headers: httpx.Headers, old: Entry | None) -> Entry:
    """``fetched`` for the disk. A 304 may leave out what the entry already has."""
    kept = old if fetched.from_cache else None
    return Entry(
        text=fetched.text,
        status=fetched.status or 0,
        final_url=fetched.final_url or fetched.url,
        headers_seconds=fetched.headers_seconds or 0.0,
        total_seconds=fetched.total_seconds or 0.0,
        fetched_at=fetched.fetched_at or 0.0,
        etag=headers.get("etag", kept and kept.etag),
        last_modified=headers.get("last-modified", kept and kept.last_modified),
        truncated=fetched.truncated,
    )


def _is_plain(value: str) -> bool:
    return value.isascii() and value.isprintable()


def _reason(error: BaseException) -> str:
    """One clause for people. Never the error's own text: it may hold what the server or the URL said."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return "its host name is not known"
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "its certificate could not be verified"
        if isinstance(cause, ssl.SSLError):
            return "no TLS connection could be made"
        if isinstance(cause, ConnectionRefusedError):
            return "the connection was refused"
    return f"the connection failed ({type(error).__name__})"


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in found:
        found.append(following)
        if isinstance(following, BaseExceptionGroup):
            found.extend(following.exceptions)
        following = following.__cause__ or following.__context__
    return found
