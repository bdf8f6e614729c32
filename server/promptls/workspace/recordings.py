"""Recorded sessions for the command line and the server: finding them, and what reached each."""

from __future__ import annotations

import os
from itertools import islice

from promptls import harnesses
from promptls.checks.arrivals import arrival_problems
from promptls.core import files, specs
from promptls.core.model import Origin
from promptls.core.paths import from_home, parent
from promptls.core.phrases import short
from promptls.core.render import Line
from promptls.core.totals import counter_of, prompt_tokens
from promptls.core.values import dataclass, replace
from promptls.core.visible import plain
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.harnesses.faults import sentence_of
from promptls.sessions.arrivals import arrivals
from promptls.sessions.start import Overrides
from promptls.workspace.machine import home
from promptls.workspace.record_store import LocalStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Problem, Prompt, Session
    from promptls.core.render import Style
    from promptls.kit.recording import Recorded
    from promptls.sessions.arrivals import Arrival

LAST = "last"
# Sessions of one program that are looked at: for the last one, for a list, and for the one that is named.
LATEST, SHOWN, SEARCHED = 5, 20, 2000
STYLES: dict[str, Style] = {"never": "problem", "expected": "note"}
SAYS = {"start": "at start", "arrived": "later", "expected": "not named", "never": "never"}


def find(
    store: LocalStore, folder: str, only: Sequence[str] = (), most: int = SHOWN, *, with_agents: bool = True
) -> list[Recorded]:
    """The sessions of every program in a folder, the newest first; at most ``most`` of each program.

    ``with_agents``: also those that another session started.
    """
    found: list[Recorded] = []
    for name in only or harnesses.names():
        reader = catalogue.records(name)
        if reader is not None:
            try:
                every = (each for each in reader(store, folder) if with_agents or each.parent is None)
                found += islice(every, most)
            except Exception as error:  # noqa: BLE001 - the other harnesses must not fail with it
                store.say(sentence_of(f"the sessions of {specs.of(name).title}", error))
    return sorted(found, key=lambda each: each.started, reverse=True)


def folder_of(path: str) -> str:
    """The folder itself, or that of a file, as programs record it: without links."""
    real = files.realpath(path)
    return real if os.path.isdir(real) else parent(real)


def _read_whole(store: LocalStore, folder: str, found: Recorded) -> Recorded:
    """The session from all of its record, where only both ends were read for a list."""
    if not store.is_part(found):
        return found
    store.whole |= {found.path, found.id}
    store.asked = found.id
    again = find(store, folder, [found.harness], SEARCHED)
    return next((each for each in again if (each.id, each.path) == (found.id, found.path)), found)


def one(name: str, path: str, harness: str | None = None, *, with_agents: bool = False) -> Record:
    """The session with this identifier, or the beginning of it, in a folder or the one of a file; ``last``: the newest.

    ``with_agents``: with all of its sub-agents, and its texts.

    Raises:
        UsageError: there is none, or there are several.
    """
    folder = folder_of(path)
    only = [harnesses.get(harnesses.split(harness)[0]).name] if harness else []
    store = LocalStore(home(), os.environ)
    store.wants_texts = with_agents
    try:
        if name == LAST:
            found = find(store, folder, only, LATEST, with_agents=False)[:1]
        else:
            store.asked = name
            found = [each for each in find(store, folder, only, SEARCHED) if each.id.startswith(name)]
        found = [_read_whole(store, folder, each) for each in found]
        exact = [each for each in found if each.id == name] or found
        agents = _agents(store, exact[0]) if with_agents and len(exact) == 1 else ()
    finally:
        store.close()
    if not exact:
        what = "no recorded session" if name == LAST else f"no recorded session {name}"
        raise UsageError(f"There is {what} of {folder}; “promptls sessions” lists them.")
    if len(exact) > 1:
        raise UsageError(f"{len(exact)} recorded sessions begin with {name}; give more of the identifier.")
    return Record(exact[0], tuple(store.unread), agents)


def _agents(store: LocalStore, session: Recorded) -> tuple[Recorded, ...]:
    """The sub-agents of a session, and theirs."""
    reader = catalogue.subagents(session.harness)
    if reader is None:
        return ()
    try:
        return tuple(reader(store, session))
    except Exception as error:  # noqa: BLE001 - the session itself is known
        store.say(sentence_of(f"the sub-agents of {specs.of(session.harness).title}", error))
        return ()


