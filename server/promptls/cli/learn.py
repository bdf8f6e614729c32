"""``promptls learn``: what the installed version of a program does otherwise than the nearest one that is known."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from datetime import datetime

from promptls import harnesses
from promptls.cli.arguments import Parser
from promptls.cli.keep import check_can_be_kept, forget_lessons, keep_lesson
from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core import files, specs
from promptls.core.host import LEARNED
from promptls.core.phrases import learned_text
from promptls.core.render import Line
from promptls.core.values import dataclass, replace
from promptls.errors import PromptlsError, UsageError
from promptls.harnesses import catalogue
from promptls.harnesses.installed import installed, later_on_path
from promptls.harnesses.learned import file_of, is_version, parsed
from promptls.kit.facts import LIKE
from promptls.kit.versions import choose
from promptls.workspace.machine import known_texts_directory, load_harnesses
from promptls.workspace.request import HERE, ask_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.harnesses.deviations import Deviation
    from promptls.harnesses.learned import Row
    from promptls.wire.learn import Lesson

ENDING = ".json"
# States of what --all learns.
WORTH = ("unknown", "older", "partly")
# Differences that are shown without --all.
MOST = 12
OLDER = "what was learned here no longer fits this promptls; run “promptls learn {}” again"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that can be learned: its version here, and what is known of it.

    ``state``: known, learned, partly, ...; ``others``: versions that come later on PATH, with the paths of their
    commands.
    """

    harness: str
    version: str | None
    state: str
    says: str
    learned: Row | None = None
    others: tuple[tuple[str, str], ...] = ()


def run(argv: list[str]) -> int:
    """Learn, forget, or say what there is; 1 if a rule has moved or something is sent that no rule names."""
    parser = Parser(
        prog="promptls learn",
        description="Run sessions of promptls's own with an installed coding agent, offline and enclosed as verify "
        "does, and keep how its version differs from the nearest one that promptls knows: sizes, tools, names, and "
        "rules that no longer hold. Previews of this version then show it. Without a name, list which versions are "
        "known, and which would be learned.",
    )
    parser.add_argument("programs", nargs="*", metavar="H", help="the coding agents to learn, by their names")
    parser.add_argument(
        "--all",
        action="store_true",
        help="learn each one whose installed version is not known; with a name: show all details",
    )
    parser.add_argument("--forget", action="store_true", help="forget what was learned about these, or about all")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    load_harnesses()
    names = [harnesses.get(each).name for each in options.programs]
    for name in names:
        if not _can(name):
            raise UsageError(f"promptls has no sessions for {name}; choose one of {', '.join(_learnable())}.")
    if options.forget:
        return _forget(names, as_json=options.format == "json")
    if options.all and not names:
        names = [each.harness for each in map(_program, _learnable()) if each.state in WORTH]
        if not names:
            complain("Each version that is installed is known, or was learned.")
    elif not names:
        return _list(as_json=options.format == "json")
    if names:
        check_can_be_kept(LEARNED)
    found, failed = _all_learned(names, is_quiet=options.format == "json", is_whole=options.all)
    if options.format == "json":
        write_json({"learned": [each.as_json() for each in found], "failed": failed})
    if failed:
        return 2
    return 1 if any(each.moved or each.open for each in found) else 0


def _all_learned(names: Sequence[str], *, is_quiet: bool, is_whole: bool) -> tuple[list[Lesson], dict[str, str]]:
    """What was learned of each, and why one could not be: of several, it does not keep the others from it."""
    found: list[Lesson] = []
    failed: dict[str, str] = {}
    for name in names:
        try:
            found.append(_learned(name, is_quiet=is_quiet, is_whole=is_whole))
        except PromptlsError as error:
            if len(names) == 1:
                raise
            failed[name] = str(error)
            complain(f"promptls: {error}")
        else:
            if found[-1].was_interrupted:
                break
    return found, failed


def _can(name: str) -> bool:
    from promptls.wire.learn import sessions_of  # noqa: PLC0415 - not for --help

    return catalogue.program(name) is not None and bool(sessions_of(name))


def _learnable() -> list[str]:
    return [name for name in catalogue.FOLDERS if _can(name)]


