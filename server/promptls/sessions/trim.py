"""What costs most and helps least in the prompts of a folder: measured, and never judged by its style.

Sections by their tokens, blocks that one program is sent twice or nearly twice, and blocks that differ by a number or a
negation alone. A block is a paragraph, an item of a list, a table or a fence.
"""

from __future__ import annotations

from promptls.core.alike import differing, near_pairs, opposed_pairs, words
from promptls.core.formats.header import header
from promptls.core.formats.markdown import headings
from promptls.core.merge import asks, placed, says
from promptls.core.model import START
from promptls.core.paths import name
from promptls.core.sizes import kind_of, uses_of
from promptls.core.text import LineIndex, decode, newlines
from promptls.core.totals import counter_of
from promptls.core.values import dataclass, field
from promptls.sessions.of_folder import scoped_rules
from promptls.sessions.unifiable import is_generated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from promptls.core.alike import By
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Range

    # Topics of a place, and words that are said there.
    Key = tuple[frozenset[str], str]
    # The lines of each file that a prompt has, as ranges of its segments.
    Ranges = dict[str, list[Range]]

# Words of a block that says something by itself.
SAYS = 3
# Words of a block that nobody says twice in one file because it is short.
SAYS_MUCH = 8
AGENTS = "AGENTS.md"
# Tokens of a section that is shown by its parts, if it has some.
LARGE = 600
# How a fence or a table begins: its words are no rule.
NO_PROSE = ("```", "~~~", "|")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a file, by its lines from 0, both inclusive; ``below`` is the heading above it.

    ``sessions`` has a bit for each session that it stands in, ``tokens`` what it costs a start of each program.
    ``says`` and ``asks``: what it says where, and one of what makes it superfluous, as in ``core/merge.py``.
    """

    path: str
    first: int
    last: int
    text: str
    below: str
    sessions: int
    tokens: dict[str, int] = field(default_factory=dict)
    says: Collection[Key] = field(default=(), repr=False)
    asks: Sequence[Key] = field(default=(), repr=False)

    @property
    def most(self) -> int:
        """What it costs a start of the program that it costs most."""
        return max(self.tokens.values(), default=0)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a file, as a block; ``title`` is "" for what stands above the first heading."""

    path: str
    first: int
    last: int
    title: str
    tokens: dict[str, int]

    @property
    def most(self) -> int:
        """What it costs a start of the program that it costs most."""
        return max(self.tokens.values(), default=0)


@dataclass(frozen=True, slots=True)
class Twice:
    """Two blocks that one program is sent: ``one`` may go, because ``other`` stands wherever it does.

    ``may_go`` is false where a session has only the one, and where a program writes its file. ``like`` is 1.0 for the
    same text, ``words`` are those that differ. ``programs`` are sent both.
    """

    one: Block
    other: Block
    like: float
    programs: tuple[str, ...]
    may_go: bool
    words: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Opposed:
    """Two blocks that differ by a number or a negation alone, and who is sent both."""

    one: Block
    other: Block
    by: By
    programs: tuple[str, ...]
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Again:
    """A block that stands in the same file before, word for word: at the line ``at``."""

    block: Block
    at: int


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, the costliest first."""

    sections: tuple[Section, ...]
    same: tuple[Twice, ...]
    near: tuple[Twice, ...]
    opposed: tuple[Opposed, ...]
    again: tuple[Again, ...] = ()


@dataclass(slots=True)
class _File:
    """A file of the user's: its text, and which of its lines stand in which sessions."""

    path: str
    text: str
    lines: list[str]
    sessions: list[int]
    starts: dict[str, set[int]] = field(default_factory=dict)

    def stands(self, first: int, last: int) -> int:
        """The sessions that have all of these lines, but for blank ones."""
        whole = -1
        for number in range(first, last + 1):
            if self.lines[number].strip():
                whole &= self.sessions[number]
        return max(whole, 0)

    def covered(self, ranges: Iterable[Range]) -> set[int]:
        """The lines that stand in a prompt as a whole."""
        found: set[int] = set()
        for each in ranges:
            first = each.start_line + (1 if each.start_character else 0)
            last = min(each.end_line, len(self.lines) - 1)
            if last == each.end_line and each.end_character < len(self.lines[last]):
                last -= 1
            found.update(range(first, last + 1))
        return found


