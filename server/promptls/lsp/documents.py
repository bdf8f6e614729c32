"""The open documents, as in the editor. A document is a value: an edit creates a new one.

So a handler that awaits keeps the text it was asked about, whatever is typed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from lsprotocol import types

from promptls.core.paths import path_key
from promptls.core.text import LineIndex
from promptls.lsp.uris import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Range
    from promptls.core.text import Encoding


@dataclass(frozen=True, slots=True)
class Document:
    """One version of an open document. ``path`` is None if it is not a file on this disk (untitled: ...)."""

    uri: str
    language: str
    version: int
    text: str
    path: str | None
    lines: LineIndex = field(repr=False, compare=False)

    def range(self, where: Range) -> types.Range:
        """A range of the core, which counts in UTF-16, in the units of the client."""
        start, end = (where.start_line, where.start_character), (where.end_line, where.end_character)
        if self.lines.encoding != "utf-16":
            index = LineIndex(self.text)
            start, end = self.lines.position(index.offset(*start)), self.lines.position(index.offset(*end))
        return types.Range(types.Position(*start), types.Position(*end))


class Position(Protocol):
    """An LSP position."""

    line: int
    character: int


class Span(Protocol):
    """An LSP range."""

    @property
    def start(self) -> Position: ...  # noqa: D102 - as LSP names it
    @property
    def end(self) -> Position: ...  # noqa: D102 - as LSP names it


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to a document: the text that replaces ``span``, or everything if it is None."""

    text: str
    span: Span | None = None


class Documents:
    """The open documents by URI. Two spellings of one file's URI are one document."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        """All of them; they may change during the iteration."""
        return iter(list(self._open.values()))

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def get(self, uri: str) -> Document | None:
        """The open document of ``uri``."""
        return self._open.get(_key(uri))

    def at(self, path: str) -> Document | None:
        """The open document of the file at ``path``, as the editor names it (links are not resolved)."""
        return self._open.get(path_key(path))

    def open(self, uri: str, language: str, version: int, text: str) -> Document:
        """Add a document; one that is already open is replaced."""
        document = Document(uri, language, version, text, path_of(uri), LineIndex(text, self.encoding))
        self._open[_key(uri)] = document
        return document

    def change(self, uri: str, version: int, edits: Sequence[Edit]) -> Document | None:
        """Apply ``edits`` one after the other; None if the document is not open."""
        document = self.get(uri)
        if document is None:
            return None
        lines = document.lines
        for edit in edits:
            lines = LineIndex(_edited(lines, edit), self.encoding)
        document = replace(document, version=version, text=lines.text, lines=lines)
        self._open[_key(uri)] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Remove a document; returns it, None if it was not open."""
        return self._open.pop(_key(uri), None)


def _edited(lines: LineIndex, edit: Edit) -> str:
    if edit.span is None:
        return edit.text
    start = lines.offset(edit.span.start.line, edit.span.start.character)
    end = lines.offset(edit.span.end.line, edit.span.end.character)
    return "".join((lines.text[:start], edit.text, lines.text[max(start, end) :]))  # one copy less than with +


def _key(uri: str) -> str:
    path = path_of(uri)
    return path_key(path) if path is not None else uri
