"""Moves sections of an instruction file to another file: the edits, and the references to update."""

from __future__ import annotations

from promptls.core.changes import moved_along
from promptls.core.formats import markdown
from promptls.core.lazy import regex
from promptls.core.merge import blocks
from promptls.core.model import Edit, Range
from promptls.core.paths import is_below, parent, resolve
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from promptls.core.formats.markdown import Heading
    from promptls.core.host import Host

_WORD = regex(r"[^\W_]+")
# Paths that a section must name to speak of one directory.
ENOUGH = 2
# One of so many of its paragraphs and items must name a path.
SHARE = 2
# What may be a path of a directory: in code type or in prose, with a slash unless it is in code type.
_PATH = regex(r"`([\w.][\w./-]*)`|(?<![\w./@:(-])((?:\./)?[\w.-]+/[\w./-]*)")


def section_at(text: str, line: int) -> Heading | None:
    """The heading on ``line`` (from 0), if there is one."""
    index = LineIndex(text)
    return next((each for each in markdown.headings(text) if index.position(each.start)[0] == line), None)


def file_name(title: str, is_taken: Callable[[str], bool]) -> str:
    """An unused name for the file of a section."""
    stem = "-".join(word.lower() for word in _WORD.findall(title)) or "section"
    number = 1
    while is_taken(name := f"{stem}{f'-{number}' if number > 1 else ''}.md"):
        number += 1
    return name


def directories(section: str, base: str, is_directory: Callable[[str], bool]) -> list[str]:
    """The directories below ``base`` that a section names, each once, as absolute paths."""
    found: dict[str, None] = {}
    for match in _PATH.finditer(section):
        path = resolve(base, match[1] or match[2])
        if path != base and is_below(path, base) and is_directory(path):
            found.setdefault(path)
    return list(found)


def only_directory(section: str, base: str, host: Host) -> str | None:
    """The one directory below ``base`` that all paths in a section are in; None if they are in several, or too few.

    A section that names a path here and there speaks of something else.
    """
    places: dict[str, str] = {}
    spoken = [each.text for each in blocks(section) if not each.level and each.text.strip()]
    naming = 0
    for text in spoken:
        found = dict(_places(text, base, host))
        naming += bool(found)
        places |= found
    if len(places) < ENOUGH or naming * SHARE < len(spoken):
        return None
    first, *rest = places.values()
    while not all(is_below(each, first) for each in rest):
        first = parent(first)
    is_hidden = "/." in first[len(base) :]
    return first if first != base and first in places.values() and not is_hidden else None


def _places(text: str, base: str, host: Host) -> Iterator[tuple[str, str]]:
    """The paths in a text that are there, each with its directory."""
    for match in _PATH.finditer(text):
        path = resolve(base, (match[1] or match[2]).rstrip(".,"))
        kind = host.kind(path) if is_below(path, base) and path != base else None
        if kind is not None:
            yield path, path if kind == "directory" else parent(path)


def extracted(path: str, text: str, heading: Heading, new: str, mention: str) -> tuple[Edit, Edit]:
    """The section becomes the file at ``new``, and ``mention`` replaces it."""
    section = text[heading.start : heading.end]
    gap = section[len(section.rstrip()) :] or "\n"
    where = LineIndex(text).range(heading.start, heading.end)
    return Edit(new, Range(), section.rstrip() + "\n"), Edit(path, where, f"{mention}{gap}")


def moved(  # noqa: PLR0917 - two files, and what goes from one to the other
    path: str, text: str, heading: Heading, section: str, new: str, old_text: str
) -> tuple[Edit, Edit]:
    """The section moves, as ``section``, to the end of the file at ``new``, which contains ``old_text``."""
    end = LineIndex(old_text).position(len(old_text))
    lead = "" if not old_text.strip() else "\n" if old_text.endswith("\n") else "\n\n"
    where = LineIndex(text).range(heading.start, heading.end)
    return Edit(new, Range(*end, *end), lead + section.rstrip() + "\n"), Edit(path, where, "")


def renamed(path: str, text: str, heading: Heading, new: str, names: Mapping[tuple[int, int], str]) -> str:
    """The text of the section with the names of files as ``new`` has to write them.

    ``names``: what is between two offsets of ``text`` and names a file, with the path of that file.
    """
    parts: list[str] = []
    at = heading.start
    for (start, end), target in sorted(names.items()):
        if heading.start <= start and end <= heading.end and start >= at:
            name = moved_along(text[start:end], target, path, new, target)
            if name is not None:
                parts += [text[at:start], name]
                at = end
    return "".join([*parts, text[at : heading.end]])


def applied(text: str, edits: Iterator[Edit]) -> str:
    """``text`` after edits that do not overlap."""
    index = LineIndex(text)
    spans = [
        (
            index.offset(each.range.start_line, each.range.start_character),
            index.offset(each.range.end_line, each.range.end_character),
            each.text,
        )
        for each in edits
    ]
    pieces, at = [], 0
    for start, end, new in sorted(spans):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])
