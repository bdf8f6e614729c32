"""Compaction: what of the history is summed up and what stays, and the request for the summary [source]."""

from __future__ import annotations

import json

from promptls.core.model import Origin, Segment
from promptls.core.values import replace
from promptls.harnesses.opencode.environment import base
from promptls.harnesses.opencode.turns.messages import SessionMessage
from promptls.kit import tool_calls
from promptls.kit.base import json_size
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Call
    from promptls.harnesses.opencode.start.setup import Setup
    from promptls.harnesses.opencode.turns.messages import Conversation

AGENT = "compaction"
ASKED = "What did we do so far?"
GOES_ON = "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed."
CLEARED = "[Old tool result content cleared]"
WHY = "a compaction has replaced what was said before"
WHY_SUMMARY = "what the model made of the history, which only the model knows"
WHY_ASKS = "opencode asks for a summary of what it does not keep"
WHY_GOES_ON = "opencode goes on by itself after a compaction"
WHY_CLEARED = "compaction.prune has old results of tools cleared"
NOTE_EMPTY = "Nothing was said before a compaction, so opencode has nothing to sum up; it is left out."
NOTE_ANSWERS = (
    "How much of the history a compaction keeps depends on what the model has answered, which counts as nothing here."
)
CHARACTERS = 4
# About what a message of the model's format takes around its texts, as JSON.
FRAME = 55


def compact(talk: Conversation, summary: str | None, at: str, *, goes_on: bool, fails: bool) -> None:
    """Replace the history (captured: compact-typed, compact-tail-kept, compact-auto-mid, compact-overflow).

    ``goes_on``: opencode says itself what comes next. ``fails``: the provider has refused the last prompt, which is not
    in the summary and said again.
    """
    again: list[SessionMessage] = []
    if fails:
        last = next((at for at in reversed(range(len(talk.messages))) if talk.messages[at].kind == "user"), 0)
        # With nothing before it, it is summed up like any other [source].
        if any(each.kind == "user" and each.parts != [_asked()] for each in talk.messages[:last]):
            again = [replace(talk.messages[last], at=at)]
            del talk.messages[last:]
    head_, kept = selected(talk)
    if not head_:
        talk.setup.draft.note(NOTE_EMPTY)
        talk.messages += again
        return
    talk.setup.draft.note(NOTE_ANSWERS)
    agent = talk.messages[-1].agent
    text = elided("runtime", "opencode", "summary", why=WHY_SUMMARY)
    if summary is not None:
        text = Segment("runtime", "summary", summary, Origin("argument", name="summary"), WHY_SUMMARY)
    talk.summaries.append(summary)
    talk.messages = [
        SessionMessage("user", at, agent, [_asked()]),
        SessionMessage("summary", at, agent, [[text]]),
        *kept,
        *again,
    ]
    # What its reads had attached is gone with a message, and the next read attaches it again.
    talk.nested.sent = set(talk.system).union(*(each.nested for each in kept))
    if goes_on and not again:
        talk.messages.append(SessionMessage("user", at, agent, [[head(GOES_ON, "runtime")]]))


def _asked() -> list[Segment]:
    return [replace(head(ASKED, "runtime"), why=WHY)]


def selected(talk: Conversation) -> tuple[list[SessionMessage], list[SessionMessage]]:
    """What is summed up, and the newest messages, which stay (captured: compact-preserve, compact-tail-off)."""
    said = [each for each in talk.messages if each.kind != "summary" and each.parts != [_asked()]]
    config = talk.setup.config.compaction
    turns = [at for at, each in enumerate(said) if each.kind == "user"]
    most = config.get("tail_turns")
    if not turns or (isinstance(most, int) and most <= 0):
        return said, []
    recent = turns[-most:] if isinstance(most, int) else turns
    left, start, end = _budget(talk.setup), len(said), len(said)
    for first in reversed(recent):
        size = estimate(said[first:end])
        if size <= left:
            left, start, end = left - size, first, first
            continue
        start = next((at for at in range(first + 1, end) if estimate(said[at:end]) <= left), start)
        break
    return (said, []) if start in (0, len(said)) else (said[:start], said[start:])


