"""Changes to a row that are no sizes: an entry more or fewer, a label, a layout, a size that nobody had measured.

Each difference proposes changes to entries of the row that are like it; one is taken if the sessions then differ in
fewer places, and in no new one.
"""

from __future__ import annotations

import re
from itertools import chain

from promptls.core.lazy import regex
from promptls.core.values import dataclass
from promptls.kit.facts import GONE, LIKE, Number, leaves, nodes, with_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from promptls.core.model import Prompt, Segment
    from promptls.kit.facts import Change, Place
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture
    from promptls.wire.difference import Difference

    Changes: TypeAlias = tuple[Change, ...]
    # A session with a row: its preview beside what was sent.
    Beside: TypeAlias = tuple[Prompt, Sides]
    Held: TypeAlias = Callable[[Any], Beside]

# Changes that are taken, and sessions on which one is tried: those that it is for, and others.
MOST, TRIED, OTHERS = 60, 3, 3
# A label that is shorter may stand anywhere.
SHORTEST = 4
# How a line of a list begins: a name that a colon or a blank ends.
ENTRY = regex(r"^\s*(?:[-*]\s+|<name>)\**`?([A-Za-z][\w.-]{1,63})`?\**\s*(?:[:<(]|$)")
NUMBER = regex(r"\d[\d,]*")
# So much of a text that a limit cuts is there in any case.
BEGINNING = 64
# How a row declares sizes of which there may be more or fewer.
LISTED = "tuple[int, ...]"
# How a row declares a list of models of which something is so, and how its name ends.
NAMED, MODELS = "tuple[str, ...]", "_models"


@dataclass(frozen=True, slots=True)
class Trial:
    """A session that was run."""

    name: str
    found: Capture
    held: Held


def searched(row: Any, trials: Sequence[Trial], known: Mapping[str, Beside]) -> list[Change]:
    """The changes that make fewer things differ, the first ones first; ``known`` has each session with ``row``."""
    taken = _Search(row, trials, known, open_only=True).run()
    made = with_changes(row, taken)
    same = [each for each in trials if taken and _is_same(known[each.name])]
    if not any(spoils(known[each.name][1], each.held(made)[1]) for each in same):
        return taken
    return _Search(row, trials, known, open_only=False).run()


def enlisted(row: Any, trials: Sequence[Trial], known: Mapping[str, Beside]) -> list[Change]:
    """The changes to lists of models: one more or fewer, where fewer things of its sessions then differ."""
    taken: list[Change] = []
    for model in sorted({each.found.model for each in trials if each.found.model}):
        own = [each for each in trials if each.found.model == model]
        differing = [each for each in own if known[each.name][1].differences]
        for change in _of_lists(row, model):
            changed = with_changes(row, [change])
            if any(_fewer(each, known, changed) > 0 for each in differing[:TRIED]):
                fewer = [_fewer(each, known, changed) for each in own]
                if min(fewer) >= 0:
                    taken.append(change)
                    row, known = changed, {**known, **{each.name: each.held(changed) for each in own}}
    return taken


def _of_lists(row: Any, model: str) -> Iterator[Change]:
    for name, kind in type(row).__annotations__.items():
        if kind == NAMED and name.endswith(MODELS):
            models = getattr(row, name)
            yield ((name, models.index(model)), GONE) if model in models else ((name, len(models)), model)


def _fewer(trial: Trial, known: Mapping[str, Beside], row: Any) -> int:
    """How many things fewer differ with a row."""
    return len(_differs(known[trial.name][1])) - len(_differs(trial.held(row)[1]))


