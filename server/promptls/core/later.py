"""What a session says of its later life that the rules of its harness do not know: left out, and said so."""

from __future__ import annotations

from promptls.core.model import START, USED
from promptls.core.phrases import and_list, short
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.model import Call, Candidate, Later, Prompt, Session, Turn
    from promptls.core.spec import Spec

TITLE = "title"
# A sentence for each, with the title of the harness, its mode and the request that is asked for.
UNKNOWN: dict[Later, str] = {
    "interactive": "The program on the screen is not modelled: this is what {title} sends where it prints an answer.",
    "editor": "What {title} sends in the panel of an editor is not modelled: this is what it sends {elsewhere}.",
    "mode": "The mode “{mode}” of {title} is not modelled, and is left out.",
    "request": "The request for a {request} is not modelled: the one that answers the last turn is shown.",
    "title": "The request for a title is not modelled for {title}: the one that answers the last turn is shown.",
    "resume": "What {title} adds when it takes a session up again is not modelled: a later turn is shown as one that "
    "was typed.",
    "compact": "What is left after a compaction is not modelled for {title}: the whole history is shown.",
    "subagent": "What a sub-agent of {title} gets is not modelled: this is the main session, without the calls that "
    "the sub-agent makes.",
    "agent": "A change of the agent in a later turn is not modelled for {title}, and is left out.",
}

IN_WORDS: dict[Later, str] = {
    "interactive": "the program on the screen",
    "editor": "the panel of an editor",
    "mode": "a mode that is chosen in the program",
    "request": "another request than the one that answers",
    "title": "the request for a title",
    "resume": "a session that is taken up again",
    "compact": "a compaction",
    "subagent": "a sub-agent",
    "agent": "a change of the agent",
}


def says_later(session: Session) -> tuple[Later, ...]:
    """What the session says of its later life, whether it is known or not."""
    steps = list(_steps(session))
    has: dict[Later, bool] = {
        "interactive": session.interactive is True,
        "editor": session.editor is True,
        "mode": session.mode is not None,
        "request": session.request not in (None, TITLE),
        "title": session.request == TITLE,
        "resume": any(turn.resumes for turn in session.turns),
        "compact": any(turn.compact is not None for turn in session.turns) or any(map(_compacts, _calls(steps))),
        "subagent": any(call.steps is not None for call in _calls(steps)),
        "agent": any(turn.agent is not None for turn in session.turns),
    }
    return tuple(each for each, is_said in has.items() if is_said)


def no_mode(session: Session, spec: Spec, usual: str) -> list[str]:
    """A note if the session is in a mode that a harness has not got, so that its ``usual`` one is shown."""
    if session.mode in (None, usual, *spec.modes):
        return []
    known = and_list(dict.fromkeys((usual, *spec.modes)))
    return [f"{spec.title} has no mode {session.mode!r}: there are {known}. The usual one is shown."]


def undriven(session: Session, drives: Iterable[Later]) -> tuple[str, ...]:
    """What the session says of its later life that a program cannot be made to do, in words."""
    return tuple(IN_WORDS[each] for each in says_later(session) if each not in set(drives))


def without_unknown(session: Session, spec: Spec) -> tuple[Session, list[str]]:
    """The session with what the rules of a harness know of it, and a sentence for each thing that they do not."""
    session = _since_anew(session, spec)
    unknown = [each for each in says_later(session) if each not in spec.later]
    if not unknown:
        return session, _starts_nothing(session, spec)
    has_screen = "interactive" in spec.later
    elsewhere = "on its screen" if has_screen else "where it prints an answer"
    said = {"title": spec.title, "mode": session.mode, "request": session.request or "", "elsewhere": elsewhere}
    notes = [UNKNOWN[each].format(**said) for each in unknown]
    known = replace(
        session,
        interactive=None if "interactive" in unknown else session.interactive,
        editor=None if "editor" in unknown else session.editor,
        mode=None if "mode" in unknown else session.mode,
        request=None if {"request", "title"}.intersection(unknown) else session.request,
        turns=tuple(_known(turn, unknown) for turn in session.turns),
    )
    if "editor" in unknown and has_screen:
        known = replace(known, interactive=True)
    return known, notes + _starts_nothing(known, spec)


def _since_anew(session: Session, spec: Spec) -> Session:
    """The session as if nothing had been said before the user typed that it begins anew."""
    if not session.interactive or spec.is_told_anew:
        return session
    begins = (number for number, turn in enumerate(session.turns, 1) if (turn.prompt or "").strip() in spec.anew)
    return replace(session, turns=session.turns[max(begins, default=0) :])


def _starts_nothing(session: Session, spec: Spec) -> list[str]:
    """A note for each tool whose call has steps and starts no sub-agent."""
    how = spec.delegation
    if how is None:
        return []
    tools = (how.tool, *how.others, *how.with_steps)
    calls = (call for call in _calls(_steps(session)) if call.steps is not None and call.tool not in tools)
    return [
        f"A call of {tool} starts no sub-agent in {spec.title}: its steps are left out."
        for tool in dict.fromkeys(call.tool for call in calls)
    ]


def with_gone(prompt: Prompt, spec: Spec) -> Prompt:
    """The prompt in which no instruction file is called loaded that a compaction took out, and that names them.

    That of a sub-agent is left as it is: what the main session has read is no part of it.
    """
    session = prompt.session
    if "compact" not in says_later(session) or any(call.steps is not None for call in _calls(_steps(session))):
        return prompt
    segments = (segment for message in prompt.messages for segment in message.segments)
    there = {each.origin.path for each in segments if not each.elided}
    again = "that a new process reads" if spec.brings_once else "that is read"
    reason = f"a compaction took it out; it comes again with a file near it {again}"
    gone: dict[str, None] = {}

    def seen(candidate: Candidate) -> Candidate:
        is_file = candidate.use == "instruction" and candidate.outcome in USED and candidate.at != START
        if not is_file or candidate.path is None or candidate.path in there:
            return candidate
        gone[candidate.path] = None
        return replace(candidate, outcome="unscoped", reason=reason, cut=None)

    candidates = tuple(map(seen, prompt.candidates))
    if not gone:
        return prompt
    them = "each of them comes again with a file near it" if len(gone) > 1 else "it comes again with a file near it"
    note = f"Gone since the compaction: {', '.join(short(path, session.cwd) for path in gone)}; {them} {again}."
    return replace(prompt, candidates=candidates, notes=(*prompt.notes, note))


def _steps(session: Session) -> Iterator[tuple[Call, ...]]:
    return (step for turn in session.turns for step in turn.steps)


def _known(turn: Turn, unknown: Iterable[Later]) -> Turn:
    if "compact" in unknown:
        steps = (tuple(call for call in step if not _compacts(call)) for step in turn.steps)
        turn = replace(turn, compact=None, summary=None, steps=tuple(step for step in steps if step))
    if "subagent" in unknown:
        turn = replace(turn, steps=tuple(tuple(replace(call, steps=None) for call in step) for step in turn.steps))
    return replace(turn, agent=None) if "agent" in unknown else turn


def _compacts(call: Call) -> bool:
    return bool(call.compact)


def _calls(steps: Iterable[tuple[Call, ...]]) -> Iterator[Call]:
    """Every call, also those of sub-agents."""
    for step in steps:
        for call in step:
            yield call
            yield from _calls(call.steps or ())