def _program(name: str) -> Program:
    """What is known of the program of a harness, as it is installed."""
    host = HERE.host()
    # None of a folder: those that are run are in a workspace of ours.
    version = installed(host, specs.detection(name), os.devnull)
    return replace(_known(name, version), others=later_on_path(host, specs.detection(name), os.devnull))


def _known(name: str, version: str | None) -> Program:
    if version is None:
        return Program(name, None, "absent", "not installed, or its version cannot be read")
    chosen = choose(harnesses.get(name).versions, version)
    learned = _kept_row(name, version)
    if learned is not None:
        says = learned_text(name, learned.about())
        return Program(name, version, "learned" if learned.is_whole else "partly", says, learned)
    if is_version(version) and files.read(file_of(known_texts_directory(), name, version)).state == "file":
        return Program(name, version, "older", OLDER.format(name))
    if chosen is not None and not chosen[1]:
        return Program(name, version, "known", "known")
    nearest = f"; previews show {chosen[0].name}" if chosen is not None else ""
    return Program(name, version, "unknown", f"not known{nearest}: “promptls learn {name}” learns it")


def _kept_row(name: str, version: str) -> Row | None:
    """What was learned of a version, as far as this promptls can use it."""
    data = files.read(file_of(known_texts_directory(), name, version)) if is_version(version) else None
    return parsed(data.data, name, version) if data is not None and data.state == "file" else None


def _list(*, as_json: bool) -> int:
    from promptls.wire.learn import sessions_of  # noqa: PLC0415 - not for --help

    found = list(map(_program, _learnable()))
    kept = list(_learned_versions())
    if as_json:
        programs = [
            {
                "harness": each.harness,
                "version": each.version,
                "state": each.state,
                "sessions": len(sessions_of(each.harness)),
                "learned": _learned_json(each.learned),
                "others": [{"version": version, "path": path} for version, path in each.others],
            }
            for each in found
        ]
        write_json({"programs": programs, "kept": [f"{harness}@{version}" for harness, version in kept]})
        return 0
    here = {(each.harness, each.version) for each in found}
    lines = [Line(row) for each in found for row in _rows(each)]
    lines += [
        Line(f"{harness:<14} {version:<12} learned here, and not installed now", "note")
        for harness, version in kept
        if (harness, version) not in here
    ]
    show(lines)
    return 0


def _rows(program: Program) -> list[str]:
    later = [
        f"{'':<14} {version:<12} {path}: later on PATH, so it is not the one that starts"
        for version, path in program.others
    ]
    return [f"{program.harness:<14} {program.version or '':<12} {program.says}", *later]


def _learned_json(learned: Row | None) -> dict[str, Any] | None:
    if learned is None:
        return None
    rules = len(learned.holds) + len(learned.moved)
    return {"date": learned.date, "base": learned.base.name, "holds": len(learned.holds), "rules": rules}


def _learned_versions() -> Iterator[tuple[str, str]]:
    """Harness and version of each file, by name: a disk has an order of its own."""
    for name in sorted(entry.name for entry in files.entries(os.path.join(known_texts_directory(), LEARNED))):
        harness, at, version = name.removesuffix(ENDING).partition("@")
        if at and name.endswith(ENDING) and harness in catalogue.FOLDERS:
            yield harness, version


def _forget(names: Sequence[str], *, as_json: bool) -> int:
    gone = [(harness, version) for harness, version in _learned_versions() if not names or harness in names]
    forget_lessons(gone)
    if as_json:
        write_json({"forgotten": [f"{harness}@{version}" for harness, version in gone]})
    else:
        show([Line(f"Forgotten: {harness} {version}.") for harness, version in gone] or [Line("Nothing was learned.")])
    return 0