class _Search:
    """A search for changes. ``open_only``: only sessions in which something differs say whether a change spoils any."""

    __slots__ = ("_checked", "_held", "_known", "_refused", "_row", "_spoiling", "_trials")

    def __init__(self, row: Any, trials: Sequence[Trial], known: Mapping[str, Beside], *, open_only: bool) -> None:
        self._row, self._trials, self._known = row, trials, {**known}
        self._checked = [each for each in trials if not (open_only and _is_same(known[each.name]))]
        self._refused: set[str] = set()
        self._spoiling: set[str] = set()
        # What each session is with changes that were tried on this row.
        self._held: dict[tuple[str, str], Beside] = {}

    def run(self) -> list[Change]:
        """The changes that are taken."""
        taken: list[Change] = []
        while len(taken) < MOST:
            found = self._better_changes()
            if found is None:
                break
            changed = with_changes(self._row, found)
            after = {each.name: self._beside(found, each) for each in self._checked}
            if any(spoils(self._known[name][1], both) for name, (_, both) in after.items()):
                self._spoiling.add(repr(found))
                continue
            taken += found
            self._row = changed
            self._known |= after
            self._held.clear()
        return taken

    def _better_changes(self) -> Changes | None:
        """The next changes that are better for the sessions that they are for."""
        for trial in self._checked:
            prompt, both = self._known[trial.name]
            for what, proposed in _proposals(self._row, trial, prompt, both):
                if what in self._refused:
                    continue
                concerned = [each for each in self._checked if what in _differs(self._known[each.name][1])]
                others = [each for each in self._trials if each not in concerned]
                tried = [*concerned[:TRIED], *others[:OTHERS]]
                found: Changes | None = None
                for changes in proposed:
                    if repr(changes) in self._spoiling or not self._is_better(changes, tried, what):
                        continue
                    # One that helps some may stand in the way of what would help all.
                    if all(what not in _differs(self._beside(changes, each)[1]) for each in concerned):
                        return changes
                    found = found or changes
                if found is not None:
                    return found
                self._refused.add(what)
        return None

    def _is_better(self, changes: Changes, tried: Sequence[Trial], what: str) -> bool:
        gain = less = 0
        for each in tried:
            was, now = self._known[each.name][1], self._beside(changes, each)[1]
            if spoils(was, now):
                return False
            gain += len(_open(was) - _open(now))
            less += len(_sizes(was)) - len(_sizes(now))
            if gain <= 0 and less <= 0 and what in _differs(was):
                return False
        return gain > 0 or less > 0

    def _beside(self, changes: Changes, trial: Trial) -> Beside:
        key = trial.name, repr(changes)
        if key not in self._held:
            self._held[key] = trial.held(with_changes(self._row, changes))
        return self._held[key]


def _is_same(beside: Beside) -> bool:
    """Whether a program sent all that a preview shows, and nothing of it is unknown."""
    return not beside[1].differences and not beside[1].unknown


def _differs(both: Sides) -> set[str]:
    """All that differs, each by what it says."""
    return _open(both) | _sizes(both)


def spoils(before: Sides, after: Sides) -> bool:
    """Whether something differs that did not; a text that is as it is sent shows sizes that nobody has seen before."""
    more = _sizes(after) - _sizes(before)
    return bool(_open(after) - _open(before)) or (bool(more) and _open(after) == _open(before))


def _open(both: Sides) -> set[str]:
    """What differs apart from sizes, each by what it says."""
    return {each.says for each in both.differences if each.kind != "size"}


def _sizes(both: Sides) -> set[str]:
    """The sizes that differ or are not known."""
    return {*(each.says for each in both.differences if each.kind == "size"), *both.unknown}


def _proposals(row: Any, trial: Trial, prompt: Prompt, both: Sides) -> Iterator[tuple[str, Iterator[Changes]]]:
    tables = list(nodes(row))
    for each in both.differences:
        if each.kind == "tool":
            yield each.says, chain(_of_tool(each, trial, prompt, tables), _of_layouts(row, trial))
        elif each.kind == "text":
            of_text = chain(_of_limit(each, row, both), _of_text(each, row, tables), _of_list(row, trial))
            yield each.says, chain(_of_names(row, trial), of_text, _of_layouts(row, trial))
        elif each.kind in ("missing", "extra"):
            yield each.says, chain(_of_names(row, trial), _of_layouts(row, trial))
        elif each.kind == "size" and (sent := re.search(r"ha(?:s|ve) ([\d,]+) characters, not", each.says)):
            yield each.says, _of_unknown(row, int(sent[1].replace(",", "")), trial)
    for says in both.unknown:
        size = re.search(r"\((?:\d+ of )?([\d,]+) characters were sent\)$", says)
        if size is not None:
            yield says, _of_unknown(row, int(size[1].replace(",", "")), trial)


