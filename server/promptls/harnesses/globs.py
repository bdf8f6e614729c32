"""Globs over a host, in the dialect of npm's ``glob``: braces, classes, extended patterns and ``**``.

``**`` does not walk into links; where something stands before it in the pattern, the directory behind a link is
still searched itself.
"""

from __future__ import annotations

import re

from promptls.core.values import dataclass, field
from promptls.harnesses.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from promptls.core.host import Host

# Limits of ours: a pattern that would look into more directories, or deeper, is given up, and the preview says so.
MAX_DIRECTORIES = 20_000
MAX_DEPTH = 100

_MAGIC = re.compile(r"[*?\[\]{}]|[+@!]\(")


@dataclass(slots=True)
class Matches:
    """Files in the order the disk gives them, and whether the limit of ours ended the search."""

    paths: list[str] = field(default_factory=list)
    is_cut: bool = False


def is_magic(pattern: str) -> bool:
    """Whether ``pattern`` is more than a plain path."""
    return _MAGIC.search(pattern) is not None


def match(host: Host, pattern: str, base: str, *, dot: bool) -> Matches:
    """The files that ``pattern`` matches below ``base``. ``dot``: wild cards match hidden names too."""
    if not is_magic(pattern):
        path = resolve(base, pattern)
        return Matches([path] if host.kind(path) == "file" else [])
    import bracex  # noqa: PLC0415 - the same
    from wcmatch import fnmatch  # noqa: PLC0415 - plain paths, the usual case, need no pattern library

    flags = fnmatch.EXTMATCH | fnmatch.CASE | (fnmatch.DOTMATCH if dot else 0)

    def matcher(part: str) -> Callable[[str], bool]:
        include, exclude = fnmatch.translate(part, flags=flags)
        yes, no = [re.compile(regex) for regex in include], [re.compile(regex) for regex in exclude]
        return lambda name: any(r.match(name) for r in yes) and not any(r.match(name) for r in no)

    found = Matches()
    walk = _Walk(host, matcher, dot=dot)
    for alternative in bracex.iexpand(pattern, limit=1000):
        parts = [part for part in alternative.split("/") if part not in ("", ".")]
        found.paths += walk.files(base, parts, is_first=True)
    found.paths = list(dict.fromkeys(found.paths))
    found.is_cut = walk.left <= 0
    return found


class _Walk:
    def __init__(self, host: Host, matcher: Callable[[str], Callable[[str], bool]], *, dot: bool) -> None:
        self._host = host
        self._matcher = matcher
        self._dot = dot
        self.left = MAX_DIRECTORIES

    def files(self, directory: str, parts: list[str], *, is_first: bool = False) -> Iterator[str]:
        if not parts or self.left <= 0:
            return
        part, rest = parts[0], parts[1:]
        if part == "**":
            yield from self._any_depth(directory, rest or ["*"], 0, into_links=not is_first)
        elif not is_magic(part):
            path = resolve(directory, part)
            if rest:
                yield from self.files(path, rest)
            elif self._host.kind(path) == "file":
                yield path
        else:
            matches = self._matcher(part)
            self.left -= 1
            for entry in self._host.entries(directory):
                if not matches(entry.name):
                    continue
                path = join(directory, entry.name)
                if rest and (entry.is_directory or entry.is_link):
                    yield from self.files(path, rest)
                elif not rest and not entry.is_directory and self._host.kind(path) == "file":
                    yield path

    def _any_depth(self, directory: str, rest: list[str], depth: int, *, into_links: bool) -> Iterator[str]:
        if depth > MAX_DEPTH:
            self.left = 0
        yield from self.files(directory, rest)
        self.left -= 1
        for entry in self._host.entries(directory):
            if self.left <= 0:
                return
            path = join(directory, entry.name)
            if not self._dot and entry.name.startswith("."):
                continue
            if entry.is_directory:
                yield from self._any_depth(path, rest, depth + 1, into_links=into_links)
            elif into_links and entry.is_link and self._host.kind(path) == "directory":
                # Not any deeper: this keeps a loop of links from being walked for ever.
                yield from self.files(path, rest)
