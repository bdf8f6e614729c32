"""URIs and paths: converted once, at the edge. Nothing else in the server parses URIs."""

from __future__ import annotations

import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

from promptls.core.files import WINDOWS
from promptls.core.lazy import regex
from promptls.core.paths import from_windows

_DRIVE = regex(r"/[A-Za-z]:")


def path_of(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """The absolute path of a ``file:`` URI; None for every other scheme and for files of another host.

    Bytes that are not UTF-8 survive, as Python keeps them in paths.
    """
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "file":
        return None
    host, path = "", re.split("[?#]", rest, maxsplit=1)[0]
    if path.startswith("//"):
        host, slash, path = path[2:].partition("/")
        path = slash + path
    if not path.startswith("/"):
        return None
    path = os.fsdecode(unquote_to_bytes(path.encode("utf-8", "surrogatepass")))
    host = "" if host.lower() == "localhost" else host
    if windows:
        return from_windows(f"//{host}{path}" if host else path[1:] if _DRIVE.match(path) else path)
    return None if host else path


def uri_of(path: str, *, windows: bool = WINDOWS) -> str:
    """The ``file:`` URI of an absolute path."""
    if windows:
        path = from_windows(path)
        if path.startswith("//"):
            return "file:" + _quote(path)
        # As VS Code writes it: for most clients there, one spelling of a file is one file.
        return f"file:///{path[0].lower()}%3A{_quote(path[2:])}"
    return "file://" + _quote(path)


def _quote(path: str) -> str:
    try:
        data = os.fsencode(path)
    except UnicodeEncodeError:  # no path of this disk, but a configuration may name it
        data = path.encode("utf-8", "surrogatepass")
    return quote_from_bytes(data, safe="/~!$&'()*+,;=:@")
