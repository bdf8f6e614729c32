from __future__ import annotations

import asyncio
import gzip
import logging
import os
import socket
import threading
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

import promptls
from promptls.core.model import FetchResult, Timeouts
from promptls.net.cache import Cache, CachedAnswer
from promptls.net.now import fetch_now
from tests.net.loopback import BOUND, Answer, Server, closed_port

LONG = Timeouts(headers=BOUND, total=BOUND)
SHORT = Timeouts(headers=0.2, total=0.2)


def fetch(url: str, cache: Cache, timeouts: Timeouts = LONG) -> FetchResult:
    [fetched] = fetch_now([url], timeouts, cache=cache)
    return fetched


def redirect(target: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": target})


def test_a_text_comes_with_its_times(server: Server, cache: Cache) -> None:
    url = server.url("/a", Answer(b"\xef\xbb\xbfa\r\n\xff"))
    fetched = fetch(url, cache)
    assert fetched.state == "ok"
    assert fetched.text == "\ufeffa\r\n\ufffd"
    assert (fetched.url, fetched.final_url, fetched.status) == (url, url, 200)
    assert fetched.headers_seconds is not None
    assert fetched.total_seconds is not None
    assert 0 <= fetched.headers_seconds <= fetched.total_seconds < BOUND
    assert not fetched.from_cache
    assert not fetched.truncated
    assert not fetched.detail


def test_answers_keep_the_order_and_a_url_is_asked_once(server: Server, cache: Cache) -> None:
    urls = [server.url(f"/{name}", Answer(name.encode())) for name in "abcab"]
    assert [fetched.text for fetched in fetch_now(urls, LONG, cache=cache)] == list("abcab")
    assert sorted(path for path, _ in server.requests) == ["/a", "/b", "/c"]


def test_nothing_asked_for_is_nothing_fetched() -> None:
    assert fetch_now([], LONG) == []


def test_it_works_inside_a_running_loop(server: Server, cache: Cache) -> None:
    async def inside() -> FetchResult:
        return fetch(server.url("/a", Answer()), cache)

    assert asyncio.run(inside()).state == "ok"


def test_we_say_who_asks(server: Server, cache: Cache) -> None:
    fetch(server.url("/a", Answer()), cache)
    [(_, headers)] = server.requests
    assert headers["user-agent"] == f"promptls/{promptls.__version__}"


@pytest.mark.parametrize("status", [400, 404, 500, 503, 304, 300])
def test_other_statuses_are_not_retried(server: Server, cache: Cache, status: int) -> None:
    fetched = fetch(server.url("/a", Answer(status=status)), cache)
    assert (fetched.state, fetched.status, fetched.text) == ("status", status, "")
    assert fetched.detail == f"the server answered {status}"
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [200, 204])
def test_an_empty_body_is_empty(server: Server, cache: Cache, status: int) -> None:
    assert fetch(server.url("/a", Answer(b"", status=status)), cache).state == "empty"


def test_a_large_body_is_cut_between_two_characters(server: Server, cache: Cache) -> None:
    body = ("a" + "\u00e9" * (3 * 512 * 1024)).encode()
    url = server.url("/a", Answer(body, etag='"1"'))
    fetched = fetch(url, cache)
    assert (fetched.state, fetched.truncated) == ("ok", True)
    assert fetched.text.encode() == body[: 1024 * 1024 - 1]
    again = fetch(url, cache)
    assert (again.text, again.truncated, again.from_cache) == (fetched.text, True, True)


def test_exactly_the_limit_is_whole(server: Server, cache: Cache) -> None:
    fetched = fetch(server.url("/a", Answer(b"a" * 1024 * 1024)), cache)
    assert (len(fetched.text), fetched.truncated) == (1024 * 1024, False)


def test_a_packed_body_is_unpacked_and_still_limited(server: Server, cache: Cache) -> None:
    packed = Answer(gzip.compress(b"a" * 3 * 1024 * 1024), headers={"Content-Encoding": "gzip"})
    fetched = fetch(server.url("/a", packed), cache)
    assert (len(fetched.text), fetched.truncated) == (1024 * 1024, True)


def test_a_body_that_is_not_packed_as_it_says_is_no_text(server: Server, cache: Cache) -> None:
    fetched = fetch(server.url("/a", Answer(b"plain", headers={"Content-Encoding": "gzip"})), cache)
    assert (fetched.state, fetched.text) == ("unreachable", "")


def test_a_body_that_ends_early_is_no_text(server: Server, cache: Cache) -> None:
    fetched = fetch(server.url("/a", Answer(b"text", headers={"Content-Length": "9"})), cache)
    assert (fetched.state, fetched.text) == ("unreachable", "")


