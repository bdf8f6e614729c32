"""Files that an instructions file references (parts: links-referenced-on, referenced-chain)."""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.text import decode, lines_of
from promptls.core.values import dataclass
from promptls.harnesses.copilot_vscode.files.locations import SKILL, kind_of
from promptls.kit.paths import join, name, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.copilot_vscode.parts import Chat

# A limit of ours: references may lead through a whole workspace.
MOST = 200
_FENCE = regex(r"\s*(`{3,}|~{3,})")
_CODE = regex(r"`[^`]+`")
_FILE = regex(r"#file:([^\s#]+)", re.IGNORECASE)
_SCHEME = regex(r"[a-zA-Z]+:/")


@dataclass(frozen=True, slots=True)
class Reference:
    """A file that another one references, and where it does."""

    path: str
    origin: Origin


def references(chat: Chat, starts: list[str], seen: set[str], *, is_deep: bool = True) -> Iterator[Reference]:
    """The files that ``starts`` reference, each once; those of the last one come first.

    Further references are followed from files that are instructions, prompts, agents, skills or JSON by their names.
    ``seen`` are the files that are there already.
    """
    waiting = list(starts)
    left = MOST
    while waiting:
        path = waiting.pop()
        for reference in _in(chat, path):
            if reference.path in seen or left <= 0:
                continue
            seen.add(reference.path)
            left -= 1
            if chat.host.kind(reference.path) == "file":
                if is_deep and _is_followed(reference.path):
                    waiting.append(reference.path)
                yield reference


def _is_followed(path: str) -> bool:
    return kind_of(path) is not None or name(path) == SKILL or path.lower().endswith(".json")


def _in(chat: Chat, path: str) -> Iterator[Reference]:
    contents = chat.host.read(path)
    if contents.state != "file":
        return
    text = decode(contents.data, keep_bom=False)
    for start, target in targets(text, front_matter.split(text).body):
        place = _resolved(chat, path, target)
        if place is not None:
            where = lines_of(text).range(start, start + len(target))
            yield Reference(place, Origin("file", path=path, range=where, name=target))


def _resolved(chat: Chat, path: str, target: str) -> str | None:
    """``/x`` is below the root of the disk, ``~/x`` below the home directory; a part after ``#`` is of the name."""
    if target == "~" or target.startswith("~/"):
        return join(chat.host.home, target[2:])
    if _SCHEME.match(target):
        return None
    return resolve(parent(path), target)


def targets(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """The targets in ``text`` from ``start`` on, each with its offset; nothing of code."""
    fence = ""
    at = start
    for line in text[start:].splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
        elif not fence:
            yield from ((at + where, target) for where, target in _of_line(line))
        at += len(line)


def _of_line(line: str) -> list[tuple[int, str]]:
    if "](" not in line and "#file:" not in line.lower():
        return []
    spans = [each.span() for each in _CODE.finditer(line)]
    code = _Spans(spans)
    links = [each for each in _links(line) if line[each[0] - 1 : each[0]] != "!" and not code.hold(each[0])]
    found = [(where, line[where:end]) for _, where, end in links]
    code, taken = _Spans(spans), _Spans([(start, end + 1) for start, _, end in links])
    found += [
        (each.start(1), each[1])
        for each in _FILE.finditer(line)
        if not code.hold(each.start()) and not taken.touch(each.start(), each.end())
    ]
    return sorted(found)


def _links(line: str) -> Iterator[tuple[int, int, int]]:
    """Links as ``[...](target)``: where each begins, and where its target begins and ends. In linear time."""
    at = 0
    while True:
        try:
            start = line.index("[", at)
            middle = line.index("](", start + 1)
            end = line.index(")", middle + 3)
        except ValueError:
            return
        yield start, middle + 2, end
        at = end + 1


class _Spans:
    """Stretches of a line in order, asked for from its beginning to its end."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans
        self._at = 0

    def touch(self, start: int, end: int, margin: int = 1) -> bool:
        """Whether a stretch and the one from ``start`` to ``end`` have a place in common, or touch."""
        while self._at < len(self._spans) and self._spans[self._at][1] + margin <= start:
            self._at += 1
        return self._at < len(self._spans) and self._spans[self._at][0] < end + margin

    def hold(self, offset: int) -> bool:
        """Whether a stretch holds ``offset``."""
        return self.touch(offset, offset + 1, margin=0)
