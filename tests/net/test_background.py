from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from promptls.core.host import Host
from promptls.core.model import FetchResult, Timeouts
from promptls.net.background import MAX_AGE, RETRY_AFTER, Background
from promptls.net.cache import Cache, CachedAnswer
from promptls.net.now import fetch_now
from tests.net.idle import wait_idle
from tests.net.loopback import BOUND, Answer, Server

LONG = Timeouts(headers=BOUND, total=BOUND)


class Watched:
    """A background fetcher, what it reported, and a clock that the test moves."""

    def __init__(self, cache: Cache) -> None:
        self.reported: queue.Queue[frozenset[str]] = queue.Queue()
        self.now = 1000.0
        self.fetch = Background(self.reported.put, cache=cache, clock=lambda: self.now)

    def ask(self, url: str, timeouts: Timeouts = LONG) -> FetchResult:
        [fetched] = self.fetch([url], timeouts)
        return fetched

    def settle(self) -> None:
        wait_idle(self.fetch)

    def settled(self, url: str, timeouts: Timeouts = LONG) -> FetchResult:
        self.ask(url, timeouts)
        self.settle()
        return self.ask(url, timeouts)


@pytest.fixture
def start(cache: Cache) -> Iterator[Callable[[], Watched]]:
    started: list[Watched] = []

    def start() -> Watched:
        started.append(Watched(cache))
        return started[-1]

    yield start
    for watched in started:
        watched.fetch.close()


@pytest.fixture
def watched(start: Callable[[], Watched]) -> Watched:
    return start()


def test_pending_then_reported_then_there(server: Server, watched: Watched) -> None:
    gate = server.gate()
    url = server.url("/a", Answer(b"text", hold=gate))
    assert watched.ask(url).state == "pending"
    assert watched.ask(url).state == "pending"
    gate.set()
    assert watched.reported.get(timeout=BOUND) == {url}
    fetched = watched.ask(url)
    assert (fetched.state, fetched.text) == ("ok", "text")
    watched.settle()
    assert watched.reported.empty()
    assert len(server.requests) == 1


def test_it_is_reported_on_another_thread_that_may_ask_again(server: Server, cache: Cache) -> None:
    url = server.url("/a", Answer())
    seen: queue.Queue[tuple[str, str]] = queue.Queue()

    def on_change(urls: frozenset[str]) -> None:
        [fetched] = fetch(list(urls), LONG)
        seen.put((threading.current_thread().name, fetched.state))

    fetch = Background(on_change, cache=cache)
    fetch([url], LONG)
    name, state = seen.get(timeout=BOUND)
    fetch.close()
    assert name != threading.current_thread().name
    assert state == "ok"


def test_answers_keep_the_order(server: Server, watched: Watched) -> None:
    urls = [server.url(f"/{name}", Answer(name.encode())) for name in "cab"]
    watched.fetch(urls, LONG)
    watched.settle()
    assert [fetched.text for fetched in watched.fetch(urls, LONG)] == list("cab")
    assert frozenset[str]().union(*watched.reported.queue) == frozenset(urls)


def test_the_disk_answers_first_and_nothing_is_reported_where_it_was_right(
    server: Server, cache: Cache, watched: Watched
) -> None:
    url = server.url("/a", Answer(b"text", etag='"1"'))
    fetch_now([url], LONG, cache=cache)
    first = watched.ask(url)
    assert (first.state, first.text, first.from_cache) == ("ok", "text", True)
    assert first.total_seconds is not None
    watched.settle()
    assert len(server.requests) == 2
    assert watched.ask(url) is first
    assert watched.reported.empty()


def test_the_disk_was_wrong(server: Server, cache: Cache, watched: Watched) -> None:
    url = server.url("/a", Answer(b"old"))
    fetch_now([url], LONG, cache=cache)
    server.url("/a", Answer(b"new"))
    assert watched.ask(url).text == "old"
    assert watched.reported.get(timeout=BOUND) == {url}
    assert watched.ask(url).text == "new"