@dataclass(frozen=True, slots=True)
class Record:
    """A recorded session. ``unread`` are sentences on records that could not be read; ``agents`` are its sub-agents."""

    found: Recorded
    unread: tuple[str, ...] = ()
    agents: tuple[Recorded, ...] = ()

    def asked(self) -> Overrides:
        """The session that it was."""
        own = self.found.session()
        name = f"{own.harness}@{own.version}" if own.version else own.harness
        given = Overrides(name, own.cwd, own.turns, model=own.model, agent=own.agent, args=own.args)
        return replace(given, is_trusted=own.is_trusted, interactive=own.interactive, editor=own.editor, is_given=True)

    def arrived(self, session: Session, new_host: Callable[[], Host]) -> tuple[Arrival, ...]:
        """What reached it; ``session`` is it, as it was shown."""
        return tuple(arrivals(self.found, session, new_host))

    def as_json(self, reached: Sequence[Arrival]) -> dict[str, Any]:
        """It and what reached it."""
        return as_json(self.found, reached)

    def problems(self, new_host: Callable[[], Host]) -> list[Problem]:
        """What did not reach it."""
        reached = self.arrived(self.found.session(), new_host)
        never = [(each.path, each.why) for each in reached if each.outcome == "never"]
        return list(arrival_problems(self.found.harness, never))

    def lines(self, reached: Sequence[Arrival], prompt: Prompt) -> Iterator[Line]:
        """It and what reached it, before its prompt."""
        yield from _lines(self.found, reached, prompt_tokens(prompt, counter_of(prompt)))
        yield Line("")

    def markdown(self, reached: Sequence[Arrival], prompt: Prompt) -> Iterator[Line]:
        """The same as Markdown: each line is a file's, so an editor can follow it."""
        title, *rest = self.lines(reached, prompt)
        yield Line(f"# {plain(title.text)}", "title")
        yield Line("")
        yield Line("```text", "note")
        yield from rest[:-1]
        yield Line("```", "note")
        yield Line("")


def as_json(recorded: Recorded, reached: Sequence[Arrival] | None = None) -> dict[str, Any]:
    """A recorded session as JSON: paths and sizes, and no text of it."""
    json: dict[str, Any] = {
        "harness": recorded.harness,
        "version": recorded.version or None,
        "id": recorded.id,
        "path": recorded.path,
        "cwd": recorded.cwd,
        "started": recorded.started or None,
        "model": recorded.model,
        "agent": recorded.agent,
        "branch": recorded.branch,
        "commit": recorded.commit,
        "parent": recorded.parent,
        "reads": recorded.reads,
        "touched": [{"tool": each.tool, "failed": each.failed} for each in recorded.touched],
        "tokens": recorded.tokens,
        "compactions": recorded.compactions,
        "subagents": len(recorded.subagents),
        "not_recorded": recorded.unseen,
    }
    if reached is not None:
        json["arrivals"] = [{"path": each.path, "outcome": each.outcome, "why": each.why} for each in reached]
    return json


def _lines(recorded: Recorded, reached: Sequence[Arrival], tokens: int) -> Iterator[Line]:
    """A session and what reached it, for people; ``tokens`` is the total of its preview."""
    yield Line(f"{recorded.harness} {recorded.version or '(version not recorded)'} · {when(recorded)}", "title")
    yield Line(f"{recorded.cwd} · {recorded.id}", "note")
    if recorded.tokens:
        counted = " → ".join(f"{each:,}" for each in dict.fromkeys((recorded.tokens[0], recorded.tokens[-1])))
        yield Line(f"tokens of the prompt: {counted} counted by the program · ~{tokens:,} in the preview", "note")
    if recorded.compactions:
        times = "once" if recorded.compactions == 1 else f"{recorded.compactions} times"
        yield Line(f"compacted {times}: what came before may no longer be in the prompt", "note")
    yield Line("")
    paths = [from_home(short(each.path, recorded.cwd), home()) for each in reached]
    width = min(max(map(len, paths), default=0), 50)
    for each, path in zip(reached, paths, strict=True):
        why = from_home(each.why.replace(recorded.cwd.rstrip("/") + "/", ""), home())
        text = f"{SAYS[each.outcome]:<9}  {path:<{width}}  {why}"
        yield Line(text, STYLES.get(each.outcome, "text"), origin=Origin("file", each.path))
    yield Line("")
    yield Line(f"Not recorded: {recorded.unseen}", "note")


def facts(recorded: Recorded) -> tuple[str, ...]:
    """The program, the time, how it was started and its mode, as far as they were recorded."""
    how = {True: "interactive", False: "print"}.get(recorded.interactive) if recorded.interactive is not None else None
    how = "in an editor" if recorded.editor else how
    program = f"{specs.of(recorded.harness).title} {recorded.version}".rstrip()
    return tuple(each for each in (program, when(recorded), how, recorded.mode) if each)


def when(recorded: Recorded) -> str:
    """The time of the start, to the minute, as the record has it."""
    return f"{recorded.started[:10]} {recorded.started[11:16]} UTC" if recorded.started else "time not recorded"
