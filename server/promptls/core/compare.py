"""What differs between two prompts: the parts that are new, gone, changed, cut or doubled, and the cached prefix."""

from __future__ import annotations

from promptls.core.lines import Sent, copies
from promptls.core.model import START
from promptls.core.places import is_text_of
from promptls.core.sizes import NAMES, TOGETHER, kind_of, name_of, uses_of
from promptls.core.table import FILES, OWN_NAME
from promptls.core.text import shared_start
from promptls.core.tokens import family_of
from promptls.core.totals import counter_of, segment_tokens, shared_tool_tokens
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Literal

    from promptls.core.model import Candidate, Cut, Message, Prompt, Segment
    from promptls.core.sizes import Kind

    # ``lost``: the file is still there, and the harness no longer sends it.
    Status = Literal["new", "gone", "lost", "changed"]
    _Parts = dict[tuple[Kind, str, bool], "Part"]
    # By number of the prompt, which is kept with them so that its number stays its own.
    Known = dict[int, tuple[Prompt, _Parts]]


@dataclass(frozen=True, slots=True)
class Part:
    """What a prompt has of a file, a list or the harness: its tokens, how often it is sent, and the limit that cuts it.

    ``text`` is all of its text, to be compared.
    """

    name: str
    tokens: int
    copies: int
    cut: Cut | None = None
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Change:
    """A part that differs. ``before`` or ``after`` is None where there is none of it.

    ``why``: the reason why a file is lost; ``cut``: the limit that cuts it now, if that is new, or more than before;
    ``doubled``: how often it is sent now, if that is more than once, and more often than before, else 0.
    """

    name: str
    kind: Kind
    status: Status
    tokens: tuple[int, int]
    why: str = ""
    cut: Cut | None = None
    doubled: int = 0


