"""The Markdown files of opencode: front matter, which it repairs once if it is not valid, and a body."""

from __future__ import annotations

import re

from promptls.core.formats.tree import EMPTY, Value
from promptls.core.host import StepBudget
from promptls.core.lazy import regex
from promptls.core.model import Fault, Origin, Range
from promptls.core.text import LineIndex, decode, early_range
from promptls.core.values import dataclass
from promptls.kit.paths import is_below, join, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.files import DirectoryEntry
    from promptls.core.formats.tree import Document
    from promptls.core.host import Host

# A limit of ours, so that links in a loop end, also where every level has several.
DEPTH = 16


@dataclass(frozen=True, slots=True)
class Markdown:
    """A file. ``root`` is its front matter, ``EMPTY`` where it has none; ``start`` and ``end`` are those of the body.

    ``before`` is what the offsets of ``root`` count from, None where it had to be repaired. ``flaw`` says why the front
    matter cannot be read, if it cannot. Where there was nothing to repair in it, ``is_whole``: opencode then takes the
    file for one without front matter, and all of it for its body (wire: agent-front-matter-broken).
    """

    path: str
    text: str
    root: Value
    start: int
    end: int
    before: int | None = None
    flaw: Fault | None = None
    is_whole: bool = False

    @property
    def body(self) -> str:
        """The text after the front matter, without white space around it."""
        return self.text[self.start : self.end]

    @property
    def body_origin(self) -> Origin:
        """Where the body is."""
        where = LineIndex(self.text).range(self.start, self.end)
        return Origin("file", path=self.path, range=where, name=name(self.path))

    def origin(self, key: str) -> Origin:
        """Where the value of ``key`` is in the front matter; the file where it had to be repaired."""
        value = self.root.get(key)
        where = self.range(value) if value is not None and self.before is not None else None
        return Origin("file", path=self.path, range=where, name=name(self.path))

    def range(self, value: Value) -> Range:
        """Where a value of the front matter is; the beginning of the file where it had to be repaired."""
        if self.before is None:
            return Range()
        return early_range(self.text, self.before + value.start, self.before + value.end)


def read(path: str, data: bytes) -> Markdown:
    """The file at ``path``, of which ``data`` are the bytes."""
    from promptls.core.formats import front_matter, parse_yaml  # noqa: PLC0415 - many folders have no such file
    from promptls.kit.javascript import trimmed  # noqa: PLC0415 - the same

    text = decode(data, keep_bom=False)
    front = front_matter.split(text)
    start, end = trimmed(text, front.body)
    document = front.document
    before: int | None = front.start
    if document is not None and document.flaw is not None:
        repaired = _COLON_INSIDE.sub(_quoted, document.text)
        broken, document = document, parse_yaml(repaired)
        if document.flaw is not None:
            is_whole = repaired == broken.text
            start, end = trimmed(text, 0) if is_whole else (start, end)
            return Markdown(path, text, EMPTY, start, end, flaw=_fault(broken, text, front.start), is_whole=is_whole)
        before = None
    root = document.root if document is not None else None
    return Markdown(path, text, root if root is not None and root.kind == "object" else EMPTY, start, end, before)


# A value that contains a colon: opencode tries once more with quotes around each.
_COLON_INSIDE = regex(r"^([A-Za-z_]+:[ \t]+)([^\s\"'\[{|>].*:[ \t].*)$", re.MULTILINE)


def _quoted(found: re.Match[str]) -> str:
    import json  # noqa: PLC0415 - only for such a line

    return f"{found[1]}{json.dumps(found[2])}"


def _fault(broken: Document, text: str, start: int) -> Fault | None:
    flaw = broken.flaw
    if flaw is None:
        return None
    where = LineIndex(text).range(start + flaw.start, start + flaw.end)
    return Fault("front-matter-invalid", where, f"opencode cannot read the front matter: {flaw.message}. Fix it.")


def files(
    host: Host,
    directory: str,
    ending: str,
    steps: StepBudget,
    *,
    depth: int = DEPTH,
    hidden: bool = True,
    above: tuple[str, ...] = (),
) -> Iterator[str]:
    """The files of a directory and ``depth`` levels below whose path ends with ``ending``; links are followed.

    ``above`` are the directories on the way, by their real paths: a link that leads back to one is skipped.
    """
    entries = host.entries(directory)
    steps.spend(entries)
    for entry in () if steps.is_spent else sorted(entries, key=lambda each: each.name):
        path = join(directory, entry.name)
        if path.endswith(ending) and host.kind(path) == "file":
            yield path
        elif depth and (hidden or not entry.name.startswith(".")) and _is_directory(host, entry, path):
            real = host.realpath(path) if entry.is_link else ""
            if entry.is_link and any(is_below(each, real) for each in (host.realpath(directory), *above)):
                continue
            on_the_way = (*above, host.realpath(directory)) if entry.is_link else above
            yield from files(host, path, ending, steps, depth=depth - 1, hidden=hidden, above=on_the_way)


def _is_directory(host: Host, entry: DirectoryEntry, path: str) -> bool:
    return entry.is_directory or (entry.is_link and host.kind(path) == "directory")
