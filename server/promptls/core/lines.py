"""Where the lines of a file stand in a prompt, and what keeps the others out of it."""

from __future__ import annotations

from bisect import bisect_left

from promptls.core.lazy import regex
from promptls.core.model import OF_TEXTS, Range
from promptls.core.places import is_text_of, skill_with
from promptls.core.text import LineIndex
from promptls.core.uses import WORDS, is_in_effect
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Literal, TypeVar

    from promptls.core.model import Candidate, Cut, Message, Outcome, Prompt, Segment

    # ``comment``, ``front-matter``: the harness removes it. ``import``: the file that it names takes its place, or
    # cannot. ``cut``: a limit removes it. ``later``: it is sent when it is asked for, such as the text of a skill.
    # ``removed``: it is gone, and promptls cannot say why. ``stopped``: the harness sends nothing at all.
    # ``unknown``: the harness does not look at the file. Otherwise the outcome of the whole file.
    Reason = Literal["comment", "front-matter", "import", "later", "removed", "stopped", "unknown"] | Outcome
    Piece = TypeVar("Piece", "Sent", "LeftOut")

_SPACE = regex(r"\s*")
# Reasons of what reaches the model all the same, in another way.
ELSEWHERE: tuple[Reason, ...] = ("import", "later", "duplicate")
# Outcomes of a place that a harness did not want.
PASSED_OVER = ("missing", "outside", "excluded")


