"""Turns of what comes later in a session: a compaction, or the start of a sub-agent."""

from __future__ import annotations

import json

from promptls.core import specs
from promptls.core.model import Call, Turn
from promptls.core.values import replace
from promptls.errors import UsageError

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
