"""Talks with an MCP server at an address: requests of JSON over HTTP, answered by JSON or by a stream of events."""

from __future__ import annotations

import json
import time

from promptls.core.secrets import masked
from promptls.core.values import dataclass, field
from promptls.core.visible import visible
from promptls.errors import ServerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Self

    import httpx

# Bytes of one answer that are read.
MOST = 32 * 1024 * 1024
SESSION, PROTOCOL = "mcp-session-id", "mcp-protocol-version"
REFUSED = (401, 403)
SHOWN = 200
TAKES = "application/json, text/event-stream"


@dataclass(slots=True)
class HttpTalk:
    """A conversation with the server ``name`` at ``url``; ``headers`` are those of its configuration."""

    name: str
    url: str
    headers: Mapping[str, str]
    number: int = 0
    # What it asks for meanwhile is not answered, as nobody listens between requests.
    asked_for: dict[str, None] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    client: httpx.Client | None = None

    def __enter__(self) -> Self:
        """Open it; no file of the home, such as .netrc, is read for it."""
        import httpx  # noqa: PLC0415 - only for servers at an address

        self.client = httpx.Client(follow_redirects=False, trust_env=False)
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        if self.client is not None:
            self.client.close()

    def request(self, method: str, params: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            ServerError: it does not come in time, or is an error.
        """
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        for found in self._messages(message, method, seconds):
            if found.get("id") == self.number and "method" not in found:
                result = answer_of(self.name, found, method)
                if isinstance(version := result.get("protocolVersion"), str):
                    self.own[PROTOCOL] = version
                return result
        raise ServerError(f"{self.name} does not answer to {method}.")

    def send(self, message: dict[str, Any]) -> None:
        """Send a message that has no answer."""
        for _ in self._messages(message, str(message.get("method")), 5.0):
            pass

    def settle(self) -> bool:
        """Whether its list has changed meanwhile: nothing says so at an address."""
        return False

    def _messages(self, message: dict[str, Any], method: str, seconds: float) -> Iterator[dict[str, Any]]:
        """What the answer to a message holds."""
        import httpx  # noqa: PLC0415 - only for servers at an address

        if self.client is None:
            raise ServerError(f"{self.name} is not open.")
        headers = {"accept": TAKES, "content-type": "application/json", **self.headers, **self.own}
        until = time.monotonic() + seconds
        try:
            with self.client.stream("POST", self.url, json=message, headers=headers, timeout=seconds) as response:
                if session := response.headers.get(SESSION):
                    self.own[SESSION] = session
                self.client.cookies.clear()
                refuse(self.name, response, method)
                yield from messages_in(self._text(response, method, until))
        except httpx.TimeoutException:
            raise ServerError(f"{self.name} did not answer to {method} within {seconds:.0f} seconds.") from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise ServerError(f"{self.name} cannot be reached ({type(error).__name__}); check its address.") from None

    def _text(self, response: httpx.Response, method: str, until: float) -> Iterator[str]:
        """The lines of an answer."""
        size = 0
        for line in response.iter_lines():
            size += len(line) + 1
            if size > MOST:
                raise ServerError(f"{self.name} sent more than {MOST >> 20} MiB, and was left.")
            if time.monotonic() > until:
                raise ServerError(f"{self.name} did not answer to {method} in time.")
            yield line


def refuse(name: str, response: httpx.Response, method: str) -> None:
    """Raise where a server does not answer.

    Raises:
        ServerError: it wants a login, or is not there.
    """
    status = response.status_code
    if status in REFUSED:
        raise ServerError(f"{name} wants a login, which promptls does not do (status {status}).")
    if not response.is_success:
        raise ServerError(f"{name} answers to {method} with status {status}; check its address.")


def answer_of(name: str, message: Mapping[str, Any], method: str) -> dict[str, Any]:
    """The result in an answer.

    Raises:
        ServerError: it is an error.
    """
    if isinstance(result := message.get("result"), dict):
        return result
    error = message.get("error")
    says = error.get("message", "") if isinstance(error, dict) else ""
    shown = visible(masked(str(says).strip()))[:SHOWN].rstrip(".")
    raise ServerError(f"{name} answers to {method} with an error: {shown or 'it says no more'}.")


def messages_in(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The messages in the lines of JSON or of events."""
    waiting: list[str] = []
    for line in lines:
        if line.startswith("data:"):
            waiting.append(line.removeprefix("data:").strip())
        elif not line:
            yield from _message(waiting)
            waiting = []
        elif not line.startswith(("event:", "id:", "retry:", ":")):
            waiting.append(line)
    yield from _message(waiting)


def _message(lines: list[str]) -> Iterator[dict[str, Any]]:
    try:
        found = json.loads("\n".join(lines)) if lines else None
    except (ValueError, RecursionError):
        return
    yield from (each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict))