@dataclass(frozen=True, slots=True)
class Sent:
    """A piece of a file in a prompt. ``range`` is where it stands in the file.

    ``line``: the line of the message, from 0, that it begins in; placeholders count as they are shown.
    """

    range: Range
    message: Message
    segment: Segment
    line: int

    def line_of(self, line: int) -> int:
        """The line of the message, from 0, in which the line ``line`` of the file stands."""
        return self.line + min(max(line - self.range.start_line, 0), self.segment.text.count("\n"))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A piece of a file that is not in a prompt, without the white space around it: the reason, and one clause.

    ``cut``: the limit, if one is the reason. ``candidate`` is what the harness says of the file, if it looks at it.
    """

    range: Range
    reason: Reason
    why: str
    cut: Cut | None = None
    candidate: Candidate | None = None


@dataclass(frozen=True, slots=True)
class FileInPrompt:
    """What comes of a file in a prompt: the pieces that are sent, in the order of the prompt, and those left out.

    A file that is sent twice has all its pieces twice. What is left out stands in no message.
    """

    prompt: Prompt
    sent: tuple[Sent, ...]
    left_out: tuple[LeftOut, ...]


def on_lines(pieces: Iterable[Piece], first: int, last: int) -> tuple[Piece, ...]:
    """Those that touch the lines from ``first`` to ``last``, both from 0."""
    return tuple(each for each in pieces if _overlaps(each.range, first, last))


def file_in_prompt(prompt: Prompt, names: Collection[str], text: str) -> FileInPrompt:
    """Where the file with ``text`` stands in a prompt. ``names`` are its paths, as ``places.names_of`` finds them.

    ``text`` is decoded and has no byte order mark. A configuration has no pieces that are left out.
    """
    index = LineIndex(text)
    sent = tuple(_sent(prompt, names))
    known = [each for each in prompt.candidates if each.path in names]
    if not any(each.use in OF_TEXTS for each in known) and (sent or known):
        return FileInPrompt(prompt, sent, ())
    candidate = _telling(known)
    if prompt.stopped or (not sent and (candidate is None or not is_in_effect(candidate))):
        return FileInPrompt(prompt, sent, tuple(_all_left_out(index, prompt, candidate, names)))
    cut = next((each.segment.cut for each in sent if each.segment.cut), candidate.cut if candidate else None)
    file = _File(index, candidate, cut, sorted(_imports(prompt, names), key=_start))
    gaps = [file.left_out(*gap) for gap in _gaps(index, sent)]
    # A file that is mentioned is sent by a tool, which is no place of the file's own.
    return FileInPrompt(prompt, sent, tuple(each for each in gaps if sent or each.reason != "removed"))


def copies(sent: Iterable[Sent]) -> list[list[Sent]]:
    """The pieces of each time that a file is sent: one from further down goes on, any other begins anew."""
    found: list[list[Sent]] = []
    for each in sent:
        last = found[-1][-1] if found else None
        if last is not None and last.message is each.message and each.range.start >= last.range.end:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def never_sent(standings: Sequence[FileInPrompt]) -> list[LeftOut]:
    """The pieces of one file that none of these prompts has, in order: what an editor fades.

    Where some of the prompts have a part of the file, the others do not count: another session is free to ignore it.
    """
    counted = [each.left_out for each in standings if each.sent] or [each.left_out for each in standings]
    found = list(counted[0]) if counted else []
    for others in counted[1:]:
        found = list(_common(found, others))
    return found


def _common(found: Sequence[LeftOut], others: Sequence[LeftOut]) -> Iterator[LeftOut]:
    """What both leave out; each is in order, and none of its pieces overlap."""
    one, other = 0, 0
    while one < len(found) and other < len(others):
        first, second = found[one].range, others[other].range
        both = _both(first, second)
        if both is not None:
            yield replace(found[one], range=both)
        if first.end <= second.end:
            one += 1
        else:
            other += 1


def _sent(prompt: Prompt, names: Collection[str]) -> Iterator[Sent]:
    for message in prompt.messages:
        line = 0
        for segment in message.segments:
            if segment.origin.range is not None and is_text_of(segment, names):
                yield Sent(segment.origin.range, message, segment, line)
            line += segment.text.count("\n")


def _telling(candidates: Sequence[Candidate]) -> Candidate | None:
    """What says most of a file: that it is used, else what keeps it out, else that nobody wanted it."""
    texts = [each for each in candidates if each.use in OF_TEXTS]
    return min(texts, key=lambda each: (not is_in_effect(each), each.outcome in PASSED_OVER), default=None)


def _all_left_out(
    index: LineIndex, prompt: Prompt, candidate: Candidate | None, names: Collection[str]
) -> Iterator[LeftOut]:
    beside = next((found for each in names if (found := skill_with([prompt], each))), None) if not candidate else None
    for where in [index.range(*each) for each in _gaps(index, ())]:
        if prompt.stopped:
            why = prompt.stopped.rstrip(".")
            why = why if prompt.is_fault else f"nothing is sent: {why}"
            yield LeftOut(where, "stopped", why, candidate=candidate)
        elif beside is not None:
            yield LeftOut(where, "later", beside[1])
        elif candidate is None:
            yield LeftOut(where, "unknown", "no file of this name is looked for in this place")
        else:
            why = candidate.reason or candidate.rule
            yield LeftOut(where, candidate.outcome, why, candidate.cut, candidate)


def _gaps(index: LineIndex, sent: Sequence[Sent]) -> Iterator[tuple[int, int]]:
    """The offsets of what stands in no piece, without white space at the ends; nothing that is blank."""
    text, at = index.text, 0
    covered = sorted((_offsets(index, each.range) for each in sent), key=lambda each: each[0])
    for start, end in (*covered, (len(text), len(text))):
        piece = text[at:start]
        if piece.strip():
            yield at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip())
        at = max(at, end)


def _offsets(index: LineIndex, where: Range) -> tuple[int, int]:
    return index.offset(*where.start), index.offset(*where.end)


@dataclass(frozen=True, slots=True)
class _File:
    """A file of which something is sent: what may leave out the rest. ``imports`` are in order."""

    index: LineIndex
    candidate: Candidate | None
    cut: Cut | None
    imports: list[Candidate]

    def left_out(self, start: int, end: int) -> LeftOut:
        where, piece = self.index.range(start, end), self.index.text[start:end]
        reason, why = self._reason(where, piece, is_first=start == _end_of_space(self.index.text, 0))
        return LeftOut(where, reason, why, self.cut if reason == "cut" else None, self.candidate)

    def _reason(self, where: Range, piece: str, *, is_first: bool) -> tuple[Reason, str]:
        words = WORDS.get(self.candidate.use) if self.candidate is not None else None
        if words is not None:
            return "later", words.later
        if _is_comments(piece):
            return "comment", "HTML comments are removed"
        if is_first and _is_front_matter(piece):
            return "front-matter", "the front matter is removed"
        at = bisect_left(self.imports, where.start, key=_start)
        named = next((each for each in self.imports[at : at + 1] if _both(_range(each), where) == _range(each)), None)
        if named is not None:
            return "import", "the text of the file takes its place" if is_in_effect(named) else named.why
        return ("cut", self.cut.limit) if self.cut is not None else ("removed", "it is removed or replaced")


def _imports(prompt: Prompt, names: Collection[str]) -> Iterator[Candidate]:
    """The places that the file names, each at its range."""
    return (each for each in prompt.candidates if each.origin.path in names and each.origin.range and each.origin.name)


def _range(candidate: Candidate) -> Range:
    return candidate.origin.range or Range()


def _start(candidate: Candidate) -> tuple[int, int]:
    return _range(candidate).start


def _is_comments(piece: str) -> bool:
    at = 0
    while at < len(piece):
        end = piece.find("-->", at + len("<!--")) if piece.startswith("<!--", at) else -1
        if end < 0:
            return False
        at = _end_of_space(piece, end + len("-->"))
    return True


def _is_front_matter(piece: str) -> bool:
    return piece.startswith("---") and "\n" in piece and piece[piece.rfind("\n") + 1 :].rstrip() == "---"


def _end_of_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _overlaps(where: Range, first: int, last: int) -> bool:
    # The end is exclusive: a piece that ends before the first letter of a line has nothing of it.
    end = where.end_line if where.end_character or where.end_line == where.start_line else where.end_line - 1
    return where.start_line <= last and end >= first


def _both(one: Range, two: Range) -> Range | None:
    """What two ranges have in common; None if that is nothing."""
    start, end = max(one.start, two.start), min(one.end, two.end)
    return Range(*start, *end) if start < end else None
