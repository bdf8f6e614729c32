"""One request within the limits: time, redirects, size, schemes, and the number of parallel requests.

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
from dataclasses import dataclass, field

from promptls import __version__
from promptls.core.lazy import regex
from promptls.core.model import FetchResult
from promptls.core.secrets import masked_url, without_userinfo
from promptls.net import addresses
from promptls.net.cache import Cache, CachedAnswer, digest
from promptls.net.packed import BrokenError, CodingError, Unpacker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx

    from promptls.core.model import FetchState, Timeouts
    from promptls.net.addresses import Place, Resolve

AT_ONCE = 4
AT_ONCE_PER_HOST = 2
REDIRECTS = 5
BODY = 1024 * 1024
# At most this much of a compressed body is read, even if it expands to less.
PACKED_BODY = 2 * BODY
# Only this many addresses of a host are tried, each but the last for this many seconds.
ADDRESSES = 4
CONNECT = 1.0
# From here on (seconds) an answer is slow: its times are evidence, and a change across it is a change.
SLOW = 1.0

_HEADERS = {
    "User-Agent": f"promptls/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
_SCHEMES = ("http", "https")
_SCHEME = regex(r"\s*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_REDIRECT = frozenset({301, 302, 303, 307, 308})
_NOT_MODIFIED = 304


class Client:
    """Fetches URLs on one event loop. All requests of one client share its limits."""

    def __init__(
        self,
        cache: Cache,
        transport: httpx.AsyncBaseTransport | None = None,
        *,
        resolve: Resolve | None = None,
        allowed: Sequence[str] = (),
    ) -> None:
        """``transport`` replaces the network, ``resolve`` the name lookup: a transport alone does its own lookup.

        ``allowed``: hosts, addresses and networks that the user has named, which are refused otherwise.
        """
        self.allowed = tuple(allowed)
        self._cache = cache
        self._transport = transport
        self._resolve = resolve or (addresses.resolve if transport is None else None)
        self._all = asyncio.Semaphore(AT_ONCE)
        self._hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE_PER_HOST))

    async def fetch(self, asked: str, timeouts: Timeouts) -> FetchResult:
        """What a harness with these timeouts gets for the URL ``asked``; never raises."""
        import httpx  # noqa: PLC0415 - 100 ms that only a fetch needs

        url = without_userinfo(asked)
        visit = _Visit(url, timeouts, self._cache.load(url))
        try:
            return await self._follow(visit)
        except TimeoutError:
            return visit.too_late()
        except (_RefusedError, CodingError) as error:
            return visit.failed("refused", str(error))
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            what = "it is not a URL" if visit.is_new() else "it redirects to something that is not a URL"
            return visit.failed("refused", f"{what} that can be requested")
        except Exception as error:  # noqa: BLE001 - whatever a server or a URL causes is an answer
            return visit.failed("unreachable", _reason(error))

    async def _follow(self, visit: _Visit) -> FetchResult:
        import httpx  # noqa: PLC0415 - loaded by fetch

        if self._transport is None:
            self._transport = _network()
        for _ in range(REDIRECTS + 1):
            url = httpx.URL(visit.at)
            if url.scheme not in _SCHEMES:
                return visit.failed("refused", "its scheme is neither http nor https")
            if not url.host:
                return visit.failed("refused", "it names no host")
            # For one hop only: the next one may be to another host. Waiting here does not count towards the timeout.
            async with self._hosts[url.host], self._all:
                answer = await self._hop(visit, url, self._transport)
            if isinstance(answer, FetchResult):
                return answer
            scheme = _SCHEME.match(answer)
            if scheme and scheme[1].lower() not in _SCHEMES:
                return visit.failed("refused", "it redirects to a URL that is neither http nor https")
            visit.at = without_userinfo(str(url.join(answer)))
        return visit.failed("refused", f"more than {REDIRECTS} redirects")

    async def _hop(self, visit: _Visit, url: httpx.URL, transport: httpx.AsyncBaseTransport) -> FetchResult | str:
        """The answer of one server, or where it redirects to."""
        own = addresses.literal(url.host)
        if own is not None or addresses.is_refused_name(url.host, self.allowed):
            self._judge(visit, url.host, [own] if own is not None else [])
        visit.resume()
        try:
            async with (
                asyncio.timeout(visit.left(visit.timeouts.headers)) as limit,
                aclosing(await self._send(visit, url, transport, own)) as response,
            ):
                if response.status_code in _REDIRECT and "location" in response.headers:
                    return response.headers["location"]
                visit.headers_arrived()
                limit.reschedule(asyncio.get_running_loop().time() + visit.left(visit.timeouts.total))
                return await self._answer(visit, response)
        finally:
            visit.pause()

    async def _send(
        self, visit: _Visit, url: httpx.URL, transport: httpx.AsyncBaseTransport, own: str | None
    ) -> httpx.Response:
        """The answer of the first address that can be reached; ``own`` is the one that the URL names itself.

        The connection is made to an address that was judged, so that no second look-up can lead elsewhere.
        """
        import httpx  # noqa: PLC0415 - loaded by fetch

        host = url.raw_host.decode("ascii")
        found = [own or host]
        if own is None and self._resolve is not None:
            if host not in visit.known:
                port = url.port or (443 if url.scheme == "https" else 80)
                visit.known[host] = _mixed(await self._resolve(host, port))[:ADDRESSES]
            found = visit.known[host]
            self._judge(visit, host, found)
        last = found[-1]
        headers = {"Host": url.netloc.decode("ascii"), **_HEADERS, **visit.validators()}
        for address in found:
            extensions: dict[str, object] = {"sni_hostname": host}
            if address is not last:
                extensions["timeout"] = {"connect": CONNECT}
            there = url.copy_with(host=address)
            try:
                return await transport.handle_async_request(
                    httpx.Request("GET", there, headers=headers, extensions=extensions)
                )
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if address is last:
                    raise
        raise AssertionError("the last address answers or raises")

    def _judge(self, visit: _Visit, host: str, found: Sequence[str]) -> None:
        """Record where the next hop goes; raise if it must not go there."""
        there = addresses.place(host, found, self.allowed)
        if there == "refused":
            raise _RefusedError(
                "it leads to a link-local or cloud-metadata address, which only your own setting urls.allow can allow"
            )
        if visit.place is not None and addresses.NEARNESS.index(there) > addresses.NEARNESS.index(visit.place):
            raise _RefusedError(f"it is redirected from a {visit.place} address to a {there} one")
        visit.place = there

    async def _answer(self, visit: _Visit, response: httpx.Response) -> FetchResult:
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
            self._cache.store(visit.url, _entry(fetched, visit.at, response.headers, visit.entry))
        return fetched


class _RefusedError(Exception):
    """A URL that is not followed. The text is a clause for users."""


def _mixed(found: Sequence[str]) -> list[str]:
    """The addresses in order, alternating between both kinds: one kind may be unreachable from here.

    Raises:
        socket.gaierror: there is none.
    """
    six, four = ([each for each in dict.fromkeys(found) if (":" in each) is is_six] for is_six in (True, False))
    first, second = (six, four) if found and ":" in found[0] else (four, six)
    pairs = [each for pair in zip(first, second, strict=False) for each in pair]
    mixed = [*pairs, *first[len(second) :], *second[len(first) :]]
    if not mixed:
        raise socket.gaierror(socket.EAI_NONAME, "no address")
    return mixed


@dataclass(slots=True)
class _Visit:
    """The progress of one URL, and the time it has taken.

    ``spent`` are the seconds of the hops that are over: the time between them, spent waiting for other URLs,
    is not the server's.
    """

    url: str
    timeouts: Timeouts
    entry: CachedAnswer | None
    at: str = ""
    spent: float = 0.0
    started: float | None = None
    headers: float | None = None
    status: int | None = None
    from_cache: bool = False
    # The target of the last hop, and the addresses of each host: a name is looked up once.
    place: Place | None = None
    known: dict[str, list[str]] = field(default_factory=dict)

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
        return max(0.0, min(limit, self.timeouts.total) - self.elapsed())

    def is_late(self) -> bool:
        return self.headers is None or self.headers > self.timeouts.headers or self.spent > self.timeouts.total

    def validators(self) -> dict[str, str]:
        """The headers that make the server answer 304.

        Only for the address that gave the entry. Never where the body was slow: the harness fetches it whole,
        and a quick 304 would hide how long that takes.
        """
        entry = self.entry
        if entry is None or not entry.is_of(self.at) or entry.total_seconds > min(SLOW, self.timeouts.total):
            return {}
        headers = {"If-None-Match": entry.etag, "If-Modified-Since": entry.last_modified}
        return {name: value for name, value in headers.items() if value is not None and _is_plain(value)}

    def succeeded(self, text: str, *, truncated: bool) -> FetchResult:
        detail = "longer than 1 MiB: only the beginning was read" if truncated else ""
        return self._fetched("ok", detail, text, truncated=truncated)

    def failed(self, state: FetchState, detail: str) -> FetchResult:
        return self._fetched(state, detail)

    def too_late(self) -> FetchResult:
        self.from_cache = False
        if self.headers is None or self.headers > self.timeouts.headers:
            return self.failed("timeout", f"no headers within {min(self.timeouts.headers, self.timeouts.total):g} s")
        return self.failed("timeout", f"the body was not complete within {self.timeouts.total:g} s")

    def is_new(self) -> bool:
        return not self.spent and self.started is None

    def _fetched(self, state: FetchState, detail: str, text: str = "", *, truncated: bool = False) -> FetchResult:
        return FetchResult(
            self.url,
            state,
            text,
            status=self.status,
            final_url=masked_url(self.at) if self.status is not None else None,
            headers_seconds=None if self.headers is None else round(self.headers, 3),
            total_seconds=None if self.is_new() else round(self.elapsed(), 3),
            from_cache=self.from_cache,
            truncated=truncated,
            detail=detail,
            fetched_at=None if self.is_new() else round(time.time(), 3),
        )


def _network() -> httpx.AsyncBaseTransport:
    """A bare transport: unlike a client, it ignores cookies, netrc, proxies in the environment and redirects.

    Each request is measured from its beginning, and no socket is left open.
    """
    import httpx  # noqa: PLC0415 - loaded by fetch

    # Below warnings, it logs URLs and headers with the secrets in them.
    logging.getLogger("httpcore").setLevel(logging.WARNING)
    return httpx.AsyncHTTPTransport(verify=_tls(), trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))


@functools.cache
def _tls() -> ssl.SSLContext:
    """One for all clients: reading the certificates takes 40 ms."""
    import httpx  # noqa: PLC0415 - loaded by fetch

    return httpx.create_ssl_context(trust_env=False)


async def _body(response: httpx.Response) -> tuple[bytes, bool]:
    """The body, and whether it was cut at our limit. It is decompressed here: httpx decompresses whole chunks."""
    import httpx  # noqa: PLC0415 - loaded by fetch

    unpacker = Unpacker(response.headers.get("content-encoding", ""))
    body, received = bytearray(), 0
    if not isinstance(response.stream, httpx.AsyncByteStream):
        raise TypeError("an asynchronous transport answers with an asynchronous stream")
    async for chunk in response.stream:
        received += len(chunk)
        body += unpacker.unpack(chunk, BODY + 1 - len(body))
        if len(body) > BODY or received > PACKED_BODY:
            return bytes(body[:BODY]), True
    unpacker.end()
    return bytes(body), False


def _decode(body: bytes, *, whole: bool) -> str:
    """UTF-8 with its byte order mark kept; a character that our limit split is dropped."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(body, final=whole)


def _entry(fetched: FetchResult, at: str, headers: httpx.Headers, old: CachedAnswer | None) -> CachedAnswer:
    """``fetched`` for the cache. A 304 may omit what the entry already has."""
    kept = old if fetched.from_cache else None
    return CachedAnswer(
        text=fetched.text,
        status=fetched.status or 0,
        final_url=fetched.final_url or masked_url(fetched.url),
        final_digest=digest(at) if masked_url(at) != at else "",
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
    """One clause for users. Never the error's own text: it may contain text of the server or the URL."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return "its host name cannot be resolved"
        if isinstance(cause, BrokenError):
            return str(cause)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "its certificate could not be verified"
        if isinstance(cause, ssl.SSLError):
            return "the TLS connection failed"
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