def test_what_was_too_slow_for_this_harness_is_not_taken_from_the_disk(
    server: Server, cache: Cache, watched: Watched
) -> None:
    url = server.url("/a", Answer(hold=server.gate()))
    cache.store(url, CachedAnswer("text", 200, url, 0.1, 8.0, 0.0))
    assert watched.ask(url, Timeouts(5, 5)).state == "pending"
    assert watched.ask(url, Timeouts(5, 30)).state == "ok"


def test_each_pair_of_timeouts_has_its_own_answer(server: Server, watched: Watched) -> None:
    slow = Answer(b"slow", hold_body=server.gate(), wait=0.2)
    url = server.url("/a", slow)
    assert watched.settled(url, Timeouts(BOUND, 0.1)).state == "timeout"
    assert watched.settled(url, LONG).state == "ok"
    assert watched.ask(url, Timeouts(BOUND, 0.1)).state == "timeout"


class TestAgain:
    def test_an_old_answer_is_checked_when_asked_for(self, server: Server, watched: Watched) -> None:
        url = server.url("/a", Answer(b"old"))
        first = watched.settled(url)
        watched.now += MAX_AGE - 1
        assert watched.settled(url) is first
        assert len(server.requests) == 1
        watched.now += 1
        assert watched.settled(url) is first
        assert len(server.requests) == 2

    def test_a_failed_answer_is_tried_again_later(self, server: Server, watched: Watched) -> None:
        url = server.url("/a", Answer(status=500))
        first = watched.settled(url)
        assert first.state == "status"
        watched.now += RETRY_AFTER - 1
        assert watched.settled(url) is first
        assert len(server.requests) == 1
        server.url("/a", Answer(b"text"))
        watched.now += 1
        assert watched.ask(url) is first
        watched.settle()
        assert watched.ask(url).text == "text"

    def test_a_text_that_fails_later_is_gone(self, server: Server, watched: Watched) -> None:
        url = server.url("/a", Answer(b"one"))
        watched.settled(url)
        server.url("/a", Answer(status=404))
        watched.now += MAX_AGE
        watched.settled(url)
        assert (watched.ask(url).state, watched.ask(url).text) == ("status", "")

    def test_becoming_slow_is_a_change(self, server: Server, cache: Cache, watched: Watched) -> None:
        url = server.url("/a", Answer(b"text", etag='"1"'))
        cache.store(url, CachedAnswer("text", 200, url, 0.1, 1.2, 0.0, etag='"1"'))
        slow = watched.ask(url)
        assert slow.total_seconds == 1.2
        assert watched.reported.get(timeout=BOUND) == {url}
        assert watched.ask(url) is not slow

    def test_a_preview_stays_current_until_an_answer_changes(self, server: Server, watched: Watched) -> None:
        url = server.url("/a", Answer(b"one"))
        watched.settled(url)
        host = Host(home="/", env={}, fetch=watched.fetch)
        host.urls([url], LONG)
        watched.now += MAX_AGE
        watched.settled(url)
        assert host.is_current(Host(home="/", env={})._buffers)
        server.url("/a", Answer(b"two"))
        watched.now += MAX_AGE
        watched.settled(url)
        assert not host.is_current(Host(home="/", env={})._buffers)