class TestTime:
    def test_no_headers_in_time(self, server: Server, cache: Cache) -> None:
        fetched = fetch(server.url("/a", Answer(hold=server.gate())), cache, SHORT)
        assert (fetched.state, fetched.detail) == ("timeout", "no headers within 0.2 s")
        assert fetched.headers_seconds is None
        assert fetched.total_seconds is not None
        assert 0.2 <= fetched.total_seconds < BOUND

    def test_a_slow_body_is_too_late_for_a_harness_with_one_limit(self, server: Server, cache: Cache) -> None:
        timeouts = Timeouts(headers=1.0, total=1.0)
        fetched = fetch(server.url("/a", Answer(hold_body=server.gate())), cache, timeouts)
        assert (fetched.state, fetched.text) == ("timeout", "")
        assert fetched.detail == "the body was not complete within 1 s"
        assert fetched.headers_seconds is not None
        assert fetched.headers_seconds <= 1.0

    def test_a_slow_body_is_waited_for_by_a_harness_with_a_limit_to_the_headers(
        self, server: Server, cache: Cache
    ) -> None:
        slow = Answer(b"slow", hold_body=server.gate(), wait=1.2)
        fetched = fetch(server.url("/a", slow), cache, Timeouts(headers=1.0, total=BOUND))
        assert (fetched.state, fetched.text) == ("ok", "slow")
        assert fetched.headers_seconds is not None
        assert fetched.total_seconds is not None
        assert fetched.headers_seconds <= 1.0
        assert fetched.total_seconds >= 1.2

    def test_the_time_to_the_headers_is_over_all_redirects(self, server: Server, cache: Cache) -> None:
        # Each of the three servers is quick enough alone.
        for number in range(3):
            step = redirect(f"/{number + 1}") if number < 2 else Answer()
            step.hold, step.wait = server.gate(), 0.15
            server.url(f"/{number}", step)
        fetched = fetch(server.url("/0"), cache, Timeouts(headers=0.35, total=BOUND))
        assert (fetched.state, fetched.detail) == ("timeout", "no headers within 0.35 s")

    def test_waiting_for_the_others_is_not_the_servers_time(self, server: Server, cache: Cache) -> None:
        urls = [server.url(f"/{number}", Answer(hold=server.gate())) for number in range(3)]
        last = server.url("/quick", Answer())
        *slow, quick = fetch_now([*urls, last], Timeouts(headers=1.0, total=1.0), cache=cache)
        assert [fetched.state for fetched in slow] == ["timeout"] * 3
        assert quick.state == "ok"

    def test_a_name_that_takes_forever_to_look_up_delays_nothing(
        self, cache: Cache, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        release = threading.Event()
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: release.wait(BOUND) and [])
        started = time.monotonic()
        fetched = fetch("http://slow.invalid/", cache, SHORT)
        release.set()
        assert fetched.state == "timeout"
        assert time.monotonic() - started < BOUND / 2


class TestUnreachable:
    def test_refused(self, cache: Cache) -> None:
        fetched = fetch(f"http://127.0.0.1:{closed_port()}/", cache)
        assert (fetched.state, fetched.detail) == ("unreachable", "the connection was refused")
        assert (fetched.status, fetched.final_url) == (None, None)

    def test_unknown_name(self, cache: Cache, lookups: list[object]) -> None:
        fetched = fetch("http://docs.invalid/", cache)
        assert (fetched.state, fetched.detail) == ("unreachable", "its host name cannot be resolved")
        assert len(lookups) == 1

    def test_no_tls(self, server: Server, cache: Cache) -> None:
        fetched = fetch(server.url("/").replace("http:", "https:"), cache)
        assert (fetched.state, fetched.detail) == ("unreachable", "the TLS connection failed")

    def test_a_surprise(self, cache: Cache) -> None:
        def surprise(_: httpx.Request) -> httpx.Response:
            raise RuntimeError("secret")

        [fetched] = fetch_now(["http://x/"], LONG, cache=cache, transport=httpx.MockTransport(surprise))
        assert (fetched.state, fetched.detail) == ("unreachable", "the connection failed (RuntimeError)")

    def test_no_certificates_on_this_machine(
        self, server: Server, cache: Cache, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails() -> None:
            raise FileNotFoundError("cacert.pem")

        monkeypatch.setattr("promptls.net.client._tls", fails)
        assert fetch(server.url("/a", Answer()), cache).state == "unreachable"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "rules.md",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "http://",
        "http:///path",
        "http://a\nb/",
        "http://\ud800/",
        "http://127.0.0.1:x/",
        "http://" + "a" * 70_000,
    ],
)
def test_what_is_no_web_address_is_never_sent(url: str, cache: Cache, lookups: list[object]) -> None:
    fetched = fetch(url, cache)
    assert (fetched.state, fetched.total_seconds) == ("refused", None)
    assert lookups == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/", "http://127.0.0.1:0/", "http://[", "http://%/"])
