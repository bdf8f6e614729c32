"""The URIs of virtual documents. Each one contains all that is needed to make its text, so no state is kept.

    promptls:/app.py%20%28prompt%29?TOKEN

TOKEN is the session as JSON in base64url: an editor may escape and unescape it as it likes. By the end of the name an
editor knows the language; it is not Markdown, so that what an editor does with Markdown does not come twice.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from dataclasses import asdict, dataclass
from urllib.parse import quote, unquote

from promptls.errors import UsageError
from promptls.lsp.uris import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SCHEME = "promptls"


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """A requested preview: the parameters of ``prompt/preview``, None for those not given.

    ``session`` and ``open`` are JSON.
    """

    uri: str | None = None
    cwd: str | None = None
    harness: str | None = None
    model: str | None = None
    agent: str | None = None
    reads: tuple[str, ...] | None = None
    args: tuple[str, ...] | None = None
    rev: str | None = None
    session: str | None = None
    open: str | None = None
    recorded: str | None = None
    subagent: str | None = None


def uri_of(request: PreviewRequest) -> str:
    """The virtual document of a request."""
    path = path_of(request.uri) if request.uri else None
    name = os.path.basename(path) if path else "folder"
    at = f" at {request.rev.replace('/', '-')}" if request.rev else ""
    at += " as sub-agent" if request.subagent else ""
    given = {key: value for key, value in asdict(request).items() if value is not None}
    token = base64.urlsafe_b64encode(json.dumps(given, separators=(",", ":")).encode()).decode().rstrip("=")
    return f"{SCHEME}:/{quote(f'{name}{at} (prompt)', errors='replace')}?{token}"


def is_preview(uri: str) -> bool:
    """Whether ``uri`` names a virtual document of ours."""
    return uri.startswith(f"{SCHEME}:")


def request_of(uri: str) -> PreviewRequest:
    """The request that a virtual document shows.

    Raises:
        UsageError: it is none of ours.
    """
    token = unquote(uri.partition("?")[2].partition("#")[0])
    try:
        given = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        checked: dict[str, Any] = {key: _checked(key, value) for key, value in given.items()}
        return PreviewRequest(**checked)
    except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error):
        raise UsageError(
            f"{uri} is not a preview; open one with the command “Prompt: Preview for Active File”."
        ) from None


def _checked(key: str, value: object) -> object:
    """A value of a request as it was, or an error."""
    if key in ("reads", "args") and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if key not in ("reads", "args") and isinstance(value, str):
        return value
    raise TypeError(key)
