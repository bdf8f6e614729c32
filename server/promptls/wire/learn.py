"""What a version that promptls does not know does otherwise: sessions of our own, run with the installed program.

folder of sessions     harnesses/<name>/sessions.json, chosen from the captured sessions so that every rule is in one
each is run            in the enclosure of ``verify``, and held against the preview of the nearest known version
sizes differ           the numbers of the row that explain them are found (solve.py)
only in some sessions  what these have in common is found, as a model (deviating.py)
what still differs     the rule that expected it has moved
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from promptls import harnesses
from promptls.core import specs
from promptls.core.paths import join
from promptls.core.values import dataclass, field, replace
from promptls.errors import PromptlsError, UsageError
from promptls.harnesses.catalogue import FOLDERS
from promptls.harnesses.deviations import model_of, named, of_session, with_deviations
from promptls.harnesses.installed import installed
from promptls.harnesses.learned import FORMAT, digest, is_version, of_candidate, of_segment, rows, rules_of
from promptls.kit.facts import LIKE, gaps, leaves, nodes, traced, with_changes
from promptls.kit.segments import WHY_FRAME
from promptls.kit.versions import choose, given
from promptls.wire.capture import SHIM, capture
from promptls.wire.cases import Layout
from promptls.wire.deviating import Compared, deviations
from promptls.wire.dialogue import TYPED
from promptls.wire.enclosure import NEEDS_NAMESPACES
from promptls.wire.find_program import means_for, program_of
from promptls.wire.replies import TEXT
from promptls.wire.run import scratch_home, short_directory
from promptls.wire.search import Trial, enlisted, searched, spoils
from promptls.wire.sides import is_same, sides
from promptls.wire.solve import Observed, observed, solved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import ExitStack
    from typing import Any

    from promptls.core.host import Git
    from promptls.core.model import Prompt, Session, Turn
    from promptls.harnesses.deviations import Deviation
    from promptls.kit.facts import Change, Place
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture
    from promptls.wire.difference import Difference
    from promptls.wire.search import Beside

FILE = "sessions.json"
# Sessions that are run at once: one that waits to be typed into leaves its time to the others.
AT_ONCE = 3
# How many turns without a screen take as long as one on it.
SCREEN = 3
NOTHING_RUN = "No session of {} could be run: {}"


@dataclass(slots=True)
class Seen:
    """A session that was run: where it lies, and what the program sent. ``why``: why it was not run."""

    name: str
    layout: Layout
    found: Capture | None = None
    why: str = ""


@dataclass(slots=True)
class Lesson:
    """What was learned of a version of a program.

    ``rules`` are those that the sessions which were run have, and ``moved`` those of them that no longer hold, with
    what was sent otherwise; ``tools`` are those that some session has otherwise, ``open`` sessions in which something
    differs that no rule names. ``unseen`` are the numbers of the row that stood in none.
    """

    harness: str
    version: str
    base: str
    date: str
    row: Any
    changes: list[Change] = field(default_factory=list)
    unseen: list[Place] = field(default_factory=list)
    rules: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    deviations: list[Deviation] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    open: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    sessions: int = 0
    planned: int = 0

    @property
    def was_interrupted(self) -> bool:
        """Whether somebody did not wait for all sessions."""
        return self.sessions + len(self.not_run) < self.planned

    def as_json(self) -> dict[str, Any]:
        """What is kept of it."""
        return {
            "format": FORMAT,
            "harness": self.harness,
            "version": self.version,
            "base": self.base,
            "row": digest(self.row),
            "date": self.date,
            "sessions": {"run": self.sessions, "planned": self.planned, "not_run": self.not_run, "open": self.open},
            "changes": [{"at": list(place), "value": value} for place, value in self.changes],
            "unseen": [list(place) for place in self.unseen],
            "rules": {"holds": sorted(self.rules - self.moved.keys()), "moved": self.moved},
            "tools": self.tools,
            "deviations": [each.as_json() for each in self.deviations],
            "models": self.models,
        }


def sessions_of(harness: str) -> list[dict[str, Any]]:
    """The sessions that are run for a harness; [] where it has none."""
    path = Path(harnesses.__file__).parent / FOLDERS.get(harness, "") / FILE
    if not path.is_file():
        return []
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["sessions"]
    return [*found, *_of_aliases(harness)]


def _of_aliases(harness: str) -> Iterator[dict[str, Any]]:
    """A session for each other name of a model: a release may let it stand for another model."""
    row = rows(harness)[0]
    aliases: dict[str, str] = getattr(row, "aliases", None) or {}
    models = {getattr(row, "default_model", None)} & {*aliases.values()}
    for name in aliases if models else ():
        session = {"cwd": "", "args": [], "env": {}, "steps": [], "prompt": "say ok", "model": name}
        yield {"name": f"model-{name}", "files": {}, "symlinks": {}, "git": ["workspace"], "session": session}


def session_of(layout: Layout, version: str) -> Session:
    """The session of a case, in which something is typed and each summary is ours, as where the program is run."""
    session = layout.session()
    return replace(session, version=version, turns=tuple(map(_with_texts, session.turns)))


def _with_texts(turn: Turn) -> Turn:
    if turn.compact is not None:
        return replace(turn, summary=turn.summary or TEXT)
    return turn if turn.prompt is not None else replace(turn, prompt=TYPED)


def learn(harness: str, date: str, git: Git, *, progress: Callable[[int, int, str], None], places: ExitStack) -> Lesson:
    """Run the sessions of a harness with the installed program, and compare.

    ``progress`` is told of each that was run; ``places`` removes what is laid out. What interrupts the runs ends them,
    and what is known by then is learned.

    Raises:
        UsageError: nothing could be run, or the program is another one each time.
    """
    means_for(harnesses.get(harness).title, needs=NEEDS_NAMESPACES)
    top = places.enter_context(short_directory())
    unpacked = places.enter_context(scratch_home()) if program_of(harness).unpacks else ""
    run = partial(_run, harness=harness, git=git, unpacked=unpacked)
    cases = sessions_of(harness)
    progress(0, len(cases), "")
    newest = harnesses.get(harness).versions[0].name
    first = run(cases[0], base=newest, top=join(top, "0"))
    if first.found is None:
        is_own = installed(first.layout.host(git), specs.detection(harness), first.layout.workspace) is not None
        says = NOTHING_RUN.format(harnesses.get(harness).title, first.why)
        advice = SHIM.format(specs.detection(harness).command)
        raise UsageError(says if is_own or says.endswith(advice) else f"{says} {advice}")
    lesson = _lesson(harness, first.found.version, date, len(cases))
    seen: list[Seen] = [first] if lesson.base == newest else []
    try:
        for each in _run_all(cases[len(seen) :], partial(run, base=lesson.base), top):
            seen.append(each)
            progress(len(seen), len(cases), each.name)
    except (KeyboardInterrupt, SystemExit):
        if not any(each.found for each in seen):
            raise
    _check_version(lesson, seen)
    _compare(lesson, seen, git)
    return lesson


def _lesson(harness: str, version: str, date: str, planned: int) -> Lesson:
    """What is to be learned of a version: which row is the nearest."""
    base = choose(harnesses.get(harness).versions, version)
    if base is None or not is_version(version):
        raise UsageError(f"{version} is no version that promptls can compare; it needs a number such as 1.2.3.")
    row = next(each for each in rows(harness) if each.version.name == base[0].name)
    return Lesson(harness, version, base[0].name, date, row, planned=planned)


def _check_version(lesson: Lesson, seen: Sequence[Seen]) -> None:
    """Raise if not all sessions were run with one version."""
    others = sorted({each.found.version for each in seen if each.found is not None} - {lesson.version})
    if others:
        says = f"{lesson.version} was run first and then {', '.join(others)}, so nothing is kept"
        raise UsageError(f"{harnesses.get(lesson.harness).title} has changed meanwhile: {says}; try again.")


def _run_all(cases: Sequence[dict[str, Any]], run: Callable[..., Seen], top: str) -> Iterator[Seen]:
    from concurrent.futures import ThreadPoolExecutor, as_completed  # noqa: PLC0415 - only where programs are run

    with ThreadPoolExecutor(AT_ONCE) as pool:
        # What takes longest begins first, so that nobody waits for it alone in the end.
        ordered = sorted(enumerate(cases, 1), key=lambda each: -_length(each[1]))
        jobs = [pool.submit(run, case, top=join(top, str(number))) for number, case in ordered]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _length(case: dict[str, Any]) -> int:
    """How long a session takes, compared with others: a screen is waited for, also at each turn."""
    session = case["session"]
    turns = max(1, len(session.get("turns", ())))
    return turns * SCREEN if session.get("interactive") else turns


def _run(case: dict[str, Any], *, harness: str, base: str, top: str, git: Git, unpacked: str) -> Seen:
    layout = Layout(case | {"harness": harness}, top)
    seen = Seen(case["name"], layout)
    session = session_of(layout, base)
    host = layout.host(git)
    try:
        prompt = harnesses.preview(session, host)
        found = capture(
            session,
            prompt,
            host,
            layout.workspace,
            runs=False,
            is_case=True,
            etc=layout.etc,
            names_model=False,
            unpacked=unpacked,
        )
    except (PromptlsError, OSError) as error:
        seen.why = str(error)
        return seen
    if found.left_out and not is_same(prompt, found.prompt):
        seen.why = "it has what is not given to a program"
        return seen
    seen.found = found
    return seen


def _preview(seen: Seen, row: Any, base: str, git: Git, deviate: Sequence[Deviation] = ()) -> tuple[Prompt, Sides]:
    """The preview of a session as a row has it, whose sizes know their numbers, beside what was sent."""
    assert seen.found is not None  # noqa: S101 - only those that were run are asked for
    host = seen.layout.host(git)
    with given({base: traced(row)}):
        prompt = harnesses.preview(session_of(seen.layout, base), host)
    prompt = with_deviations(prompt, deviate)
    return prompt, sides(prompt, seen.found, host)


def _deviate(lesson: Lesson, row: Any, run: Sequence[Seen], known: dict[str, Beside], git: Git) -> None:
    """Find what only some sessions have otherwise; ``known``, each session with ``row``, then has it as well.

    What makes another thing differ in a session that it counts in is left out.
    """
    lesson.models = sorted({model_of(prompt) for prompt, _ in known.values()})
    spec, agents = specs.of(lesson.harness), named(row)
    compared = {}
    for each in run:
        if each.found is not None:
            prompt, both = known[each.name]
            compared[each.name] = Compared(prompt, each.found, both, of_session(prompt, spec, lesson.models, agents))
    found = deviations(list(compared.values()))
    while found:
        after: dict[str, Beside] = {}
        spoiling: set[Deviation] = set()
        for each in run:
            own = [one for one in found if one.counts(compared[each.name].known)]
            if own:
                after[each.name] = _preview(each, row, lesson.base, git, own)
                if spoils(known[each.name][1], after[each.name][1]):
                    spoiling.update(own)
        if not spoiling:
            known |= after
            break
        found = [each for each in found if each not in spoiling]
    lesson.deviations = found


def _compare(lesson: Lesson, seen: Sequence[Seen], git: Git) -> None:
    """Find the values of the row, then the rules that have moved."""
    run = [each for each in seen if each.found is not None]
    lesson.not_run = {each.name: each.why for each in seen if each.found is None}
    lesson.sessions = len(run)
    if not run:
        why = next(iter(lesson.not_run.values()), "there is none")
        raise UsageError(NOTHING_RUN.format(harnesses.get(lesson.harness).title, why))
    held = partial(_preview, base=lesson.base, git=git)
    trials = [Trial(each.name, each.found, partial(held, each)) for each in run if each.found is not None]
    filled, row, known = _begun(lesson, trials)
    lesson.changes += filled
    # A text that is as it is sent now shows sizes that nobody has seen before.
    for found in (_models, enlisted, _values, searched, _values):
        changes = found(row, trials, known)
        if changes:
            lesson.changes += changes
            row = with_changes(lesson.row, lesson.changes)
            known = {each.name: each.held(row) for each in trials}
    had: set[Place] = set()
    for each in trials:
        had.update(
            place for size in observed(known[each.name][0], each.found, known[each.name][1]) for place in size.terms
        )
    _deviate(lesson, row, run, known, git)
    for each in trials:
        prompt, both = known[each.name]
        lesson.rules.update(rules_of(prompt))
        for difference in both.differences:
            for rule in _rules(difference, prompt, both):
                lesson.moved.setdefault(rule, f"{difference.says} (session {each.name})")
            # No rule of a prompt names a tool, also not one that is no longer sent.
            if difference.kind == "tool" and difference.expected is not None:
                lesson.tools.setdefault(difference.expected.title, f"{difference.says} (session {each.name})")
            if difference.expected is None or difference.kind == "tool":
                lesson.open.setdefault(each.name, difference.says)
    found_later = lesson.changes[len(filled) :]
    used = had - {place for place, _ in found_later}
    lesson.changes = [*(each for each in filled if each[0] in used), *found_later]
    row = with_changes(lesson.row, lesson.changes)
    lesson.unseen = [place for place, value in leaves(row) if type(value) is int and place not in had]


def _begun(lesson: Lesson, trials: Sequence[Trial]) -> tuple[list[Change], Any, dict[str, Beside]]:
    """The changes to begin with, the row that they make, and each session with it.

    What nobody has measured of a version may be as in the next one: that counts where fewer sessions then differ.
    """
    ways: list[list[Change]] = [[]]
    of_all = rows(lesson.harness)
    number = [each.version.name for each in of_all].index(lesson.base)
    if number and (open_ones := list(gaps(lesson.row, of_all[number - 1]))):
        ways.append(open_ones)
    found = []
    for way in ways:
        row = with_changes(lesson.row, way)
        known = {each.name: each.held(row) for each in trials}
        found.append((way, row, known))
    if len(found) == 1:
        return found[0]
    return min(found, key=lambda each: _misfits(each[1], trials, each[2]))


def _misfits(row: Any, trials: Sequence[Trial], known: Mapping[str, Beside]) -> int:
    """How many things differ, or are not known, once the numbers of a row are those that were sent."""
    changes = _values(row, trials, known)
    made = with_changes(row, changes)
    both = [(each.held(made) if changes else known[each.name])[1] for each in trials]
    return sum(len(each.differences) + len(each.unknown) for each in both)


def _models(row: Any, trials: Sequence[Trial], known: Mapping[str, Beside]) -> list[Change]:
    """The names of models of a row for which the program asked another model than the preview says."""
    taken: list[Change] = []
    for each in trials:
        (prompt, both), sent = each.held(row) if taken else known[each.name], each.found.model
        default = getattr(row, "default_model", None)
        # Some previews do not say which model a program chooses.
        shown = prompt.model or (default if prompt.session.model is None else None)
        if not shown or not sent or shown == sent:
            continue
        named = [place for place, value in leaves(row) if value == shown]
        # One that the row does not know may be like the one that it takes the place of.
        tables = [place for place, table in nodes(row) if isinstance(table, dict) and _has_parts(table.get(shown))]
        entries: list[Change] = [((*place, sent), {LIKE: shown}) for place in tables]
        for place in named:
            named_so: list[Change] = [(place, sent)]
            found = [(way, *each.held(with_changes(row, way))) for way in (named_so, [*named_so, *entries])]
            changes, after, then = min(found, key=lambda one: len(one[2].differences))
            if after.model == sent or (after.model is None and len(then.differences) <= len(both.differences)):
                taken += changes
                row = with_changes(row, changes)
                break
    return taken


def _has_parts(value: object) -> bool:
    return hasattr(type(value), "__match_args__")


def _values(row: Any, trials: Sequence[Trial], known: Mapping[str, Beside]) -> list[Change]:
    """The numbers of a row that explain the sizes that were sent."""
    sizes: list[Observed] = []
    for each in trials:
        prompt, both = known[each.name]
        sizes += observed(prompt, each.found, both)
    values = {place: value for place, value in leaves(row) if type(value) is int}
    return sorted(solved(sizes, values).items(), key=repr)


def _rules(difference: Difference, prompt: Prompt, both: Sides) -> Iterator[str]:
    """The rules that expected what was sent otherwise."""
    segment = difference.expected
    if segment is None or difference.kind == "tool":
        return
    if segment.why == WHY_FRAME:
        # A frame is there because of what it is around.
        pair = next((each for each in both.pairs if segment in each.expected.segments), None)
        within = pair.expected.segments if pair is not None else ()
        at = within.index(segment) if segment in within else 0
        around = (*within[at:], *reversed(within[:at]))
        segment = next((each for each in around if not each.frame and each.why != segment.why), segment)
    yield of_segment(segment)
    if segment.origin.path is not None:
        yield from (of_candidate(each) for each in prompt.candidates if each.path == segment.origin.path)