def _budget(setup: Setup) -> int:
    """The tokens of what stays: as it is set, else a quarter of what the model takes, within limits [source]."""
    facts, config = setup.facts, setup.config
    own = config.compaction.get("preserve_recent_tokens")
    if isinstance(own, int) and not isinstance(own, bool):
        return own
    limit = config.limits.get(setup.model or "")
    if limit is None:
        # Nearly every model takes more than four times as much.
        return facts.tail_most
    most_output = limit.get("output", 0)
    reserved = config.compaction.get("reserved")
    taken = reserved if isinstance(reserved, int) else min(facts.reserved, most_output)
    usable = limit["input"] - taken if "input" in limit else limit.get("context", 0) - most_output
    return min(facts.tail_most, max(facts.tail_least, max(usable, 0) // CHARACTERS))


def estimate(messages: Sequence[SessionMessage]) -> int:
    """The tokens of messages: their characters as JSON by four [source]."""
    return round(sum(map(_size, messages)) / CHARACTERS)


def _size(message: SessionMessage) -> int:
    size = FRAME + sum(json_size(text(part)) + FRAME for part in message.parts)
    return size + sum(json_size(call.input) + json_size(text(said)) + 4 * FRAME for call, said in message.results)


def text(segments: Sequence[Segment]) -> str:
    """What is said, as far as it is known."""
    return "".join(each.text for each in segments if each.elided is None)


def prune(talk: Conversation) -> None:
    """Clear old results of tools at the end of a turn (captured: compact-prune) [source]."""
    facts = talk.setup.facts
    turns = total = freed = 0
    cleared: list[tuple[SessionMessage, int]] = []
    for message in reversed(talk.messages):
        turns += message.kind == "user"
        if message.kind == "summary":
            break
        if turns < facts.prune_turns:
            continue
        for at in reversed(range(len(message.results))):
            call, said = message.results[at]
            if call.tool == "skill":
                continue
            if text(said) == CLEARED:
                break
            size = round(len(text(said)) / CHARACTERS)
            total += size
            if total > facts.prune_keeps:
                freed += size
                cleared.append((message, at))
    if freed <= facts.prune_least:
        return
    for message, at in cleared:
        message.results[at] = (message.results[at][0], [replace(head(CLEARED, "runtime"), why=WHY_CLEARED)])
        talk.nested.sent -= message.nested
        message.nested = frozenset()


# -- the request for the summary ------------------------------------------------------------------------------------


def send_request(talk: Conversation) -> None:
    """Two messages, and no tools (captured: compact-typed-summary, compact-own-agent-summary)."""
    setup = talk.setup
    agent = setup.agents.get(AGENT)
    system = list(base(setup, agent, setup.model))[:1]
    if not agent.prompt:
        system = [
            elided("provider", "opencode", "prompt of the compaction", why=WHY_ASKS, size=setup.facts.summary_base)
        ]
    setup.draft.add_message("system", system, index=0)
    summed, _ = selected(talk)
    setup.draft.add_message("user", list(_question(talk, summed)), index=1)


def _question(talk: Conversation, summed: Sequence[SessionMessage]) -> Iterator[Segment]:
    facts = talk.setup.facts
    yield elided("runtime", "opencode", "request for a summary", why=WHY_ASKS, size=facts.summary_asks)
    yield tail("\n\n<conversation>\n", "runtime")
    for at, message in enumerate(summed):
        yield tail("\n\n" if at else "", "runtime")
        yield from _quoted(talk, message)
    yield tail("\n</conversation>\n\n", "runtime")
    if talk.summaries:
        between, after = facts.summary_prior
        yield elided("runtime", "opencode", "request for a summary, earlier one", why=WHY_ASKS, size=between)
        yield tail("\n\n<prior-summary>\n", "runtime")
        prior = talk.summaries[-1]
        if prior is None:
            yield elided("runtime", "opencode", "summary", why=WHY_SUMMARY)
        else:
            yield Segment("runtime", "summary", prior, Origin("argument", name="summary"), WHY_SUMMARY)
        yield tail("\n</prior-summary>\n\n", "runtime")
        yield elided("runtime", "opencode", "request for a summary, rest", why=WHY_ASKS, size=after)
        return
    yield elided("runtime", "opencode", "request for a summary, rest", why=WHY_ASKS, size=facts.summary_rest)


def _quoted(talk: Conversation, message: SessionMessage) -> Iterator[Segment]:
    if message.kind == "user":
        yield head("[User]: ", "runtime")
        for at, part in enumerate(message.parts):
            yield tail("\n" if at else "", "runtime")
            yield from part
    elif message.kind == "answer":
        yield head("[Assistant]: ", "runtime")
        yield elided("runtime", "opencode", "answer of the model", why="only the model knows what it answers")
    for at, (call, said) in enumerate(message.results):
        yield tail("\n" if at else "", "runtime")
        yield head(f"[Assistant tool call]: {_call(call)}\n[Tool result]: ", "runtime")
        yield from _shortened(said, talk.setup.facts.summary_result)


def _call(call: Call) -> str:
    name, given = ("read", {"filePath": call.read}) if call.read is not None else (call.tool, tool_calls.given(call))
    return f"{name}({json.dumps(given, ensure_ascii=False, separators=(',', ':'))})"


def _shortened(segments: Sequence[Segment], most: int) -> Iterator[Segment]:
    """A result up to its limit."""
    left = most
    for each in segments:
        kept = each.text if each.elided is not None else each.text[:left]
        if kept:
            yield each if kept == each.text else replace(each, text=kept)
        if each.elided is None and len(each.text) > left:
            yield tail("\n[truncated]", "runtime")
            return
        left -= 0 if each.elided is not None else len(each.text)
