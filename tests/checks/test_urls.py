from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.core.host import Host
from promptls.core.model import FetchResult, Session
from promptls.core.settings import Settings
from tests.folder import lay_out

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