@dataclass(frozen=True, slots=True)
class Cache:
    """Where a prompt begins to differ from the one before: the provider has what is before this place in its cache.

    ``message`` and ``line`` count from 0; ``new`` are the tokens from there on.
    """

    message: int
    line: int
    new: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The prompts of one session before and after; None where there is no such session. ``tokens`` are those of both.

    Each change is with whether it is there at start, and not only when something is read.
    """

    before: Prompt | None
    after: Prompt | None
    changes: tuple[tuple[Change, bool], ...]
    tokens: tuple[int, int]

    @property
    def cache(self) -> Cache | None:
        """Where the messages begin to differ; None if they do not, or one prompt only goes on after the other."""
        return _cache(self.before, self.after)

    @property
    def prompt(self) -> Prompt:
        """That after, if there is one."""
        found = self.after or self.before
        assert found is not None  # noqa: S101 - type checkers do not see that one of them is there
        return found


@dataclass(frozen=True, slots=True)
class Group:
    """The same change in several prompts; ``change`` is the largest, for harnesses count and trim a text differently.

    ``among``: each prompt, with the change as it is there, and whether it is there at start.
    """

    change: Change
    among: tuple[tuple[Comparison, Change, bool], ...]


def compare(
    before: Prompt | None,
    after: Prompt | None,
    target: Callable[[str], str] = str,
    *,
    without: Collection[Kind] = (),
    is_read: bool = False,
    known: Known | None = None,
) -> Comparison:
    """What differs. ``target`` resolves links: a file and the links to it are one.

    Parts of the kinds in ``without`` do not count. ``is_read``: what is there at start and what a read adds count
    together, as added by the read; what takes note of a file differs between harnesses. ``known``: the parts of prompts
    that were compared, each always with what is typed or always without, while the same links lead to the same files.
    """
    known = {} if known is None else known
    for prompt in (before, after):
        if prompt is not None and id(prompt) not in known:
            known[id(prompt)] = prompt, _parts(prompt, target, is_read=is_read, is_typed="typed" not in without)
    old, new = (known[id(each)][1] if each is not None else {} for each in (before, after))
    changes = [
        (_change(kind, old.get((kind, name, is_at_start)), new.get((kind, name, is_at_start)), after), is_at_start)
        for kind, name, is_at_start in dict.fromkeys((*new, *old))
        if old.get((kind, name, is_at_start)) != new.get((kind, name, is_at_start)) and kind not in without
    ]
    # What is read does not count where it is no change: it may have been spared.
    tokens = sum(part.tokens for part in old.values()), sum(part.tokens for part in new.values())
    return Comparison(before, after, tuple(changes), tokens)


def grouped(found: Iterable[Comparison]) -> list[Group]:
    """Equal changes of all comparisons together: those of files first, then the largest."""
    together: dict[object, list[tuple[Comparison, Change, bool]]] = {}
    for comparison in found:
        for change, is_at_start in comparison.changes:
            before, after = change.tokens
            by = after - before if change.status == "changed" else 0
            # What the same text costs differs by family.
            family = family_of(comparison.prompt.model)
            key = change.name, change.status, by, change.why, change.cut, change.doubled, family
            together.setdefault(key, []).append((comparison, change, is_at_start))
    groups = [Group(max((each[1] for each in among), key=_size), tuple(among)) for among in together.values()]
    return sorted(groups, key=lambda group: _order(group.change))


def _size(change: Change) -> int:
    return max(change.tokens)


def _order(change: Change) -> tuple[bool, int, str]:
    before, after = change.tokens
    return change.kind not in FILES, -abs(after - before), change.name


def _parts(prompt: Prompt, target: Callable[[str], str], *, is_read: bool, is_typed: bool) -> _Parts:
    """The parts of a prompt by kind, name and whether they are there at start; ``is_typed``: also what is typed."""
    found: _Parts = {}
    count, uses = counter_of(prompt), uses_of(prompt)
    pieces: dict[tuple[Kind, str, bool], list[tuple[str, Message, Segment]]] = {}
    for message in prompt.messages:
        for segment in message.segments:
            kind = kind_of(segment, uses, is_tool=message.role == "tools")
            if kind == "typed" and not is_typed:
                continue
            name = (segment.origin.path or "") if kind in TOGETHER.values() else name_of(kind, segment, OWN_NAME)
            key = kind, target(name) if kind == "file" else name, message.at == START and not is_read
            pieces.setdefault(key, []).append((name, message, segment))
    for key, of_part in pieces.items():
        segments = [segment for _, _, segment in of_part]
        found[key] = Part(
            name=of_part[0][0],
            tokens=sum(segment_tokens(each, count) for each in segments),
            copies=len(copies(_sent(of_part))),
            cut=next((each.cut for each in segments if each.cut), None),
            text="".join(each.text for each in segments),
        )
    of_servers, rest = shared_tool_tokens(prompt, count)
    added: list[tuple[Kind, str, int]] = [("servers", tool.origin.path or "", tokens) for tool, tokens in of_servers]
    for part, name, tokens in (*added, ("tools", NAMES["tools"], rest)):
        place: tuple[Kind, str, bool] = (part, name, not is_read)
        known = found.get(place)
        if tokens:
            found[place] = replace(known, tokens=known.tokens + tokens) if known else Part(name, tokens, 0)
    return found


def _sent(pieces: Iterable[tuple[str, Message, Segment]]) -> Iterator[Sent]:
    for name, message, segment in pieces:
        if segment.origin.range is not None and is_text_of(segment, (name,)):
            yield Sent(segment.origin.range, message, segment, 0)


def _change(kind: Kind, before: Part | None, after: Part | None, prompt: Prompt | None) -> Change:
    part = after or before
    assert part is not None  # noqa: S101 - as above
    name = part.name
    tokens = before.tokens if before else 0, after.tokens if after else 0
    if after is None:
        left_out = _left_out(name, prompt) if kind == "file" else None
        if left_out is None:
            return Change(name, kind, "gone", tokens)
        return Change(name, kind, "lost", tokens, left_out.reason or left_out.rule, left_out.cut)
    is_worse = _lost(after) > _lost(before)
    doubled = after.copies if after.copies > (max(1, before.copies) if before else 1) else 0
    status: Status = "changed" if before else "new"
    return Change(name, kind, status, tokens, "", after.cut if is_worse else None, doubled)


def _left_out(path: str, prompt: Prompt | None) -> Candidate | None:
    """What keeps a file out that is there; None if it is not there, or nobody looks for it."""
    candidates = prompt.candidates if prompt is not None else ()
    return next((each for each in candidates if each.path == path and each.outcome not in ("missing", "loaded")), None)


def _lost(part: Part | None) -> int:
    return part.cut.total - part.cut.kept if part is not None and part.cut is not None else 0


def _cache(before: Prompt | None, after: Prompt | None) -> Cache | None:
    if before is None or after is None:
        return None
    pairs = zip(before.messages, after.messages, strict=False)
    number = next((at for at, (old, new) in enumerate(pairs) if (old.role, old.text) != (new.role, new.text)), None)
    if number is None:
        return None
    text = after.messages[number].text
    same = shared_start(before.messages[number].text, text)
    count, at, new = counter_of(after), 0, 0
    for segment in after.messages[number].segments:
        end = at + len(segment.text)
        if at >= same:
            new += segment_tokens(segment, count)
        elif end > same and segment.elided is None:
            new += count(segment.text[same - at :])
        at = end
    rest = after.messages[number + 1 :]
    new += sum(segment_tokens(segment, count) for message in rest for segment in message.segments)
    return Cache(number, text.count("\n", 0, same), new)