def _of_tool(
    difference: Difference, trial: Trial, prompt: Prompt, tables: Sequence[tuple[Place, Any]]
) -> Iterator[Changes]:
    """A tool more or fewer: in each table that has other tools of the preview."""
    found = re.search(r"the tool (\S+) (was sent|was named|is in the preview)", difference.says)
    if found is None:
        return
    name = found[1]
    shown = {each.name for each in prompt.tools or ()}
    known = {place[:-1] for place, table in tables if isinstance(table, dict) and shown & {*table}}
    of_tools = [
        (place, table)
        for place, table in tables
        if isinstance(table, dict) and (shown & {*table, name} or (not table and place[:-1] in known))
    ]
    of_tools = [each for each in of_tools if not any(isinstance(size, dict) for size in each[1].values())]
    has = [place for place, table in of_tools if name in table]
    size = next((each.size for each in trial.found.offered if each.name == name), None)
    gone = tuple(((*place, name), GONE) for place in has)
    if found[2] == "is in the preview":
        yield from ((each,) for each in gone)
        yield gone
        return
    # Tables with most of the tools that were sent come first.
    ranked = sorted(of_tools, key=lambda each: -len(shown & {*each[1]}))
    for place, _ in ranked:
        if place not in has:
            yield (*gone, ((*place, name), size))
            if gone:
                yield (((*place, name), size),)


def _of_text(difference: Difference, row: Any, tables: Sequence[tuple[Place, Any]]) -> Iterator[Changes]:
    """An entry of a list more or fewer, or a label."""
    out = [line[1:] for line in difference.diff if line.startswith("-")]
    new = [line[1:] for line in difference.diff if line.startswith("+")]
    yield from _labels(row, out, new)
    names = [found[1] for line in out if (found := ENTRY.match(line))]
    more = [(found[1], len(line) - found.end()) for line in new if (found := ENTRY.match(line))]
    gone: list[Change] = []
    for name in names:
        gone += _entries(name, tables)
    yield from ((each,) for each in gone)
    if len(gone) > 1:
        yield tuple(sorted(gone, key=lambda each: str(each[0]), reverse=True))
    for name, size in more:
        for place, table in tables:
            if isinstance(table, tuple) and table and hasattr(table[-1], "name") and hasattr(table[-1], "size"):
                for at in range(len(table), -1, -1):
                    yield (((*place, at), {LIKE: min(at, len(table) - 1), "name": name, "size": size}),)


def _of_names(row: Any, trial: Trial) -> Iterator[Changes]:
    """Another name of a model: the program asked for one that stands for what the session names."""
    named, asked = trial.found.prompt.session.model, trial.found.model
    names: Mapping[str, str] = getattr(row, "aliases", {})
    if named and named != asked and named not in names:
        yield from (((("aliases", named), each),) for each in dict.fromkeys(names.values()))


def _of_layouts(row: Any, trial: Trial) -> Iterator[Changes]:
    """What a version either does or does not do, otherwise: of all models, then of the one that was asked.

    That one may be a model like any other.
    """
    model = trial.found.model or ""
    for place, value in leaves(row):
        if isinstance(value, bool) and (len(place) == 1 or model in place):
            yield ((place, not value),)
    for place, table in nodes(row):
        if isinstance(table, dict) and hasattr(type(table.get(model)), "__match_args__"):
            yield (((*place, model), GONE),)