class TestOff:
    def test_nothing_is_sent(self, server: Server, watched: Watched) -> None:
        watched.fetch.enabled = False
        url = server.url("/a", Answer())
        fetched = watched.ask(url.replace("//", "//user:hidden@"))
        watched.now += MAX_AGE
        watched.settle()
        assert (fetched.state, fetched.url) == ("disabled", url)
        assert server.requests == []
        assert watched.fetch._thread is None

    def test_switching_off_cancels_and_on_asks_again(self, server: Server, watched: Watched) -> None:
        gate = server.gate()
        url = server.url("/a", Answer(b"text", hold=gate))
        watched.ask(url)
        server.arrived.get(timeout=BOUND)
        watched.fetch.enabled = False
        watched.settle()
        assert watched.ask(url).state == "disabled"
        watched.fetch.enabled = True
        assert watched.ask(url).state == "pending"
        server.arrived.get(timeout=BOUND)
        gate.set()
        assert watched.reported.get(timeout=BOUND) == {url}
        assert watched.ask(url).state == "ok"
        assert watched.reported.empty()

    def test_what_runs_is_given_up(self, cache: Cache) -> None:
        async def hang(_: httpx.Request) -> httpx.Response:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            raise AssertionError

        asked, ended = threading.Event(), threading.Event()
        fetch = Background(print, cache=cache, transport=httpx.MockTransport(hang))
        fetch(["http://docs.invalid/"], Timeouts(60, 60))
        assert asked.wait(BOUND)
        fetch.enabled = False
        assert ended.wait(BOUND)
        fetch.close()

    def test_an_answer_that_comes_as_it_is_switched_off_does_not_count(self, cache: Cache) -> None:
        def off_and_on(_: httpx.Request) -> httpx.Response:
            fetch.enabled = False
            fetch.enabled = True
            seen.set()
            return httpx.Response(200, text="text")

        seen = threading.Event()
        reported: list[frozenset[str]] = []
        fetch = Background(reported.append, cache=cache, transport=httpx.MockTransport(off_and_on))
        fetch(["http://docs.invalid/"], LONG)
        assert seen.wait(BOUND)
        fetch.close()
        [fetched] = fetch(["http://docs.invalid/"], LONG)
        assert (fetched.state, reported) == ("pending", [])


class TestClose:
    def test_it_waits_for_no_server(self, server: Server, watched: Watched) -> None:
        urls = [server.url(f"/{number}", Answer(hold=server.gate())) for number in range(4)]
        watched.fetch(urls, LONG)
        server.arrived.get(timeout=BOUND)
        assert watched.fetch._thread is not None
        thread = watched.fetch._thread._thread
        started = time.monotonic()
        watched.fetch.close()
        assert time.monotonic() - started < BOUND / 2
        thread.join(BOUND)
        assert not thread.is_alive()
        assert watched.reported.empty()

    def test_it_waits_for_no_lookup(self, watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
        asked, release = threading.Event(), threading.Event()

        def hang(*_: object, **__: object) -> list[object]:
            asked.set()
            release.wait(BOUND)
            return []

        monkeypatch.setattr("socket.getaddrinfo", hang)
        watched.ask("http://slow.invalid/")
        assert asked.wait(BOUND)
        started = time.monotonic()
        watched.fetch.close()
        assert time.monotonic() - started < BOUND / 2
        release.set()

    def test_afterwards_nothing_is_sent(self, server: Server, watched: Watched) -> None:
        known = watched.settled(server.url("/a", Answer()))
        watched.fetch.close()
        watched.fetch.close()
        watched.fetch.enabled = False
        watched.fetch.enabled = True
        assert watched.ask(server.url("/a")) is known
        assert watched.ask(server.url("/b", Answer())).state == "pending"
        assert len(server.requests) == 1
        assert watched.fetch._thread is None


def test_it_says_when_it_runs_and_can_be_stopped(server: Server, cache: Cache) -> None:
    reported: queue.Queue[bool] = queue.Queue()
    now = [1000.0]
    fetch = Background(lambda _: None, cache=cache, clock=lambda: now[0], on_run=reported.put)
    gate = server.gate()
    url = server.url("/a", Answer(b"text", hold=gate))
    try:
        assert fetch([url], LONG)[0].state == "pending"
        assert reported.get(timeout=BOUND)
        fetch.stop()
        assert not reported.get(timeout=BOUND)
        wait_idle(fetch)
        gate.set()
        assert fetch([url], LONG)[0].state == "pending"
        assert reported.empty()
        now[0] += RETRY_AFTER
        fetch([url], LONG)
        assert reported.get(timeout=BOUND)
        assert not reported.get(timeout=BOUND)
        assert fetch([url], LONG)[0].state == "ok"
    finally:
        fetch.close()


def test_the_newest_answer_is_known_also_where_it_says_the_same(server: Server, watched: Watched) -> None:
    url = server.url("/a", Answer(b"text"))
    assert watched.fetch.latest(url) is None
    first = watched.settled(url)
    assert watched.fetch.latest(url) is first
    assert first.fetched_at is not None
    watched.now += MAX_AGE
    assert watched.settled(url) is first
    newest = watched.fetch.latest(url)
    assert newest is not None
    assert newest is not first
    assert (newest.fetched_at or 0) >= first.fetched_at