def found_in(by_harness: Sequence[Sequence[Prompt]], host: Host) -> Found:
    """What the sessions of each harness show; the first of each is the start whose tokens count.

    No session reads files of several directories: what stands together in one of these does so in any.
    """
    prompts = [each for several in by_harness for each in several]
    names = [each.session.harness for each in prompts]
    files = _files(by_harness, host)
    texts = {path: _Tokens(each, by_harness) for path, each in files.items()}
    every = [block for path, each in files.items() for block in _blocks(each, texts[path])]
    opposed = tuple(_opposed(every, names))
    opposite = {(id(each.one), id(each.other)) for each in opposed}
    scoped = {host.realpath(rule) for each in prompts for rule, _ in scoped_rules(host, each)}
    judge = _Judge(scoped, {path for path, each in files.items() if is_generated(each.text)})
    same = tuple(_said_twice(every, names, judge))
    gone = {id(each.one) for each in same}
    rest = [each for each in every if id(each) not in gone and not each.text.startswith(NO_PROSE)]
    near = tuple(_alike_blocks(rest, names, opposite, judge))
    sections = [each for path, file in files.items() for each in _sections(file, texts[path])]
    ordered = tuple(sorted(sections, key=lambda each: (-each.most, each.path, each.first)))
    return Found(ordered, same, near, opposed, tuple(_again(every)))


# -- which lines of which files stand where ----------------------------------------------------------------------------


def _files(by_harness: Sequence[Sequence[Prompt]], host: Host) -> dict[str, _File]:
    """The files of which something is sent, by their paths with links resolved."""
    files: dict[str, _File] = {}
    number = 0
    for several in by_harness:
        for at, prompt in enumerate(several):
            for path, ranges in _ranges(prompt, host).items():
                file = files.get(path) or files.setdefault(path, _file(path, host))
                for line in file.covered(ranges):
                    file.sessions[line] |= 1 << number
            number += 1
            for path, ranges in _ranges(prompt, host, at=START).items() if not at else ():
                file = files[path]
                file.starts[prompt.session.harness] = file.covered(ranges)
    return files


def _file(path: str, host: Host) -> _File:
    found = host.read(path)
    text = decode(found.data, keep_bom=False) if found.state == "file" else ""
    lines = newlines(text).split("\n")
    return _File(path, newlines(text), lines, [0] * len(lines))


def _ranges(prompt: Prompt, host: Host, at: str | None = None) -> Ranges:
    """What of each instruction file a prompt has; ``at``: only what this event brings."""
    found: Ranges = {}
    uses = uses_of(prompt)
    for message in prompt.messages:
        for each in message.segments if at is None or message.at == at else ():
            origin = each.origin
            is_text = origin.kind == "file" and not each.frame and each.elided is None
            if is_text and origin.path and origin.range and kind_of(each, uses, is_tool=False) == "file":
                found.setdefault(host.realpath(origin.path), []).append(origin.range)
    return found


class _Tokens:
    """What lines of a file cost a start of each program."""

    def __init__(self, file: _File, by_harness: Sequence[Sequence[Prompt]]) -> None:
        self._lines = file.lines
        self._starts = [
            (several[0].session.harness, counter_of(several[0]), file.starts.get(several[0].session.harness, set()))
            for several in by_harness
        ]

    def of(self, first: int, last: int) -> dict[str, int]:
        found = {}
        for harness, count, covered in self._starts:
            text = "\n".join(self._lines[each] for each in range(first, last + 1) if each in covered)
            if text.strip():
                found[harness] = count(text)
        return found


def _programs(sessions: int, names: Sequence[str]) -> tuple[str, ...]:
    """The programs of these sessions."""
    return tuple(dict.fromkeys(each for number, each in enumerate(names) if sessions >> number & 1))


# -- sections and blocks -----------------------------------------------------------------------------------------------


def _blocks(file: _File, tokens: _Tokens) -> Iterator[Block]:
    """The blocks of a file that say something and stand in some session, without headings."""
    start = header(file.text).body
    line = file.text.count("\n", 0, start)
    for each, place in placed(file.text[start:]):
        text = each.text.strip()
        first, last = line, line + text.count("\n")
        line += each.text.count("\n")
        if each.level or text.startswith("<!--") or len(words(text)) < SAYS:
            continue
        sessions = file.stands(first, last)
        if sessions:
            cost = tokens.of(first, last)
            yield Block(file.path, first, last, text, each.below, sessions, cost, says(each, place), asks(each, place))


def _sections(file: _File, tokens: _Tokens) -> Iterator[Section]:
    """The sections of the highest level that has several, and what stands above them; large ones by their parts."""
    index = LineIndex(file.text)
    marks = [(index.position(each.start)[0], each.level, each.title) for each in headings(file.text)]
    levels = [level for _, level, _ in marks]
    level = next((each for each in sorted(set(levels)) if levels.count(each) > 1), max(levels, default=0))
    yield from _sections_below(file.path, tokens, marks, (-1, len(file.lines), ""), level)


