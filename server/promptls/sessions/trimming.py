"""What may go from the files of a folder, as a change, with the proof by previews that no program loses a line.

Blocks go that another file says in every session; near ones that the user has picked; and lines that no program gets.
Nothing is written here.
"""

from __future__ import annotations

from collections import Counter

from promptls import harnesses
from promptls.core.changed import Changed
from promptls.core.formats.header import header
from promptls.core.merge import leads_on, led_lines
from promptls.core.model import START
from promptls.core.paths import is_below
from promptls.core.text import BOM
from promptls.core.totals import counter_of, prompt_tokens
from promptls.core.values import dataclass, field
from promptls.sessions.kept_lines import line_changes, lines_of, lines_sent
from promptls.sessions.unifiable import is_generated
from promptls.sessions.unify import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Literal

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.sessions.kept_lines import LineChanges, Lines
    from promptls.sessions.trim import Found
    from promptls.sessions.unneeded import Beyond

    Why = Literal["same", "near", "beyond"]


@dataclass(frozen=True, slots=True)
class Removal:
    """Lines of a file that go, from 0, both inclusive; ``other`` is the file that says them."""

    path: str
    first: int
    last: int
    why: Why
    text: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The change: the bytes of each file then, what goes, what stays and why, and a row for each program."""

    texts: dict[str, bytes | None] = field(default_factory=dict)
    gone: tuple[Removal, ...] = ()
    left: dict[str, str] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()


def removals(found: Found, beyond: Iterable[Beyond], picked: Collection[tuple[str, int]]) -> list[Removal]:
    """What may go; ``picked``: the paths and first lines of near blocks that the user wants to go."""
    every = [
        Removal(e.one.path, e.one.first, e.one.last, "same", e.one.text, e.other.path) for e in found.same if e.may_go
    ]
    every += [
        Removal(e.one.path, e.one.first, e.one.last, "near", e.one.text, e.other.path)
        for e in found.near
        if (e.one.path, e.one.first) in picked
    ]
    return every + [Removal(each.path, each.first, each.last, "beyond") for each in beyond]


def trimmed(
    wanted: Sequence[Removal],
    by_harness: Sequence[Sequence[Prompt]],
    host: Host,
    root: str,
    *,
    listed: Collection[str],
    leave: Collection[str] = (),
) -> Trimmed:
    """The change without what would lose a line; ``listed`` are the files that git knows."""
    left: dict[str, str] = {}
    for path in dict.fromkeys(each.path for each in wanted):
        why = _obstacle(path, host, root, listed, leave)
        if why:
            left[path] = why
    free = [each for each in wanted if each.path not in left]
    going = list(_not_led_up_to(free, host))
    for each in free:
        if all(other.path != each.path for other in going):
            left.setdefault(each.path, f"“{_lead(each, host)}” would lead up to less")
    before = [(each, lines_sent(each, host.realpath)) for several in by_harness for each in several]
    while going:
        made = _Made(host, going)
        empty = next((path for path, data in made.texts.items() if not _says(data)), None)
        judged = [] if empty else [(prompt, *made.judged(prompt, lines)) for prompt, lines in before]
        harmed = next(((prompt, found) for prompt, found, *_ in judged if found.lost or found.twice), None)
        if empty is None and harmed is None:
            return Trimmed(made.texts, tuple(going), left, tuple(_rows(judged, by_harness)))
        if empty is not None:
            left[empty] = "nothing else would be left in it; “promptls unify” makes one file of several"
            going = [each for each in going if each.path != empty]
        elif harmed is not None:
            going = _without_harm(going, harmed[1], left, harmed[0])
    return Trimmed(left=left)


def _not_led_up_to(wanted: Sequence[Removal], host: Host) -> Iterator[Removal]:
    """The removals without blocks that a line above them leads up to, which stays."""
    led: dict[str, set[int]] = {}
    for path in {each.path for each in wanted}:
        gone = {line for each in wanted if each.path == path for line in range(each.first, each.last + 1)}
        led[path] = led_lines(host.read(path).data.decode("utf-8").split("\n"), gone)
    yield from (each for each in wanted if each.why != "same" or each.first not in led[each.path])


def _lead(led: Removal, host: Host) -> str:
    """The line that leads up to lines of a file."""
    lines = host.read(led.path).data.decode("utf-8").split("\n")
    return next((line.strip() for line in reversed(lines[: led.first]) if leads_on(line)), "")


def _obstacle(path: str, host: Host, root: str, listed: Collection[str], leave: Collection[str]) -> str:
    contents = host.read(path)
    if not is_below(path, root):
        return "it is outside of the folder"
    if any(is_below(path, each) for each in leave):
        return "you have asked for that"
    if path not in listed:
        return "git ignores it, so it is yours alone"
    try:
        text = contents.data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8; save it as UTF-8 first"
    if contents.is_cut or "\r" in text.replace("\r\n", ""):
        return "it is too large, or its lines end in several ways"
    return "it is generated; change what it is made from" if is_generated(text) else ""


def _says(data: bytes | None) -> bool:
    text = (data or b"").decode("utf-8", "replace").removeprefix(BOM)
    return any(line.strip() and not line.startswith("#") for line in text[header(text).body :].splitlines())


class _Made:
    """The files after the removals, and the host that sees them."""

    def __init__(self, host: Host, going: Sequence[Removal]) -> None:
        self.texts: dict[str, bytes | None] = {}
        # Near blocks, and headings of another level in the other file.
        self._may_go = Counter(line for each in going if each.why == "near" for line in lines_of(each.text))
        self._touched = {*(each.path for each in going), *(each.other for each in going if each.other)}
        for path in dict.fromkeys(each.path for each in going):
            mine = [each for each in going if each.path == path]
            said = {host.read(each.other).data.decode("utf-8", "replace") for each in mine if each.why == "same"}
            headings = {_title(line) for text in said for line in lines_of(text) if line.startswith("#")}
            text, gone = _without(host.read(path).data.decode("utf-8"), mine, headings)
            self._may_go.update(gone)
            self.texts[path] = text.encode()
        self._host = host.elsewhere(Changed(host.disk, {**host.opened(), **self.texts}, {}))

    def judged(self, prompt: Prompt, lines: Lines) -> tuple[LineChanges, int, int]:
        """What becomes of the lines of a session, its tokens at start, and what is read then against before."""
        now = harnesses.preview(prompt.session, self._host)
        sent = lines_sent(now, self._host.realpath)
        count = counter_of(prompt)
        tokens = prompt_tokens(now, count, at=START)
        was, at_start = prompt_tokens(prompt, count), prompt_tokens(prompt, count, at=START)
        on_read = prompt_tokens(now, count) - tokens - (was - at_start)
        return line_changes(lines, sent, self._touched, Counter(), self._may_go), tokens, on_read


def _without(text: str, going: Iterable[Removal], headings: Collection[str]) -> tuple[str, list[str]]:
    """A text without some lines, and without headings whose text is gone, where another file has them, too.

    And these headings.
    """
    *whole, rest = text.split("\n")
    lines = [*(f"{each}\n" for each in whole), *([rest] if rest else [])]
    gone = {number for each in going for number in range(each.first, each.last + 1)}
    emptied: list[str] = []
    # From the end, so that a heading above another one that is gone goes, too.
    for number in range(len(lines) - 1, -1, -1):
        is_heading = number not in gone and lines[number].startswith("#")
        if is_heading and _title(lines[number]) in headings and _is_emptied(lines, number, gone):
            gone.add(number)
            emptied.append(lines[number].strip())
    found: list[str] = []
    for number, line in enumerate(lines):
        # Of the blank lines around what is gone, those above stay.
        is_one_more = not line.strip() and number - 1 in gone and (not found or not found[-1].strip())
        if is_one_more:
            gone.add(number)
        if number not in gone:
            found.append(line)
    while gone and max(gone) == len(lines) - 1 and found and not found[-1].strip():
        found.pop()
    return "".join(found), emptied


def _title(heading: str) -> str:
    """What a heading says, whatever its level."""
    return heading.strip().lstrip("#").strip()


def _is_emptied(lines: Sequence[str], heading: int, gone: Collection[int]) -> bool:
    """Whether a heading has nothing below it any more: what follows is one of its level or above, or the end."""
    has_lost = False
    for number in range(heading + 1, len(lines)):
        has_lost = has_lost or number in gone
        if number not in gone and lines[number].strip():
            return has_lost and 0 < _level(lines[number]) <= _level(lines[heading])
    return has_lost


def _level(line: str) -> int:
    return len(line) - len(line.lstrip("#"))


def _without_harm(going: Sequence[Removal], found: LineChanges, left: dict[str, str], prompt: Prompt) -> list[Removal]:
    """The removals without those that have a line which a session would lose, or get twice."""
    harmed = {*found.lost, *found.twice}
    guilty = [each for each in going if not harmed.isdisjoint(lines_of(each.text))] or list(going)
    for each in guilty:
        left[each.path] = f"{prompt.session.harness} would lose lines of it, or get some twice"
    return [each for each in going if each not in guilty]


def _rows(
    judged: Sequence[tuple[Prompt, LineChanges, int, int]], by_harness: Sequence[Sequence[Prompt]]
) -> Iterator[Row]:
    """A row for each program: what its start has, and the worst of all its sessions."""
    for start, *_ in by_harness:
        own = [each for each in judged if each[0].session.harness == start.session.harness]
        _, first, tokens, _ = next(each for each in own if each[0] is start)
        yield Row(
            start.session.harness,
            start.session.version,
            (first.before, first.after),
            (prompt_tokens(start, counter_of(start), at=START), tokens),
            max(each.lost.total() for _, each, *_ in own),
            max(each.twice.total() for _, each, *_ in own),
            on_read=min(each[3] for each in own),
        )
