"""Turns of what comes later in a session: a compaction, or the start of a sub-agent."""

from __future__ import annotations

import json

from promptls.core import specs
from promptls.core.model import Call, Turn
from promptls.core.values import replace
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from promptls.core.model import Prompt, Session

    Fate = Literal[
        "comes back",
        "gone until a file near it is read",
        "gone until a new process takes the session up and reads a file near it",
        "gone for the rest of the session",
    ]

# What is typed and asked for where nobody says it.
PROMPT = "go on"
TASK = "do it"


def compacted(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns with a compaction before the last one, which goes on, or after the only one."""
    told = tuple(replace(turn, prompt=turn.prompt or PROMPT) for turn in turns) or (Turn(prompt=PROMPT),)
    compact, after = Turn(compact=""), Turn(prompt=PROMPT)
    return (*told[:-1], compact, told[-1]) if len(told) > 1 else (*told, compact, after)


def delegating(harness: str, turns: tuple[Turn, ...], asked: str) -> tuple[Turn, ...]:
    """The turns with a last call that starts a sub-agent, whose first request is then the one to show.

    ``asked``: the name of the agent, and its task after a colon.

    Raises:
        UsageError: it is not known how the harness starts sub-agents, or no agent is named.
    """
    spec = specs.of(harness)
    name, _, task = (each.strip() for each in asked.partition(":"))
    if spec.delegation is None:
        raise UsageError(f"promptls does not know how {spec.title} starts a sub-agent; leave --subagent out.")
    if not name:
        raise UsageError("--subagent has to name an agent, such as --subagent 'reviewer: look at the change'.")
    how = spec.delegation
    given = {how.agent: name, how.task: task or TASK, **dict(how.further)}
    call = Call(
        tool=how.tool, input=json.dumps(given, ensure_ascii=False, sort_keys=True), namespace=how.namespace, steps=()
    )
    last = turns[-1] if turns else Turn()
    last = replace(last, prompt=last.prompt or PROMPT, steps=(*last.steps, (call,)))
    return (*turns[:-1], last)


# -- what a compaction does to the files in a prompt: for every view that asks -----------------------------------------

BACK: Fate = "comes back"
UNTIL_READ: Fate = "gone until a file near it is read"
UNTIL_RESUMED: Fate = "gone until a new process takes the session up and reads a file near it"
GONE: Fate = "gone for the rest of the session"


def files_in(prompt: Prompt) -> frozenset[str]:
    """The files of which a prompt has any text."""
    segments = (segment for message in prompt.messages for segment in message.segments)
    return frozenset(each.origin.path for each in segments if each.origin.kind == "file" and each.origin.path)


def left(before: Prompt, after: Prompt, real: Callable[[str], str] = str) -> dict[str, bool]:
    """Of each file in the prompt ``before`` a compaction: whether the one ``after`` it has it, too.

    One of them may name a link to it (some send a file again by the name that was read).
    """
    there = set(map(real, files_in(after)))
    return {path: real(path) in there for path in files_in(before)}


def fates(before: Prompt, ask: Callable[[Session], Prompt], real: Callable[[str], str] = str) -> dict[str, Fate]:
    """What becomes of each file in the prompt of a session that is compacted; {} where nobody knows that.

    ``ask`` makes prompts; ``real`` resolves the links of a path. A file comes back only if it does so in the running
    program as well as in a process that takes the session up: of the two, a long session is like the second one.
    """
    known = specs.of(before.session.harness).later
    if "compact" not in known or before.stopped is not None:
        return {}
    ways = (False, True) if "resume" in known else (False,)
    after = [left(before, ask(_compacted(before.session, resumes=way)), real) for way in ways]
    again = [left(before, ask(_compacted(before.session, resumes=way, reads=True)), real) for way in ways]

    def fate(path: str) -> Fate:
        if all(each[path] for each in after):
            return BACK
        return UNTIL_READ if again[0][path] else UNTIL_RESUMED if again[-1][path] else GONE

    return {path: fate(path) for path in again[0]}


def _compacted(session: Session, *, resumes: bool, reads: bool = False) -> Session:
    """The session, a compaction, and one prompt more; with ``reads``, everything is read once more then."""
    turns = tuple(replace(turn, prompt=turn.prompt or PROMPT) for turn in session.turns) or (Turn(prompt=PROMPT),)
    steps = tuple(step for turn in turns for step in turn.steps) if reads else ()
    compaction = Turn(compact="", resumes=resumes)
    return replace(session, turns=(*turns, compaction, Turn(prompt=PROMPT, steps=steps, resumes=resumes)))
