"""What ``promptls learn`` found out of a version on this machine: one JSON file for each version of a harness.

    {"format": 3, "version": "2.1.341", "base": "2.1.330", "date": "2026-11-26",
     "changes": [{"at": ["tools", "sent", "Bash"], "value": 3555}],
     "unseen": [["tools", "sent", "Monitor"]],
     "rules": {"holds": [...], "moved": {"a rule": "what was sent instead"}},
     "tools": {"Bash": "the tool Bash is in the preview and was not sent (session ...)"},
     "deviations": [...], "models": ["gemini-2.5-flash"]}

``changes`` make the row of the version out of that of ``base``, whose rules were held against the program. ``unseen``
are the numbers of that row that stood in no session: previews still use them, and mark each size that has one.
``deviations`` are what only some sessions have otherwise, as those with one of the ``models``. ``tools`` are those
that some session has otherwise and nothing explains: previews say that they are not certain. A file that another
promptls wrote counts as long as it fits the row that there is: ``row`` is a digest of that.
"""

from __future__ import annotations

import re

from promptls.core.host import LEARNED
from promptls.core.lazy import module, regex
from promptls.core.model import Learned
from promptls.core.values import dataclass, replace
from promptls.harnesses.catalogue import FOLDERS
from promptls.kit.base import Version
from promptls.kit.paths import join, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from promptls.core.model import Candidate, Prompt, Segment, Tool
    from promptls.harnesses.deviations import Deviation
    from promptls.kit.facts import Place

FORMAT = 3
# What of a rule is of one session only: paths, patterns, names of files and numbers.
_PASSING = regex(r"""\S*(?:[/*]|\w\.\w{1,8}\b)\S*|\d[\d,.]*""")
_MADE: dict[tuple[str, str], Any] = {}
MOVED = "moved in {}, so it may be otherwise there"
UNTRIED = "not tried in {}: no session of promptls learn has it"
INHERITED = "its size is that of {}, not learned"


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of a version: the version itself, the row that was made of it, and what came of the rules.

    ``sessions`` of all that were ``planned`` were run, and ``tried``: those and what could not be run. ``unseen`` are
    the numbers of the row that none of them had; sizes of a preview know of which numbers they are made.
    """

    version: Version
    base: Version
    date: str
    row: Any
    holds: frozenset[str]
    moved: Mapping[str, str]
    tools: Mapping[str, str]
    deviations: tuple[Deviation, ...]
    models: frozenset[str]
    unseen: frozenset[Place]
    open: int
    sessions: int
    planned: int
    tried: int

    @property
    def tried_rules(self) -> frozenset[str]:
        """The rules that some session had."""
        return self.holds | self.moved.keys()

    @property
    def is_whole(self) -> bool:
        """Whether nobody interrupted it."""
        return self.tried >= self.planned

    def about(self, moved: tuple[str, ...] = (), untried: tuple[str, ...] = (), *, inherited: int = 0) -> Learned:
        """What a prompt says of it; ``moved`` and ``untried``: rules of that prompt, ``inherited``: its sizes."""
        return Learned(
            date=self.date,
            base=self.base.name,
            holds=len(self.holds),
            rules=len(self.holds) + len(self.moved),
            moved=moved,
            untried=untried,
            inherited=inherited,
            open=self.open,
            sessions=self.sessions,
            planned=self.planned,
            whole=self.is_whole,
        )

    def with_marks(self, prompt: Prompt) -> Prompt:
        """``prompt`` with what was learned of it: each rule that has moved says so, in every view."""
        if self.deviations:
            from promptls.core import specs  # noqa: PLC0415 - few versions have any
            from promptls.harnesses.deviations import named, of_session, with_deviations  # noqa: PLC0415 - the same

            known = of_session(prompt, specs.of(prompt.session.harness), self.models, named(self.row))
            prompt = with_deviations(prompt, [each for each in self.deviations if each.counts(known)])
        return _with_marks(prompt, self)


def file_of(directory: str, harness: str, version: str) -> str:
    """The file of a version in the user's data directory."""
    return join(directory, LEARNED, f"{harness}@{version}.json")


def rows(harness: str) -> tuple[Any, ...]:
    """The rows of the versions of a harness; () where it is none of this package."""
    folder = FOLDERS.get(harness)
    found: tuple[Any, ...] = module(f"promptls.harnesses.{folder}.versions").ROWS if folder else ()
    return found


def parsed(data: bytes, harness: str, version: str) -> Row | None:
    """A file; None where it was written otherwise, or the row that it changes has changed itself."""
    import json  # noqa: PLC0415 - only where something was learned

    try:
        kept = json.loads(data)
        found = _row(kept, harness, version)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    return found


def _row(kept: Mapping[str, Any], harness: str, version: str) -> Row | None:
    base = next((each for each in rows(harness) if each.version.name == kept["base"]), None)
    if kept["format"] != FORMAT or kept["version"] != version or base is None or kept["row"] != digest(base):
        return None
    made = base.version if version == base.version.name else replace(base.version, name=version, verified=False)
    changes = [(as_place(each["at"]), each["value"]) for each in kept["changes"]]
    known = harness, repr((version, changes))
    if known not in _MADE:
        from promptls.kit.facts import traced, with_changes  # noqa: PLC0415 - only where something was learned

        _MADE[known] = traced(replace(with_changes(base, changes), version=made))
    said = kept["rules"]
    moved = {str(rule): str(says) for rule, says in said["moved"].items()}
    of_all = kept["sessions"]
    return Row(
        version=made,
        base=base.version,
        date=str(kept["date"]),
        row=_MADE[known],
        holds=frozenset(said["holds"]),
        moved=moved,
        tools={str(tool): str(says) for tool, says in kept.get("tools", {}).items()},
        deviations=_deviations(kept.get("deviations", ())),
        models=frozenset(map(str, kept.get("models", ()))),
        unseen=frozenset(map(as_place, kept["unseen"])),
        open=len(of_all["open"]),
        sessions=int(of_all["run"]),
        planned=int(of_all["planned"]),
        tried=int(of_all["run"]) + len(of_all["not_run"]),
    )


