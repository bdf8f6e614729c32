"""One text out of several: each is kept as it is, but for the blocks that stand in an earlier one in the same place.

A block is a paragraph, an item of a list, a table, a fence or a comment. Its place is the heading above it: the same
words below another heading may mean something else, so they stay.
"""

from __future__ import annotations

from collections import Counter

from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEADING = regex(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE = regex(r" {0,3}(`{3,}|~{3,})")
_LINE_END = "\n"
_ITEM = regex(r"[-*+][ \t]+\S")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, with the blank ones after them; ``below``: the heading above, "" for the title.

    ``level`` is that of a heading, 0 for any other block.
    """

    text: str
    below: str
    level: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """What a block of another text must be to be the same: white space does not count."""
        return self.below, " ".join(self.text.split())


def blocks(text: str) -> list[Block]:
    """The blocks of ``text``, whose lines end in line feeds; joined, they are the text."""
    found: list[Block] = []
    below = ""
    pieces = list(_pieces(text.splitlines(keepends=True)))
    levels = [_level(each) for each in pieces]
    # The first heading is the title of the whole, if it is the only one of the highest level.
    first = next((level for level in levels if level), 0)
    has_title = first == 1 and levels.count(1) == 1
    for piece, level in zip(pieces, levels, strict=True):
        if level:
            match = _HEADING.fullmatch(piece.split("\n", 1)[0])
            below = "" if match is None or (has_title and level == 1) else match[2].strip()
        found.append(Block(piece, below, level))
    return found


def merged(texts: Iterable[tuple[str, str]]) -> str:
    """The first text as it is, and after it what the others say that is not there yet. Each is with its file's name."""
    (_, first), *others = texts
    known = Counter(each.key for each in blocks(first))
    whole = first
    for name, other in others:
        rest = _new_in(other, name, known)
        known.update(each.key for each in blocks(rest))
        if rest.strip():
            whole = f"{_ended(whole)}{rest.strip(_LINE_END)}{_LINE_END}"
    return whole


def is_title_of(line: str, name: str) -> bool:
    """Whether a line is a heading that says the name of its file, and nothing else."""
    heading = _HEADING.fullmatch(line)
    return heading is not None and heading[1] == "#" and heading[2].strip("`").lower() == name.lower()


def _new_in(text: str, name: str, known: Counter[tuple[str, str]]) -> str:
    """The blocks that are not known, with the headings above them; a heading that is not known stays in any case."""
    left = known.copy()
    titles = {" ".join(words.lstrip("# ").split()) for _, words in known if words.startswith("#")}
    kept: list[Block] = []
    waiting: list[Block] = []
    for each in blocks(text):
        if not each.text.strip() or is_title_of(each.text.strip(), name):
            continue
        if each.level:
            waiting = [*(above for above in waiting if above.level < each.level), each]
        if each.level and " ".join(each.text.lstrip("# ").split()) in titles:
            # What is below the title is below no heading.
            waiting = waiting if each.below else []
            continue
        if each.level:
            kept += waiting
            waiting = []
        elif left[each.key] > 0:
            left[each.key] -= 1
        else:
            kept += [*waiting, each]
            waiting = []
    return _joined(kept)


def _joined(kept: list[Block]) -> str:
    text = ""
    for before, each in zip([None, *kept], kept, strict=False):
        is_apart = before is not None and not (_ITEM.match(before.text) and _ITEM.match(each.text))
        text = f"{_ended(text) if is_apart and each.text.strip() else text}{each.text}"
    return text


def _ended(text: str) -> str:
    """``text`` with an empty line after it."""
    if not text or text.endswith("\n\n"):
        return text
    return f"{text}\n" if text.endswith("\n") else f"{text}\n\n"


def _level(piece: str) -> int:
    match = _HEADING.fullmatch(piece.split("\n", 1)[0])
    return len(match[1]) if match else 0


def _pieces(lines: list[str]) -> Iterator[str]:
    """The lines in blocks, each with the blank lines after it."""
    at = 0
    while at < len(lines):
        end = _end_of(lines, at)
        while end < len(lines) and not lines[end].strip():
            end += 1
        yield "".join(lines[at:end])
        at = end


def _end_of(lines: list[str], at: int) -> int:
    """Where the block that begins at ``at`` ends; the line itself if it is blank or a heading."""
    first = lines[at].rstrip("\n")
    fence = _FENCE.match(first)
    if fence is not None:
        return _after_fence(lines, at, fence[1])
    if first.lstrip().startswith("<!--"):
        return next((number + 1 for number in range(at, len(lines)) if "-->" in lines[number]), len(lines))
    end = at + 1
    if not first.strip() or _HEADING.fullmatch(first):
        return end
    is_item = _ITEM.match(first) is not None
    while end < len(lines):
        line = lines[end].rstrip("\n")
        if is_item and line[:1] in (" ", "\t") and line.strip():
            inner = _FENCE.match(line.lstrip())
            end = _after_fence(lines, end, inner[1]) if inner else end + 1
        elif not line.strip() and is_item and end + 1 < len(lines) and lines[end + 1][:2] in ("  ", "\t"):
            end += 1
        elif not line.strip() or _HEADING.fullmatch(line) or _FENCE.match(line) or _ITEM.match(line):
            break
        else:
            end += 1
    return end


def _after_fence(lines: list[str], at: int, mark: str) -> int:
    for number in range(at + 1, len(lines)):
        line = lines[number].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return number + 1
    return len(lines)