def _learned(name: str, *, is_quiet: bool, is_whole: bool) -> Lesson:
    from promptls.wire.learn import learn  # noqa: PLC0415 - not for --help

    title, began = specs.of(name).title, time.monotonic()
    progress = _Progress(title)
    date = f"{datetime.now().astimezone():%Y-%m-%d}"
    with unwinding(), ExitStack() as places:
        lesson = learn(name, date, ask_git, progress=progress.show, places=places)
        progress.close()
    seconds = time.monotonic() - began
    before = _kept_row(name, lesson.version)
    try:
        # Whoever interrupts loses nothing that is known.
        if lesson.was_interrupted and before is not None and before.sessions > lesson.sessions:
            end = f"Not kept: what is known of {title} {lesson.version} is of {before.sessions} sessions."
        else:
            end = f"Kept in {keep_lesson(lesson)}: previews of {title} {lesson.version} use it from now on."
    except PromptlsError:
        # What took minutes is at least told.
        show(() if is_quiet else _lines(lesson, seconds, "", is_whole=is_whole))
        raise
    if not is_quiet:
        show(_lines(lesson, seconds, end, is_whole=is_whole))
    return lesson


class _Progress:
    """One line of a terminal that says how far it is; elsewhere, a line at the beginning."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._is_live = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, done: int, of: int, what: str) -> None:
        """Say that so many sessions have been run."""
        if self._is_live:
            print(f"\r\x1b[K{self._title}: {done} of {of} sessions ({what})", end="", file=sys.stderr, flush=True)
        elif not done:
            complain(f"{self._title}: {of} sessions; this takes some minutes, and Ctrl-C keeps what is known by then.")

    def close(self) -> None:
        """Leave the line empty."""
        if self._is_live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _lines(lesson: Lesson, seconds: float, end: str, *, is_whole: bool) -> Iterator[Line]:
    count = len(lesson.rules)
    holds = count - len(lesson.moved)
    yield Line(f"{lesson.harness} {lesson.version} · {holds} of {count} rules of {lesson.base} hold", "title")
    ran = f"{lesson.sessions} of {lesson.planned} sessions were run in {seconds:.0f} s"
    yield Line(f"{ran}, without a network, a key or your home.", "note")
    if lesson.changes:
        yield Line("")
        differ = "1 value differs" if len(lesson.changes) == 1 else f"{len(lesson.changes)} values differ"
        yield Line(f"{differ} from those of {lesson.base}:", "message")
        yield from _cut(
            [f"{'.'.join(map(str, place))}: {_value(each)}" for place, each in lesson.changes], is_whole=is_whole
        )
    if lesson.deviations:
        yield Line("")
        yield Line("Otherwise in some sessions only:", "message")
        yield from _cut(_deviations(lesson.deviations), is_whole=is_whole)
    if lesson.moved:
        yield Line("")
        yield Line("Moved; previews mark where this matters:", "message")
        yield from _cut([f"{rule}: {says}" for rule, says in lesson.moved.items()], is_whole=is_whole)
    if lesson.open:
        yield Line("")
        yield Line("Sent, and in no rule:", "message")
        yield from _cut([f"{says} (session {name})" for name, says in lesson.open.items()], is_whole=is_whole)
    if lesson.not_run:
        yield Line("")
        yield Line(f"Not run: {len(lesson.not_run)} sessions.", "message")
        yield from _cut([f"{name}: {why}" for name, why in lesson.not_run.items()], is_whole=is_whole)
    if end:
        yield Line("")
        yield Line(end, "note")


def _deviations(found: Sequence[Deviation]) -> list[str]:
    """A row for each thing that is otherwise: what it is, and in which sessions."""
    where: dict[tuple[str, str, int], list[str]] = {}
    for each in found:
        where.setdefault((each.kind, each.name, each.now), []).append(each.where)
    return [_deviation(*what, ", ".join(filter(None, named))) for what, named in where.items()]


def _deviation(kind: str, name: str, now: int, where: str) -> str:
    what = "the text" if kind == "text" else "the tool"
    now_says = {"gone": "not sent", "more": "sent"}.get(kind, f"{now:,} characters")
    return f"{what} {name}: {now_says}{f' with {where}' if where else ''}"


def _value(value: Any) -> str:
    """A value of a row, for people."""
    return f"like {value[LIKE]}" if isinstance(value, dict) and {*value} == {LIKE} else str(value)


def _cut(rows: Sequence[str], *, is_whole: bool) -> Iterator[Line]:
    shown = rows if is_whole else rows[:MOST]
    yield from (Line(f"- {each}", "note") for each in shown)
    if len(rows) > len(shown):
        yield Line(f"  and {len(rows) - len(shown)} more; --all shows them", "note")
