"""A text put together of stretches of files and of a program's own frame.

The pieces tile what is sent: text of files, each with its place, and the program's own. They can be trimmed like the
whole text, and become segments at the end.
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Origin, Segment
from promptls.core.text import BOM, LineIndex
from promptls.core.values import dataclass, replace
from promptls.kit.javascript import SPACE
from promptls.kit.segments import WHY_FRAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.model import Cut, Frame, Layer


class File:
    """A file that was read: ``text`` with its byte order mark, and places in it without."""

    __slots__ = ("_index", "_offset", "cut", "path", "real", "text")

    def __init__(self, path: str, text: str, cut: Cut | None, real: str | None = None) -> None:
        """``cut`` is our own limit, where it applied; ``real`` is where the text is, if not at ``path``."""
        self.path = path
        self.real = real or path
        self.text = text
        self.cut = cut
        self._offset = int(text.startswith(BOM))
        self._index: LineIndex | None = None

    def origin(self, start: int, end: int, *, again: bool = False, name: str | None = None) -> Origin:
        """The place of ``text[start:end]``."""
        if self._index is None:
            self._index = LineIndex(self.text[self._offset :])
        where = self._index.range(start - self._offset, end - self._offset)
        return Origin("file", path=self.real, range=where, name=name, again=again)


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text: from ``start`` of ``file``, or, without one, the program's own."""

    text: str
    file: File | None = None
    start: int = 0
    frame: Frame | None = None
    title: str = ""
    # The path that a label announces.
    announces: str | None = None
    # Why it is there, where that is not why the message is.
    why: str = ""


def before(text: str, announces: str | None = None) -> Piece:
    """A label before a text."""
    return Piece(text, frame="head", announces=announces)


def after(text: str) -> Piece:
    """A closing label or a join after a text."""
    return Piece(text, frame="tail")


def trimmed(pieces: list[Piece]) -> list[Piece]:
    """The pieces as JavaScript's ``trim`` would leave their text."""
    kept = [piece for piece in pieces if piece.text]
    while kept and not kept[0].text.strip(SPACE):
        kept.pop(0)
    while kept and not kept[-1].text.strip(SPACE):
        kept.pop()
    if kept:
        first = kept[0]
        text = first.text.lstrip(SPACE)
        kept[0] = replace(first, text=text, start=first.start + len(first.text) - len(text))
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip(SPACE))
    return kept


def segments(pieces: Iterable[Piece], layer: Layer, why: str, seen: set[str]) -> Iterator[Segment]:
    """Segments of a message. ``seen`` are the files that the message has named before, and grows."""
    for piece in pieces:
        if piece.file is not None:
            if not piece.text:
                continue
            path, end = piece.file.path, piece.start + len(piece.text)
            origin = piece.file.origin(piece.start, end, again=path in seen)
            # White space between two imports is shown with the first of them.
            is_blank = not piece.text.strip()
            if not is_blank:
                seen.add(path)
            frame: Frame | None = "tail" if is_blank else None
            yield Segment(layer, path, piece.text, origin, why, cut=piece.file.cut, frame=frame)
        elif piece.frame is not None:
            known = piece.announces is not None and piece.announces not in seen
            origin = Origin("computed", path=piece.announces) if known else COMPUTED
            yield Segment(layer, "frame", piece.text, origin, WHY_FRAME, frame=piece.frame)
        else:
            yield Segment(layer, piece.title, piece.text, COMPUTED, piece.why or why)
