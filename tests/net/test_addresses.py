"""Which addresses URLs may lead to. Only loopback is ever asked: the others answer through a transport of the test."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence

import httpx
import pytest

from promptls.core.model import FetchResult
from promptls.net.addresses import literal, place
from promptls.net.cache import Cache
from promptls.net.now import fetch_now
from tests.net.loopback import Answer, Server
from tests.net.test_now import LONG, redirect

METADATA = "169.254.169.254"
REFUSAL = "it leads to a link-local or cloud-metadata address, which only your own setting urls.allow can allow"


class World:
    """Names with their addresses, and an answer for each URL; it notes whom it was asked about and by whom."""

    def __init__(self, names: Mapping[str, Sequence[str]], redirects: dict[str, str] | None = None) -> None:
        self.names = names
        self.redirects = redirects or {}
        self.looked_up: list[str] = []
        # The address connected to, the Host header and the name for TLS.
        self.asked: list[tuple[str, str, object]] = []

    async def resolve(self, host: str, _port: int) -> Sequence[str]:
        self.looked_up.append(host)
        return self.names[host]

    def answer(self, request: httpx.Request) -> httpx.Response:
        host = request.headers["host"]
        self.asked.append((request.url.host, host, request.extensions["sni_hostname"]))
        target = self.redirects.get(f"{request.url.scheme}://{host}{request.url.path}")
        return httpx.Response(302, headers={"Location": target}) if target else httpx.Response(200, text="text")

    def fetch(self, url: str, cache: Cache, allowed: Sequence[str] = ()) -> FetchResult:
        transport = httpx.MockTransport(self.answer)
        [fetched] = fetch_now([url], LONG, cache=cache, transport=transport, resolve=self.resolve, allowed=allowed)
        return fetched


@pytest.mark.parametrize(
    "host",
    [
        METADATA,
        "169.254.1.1",
        "2852039166",
        "0xA9FEA9FE",
        "0xa9.254.0251.254",
        "169.254.43518",
        "169.254.169.254.",
        "0.0.0.0",  # noqa: S104 - nothing is bound to it
        "0",
        "255.255.255.255",
        "224.0.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "[fe80::1]",
        "[::]",
        "[fd00:ec2::254]",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[::a9fe:a9fe]",
        "[64:ff9b::169.254.169.254]",
        "[64:ff9b:1::a9fe:a9fe]",
        "[2002:a9fe:a9fe::1]",
        "[fe80::5efe:a9fe:a9fe]",
        "[2001:db8::5efe:a9fe:a9fe]",
    ],
)
def test_what_nobody_means_is_refused_and_never_asked(host: str, cache: Cache) -> None:
    world = World({})
    fetched = world.fetch(f"http://{host}/latest/meta-data", cache)
    assert (fetched.state, fetched.detail) == ("refused", REFUSAL)
    assert world.asked == []


@pytest.mark.parametrize(
    "addresses", [[METADATA], ["203.0.113.1", METADATA], ["::ffff:169.254.169.254"], ["fe80::1%2"]]
)
def test_a_name_counts_by_its_addresses(addresses: list[str], cache: Cache) -> None:
    world = World({"docs.example": addresses})
    assert world.fetch("http://docs.example/", cache).detail == REFUSAL
    assert world.asked == []


@pytest.mark.parametrize("name", ["metadata.google.internal", "METADATA.google.internal.", "metadata", "instance-data"])
def test_a_name_of_metadata_is_refused_wherever_it_leads(name: str, cache: Cache) -> None:
    world = World({each: ["203.0.113.1"] for each in (name, name.lower())})
    assert world.fetch(f"http://{name}/", cache).detail == REFUSAL
    assert world.looked_up == []
    assert world.fetch(f"http://{name}/", cache, [name.lower().rstrip(".")]).state == "ok"


@pytest.mark.parametrize("allowed", ["docs.example", METADATA, "169.254.0.0/16"])
def test_what_the_user_allows_is_asked(allowed: str, cache: Cache) -> None:
    world = World({"docs.example": [METADATA]})
    assert world.fetch("http://docs.example/", cache, ["not an address", allowed]).state == "ok"
    assert world.asked == [(METADATA, "docs.example", "docs.example")]


def test_the_address_that_was_judged_is_the_one_connected_to(cache: Cache) -> None:
    world = World({"docs.example": ["203.0.113.1", "203.0.113.2"]}, {"https://docs.example:8443/a": "/b"})
    fetched = world.fetch("https://docs.example:8443/a", cache)
    assert (fetched.state, fetched.final_url) == ("ok", "https://docs.example:8443/b")
    assert world.looked_up == ["docs.example"]
    assert world.asked == [("203.0.113.1", "docs.example:8443", "docs.example")] * 2


def test_another_address_is_tried_where_one_cannot_be_reached(cache: Cache) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host != "203.0.113.1":
            raise httpx.ConnectError("unreachable")
        return httpx.Response(200, text="text")

    world = World({"docs.example": ["2001:db8::1", "2001:db8::2", "203.0.113.1"]})
    transport = httpx.MockTransport(answer)
    [fetched] = fetch_now(["http://docs.example/"], LONG, cache=cache, transport=transport, resolve=world.resolve)
    assert fetched.state == "ok"
    world.names = {"docs.example": ["2001:db8::1", "2001:db8::2"]}
    [fetched] = fetch_now(["http://docs.example/"], LONG, cache=cache, transport=transport, resolve=world.resolve)
    assert fetched.state == "unreachable"


NEAR = {"public.example": ["203.0.113.1"], "intranet.example": ["10.1.2.3"], "localhost": ["127.0.0.1"]}


@pytest.mark.parametrize("host", ["intranet.example", "localhost", "127.0.0.1", "192.168.1.1", "[::1]", "[fd12::1]"])
def test_private_and_loopback_addresses_are_asked_as_they_are_named(host: str, cache: Cache) -> None:
    assert World(NEAR).fetch(f"http://{host}/", cache).state == "ok"


@pytest.mark.parametrize(
    ("start", "target", "detail"),
    [
        ("public.example", "http://intranet.example/", "it is redirected from a public address to a private one"),
        ("public.example", "http://localhost/", "it is redirected from a public address to a loopback one"),
        ("public.example", "//127.0.0.1/", "it is redirected from a public address to a loopback one"),
        ("public.example", "http://2130706433/", "it is redirected from a public address to a loopback one"),
        ("public.example", "http://[::ffff:127.0.0.1]/", "it is redirected from a public address to a loopback one"),
        ("intranet.example", "http://localhost/", "it is redirected from a private address to a loopback one"),
        ("public.example", f"http://{METADATA}/", REFUSAL),
        ("localhost", f"http://{METADATA}/", REFUSAL),
    ],
)
def test_no_redirect_leads_nearer(start: str, target: str, detail: str, cache: Cache) -> None:
    world = World(NEAR, {f"http://{start}/": target})
    fetched = world.fetch(f"http://{start}/", cache)
    assert (fetched.state, fetched.detail) == ("refused", detail)
    assert len(world.asked) == 1


def test_what_is_allowed_is_not_reached_by_a_redirect_from_elsewhere(cache: Cache) -> None:
    world = World(NEAR, {"http://public.example/": f"http://{METADATA}/"})
    assert world.fetch("http://public.example/", cache, [METADATA]).state == "refused"


def test_a_redirect_away_and_back_is_refused(cache: Cache) -> None:
    redirects = {"http://localhost/": "http://public.example/", "http://public.example/": "http://localhost/b"}
    assert World(NEAR, redirects).fetch("http://localhost/", cache).state == "refused"


def test_loopback_may_redirect_to_loopback(server: Server, cache: Cache) -> None:
    url = server.url("/a", redirect("/b"))
    server.url("/b", Answer(b"there"))
    [fetched] = fetch_now([url], LONG, cache=cache)
    assert fetched.text == "there"
    assert {headers["host"] for _, headers in server.requests} == {server.root.removeprefix("http://")}


def test_every_address_has_a_place() -> None:
    for number in (0, 1, 0x7F000001, 0xA9FEA9FE, 0xFFFFFFFF):
        for address in (ipaddress.ip_address(number), ipaddress.IPv6Address(number << 80 | 0x2002 << 112)):
            assert place("x", [str(address)]) in ("public", "private", "loopback", "refused")
    assert place("x", ["8.8.8.8"]) == place("x", ["2606:4700::1111"]) == place("x", ["::ffff:8.8.8.8"]) == "public"
    assert literal("docs.example") is literal("256.1.1.1") is literal("1.2.3.4.5") is None