def _of_limit(difference: Difference, row: Any, both: Sides) -> Iterator[Changes]:
    """A limit that cuts a text elsewhere; where all of the text was sent, nobody can tell what the limit is."""
    pair = next((each for each in both.pairs if each.number == difference.message), None)
    if pair is None or pair.sent is None:
        return
    segments = pair.expected.segments
    for at, segment in enumerate(segments):
        cut = segment.cut
        kept = None if cut is None or cut.is_ours else _sent_of_cut_text(segment, segments[at + 1 :], pair.sent.text)
        if cut is None or kept is None:
            continue
        more = _measure(kept, cut.unit) - _measure(segment.text, cut.unit)
        limits = {cut.kept, *(int(each.replace(",", "")) for each in NUMBER.findall(cut.limit))}
        if more and cut.kept + more < cut.total:
            yield from (((place, each + more),) for place, each in leaves(row) if type(each) is int and each in limits)


def _sent_of_cut_text(segment: Segment, after: Sequence[Segment], sent: str) -> str | None:
    """What was sent of a text that is cut: up to the next text of the message."""
    start = sent.find(segment.text[:BEGINNING])
    follows = next((each.text for each in after if each.elided is None and each.text), "")
    end = sent.find(follows, start) if follows else len(sent)
    return sent[start:end] if segment.text and 0 <= start < end else None


def _misfit(both: Sides) -> int:
    """By how many characters the messages of the preview are longer or shorter than what was sent."""
    known = [(len(each.sent.text), each.expected.segments) for each in both.pairs if each.sent is not None]
    return sum(abs(sent - sum(segment.characters for segment in segments)) for sent, segments in known)


def _of_list(row: Any, trial: Trial) -> Iterator[Changes]:
    """A text of the program's own fewer, of those of which the row has a list of sizes; the others keep theirs."""
    for name, kind in type(row).__annotations__.items():
        fewer: list[Changes] = (
            [(((name, at), GONE),) for at in range(len(getattr(row, name)))] if kind == LISTED else []
        )
        yield from sorted(fewer, key=lambda each: _misfit(trial.held(with_changes(row, each))[1]))


def _measure(text: str, unit: str) -> int:
    if unit == "lines":
        return text.count("\n")
    return len(text.encode("utf-8", "replace")) if unit == "bytes" else len(text)


def _entries(name: str, tables: Sequence[tuple[Place, Any]]) -> Iterator[Change]:
    """The entries of this name."""
    for place, table in tables:
        if isinstance(table, dict) and name in table:
            yield (*place, name), GONE
        if isinstance(table, tuple):
            for at, each in enumerate(table):
                if getattr(each, "name", each) == name:
                    yield (*place, at), GONE


def _labels(row: Any, out: Sequence[str], new: Sequence[str]) -> Iterator[Changes]:
    """A text of the row that stands in a line, and what stands there now."""
    texts = [(place, text) for place, text in leaves(row) if isinstance(text, str) and len(text) >= SHORTEST]
    for line in out:
        for place, text in texts:
            before, is_in, after = line.partition(text)
            for other in new if is_in else ():
                between = other[len(before) : len(other) - len(after)]
                if other.startswith(before) and other.endswith(after) and between and between != text:
                    yield ((place, between),)


def _of_unknown(row: Any, size: int, trial: Trial) -> Iterator[Changes]:
    """A number that nobody has measured, so that a size is what was sent."""
    for place, value in leaves(row):
        if value is not None:
            continue
        prompt, _ = trial.held(with_changes(row, (((place), Number(0, {place: 1})),)))
        sizes = [each.elided.size for message in prompt.messages for each in message.segments if each.elided]
        sizes += [each.size for each in prompt.tools or () if each.enabled]
        of_it = [each for each in sizes if isinstance(each, Number) and place in each.terms]
        for made in dict.fromkeys(map(int, of_it)):
            yield ((place, size - made),)