def _sections_below(
    path: str, tokens: _Tokens, marks: Sequence[tuple[int, int, str]], whole: tuple[int, int, str], level: int
) -> Iterator[Section]:
    """The sections of a level below a heading, whose title has what stands above them; ``whole`` is first and end."""
    start, end, title = whole
    inside = [(line, own) for line, at, own in marks if start < line < end and at <= level]
    bounds = inside if inside and not inside[0][0] else [(max(start, 0), title), *inside]
    for (first, own), (after, _) in zip(bounds, [*bounds[1:], (end, "")], strict=True):
        cost = tokens.of(first, after - 1) if after > first else {}
        below = [at for line, at, _ in marks if first < line < after and at > level]
        if max(cost.values(), default=0) > LARGE and len(below) > 1:
            yield from _sections_below(path, tokens, marks, (first, after, own), min(below))
        elif cost:
            yield Section(path, first, after - 1, own, cost)


def _said_twice(every: Sequence[Block], names: Sequence[str], judge: _Judge) -> Iterator[Twice]:
    """Blocks that another file says in the same place, where one session has both: ``unify`` would leave them out."""
    kept: dict[Key, list[Block]] = {}
    found = []
    for one in sorted(every, key=_rank):
        others = (each for key in one.asks for each in kept.get(key, ()) if each.path != one.path)
        other = next((each for each in others if each.sessions & one.sessions), None)
        if other is None:
            for key in one.says:
                kept.setdefault(key, []).append(one)
        else:
            both = one.sessions & other.sessions
            found.append(Twice(one, other, 1.0, _programs(both, names), judge.may_go(one, other)))
    yield from sorted(found, key=lambda each: (-each.one.most, each.one.path, each.one.first))


def _again(every: Iterable[Block]) -> Iterator[Again]:
    """Blocks that their own file says before, below whatever heading: a reader gets them twice."""
    firsts: dict[tuple[str, str], int] = {}
    found = []
    for each in every:
        if len(words(each.text)) >= SAYS_MUCH and not each.text.startswith(NO_PROSE):
            first = firsts.setdefault((each.path, " ".join(each.text.split())), each.first)
            found += [Again(each, first)] if first != each.first else []
    yield from sorted(found, key=lambda each: (-each.block.most, each.block.path, each.block.first))


def _rank(each: Block) -> tuple[int, bool, str, int]:
    """What stays of two: that which most sessions have, else that of the file for all programs."""
    return -each.sessions.bit_count(), name(each.path) != AGENTS, each.path, each.first


@dataclass(frozen=True, slots=True)
class _Judge:
    """Which of two blocks may go; ``scoped``: the rules for some files, ``generated``: what nobody edits."""

    scoped: Collection[str]
    generated: Collection[str]

    def may_go(self, one: Block, other: Block) -> bool:
        """Whether ``other`` stands wherever ``one`` does; a rule for some files may not, for those not tried."""
        is_sent = not one.sessions & ~other.sessions and (other.path not in self.scoped or other.path == one.path)
        return is_sent and one.path not in self.generated


def _alike_blocks(
    every: Sequence[Block], names: Sequence[str], opposite: Collection[tuple[int, int]], judge: _Judge
) -> Iterator[Twice]:
    """Each block with the one of another file that it is most like, where one session has both."""

    def may(one: int, other: int) -> bool:
        first, second = every[one], every[other]
        return first.path != second.path and bool(first.sessions & second.sessions)

    found: dict[int, Twice] = {}
    kept: set[int] = set()
    for pair in near_pairs([each.text for each in every], may):
        one, other = every[pair.first], every[pair.second]
        if (id(one), id(other)) in opposite or (id(other), id(one)) in opposite:
            continue
        if _rank(one) < _rank(other):
            one, other = other, one
        if id(one) in kept or id(other) in found:
            one, other = other, one
        if id(one) in found or id(one) in kept or id(other) in found:
            continue
        kept.add(id(other))
        both = one.sessions & other.sessions
        differ = tuple(differing(one.text, other.text))
        found[id(one)] = Twice(one, other, pair.like, _programs(both, names), judge.may_go(one, other), differ)
    yield from sorted(found.values(), key=lambda each: (-each.like, each.one.path, each.one.first))


def _opposed(every: Sequence[Block], names: Sequence[str]) -> Iterator[Opposed]:
    texts = [each for each in every if not each.text.startswith(NO_PROSE)]
    for first, second, by in opposed_pairs([each.text for each in texts]):
        one, other = texts[first], texts[second]
        both = one.sessions & other.sessions
        if both:
            yield Opposed(one, other, by, _programs(both, names), tuple(differing(one.text, other.text)))
