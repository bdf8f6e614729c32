"""One text out of several: each is kept as it is, but for the blocks that stand in an earlier one in the same place.

A block is a paragraph, an item of a list, a table, a fence or a comment. Its place is the heading above it, or the line
that leads up to it: the same words in another place may mean something else, so they stay. Places are told apart by
their topics: what is said below “Errors” need not be said again below “Errors & tests:”.
"""

from __future__ import annotations

from collections import Counter

from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    # The topics of a place, and words that are said there.
    _Key = tuple[frozenset[str], str]

_HEADING = regex(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE = regex(r" {0,3}(`{3,}|~{3,})")
_LINE_END = "\n"
_ITEM = regex(r"[-*+][ \t]+\S")
# What stands between the topics of a heading, and around their words.
_BETWEEN = regex(r"[,&]|\band\b")
_AROUND = "`*_:.;()\"'"
# Words that end a topic and are none.
_GENERAL = frozenset({"conventions", "guideline", "guidelines", "instructions", "practices", "rules", "standards"})
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
    def words(self) -> str:
        """What a block of another text must say to be the same: white space does not count."""
        return " ".join(self.text.split())

    @property
    def said(self) -> set[str]:
        """The words of what need not be said beside it: a fence that names its language also says one that does not."""
        first, end, rest = self.text.partition("\n")
        fence = _FENCE.match(first)
        bare = self.text if fence is None else f"{fence[1]}{end}{rest}"
        return {self.words, " ".join(bare.split())}


def _topics(title: str) -> frozenset[str]:
    """What a heading, or a line that leads up to something, speaks of: “Style & tests:” of two topics."""
    found = set()
    for each in _BETWEEN.split(title.casefold()):
        words = [bare for word in each.split() if (bare := word.strip(_AROUND))]
        while len(words) > 1 and words[-1] in _GENERAL:
            words.pop()
        found.add(" ".join(words))
    return frozenset(found - {""})


def _within(place: frozenset[str]) -> Iterator[frozenset[str]]:
    """The places in which something need not be said again in ``place``: itself, and each of its topics."""
    yield place
    if len(place) > 1:
        yield from (frozenset({each}) for each in sorted(place))


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


def placed(text: str) -> Iterator[tuple[Block, str]]:
    """Each block of a text, and what it stands below: a line that leads up to it, or the heading above."""
    before, lead = None, None
    for each in blocks(text):
        lead, before = _lead(each, before, lead), each
        yield each, each.below if lead is None else lead.text.strip().splitlines()[-1].strip()


def merged(texts: Iterable[tuple[str, str]]) -> str:
    """The first text as it is, and after it what the others say that is not there yet. Each is with its file's name."""
    (_, first), *others = texts
    known = _known_in(first)
    whole = first
    for name, other in others:
        rest = _new_in(other, name, known)
        known.update(_known_in(rest))
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
    return text.rstrip().rstrip("*_").endswith(":")


def _lead(each: Block, before: Block | None, lead: Block | None) -> Block | None:
    """The block that leads up to one, if any; ``lead`` is that of the block ``before`` it."""
    if each.level or before is None or before.level:
        return None
    if leads_on(before.text):
        return before
    return lead if _ITEM.match(each.text) else None


def is_title_of(line: str, name: str) -> bool:
    """Whether a line is a heading that says the name of its file, and nothing else."""
    heading = _HEADING.fullmatch(line)
    return heading is not None and heading[1] == "#" and heading[2].strip("`").lower() == name.lower()


def _known_in(text: str) -> Counter[_Key]:
    """How often a text says something in a place."""
    found: Counter[_Key] = Counter()
    for each, place in placed(text):
        found.update(says(each, place))
    return found


def says(each: Block, place: str) -> set[_Key]:
    """What a block says where, below its heading and in its ``place``: of this, another text need say nothing."""
    return {(topics, words) for topics in (_topics(each.below), _topics(place)) for words in each.said}


def asks(each: Block, place: str) -> list[_Key]:
    """One of what another text has to say, so that a block need not stand in a ``place``."""
    return [(at, each.words) for at in _within(_topics(place))]


def _new_in(text: str, name: str, known: Counter[_Key]) -> str:
    """The blocks that are not known, with the headings above them; a heading that is not known stays in any case.

    What leads up to a block that stays stays, too, and so does all that it leads up to if it leads to nothing else.
    """
    left = known.copy()
    headings = {words for _, words in known if words.startswith("#")}
    kept: list[Block] = []
    waiting: list[Block] = []
    # What a line that is kept leads up to, and is known.
    spare: list[Block] = []
    before: Block | None = None
    lead: Block | None = None
    is_lead_kept = False
    for each in blocks(text):
        led_by, lead = lead, _lead(each, before, lead)
        if lead is not led_by:
            kept += _needed(kept, led_by, spare)
            spare = []
            is_lead_kept = bool(kept) and kept[-1] is lead
        before = each
        if not each.text.strip() or is_title_of(each.text.strip(), name):
            continue
        if each.level:
            waiting = [*(above for above in waiting if above.level < each.level), each]
            if each.words not in headings:
                kept += waiting
                waiting = []
            elif not each.below:
                waiting = []  # what is below the title is below no heading
            continue
        places = [] if is_lead_kept else [each.below]
        places += [] if lead is None else [lead.text]
        said = next((key for place in places for key in asks(each, place) if left[key] > 0), None)
        if said is not None:
            left[said] -= 1
            spare += [each] if is_lead_kept else []
            continue
        kept += [*waiting, each] if lead is None or is_lead_kept else [*waiting, lead, each]
        waiting = []
        is_lead_kept = lead is not None
    return _joined([*kept, *_needed(kept, lead, spare)])


def _needed(kept: list[Block], lead: Block | None, spare: list[Block]) -> list[Block]:
    """What a line leads up to that would lead to nothing."""
    return spare if spare and kept and kept[-1] is lead else []


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
