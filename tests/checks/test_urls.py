from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.core.host import Host
from promptls.core.model import FetchResult, Session
from promptls.core.settings import Settings
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
URL = "https://rules.example/x.md"


@pytest.mark.parametrize("harness", ["etcode", "opencode"])
@pytest.mark.parametrize(
    ("fetched", "expected"),
    [
        (FetchResult(URL, "ok", "x", total_seconds=0.9), None),
        (
            FetchResult(URL, "ok", "x", headers_seconds=0.6, total_seconds=1.1),
            (
                "warning",
                "url-slow",
                (
                    "This URL is slow: 0.6 s to the headers, 1.1 s in all, and {} waits for it before each request. "
                    "Serve it faster, or keep a copy in the repository."
                ),
            ),
        ),
        (
            FetchResult(URL, "timeout", detail="no headers within 5 s"),
            (
                "error",
                "url-timeout",
                (
                    "{} loads nothing from this URL: the request timed out (no headers within 5 s). "
                    "Serve it faster, or keep a copy in the repository."
                ),
            ),
        ),
        (
            FetchResult(URL, "unreachable", detail="connection refused"),
            (
                "error",
                "url-unreachable",
                (
                    "{} loads nothing from this URL: the server cannot be reached (connection refused). "
                    "Fix the URL or remove the entry."
                ),
            ),
        ),
        (
            FetchResult(URL, "status", status=404),
            (
                "error",
                "url-status",
                "{} loads nothing from this URL: the server returned status 404. Fix the URL or the server.",
            ),
        ),
        (
            FetchResult(URL, "empty"),
            (
                "warning",
                "url-empty",
                "{} loads nothing from this URL: the response is empty. Publish the text there or remove the entry.",
            ),
        ),
        (FetchResult(URL, "pending"), None),
        (FetchResult(URL, "disabled"), None),
    ],
    ids=lambda value: value.state if isinstance(value, FetchResult) else "",
)
def test_what_became_of_a_url(
    tmp_path: Path, harness: str, fetched: FetchResult, expected: tuple[str, str, str] | None
) -> None:
    folder = lay_out(tmp_path, {f"{harness}.json": f'{{"instructions": ["{URL}"]}}'})
    host = Host(home=str(folder), env={}, fetch=lambda urls, _: [fetched for _ in urls])
    prompt = harnesses.preview(Session(harness, str(folder)), host)
    found = [(each.severity, each.code, each.message) for each in prompt_problems(prompt)]
    assert found == ([] if expected is None else [(*expected[:2], expected[2].format(harness))])
    for problem in prompt_problems(prompt):
        assert (problem.range.start_character, problem.range.end_character) == (18, 18 + len(URL) + 2)


def test_what_is_slow_is_a_setting(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"etcode.json": f'{{"instructions": ["{URL}"]}}'})
    host = Host(
        home=str(folder), env={}, fetch=lambda urls, _: [FetchResult(url, "ok", "x", total_seconds=0.2) for url in urls]
    )
    prompt = harnesses.preview(Session("etcode", str(folder)), host)
    assert prompt_problems(prompt, Settings(slow_ms=200)) == []
    assert [each.code for each in prompt_problems(prompt, Settings(slow_ms=199))] == ["url-slow"]


def test_what_has_no_time_is_not_slow(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"etcode.json": f'{{"instructions": ["{URL}"]}}'})
    host = Host(home=str(folder), env={}, fetch=lambda urls, _: [FetchResult(url, "ok", "x") for url in urls])
    prompt = harnesses.preview(Session("etcode", str(folder)), host)
    assert prompt_problems(prompt, Settings(slow_ms=0)) == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        pytest.param("x " * 25_000, [], id="50,000 characters"),
        pytest.param("x " * 25_000 + "x", ["url-large"], id="one more"),
        ("<html>", ["url-html"]),
        ("\n<!-- a --> <!-- b -->\n<!DOCTYPE html>", ["url-html"]),
        ("<!-- a", []),
        ("<!-- a --><p>", []),
        ("<!---->" + "<head>", ["url-html"]),
        ("Write <html> first.", []),
        ("<header>", []),
    ],
)
def test_what_a_text_is(tmp_path: Path, text: str, codes: list[str]) -> None:
    folder = lay_out(tmp_path, {"etcode.json": f'{{"instructions": ["{URL}"]}}'})
    host = Host(home=str(folder), env={}, fetch=lambda urls, _: [FetchResult(url, "ok", text) for url in urls])
    assert [each.code for each in prompt_problems(harnesses.preview(Session("etcode", str(folder)), host))] == codes


@pytest.mark.parametrize(
    ("url", "final", "found"),
    [
        (URL, None, []),
        (URL, URL, []),
        (URL, f"{URL}/x", [("url-redirect", f"Write {URL}/x")]),
        (f"{URL}?token=hidden", f"{URL}/x", [("url-redirect", None)]),
        (URL, "http://rules.example/x", [("url-insecure", None), ("url-redirect", "Write http://rules.example/x")]),
        ("http://rules.example/x", None, [("url-insecure", "Write https://rules.example/x")]),
        ("http://rules.example/?x=http://y", None, [("url-insecure", "Write https://rules.example/?x=http://y")]),
        (
            "http://rules.example/x",
            f"{URL}/x",
            [("url-insecure", "Write https://rules.example/x"), ("url-redirect", f"Write {URL}/x")],
        ),
        ("http://localhost:80/x", None, []),
        ("http://127.0.0.1", None, []),
        ("http://[::1]/x", None, []),
        ("http://localhost.example/x", None, [("url-insecure", "Write https://localhost.example/x")]),
    ],
)
def test_where_a_url_leads(tmp_path: Path, url: str, final: str | None, found: list[tuple[str, str | None]]) -> None:
    folder = lay_out(tmp_path, {"etcode.json": f'{{"instructions": ["{url}"]}}'})
    host = Host(
        home=str(folder), env={}, fetch=lambda urls, _: [FetchResult(url, "ok", "x", None, final) for url in urls]
    )
    problems = prompt_problems(harnesses.preview(Session("etcode", str(folder)), host))
    fixes = [(each.code, each.fixes[0].title if each.fixes else None) for each in problems]
    assert sorted(fixes, key=str) == found
