"""Talks with an MCP server by the older protocol: it answers on a stream of events, which also says where to ask."""

from __future__ import annotations

import contextlib
import time

from promptls.core.values import dataclass, field
from promptls.errors import ServerError
from promptls.net.mcp_http import MOST, answer_of, messages_in, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Self

    import httpx

# Seconds without a line on the stream, and for a message to be taken.
SILENT, TAKEN = 60.0, 10.0


@dataclass(slots=True)
class SseTalk:
    """A conversation with the server ``name`` whose stream is at ``url``."""

    name: str
    url: str
    headers: Mapping[str, str]
    number: int = 0
    size: int = 0
    asked_for: dict[str, None] = field(default_factory=dict)
    address: str = ""
    client: httpx.Client | None = None
    lines: Iterator[str] | None = None
    opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def __enter__(self) -> Self:
        """Open the stream, and wait until it says where to ask."""
        import httpx  # noqa: PLC0415 - only for servers at an address

        with contextlib.ExitStack() as opening, self._told("the stream"):
            self.client = opening.enter_context(httpx.Client(follow_redirects=False, trust_env=False))
            headers = {"accept": "text/event-stream", **self.headers}
            stream = self.client.stream("GET", self.url, headers=headers, timeout=SILENT)
            response = opening.enter_context(stream)
            refuse(self.name, response, "the stream")
            self.lines = response.iter_lines()
            address = httpx.URL(self.url).join(self._endpoint())
            if (address.scheme, address.netloc) != (response.url.scheme, response.url.netloc):
                raise ServerError(f"{self.name} sends its client to another host, which is not asked.")
            self.address = str(address)
            # What could not be opened is closed at once: nobody leaves what was never entered.
            self.opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Close all of it."""
        self.opened.close()

    def request(self, method: str, params: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            ServerError: it does not come in time, or is an error.
        """
        self.number += 1
        self._post({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}, method)
        with self._told(method):
            for found in messages_in(self._until(time.monotonic() + seconds, method)):
                if found.get("id") == self.number and "method" not in found:
                    return answer_of(self.name, found, method)
        raise ServerError(f"{self.name} does not answer to {method}.")

    def send(self, message: dict[str, Any]) -> None:
        """Send a message that has no answer."""
        self._post(message, str(message.get("method")))

    def settle(self) -> bool:
        """Whether its list has changed meanwhile: nobody listens for that here."""
        return False

    def _endpoint(self) -> str:
        is_next = False
        for line in self._until(time.monotonic() + TAKEN, "the stream"):
            if is_next and line.startswith("data:"):
                return line.removeprefix("data:").strip()
            is_next = line.startswith("event:") and line.removeprefix("event:").strip() == "endpoint"
        raise ServerError(f"{self.name} does not say where to ask; its address may be one of the newer protocol.")

    def _post(self, message: dict[str, Any], method: str) -> None:
        with self._told(method):
            if self.client is not None:
                headers = {"content-type": "application/json", **self.headers}
                response = self.client.post(self.address, json=message, headers=headers, timeout=TAKEN)
                refuse(self.name, response, method)

    def _until(self, until: float, method: str) -> Iterator[str]:
        """The lines of the stream, up to a time."""
        for line in self.lines or ():
            self.size += len(line) + 1
            if self.size > MOST:
                raise ServerError(f"{self.name} sent more than {MOST >> 20} MiB, and was left.")
            yield line
            if time.monotonic() > until:
                raise ServerError(f"{self.name} did not answer to {method} in time.")

    @contextlib.contextmanager
    def _told(self, method: str) -> Iterator[None]:
        """What goes wrong on the way, as a sentence."""
        import httpx  # noqa: PLC0415 - only for servers at an address

        try:
            yield
        except httpx.TimeoutException:
            raise ServerError(f"{self.name} did not answer to {method} in time.") from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise ServerError(f"{self.name} cannot be reached ({type(error).__name__}); check its address.") from None
