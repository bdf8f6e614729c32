"""How many URLs are asked for a folder, and how long for all of them together."""

from __future__ import annotations

import threading
from pathlib import Path

import httpx
import pytest

from promptls.cli import main
from promptls.net import now
from promptls.net.background import MAKES_ROOM_AFTER, Background
from promptls.net.cache import Cache
from promptls.net.now import MOST, TOO_LATE, TOO_MANY, Fetcher
from promptls.workspace.options import resolve, resolve_file
from tests.folder import lay_out
from tests.limits import at_most
from tests.net.idle import wait_idle
from tests.net.loopback import BOUND, Answer, Server
from tests.net.test_now import LONG

ALL = MOST + 5


class World:
    """Answers every URL and notes it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        return httpx.Response(200, text="text")


def test_no_more_are_asked_for_than_a_folder_may_name(cache: Cache) -> None:
    world = World()
    fetch = Fetcher(cache=cache, transport=world.transport)
    urls = [f"http://127.0.0.1/{number}" for number in range(ALL)]
    found = [*fetch(urls[:50], LONG), *fetch(urls[50:], LONG)]
    assert [each.state for each in found] == ["ok"] * MOST + ["refused"] * 5
    assert {each.detail for each in found[MOST:]} == {TOO_MANY}
    assert fetch(urls, LONG) == found
    assert (len(world.asked), fetch.unasked()) == (MOST, 5)


def test_all_together_have_one_time(server: Server, cache: Cache) -> None:
    urls = [server.url(f"/{number}", Answer(hold=server.gate())) for number in range(9)]
    fetch = Fetcher(cache=cache)
    [quick] = fetch([server.url("/quick", Answer())], LONG)
    assert 0 < now.SECONDS - fetch._left < now.SECONDS
    fetch._left = 0.2
    with at_most(2 * BOUND):
        found = fetch(urls, LONG)
        more = fetch([server.url("/more", Answer())], LONG)
    assert (quick.state, [each.detail for each in found]) == ("ok", [TOO_LATE] * 9)
    assert [each.detail for each in more] == [TOO_LATE]
    assert fetch.unasked() == 10


def test_a_check_says_how_many_were_not_asked_for(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(now, "MOST", 3)
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path / "cache"))
    urls = [server.url(f"/{number}", Answer()) for number in range(5)]
    folder = lay_out(tmp_path / "a", {"etcode.json": {"instructions": urls}, "b/etcode.json": {"instructions": urls}})
    assert main(["check", str(folder)]) == 0
    reported = capfd.readouterr().err
    assert reported.endswith("promptls: 2 URLs were not requested; the limit is 3 URLs in 60 s altogether.\n")
    assert len(server.requests) == 3


def test_the_server_asks_for_so_many_at_a_time(cache: Cache) -> None:
    clock = [0.0]
    world = World()
    fetch = Background(lambda _: None, cache=cache, transport=world.transport, clock=lambda: clock[0])
    urls = [f"http://127.0.0.1/{number}" for number in range(ALL)]
    for _ in range(2):
        assert [each.detail for each in fetch(urls, LONG)[MOST:]] == [TOO_MANY] * 5
        wait_idle(fetch)
        clock[0] += MAKES_ROOM_AFTER / 2
    assert len(world.asked) == MOST
    # What nobody asks for any more makes room.
    clock[0] += MAKES_ROOM_AFTER
    fetch(urls[MOST:], LONG)
    wait_idle(fetch)
    assert len(world.asked) == ALL
    fetch.close()


def test_only_the_user_says_what_is_let_in(cache: Cache) -> None:
    settings, faults = resolve({"urls": {"allow": ["169.254.1.1"]}}, untrusted=False)
    assert (settings.urls_allowed, faults) == (("169.254.1.1",), [])
    of_folder, _ = resolve_file({"urls": {"allow": ["169.254.1.1"], "slowMs": 5}})
    assert (of_folder.urls_allowed, of_folder.slow_ms) == ((), 5)
    changed = threading.Event()
    fetch = Background(lambda _: changed.set(), cache=cache, transport=World().transport)
    fetch(["http://169.254.1.1/"], LONG)
    wait_idle(fetch)
    [fetched] = fetch(["http://169.254.1.1/"], LONG)
    assert fetched.state == "refused"
    fetch.allow(settings.urls_allowed)
    changed.clear()
    fetch(["http://169.254.1.1/"], LONG)
    assert changed.wait(BOUND)
    [fetched] = fetch(["http://169.254.1.1/"], LONG)
    assert fetched.state == "ok"
    fetch.close()


def test_a_folder_that_lets_itself_in_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(
        tmp_path,
        {
            "promptls.toml": '[urls]\nallow = ["169.254.169.254"]\n',
            "etcode.json": {"instructions": ["http://169.254.169.254/"]},
        },
    )
    main(["check", str(folder)])
    assert "promptls has no key “allow” in [urls]" in capfd.readouterr().out
    main(["preview", "--cwd", str(folder), "--harness", "etcode"])
    assert "only your own setting urls.allow can allow" in capfd.readouterr().out
