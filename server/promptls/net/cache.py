"""Answers on disk: one file per URL, complete or absent, with a limit on the total size.

Nothing here raises: a cache that cannot be read or written is an empty one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import tempfile
from dataclasses import asdict, dataclass

from promptls.core import files
from promptls.core.lazy import regex
from promptls.core.secrets import without_userinfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT_BYTES = 64 * 1024 * 1024
LIMIT_FILES = 1000

_FORMAT = 1
# The directory may be shared with other things: only files with our names are ever removed.
_OURS = regex(r"[0-9a-f]{64}(\.json|\..*\.tmp)")


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """A successful answer: the decoded body, the validators for the next request, and its times.

    Times are seconds as in ``FetchResult``, of the last real request; ``fetched_at`` is Unix time.
    """

    text: str
    status: int
    final_url: str
    headers_seconds: float
    total_seconds: float
    fetched_at: float
    # Of the address that returned it, if ``final_url`` has a secret removed.
    final_digest: str = ""
    etag: str | None = None
    last_modified: str | None = None
    truncated: bool = False

    def is_of(self, url: str) -> bool:
        """Whether the address ``url`` returned it."""
        return digest(url) == self.final_digest if self.final_digest else url == self.final_url


_TIMES = ("headers_seconds", "total_seconds", "fetched_at")
_KINDS = {
    "text": str,
    "status": int,
    "final_url": str,
    **dict.fromkeys(_TIMES, int | float),
    "final_digest": str,
    "etag": str | None,
    "last_modified": str | None,
    "truncated": bool,
}


def digest(url: str) -> str:
    """An id for a URL that does not reveal its secrets."""
    return hashlib.sha256(without_userinfo(url).encode("utf-8", "surrogatepass")).hexdigest()


class Cache:
    """The directory of entries."""

    def __init__(
        self, directory: str | None = None, *, limit_bytes: int = LIMIT_BYTES, limit_files: int = LIMIT_FILES
    ) -> None:
        """``directory``: else ``PROMPTLS_CACHE_DIR``, else the user's own cache directory."""
        self._given = directory
        self._limit_bytes = limit_bytes
        self._limit_files = limit_files

    @property
    def directory(self) -> str:
        """The directory of the entries; it may not exist yet."""
        if self._given is None:
            self._given = os.environ.get("PROMPTLS_CACHE_DIR") or _user_directory()
        return os.path.join(self._given, "urls")

    def path(self, url: str) -> str:
        """The file of ``url``."""
        return os.path.join(self.directory, digest(url) + ".json")

    def load(self, url: str) -> CachedAnswer | None:
        """The entry of ``url``; None if there is none, or it is incomplete."""
        contents = files.read(self.path(url))
        if contents.state != "file" or contents.is_cut:
            return None
        try:
            return _entry(json.loads(contents.data))
        except (ValueError, KeyError, TypeError, RecursionError):
            return None

    def store(self, url: str, entry: CachedAnswer) -> None:
        """Replace the entry of ``url``, and remove the oldest ones beyond the limit."""
        data = json.dumps({"format": _FORMAT, **asdict(entry)}, ensure_ascii=False).encode()
        if len(data) > files.LARGE:  # would not be read back
            return
        path = self.path(url)
        with contextlib.suppress(OSError):
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            _write(path, data)
            self._prune(keep=path)

    def _prune(self, keep: str) -> None:
        with os.scandir(self.directory) as found:
            ours = [item for item in found if _OURS.fullmatch(item.name) and item.is_file(follow_symlinks=False)]
        aged = []
        for item in ours:
            with contextlib.suppress(OSError):
                info = item.stat(follow_symlinks=False)
                aged.append((item.path != keep, -info.st_mtime_ns, info.st_size, item.path))
        size = 0
        for count, (_, _, own, path) in enumerate(sorted(aged), start=1):
            size += own
            if size > self._limit_bytes or count > self._limit_files:
                with contextlib.suppress(OSError):
                    os.remove(path)


def _user_directory() -> str:
    import platformdirs  # noqa: PLC0415 - only a fetch needs it

    try:
        found = platformdirs.user_cache_dir("promptls")
    except RuntimeError:  # newer versions: the user has no home
        found = ""
    return found if os.path.isabs(found) else os.devnull  # where nothing exists and nothing can be written


def _write(path: str, data: bytes) -> None:
    directory, name = os.path.split(path)
    handle, temporary = tempfile.mkstemp(prefix=name.removesuffix("json"), suffix=".tmp", dir=directory)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def _entry(data: Any) -> CachedAnswer:
    """The entry in ``data``; ValueError, KeyError or TypeError if it is not valid."""
    if not isinstance(data, dict) or data.pop("format", None) != _FORMAT or not data["text"]:
        raise ValueError("not an entry of this format")
    if not all(isinstance(data[name], kind) for name, kind in _KINDS.items()):
        raise TypeError("not the values of an entry")
    if not all(0 <= data[name] < math.inf for name in _TIMES):
        raise ValueError("not a time")
    # A lone surrogate would fail much later, when the text is sent.
    (data["text"] + data["final_url"]).encode()
    return CachedAnswer(**data)
