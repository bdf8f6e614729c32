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
    from collections.abc import Collection, Iterable, Iterator

_HEADING = regex(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE = regex(r" {0,3}(`{3,}|~{3,})")
_LINE_END = "\n"
_ITEM = regex(r"[-*+][ \t]+\S")
# A line of a list, also of one with numbers: an item, or what belongs to one.
_IN_LIST = regex(r"[ \t]+\S|[-*+][ \t]+\S|\d+[.)][ \t]+\S")


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

    @property
    def keys(self) -> set[tuple[str, str]]:
        """The keys of what need not be said beside it: a fence that names its language also says one that does not."""
        first, end, rest = self.text.partition("\n")
        fence = _FENCE.match(first)
        bare = self.text if fence is None else f"{fence[1]}{end}{rest}"
        return {self.key, (self.below, " ".join(bare.split()))}


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
    known = _keys(first)
    whole = first
    for name, other in others:
        rest = _new_in(other, name, known)
        known.update(_keys(rest))
        if rest.strip():
            whole = f"{_ended(whole)}{rest.strip(_LINE_END)}{_LINE_END}"
    return whole


def bare_fences(text: str) -> Iterator[str]:
    """The first lines of fences that name no language: one that names it says as much."""
    firsts = (each.text.split("\n", 1)[0] for each in blocks(text))
    return (each.strip() for each in firsts if _FENCE.fullmatch(each.rstrip()))


def led_lines(lines: Iterable[str], gone: Collection[int]) -> set[int]:
    """The numbers of the lines that one above leads up to which is not ``gone``: a block, or all items of a list."""
    found = set()
    above, is_led = "", False
    for number, line in enumerate(lines):
        if line.strip():
            is_led = (leads_on(above) and not above.startswith("#")) or (is_led and _IN_LIST.match(line) is not None)
            above = line if number not in gone else ""
            if is_led:
                found.add(number)
    return found


def leads_on(text: str) -> bool:
    """Whether a text says that something follows, so that it says nothing without that."""
    return text.rstrip().endswith(":")


def _is_led(each: Block, before: Block | None, *, is_led: bool) -> bool:
    """Whether a block needs what is kept before it; ``is_led``: whether that does."""
    if each.level or before is None or before.level:
        return False
    return leads_on(before.text) or (is_led and _ITEM.match(each.text) is not None)


def is_title_of(line: str, name: str) -> bool:
    """Whether a line is a heading that says the name of its file, and nothing else."""
    heading = _HEADING.fullmatch(line)
    return heading is not None and heading[1] == "#" and heading[2].strip("`").lower() == name.lower()


def _keys(text: str) -> Counter[tuple[str, str]]:
    return Counter(key for each in blocks(text) for key in each.keys)


def _new_in(text: str, name: str, known: Counter[tuple[str, str]]) -> str:
    """The blocks that are not known, with the headings above them; a heading that is not known stays in any case.

    A block stays, too, if what leads up to it does.
    """
    left = known.copy()
    titles = {" ".join(words.lstrip("# ").split()) for _, words in known if words.startswith("#")}
    kept: list[Block] = []
    waiting: list[Block] = []
    before: Block | None = None
    is_led = False
    for each in blocks(text):
        is_led = _is_led(each, kept[-1] if kept and kept[-1] is before else None, is_led=is_led)
        before = each
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
        elif left[each.key] > 0 and not is_led:
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
