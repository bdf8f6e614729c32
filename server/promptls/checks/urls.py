"""url-slow, url-timeout, url-unreachable, url-status, url-empty: what became of the URLs that entries name."""

from __future__ import annotations

from promptls.checks.rules import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Fetched, Problem, Prompt
    from promptls.core.settings import Settings

CODES = {"timeout": "url-timeout", "unreachable": "url-unreachable", "status": "url-status", "empty": "url-empty"}


def check(prompt: Prompt, settings: Settings) -> Iterator[Problem]:
    """A problem for each URL that brings nothing, or only after a long wait. The times are measured ones."""
    harness = prompt.session.harness
    for candidate in prompt.candidates:
        origin, fetched = candidate.origin, candidate.fetched
        if fetched is None or origin.path is None or origin.range is None:
            continue
        if fetched.state in CODES:
            message = f"{harness} loads nothing from this URL: {_failure(fetched)}."
            yield problem(CODES[fetched.state], origin.path, origin.range, message)
        elif fetched.state == "ok" and (fetched.total_seconds or 0) * 1000 > settings.slow_ms:
            message = (
                f"This URL is slow: {_times(fetched)}, and {harness} waits for it before each request. "
                "Serve it faster, or keep a copy in the repository."
            )
            yield problem("url-slow", origin.path, origin.range, message)


def _failure(fetched: Fetched) -> str:
    if fetched.state == "status":
        return f"the server answered with status {fetched.status}. Correct the URL or the server"
    if fetched.state == "empty":
        return "the answer is empty. Publish the text there or remove the entry"
    detail = f" ({fetched.detail})" if fetched.detail else ""
    if fetched.state == "timeout":
        return f"the answer comes too late{detail}. Serve it faster, or keep a copy in the repository"
    return f"the server cannot be reached{detail}. Correct the address or remove the entry"


def _times(fetched: Fetched) -> str:
    headers = f"{fetched.headers_seconds:.1f} s to the headers, " if fetched.headers_seconds is not None else ""
    return f"{headers}{fetched.total_seconds or 0:.1f} s in all"
