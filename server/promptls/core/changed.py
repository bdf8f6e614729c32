"""A file system with some files changed in memory: what would be seen if an edit were made."""

from __future__ import annotations

import stat

from promptls.core.changes import rewritten
from promptls.core.files import Contents, DirectoryEntry, Info
from promptls.core.paths import is_below, join, name, parent
from promptls.core.text import decode
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from promptls.core.host import Disk, Host
    from promptls.core.model import Edit


@dataclass(frozen=True, slots=True)
class Changed:
    """A ``Disk`` of ``core.host``: ``disk`` with other ``texts``, None where a file is gone.

    The paths are those of files, with the links above them resolved. ``links``: files that lead to another one.
    """

    disk: Disk
    texts: Mapping[str, bytes | None]
    links: Mapping[str, str]

    def stat_of(self, path: str, /) -> Info | None:
        """What is at ``path``, links followed; a changed file has a number of its own."""
        real = self.realpath(path)
        if real in self.texts:
            text = self.texts[real]
            return None if text is None else _info(stat.S_IFREG, real, len(text))
        return self.disk.stat_of(path) or (_info(stat.S_IFDIR, real, 0) if self._new_below(real) else None)

    def read(self, path: str, /, *, info: Info | None) -> Contents:
        """The bytes at ``path``, links followed; ``info`` is what is there."""
        real = self.realpath(path)
        if real in self.texts:
            text = self.texts[real]
            return Contents("missing") if text is None else Contents("file", text, len(text))
        return self.disk.read(real if real != path else path, info=info)

    def entries(self, path: str, /) -> tuple[DirectoryEntry, ...]:
        """The entries of a directory, those that are new last."""
        real = self.realpath(path)
        gone = {name(each) for each, text in self.texts.items() if text is None and parent(each) == real}
        found = [each for each in self.disk.entries(path) if each.name not in gone]
        linked = {name(each) for each in self.links if parent(each) == real}
        found = [replace(each, is_link=True) if each.name in linked else each for each in found]
        known = {each.name for each in found}
        more: dict[str, DirectoryEntry] = {}
        for each in self._new_below(real):
            first, _, rest = each[len(real.rstrip("/")) + 1 :].partition("/")
            if first not in known:
                more.setdefault(first, DirectoryEntry(first, is_directory=bool(rest), is_link=each in self.links))
        return (*found, *more.values())

    def realpath(self, path: str, /) -> str:
        """``path`` with its links resolved."""
        real = path if path in self.texts else self.disk.realpath(path)
        return self.links.get(real, real)

    def _new_below(self, directory: str) -> list[str]:
        there = [each for each, text in self.texts.items() if text is not None]
        return [each for each in (*there, *self.links) if each != directory and is_below(each, directory)]


def _info(kind: int, path: str, size: int) -> Info:
    return Info((kind | 0o644, hash((path, size)) & 0xFFFFFFFF, -1, size, 0, 0))


def after(host: Host, edits: Iterable[Edit], links: Mapping[str, str] | None = None) -> Host:
    """The same host, as if ``edits`` and ``links`` to other files had been made; open documents count as saved."""
    return host.elsewhere(Changed(host.disk, {**host.opened(), **_texts_after(host, edits)}, links or {}))


def _texts_after(host: Host, edits: Iterable[Edit]) -> dict[str, bytes | None]:
    """The files that ``edits`` change, as they are then; renames come last. They are looked up through ``host``."""
    by_file: dict[str, list[Edit]] = {}
    renames: dict[str, str] = {}
    for each in edits:
        real = join(host.realpath(parent(each.path)), name(each.path))
        if each.rename is not None:
            renames[real] = join(host.realpath(parent(each.rename)), name(each.rename))
        else:
            by_file.setdefault(real, []).append(each)
    texts: dict[str, bytes | None] = {}
    for path, found in by_file.items():
        contents = host.read(path)
        before = decode(contents.data, keep_bom=False) if contents.state == "file" else ""
        texts[path] = rewritten(before, found).encode("utf-8", "replace")
    for old, new in renames.items():
        texts[new] = texts.get(old) or host.read(old).data
        texts[old] = None
    return texts
