"""What became of the URLs that entries name: slow, late, failed, or not what one would send to a model."""

from __future__ import annotations

import re

from promptls.checks.rules import problem
from promptls.core.lazy import regex
from promptls.core.model import Edit, Fix
from promptls.core.secrets import MASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import FetchResult, Problem, Prompt, Range
    from promptls.core.settings import Settings

CODES = {"timeout": "url-timeout", "unreachable": "url-unreachable", "status": "url-status", "empty": "url-empty"}


# Characters of an answer that are much for each request.
LARGE = 50_000
# Comments in front of a web page are read so far.
MOST_COMMENTS = 10_000
_HTML = regex(r"<(?:!doctype html|html|head)\b", re.IGNORECASE)
_LOOPBACK = regex(r"http://(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/?#]|$)")


def check(prompt: Prompt, settings: Settings) -> Iterator[Problem]:
    """Problems for each URL that returns nothing, is slow, or returns what it should not. The times are measured."""
    harness = prompt.session.harness
    for candidate in prompt.candidates:
        origin, fetched = candidate.origin, candidate.fetched
        if fetched is None or origin.path is None or origin.range is None:
            continue
        for code, message in _of_url(fetched, harness, settings.slow_ms):
            has_secret = MASK in (origin.name or "")
            fixes = () if has_secret else _fixes(code, fetched, origin.path, origin.range)
            yield problem(code, origin.path, origin.range, message, harness=harness, fixes=fixes)


def _of_url(fetched: FetchResult, harness: str, slow_ms: int) -> Iterator[tuple[str, str]]:
    if _is_plain_http(fetched.url):
        yield (
            "url-insecure",
            f"{harness} fetches these instructions over plain http, where others can change them. Use https.",
        )
    elif _is_plain_http(fetched.final_url or ""):
        says = f"This URL redirects to plain http, where others can change the instructions that {harness} fetches. "
        yield "url-insecure", f"{says}Use one that stays on https."
    if fetched.state in CODES:
        yield CODES[fetched.state], f"{harness} loads nothing from this URL: {_failure(fetched)}."
    if fetched.state != "ok":
        return
    seconds = fetched.total_seconds or 0
    if seconds * 1000 > slow_ms:
        times = _times(fetched.headers_seconds, seconds)
        yield (
            "url-slow",
            (
                f"This URL is slow: {times}, and {harness} waits for it before each request. "
                "Serve it faster, or keep a copy in the repository."
            ),
        )
    if _is_page(fetched.text):
        yield "url-html", f"This URL returns a web page, and {harness} sends its markup. Use the URL of the raw text."
    if len(fetched.text) > LARGE or fetched.truncated:
        size = "more than promptls keeps" if fetched.truncated else f"{len(fetched.text)} characters"
        yield (
            "url-large",
            f"The response is large: {size}, and {harness} sends all of it every time. Publish a shorter text.",
        )
    if fetched.final_url is not None and fetched.final_url != fetched.url:
        yield (
            "url-redirect",
            f"This URL redirects to {fetched.final_url}, which costs {harness} an extra round trip. Use the final URL.",
        )


def _is_plain_http(url: str) -> bool:
    return url.startswith("http://") and not _LOOPBACK.match(url)


def _is_page(text: str) -> bool:
    """Whether a text begins as a web page does, after comments."""
    text, at = text[: 2 * MOST_COMMENTS], 0
    while text.startswith("<!--", at := len(text) - len(text[at:].lstrip())):
        end = text.find("-->", at)
        if end < 0:
            return False
        at = end + 3
    return _HTML.match(text, at) is not None


def _fixes(code: str, fetched: FetchResult, path: str, where: Range) -> tuple[Fix, ...]:
    url = None
    if code == "url-insecure" and fetched.url.startswith("http://"):
        url = "https://" + fetched.url.removeprefix("http://")
    elif code == "url-redirect":
        url = fetched.final_url
    if not url or url == fetched.url or MASK in url:
        return ()
    return (Fix(f"Write {url}", (Edit(path, where, f'"{url}"'),)),)


def _failure(fetched: FetchResult) -> str:
    if fetched.state == "status":
        return f"the server returned status {fetched.status}. Fix the URL or the server"
    if fetched.state == "empty":
        return "the response is empty. Publish the text there or remove the entry"
    detail = f" ({fetched.detail})" if fetched.detail else ""
    if fetched.state == "timeout":
        return f"the request timed out{detail}. Serve it faster, or keep a copy in the repository"
    return f"the server cannot be reached{detail}. Fix the URL or remove the entry"


def _times(headers: float | None, total: float) -> str:
    ahead = f"{headers:.1f} s to the headers, " if headers is not None else ""
    return f"{ahead}{total:.1f} s in all"