def test_an_impossible_address_is_no_crash(url: str, cache: Cache) -> None:
    assert fetch(url, cache).state in ("unreachable", "refused")


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_followed(self, server: Server, cache: Cache, status: int) -> None:
        url = server.url("/docs/a", redirect("b?x=1", status))
        target = server.url("/docs/b?x=1", Answer(b"there"))
        fetched = fetch(url, cache)
        assert (fetched.state, fetched.text, fetched.url, fetched.final_url) == ("ok", "there", url, target)

    def test_five_are_followed_and_six_are_not(self, server: Server, cache: Cache) -> None:
        for number in range(6):
            server.url(f"/{number}", redirect(f"/{number + 1}"))
        server.url("/6", Answer())
        assert fetch(server.url("/1"), cache).state == "ok"
        fetched = fetch(server.url("/0"), cache)
        assert (fetched.state, fetched.detail) == ("refused", "more than 5 redirects")

    def test_a_loop_ends(self, server: Server, cache: Cache) -> None:
        assert fetch(server.url("/a", redirect("/a")), cache).state == "refused"
        assert len(server.requests) == 6

    @pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/", "javascript:1", "data:,x"])
    def test_to_another_scheme_is_refused(self, server: Server, cache: Cache, target: str) -> None:
        fetched = fetch(server.url("/a", redirect(target)), cache)
        assert (fetched.state, fetched.text) == ("refused", "")
        assert fetched.detail == "it redirects to a URL that is neither http nor https"

    def test_to_nonsense_is_refused(self, server: Server, cache: Cache) -> None:
        fetched = fetch(server.url("/a", redirect("http://127.0.0.1:x/")), cache)
        assert (fetched.state, fetched.detail) == (
            "refused",
            "it redirects to something that is not a URL that can be requested",
        )

    def test_to_nowhere_is_a_status(self, server: Server, cache: Cache) -> None:
        assert fetch(server.url("/a", Answer(status=302)), cache).state == "status"