def _deviations(kept: Sequence[Mapping[str, Any]]) -> tuple[Deviation, ...]:
    if not kept:
        return ()
    from promptls.harnesses.deviations import from_json  # noqa: PLC0415 - few versions have any

    return tuple(map(from_json, kept))


def as_place(names: list[Any]) -> Place:
    """The place of a change, as it is kept: JSON has no tuples, which are names in some tables."""
    found: list[Any] = [tuple(each) if isinstance(each, list) else each for each in names]
    return tuple(found)


def digest(row: Any) -> str:
    """Identifies the values of a row."""
    from zlib import crc32  # noqa: PLC0415 - only where something was learned

    from promptls.kit.facts import leaves  # noqa: PLC0415 - the same

    values = [(place, getattr(value, "pattern", value)) for place, value in leaves(row)]
    return f"{crc32(repr(values).encode()):08x}"


def rule_key(rule: str, blanks: Sequence[str] = ()) -> str:
    """A rule without what is of one session only; ``blanks`` are paths that may stand in it, and have blanks."""
    for path in blanks:
        rule = rule.replace(path, "/")
    return _PASSING.sub("…", rule)


def of_segment(segment: Segment, blanks: Sequence[str] = ()) -> str:
    """How a rule is called that puts a segment into a prompt."""
    return rule_key(segment.why, blanks)


def of_candidate(candidate: Candidate, blanks: Sequence[str] = ()) -> str:
    """How a rule is called that decides over a place: an outcome is another rule."""
    return f"{rule_key(candidate.rule, blanks)} ({candidate.outcome})"


def rules_of(prompt: Prompt) -> Iterator[str]:
    """The rules of a prompt."""
    blanks = paths_with_blanks(prompt)
    yield from (of_candidate(each, blanks) for each in prompt.candidates)
    yield from (of_segment(segment, blanks) for message in prompt.messages for segment in message.segments)


def paths_with_blanks(prompt: Prompt) -> list[str]:
    """The paths of a prompt that have blanks, and the directories that they are in; the longest first."""
    named = {prompt.session.cwd, *(each.path for each in prompt.candidates)}
    named |= {segment.origin.path for message in prompt.messages for segment in message.segments}
    found: set[str] = set()
    for path in filter(None, named):
        above = path
        while " " in above and above not in found:
            found.add(above)
            above = parent(above)
    return sorted(found, key=len, reverse=True)


def is_version(name: str) -> bool:
    """Whether a name can be that of a version, and of a file."""
    return re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,63}", name) is not None


def _moved(version: str, says: str) -> str:
    """That a rule has moved, and what was sent instead."""
    return f"{MOVED.format(version)}: {says}" if says else MOVED.format(version)


def _with_marks(prompt: Prompt, learned: Row) -> Prompt:
    version, base = learned.version.name, learned.base.name
    used = tuple(dict.fromkeys(rules_of(prompt)))
    moved = tuple(
        f"{each} — {says}" if (says := learned.moved[each]) else each for each in used if each in learned.moved
    )
    offered = [each.name for each in prompt.tools or () if each.enabled]
    moved += tuple(learned.tools[each] for each in offered if each in learned.tools)
    # Of the version itself the captured sessions know them.
    untried = () if version == base else tuple(each for each in used if each not in learned.tried_rules)
    marks = {rule: _moved(version, says) for rule, says in learned.moved.items()} | {
        each: UNTRIED.format(version) for each in untried
    }
    other = INHERITED.format(base)
    blanks = paths_with_blanks(prompt)
    inherited = 0

    def with_mark(why: str, size: int | None, rule: str = "") -> str:
        nonlocal inherited
        is_other = not learned.unseen.isdisjoint(getattr(size, "terms", ()))
        inherited += is_other
        return "; ".join((why, *([marks[rule]] if rule in marks else []), *[other] * is_other))

    def marked(segment: Segment) -> Segment:
        size = segment.elided.size if segment.elided is not None else None
        why = with_mark(segment.why, size, of_segment(segment, blanks))
        return segment if why == segment.why else replace(segment, why=why)

    def marked_place(each: Candidate) -> Candidate:
        mark = marks.get(of_candidate(each, blanks))
        return each if mark is None else replace(each, rule=f"{each.rule}; {mark}")

    def marked_tool(tool: Tool) -> Tool:
        why = with_mark(tool.why, tool.size if tool.enabled else None)
        if tool.enabled and tool.name in learned.tools:
            return replace(tool, why=f"{why}; {_moved(version, learned.tools[tool.name])}", is_certain=False)
        return tool if why == tool.why else replace(tool, why=why)

    messages = tuple(replace(each, segments=tuple(map(marked, each.segments))) for each in prompt.messages)
    tools = None if prompt.tools is None else tuple(map(marked_tool, prompt.tools))
    return replace(
        prompt,
        messages=messages,
        tools=tools,
        candidates=tuple(map(marked_place, prompt.candidates)),
        learned=learned.about(moved, untried, inherited=inherited),
        verified=prompt.verified and version == base and not learned.moved,
    )
