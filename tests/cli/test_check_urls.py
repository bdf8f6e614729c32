"""URLs through the command itself, answered by a server of the test's own."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.core.model import Timeouts
from promptls.core.values import replace
from promptls.harnesses import etcode
from promptls.harnesses.etcode.versions import ROWS
from tests.folder import lay_out
from tests.limits import at_most
from tests.net.loopback import Answer, Server, closed_port

Check = Callable[[Path], list[dict[str, Any]]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    server = Server()
    yield server
    server.close()


@pytest.fixture
def check(capsysbinary: pytest.CaptureFixture[bytes]) -> Check:
    def check(folder: Path) -> list[dict[str, Any]]:
        with at_most(20):
            main(["check", str(folder), "--format", "json"])
        out, err = capsysbinary.readouterr()
        assert err == b""
        found: list[dict[str, Any]] = json.loads(out)["problems"]
        return found

    return check


def test_each_url_is_reported_with_what_was_measured(
    tmp_path: Path, server: Server, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(replace(each, url=Timeouts(headers=1.0, total=1.0)) for each in ROWS)
    monkeypatch.setattr(etcode, "ROWS", rows)
    expected = {
        server.url("/fine", Answer(b"fine")): None,
        server.url("/slow", Answer(b"slow", hold=server.gate(), wait=0.5)): "url-slow",
        server.url("/late", Answer(b"late", hold=server.gate())): "url-timeout",
        server.url("/late-body", Answer(b"late", hold_body=server.gate())): "url-timeout",
        server.url("/gone", Answer(status=404)): "url-status",
        server.url("/page", Answer(b"<!doctype html><html></html>")): "url-html",
        server.url("/old", Answer(status=301, headers={"Location": "/fine"})): "url-redirect",
        server.url("/large", Answer(b"x" * 60_000)): "url-large",
        server.url("/empty", Answer(b"")): "url-empty",
        f"http://127.0.0.1:{closed_port()}/x": "url-unreachable",
    }
    folder = lay_out(tmp_path, {"promptls.toml": "[urls]\nslowMs = 400\n", "etcode.json": "{}"})
    # One a check, so that none waits for another.
    for url, code in expected.items():
        (folder / "etcode.json").write_text(json.dumps({"instructions": [url]}))
        found = check(folder)
        assert [each["code"] for each in found] == ([code] if code else []), url
        for each in found:
            start, end = each["range"]["start"]["character"], each["range"]["end"]["character"]
            assert (folder / "etcode.json").read_text()[start:end] == f'"{url}"'
        if code == "url-slow":
            times = re.search(r"slow: (\d\.\d) s to the headers, (\d\.\d) s in all", found[0]["message"])
            assert times is not None
            assert 0.4 < float(times[1]) <= float(times[2]) <= 1


def test_plain_http_is_for_loopback_only(tmp_path: Path, server: Server, check: Check) -> None:
    urls = [server.url("/fine", Answer(b"fine")), "http://rules.example/x.md"]
    found = check(lay_out(tmp_path, {"etcode.json": {"instructions": urls}}))
    assert sorted(each["code"] for each in found) == ["url-insecure", "url-unreachable"]
    assert all("rules.example" not in path for path, _ in server.requests)


def test_a_host_is_asked_for_two_at_once_and_each_url_once(tmp_path: Path, server: Server, check: Check) -> None:
    pair = threading.Barrier(2)
    urls = [server.url(f"/{number}", Answer(b"x", hold=pair)) for number in range(8)]
    folder = lay_out(
        tmp_path, {"etcode.json": {"instructions": urls}, "a/AGENTS.md": "a", "a/x.py": "", "b/etcode.json": {}}
    )
    check(folder)
    assert server.most_at_once == 2
    assert sorted(path for path, _ in server.requests) == sorted(url.removeprefix(server.root) for url in urls)


def test_nothing_is_fetched_where_it_is_switched_off(
    tmp_path: Path, server: Server, check: Check, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    url = server.url("/gone", Answer(status=404))
    folder = lay_out(tmp_path, {"etcode.json": {"instructions": [url]}})
    assert main(["check", str(folder), "--no-network"]) == 0
    out, err = capsysbinary.readouterr()
    session = f"promptls: etcode design (newest known) · started in {folder}\n"
    assert (out, err.decode()) == (b"", f"{session}promptls: Checked 1 file for etcode: no problems.\n")
    (folder / "promptls.toml").write_text("[urls]\nenabled = false\n")
    assert check(folder) == []
    assert server.requests == []
    (folder / "promptls.toml").unlink()
    assert [each["code"] for each in check(folder)] == ["url-status"]


@pytest.mark.parametrize("command", [["preview"], ["map"], [], ["preview", "--no-network"]])
def test_no_command_is_named_where_none_would_fetch(
    tmp_path: Path,
    server: Server,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
) -> None:
    """A preview asks, and the others name it; where the folder has URLs off, it would name itself."""
    url = server.url("/rules", Answer(b"rules"))
    monkeypatch.chdir(lay_out(tmp_path, {"AGENTS.md": "x", "opencode.json": {"instructions": [url]}}))
    Path("promptls.toml").write_text("[urls]\nenabled = false\n", encoding="utf-8")
    asked = [*command, "--harness", "opencode", "--format", "json"]
    assert main(asked) == 0
    assert '"fetch"' not in capsys.readouterr().out
    assert server.requests == []
    Path("promptls.toml").unlink()
    assert main(asked) == 0
    assert ('"fetch"' in capsys.readouterr().out) == (command != ["preview"])