class TestSecrets:
    def test_a_user_name_and_password_go_nowhere(
        self, server: Server, cache: Cache, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        plain = server.url("/a", redirect(server.root.replace("//", "//other:hidden@") + "/b"))
        server.url("/b", Answer())
        fetched = fetch(plain.replace("//", "//user:hidden@"), cache)
        assert (fetched.state, fetched.url, fetched.final_url) == ("ok", plain, server.url("/b"))
        assert len(server.requests) == 2
        assert all("authorization" not in headers for _, headers in server.requests)
        [kept] = Path(cache.directory).iterdir()
        assert "hidden" not in repr(fetched) + caplog.text + kept.read_text(encoding="utf-8")

    def test_no_cookie_comes_back(self, server: Server, cache: Cache) -> None:
        start = redirect("/b")
        start.headers["Set-Cookie"] = "id=1; Path=/"
        server.url("/b", Answer(headers={"Set-Cookie": "id=2"}))
        fetch_now([server.url("/a", start), server.url("/b")], LONG, cache=cache)
        assert len(server.requests) == 3
        assert all("cookie" not in headers for _, headers in server.requests)

    def test_neither_netrc_nor_a_proxy_of_the_environment_counts(
        self, server: Server, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        netrc = tmp_path / "netrc"
        netrc.write_text("machine 127.0.0.1 login user password hidden\n")
        netrc.chmod(0o600)
        monkeypatch.setenv("NETRC", str(netrc))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port()}")
        assert fetch(server.url("/a", Answer()), cache).state == "ok"
        [(_, headers)] = server.requests
        assert "authorization" not in headers


class TestCached:
    def test_the_server_is_asked_whether_it_changed(self, server: Server, cache: Cache) -> None:
        url = server.url("/a", Answer(b"one", etag='"1"'))
        fetch(url, cache)
        again = fetch(url, cache)
        assert (again.state, again.text, again.status, again.from_cache) == ("ok", "one", 200, True)
        assert server.requests[1][1]["if-none-match"] == '"1"'
        server.url("/a", Answer(b"two", etag='"2"'))
        changed = fetch(url, cache)
        assert (changed.text, changed.from_cache) == ("two", False)
        assert fetch(url, cache).text == "two"

    def test_a_date_is_sent_back_too(self, server: Server, cache: Cache) -> None:
        date = "Mon, 05 Jan 2026 10:00:00 GMT"
        url = server.url("/a", Answer(b"one", headers={"Last-Modified": date}))
        fetch(url, cache)
        server.url("/a", Answer(status=304))
        again = fetch(url, cache)
        assert server.requests[1][1]["if-modified-since"] == date
        assert (again.state, again.text) == ("ok", "one")
        # The 304 had no date of its own: the one that is known stays.
        assert fetch(url, cache).text == "one"

    def test_a_failure_keeps_the_entry_and_does_not_use_it(self, server: Server, cache: Cache) -> None:
        url = server.url("/a", Answer(b"one", etag='"1"'))
        fetch(url, cache)
        for bad in (Answer(status=500), Answer(b""), redirect("/a"), redirect("file:///")):
            server.url("/a", bad)
            fetched = fetch(url, cache)
            assert (fetched.state != "ok", fetched.text) == (True, "")
        server.url("/a", Answer(b"one", etag='"1"'))
        assert fetch(url, cache).from_cache

    def test_a_server_that_confirms_too_late_is_a_timeout(self, server: Server, cache: Cache) -> None:
        url = server.url("/a", Answer(b"one", etag='"1"'))
        fetch(url, cache)
        server.url("/a", Answer(b"one", etag='"1"', hold=server.gate()))
        fetched = fetch(url, cache, SHORT)
        assert (fetched.state, fetched.text, fetched.from_cache) == ("timeout", "", False)

    def test_what_was_slow_is_fetched_whole_each_time(self, server: Server, cache: Cache) -> None:
        url = server.url("/a", Answer(b"new", etag='"1"'))
        for seconds in (1.5, 0.3):
            cache.store(url, CachedAnswer("old", 200, url, 0.1, seconds, 0.0, etag='"1"'))
            fetched = fetch(url, cache, LONG if seconds > 1 else SHORT)
            assert (fetched.text, fetched.from_cache) == ("new", False)

    def test_only_the_address_that_gave_the_entry_is_asked(self, server: Server, cache: Cache) -> None:
        url = server.url("/a", redirect("/b"))
        server.url("/b", Answer(b"one", etag='"1"'))
        fetch(url, cache)
        again = fetch(url, cache)
        assert (again.text, again.from_cache, again.final_url) == ("one", True, server.url("/b"))
        # The same tag at another address is another text.
        server.url("/a", redirect("/c"))
        server.url("/c", Answer(b"two", etag='"1"'))
        assert fetch(url, cache).text == "two"

    def test_a_forged_tag_sends_no_header_of_its_own(self, server: Server, cache: Cache) -> None:
        url = server.url("/a", Answer(b"one"))
        for tag in ("x\r\nAuthorization: y", "\u2603"):
            cache.store(url, CachedAnswer("old", 200, url, 0, 0, 0, etag=tag))
            assert fetch(url, cache).text == "one"
        assert all("authorization" not in headers for _, headers in server.requests)

    def test_what_must_not_be_stored_is_not(self, server: Server, cache: Cache) -> None:
        fetch(server.url("/a", Answer(headers={"Cache-Control": "private, No-Store"})), cache)
        assert not os.path.exists(cache.directory)

    def test_a_junk_file_is_replaced(self, server: Server, cache: Cache) -> None:
        url = server.url("/a", Answer(b"one", etag='"1"'))
        os.makedirs(cache.directory)
        Path(cache.path(url)).write_bytes(b'{"format": 1, "text": "ha')
        assert fetch(url, cache).text == "one"
        assert fetch(url, cache).from_cache

    def test_no_cache_at_all_is_no_problem(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        cache = Cache(str(tmp_path / "file"))
        assert fetch(server.url("/a", Answer()), cache).state == "ok"


class _Counting(httpx.AsyncBaseTransport):
    """Counts how many requests run at once, in all and for each host."""

    def __init__(self) -> None:
        self.running: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        for name in ("all", request.url.host):
            self.running[name] += 1
            self.most[name] = max(self.most[name], self.running[name])
        for _ in range(50):  # lets every other request come in that may
            await asyncio.sleep(0)
        for name in ("all", request.url.host):
            self.running[name] -= 1
        return httpx.Response(200, text="text")


def test_four_at_once_and_two_of_a_host(cache: Cache) -> None:
    transport = _Counting()
    urls = [f"http://{host}.invalid/{number}" for host in "abc" for number in range(5)]
    assert {fetched.state for fetched in fetch_now(urls, LONG, cache=cache, transport=transport)} == {"ok"}
    assert transport.most == {"all": 4, "a.invalid": 2, "b.invalid": 2, "c.invalid": 2}


def test_one_hosts_queue_does_not_stop_the_others(cache: Cache) -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "b.invalid":
            other_came.set()
        await other_came.wait()
        return httpx.Response(200, text="text")

    other_came = asyncio.Event()
    urls = [f"http://a.invalid/{number}" for number in range(8)] + ["http://b.invalid/"]
    fetched = fetch_now(urls, Timeouts(1, 1), cache=cache, transport=httpx.MockTransport(answer))
    assert {one.state for one in fetched} == {"ok"}
