"""The session of a sub-agent, where the one that is asked about has started it with its last call."""

from __future__ import annotations

from promptls.core.model import Turn
from promptls.core.values import replace
from promptls.kit import tool_calls as calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.model import Call, Prompt, Session
    from promptls.core.spec import Spec

# Agents that are named where none of them is near.
MOST_NAMED = 8


def of_subagent(session: Session, spec: Spec) -> tuple[Session, str | None]:
    """The session of the innermost sub-agent that is at work, whose prompt is its task, and the name of the agent.

    The session itself and None where none is. A call without steps has started one that has ended.
    """
    session, call = delegated_session(session, spec)
    if call is None or spec.delegation is None:
        return session, None
    return session, calls.text(call, spec.delegation.agent)


def delegated_session(session: Session, spec: Spec) -> tuple[Session, Call | None]:
    """The same session, and the call that has started the sub-agent."""
    how, found = spec.delegation, _chain(session, spec)
    if how is None or not found:
        return session, None
    last = found[-1]
    return replace(session, turns=(Turn(prompt=calls.text(last, how.task), steps=last.steps or ()),)), last


def without_delegation(session: Session) -> Session:
    """The session whose last call has started no sub-agent."""
    *before, last = session.turns
    steps = (*last.steps[:-1], tuple(replace(call, steps=None) for call in last.steps[-1]))
    return replace(session, turns=(*before, replace(last, steps=steps)))


def says_shown(names: Sequence[str], *, has_done: bool) -> str:
    """That the request of a sub-agent is shown. ``names``: each has started the next one; ``has_done`` the last."""
    chain, which = " in ".join(reversed(names)), "last" if has_done else "first"
    return f"The last call of the session starts the agent {chain}: the {which} request of that agent is shown."


def says_none(name: str, known: Iterable[str] = (), *, more: str = "", instead: str = "the main session") -> str:
    """That there is no agent of a name, and which of the ``known`` ones may be meant."""
    says = f"There is no agent {name!r}{more}, so no sub-agent starts, and {instead} is shown."
    return f"{says}{says_known(name, known)}"


def says_known(name: str, known: Iterable[str]) -> str:
    """The one that is meant, else those that there are; "" where none is known."""
    from promptls.core.near import near  # noqa: PLC0415 - only when something is wrong
    from promptls.core.phrases import and_list  # noqa: PLC0415 - the same

    names = sorted(set(known))
    if (meant := near(name, names)) is not None:
        return f" Did you mean {meant!r}?"
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    return f" There {'are' if len(names) > 1 else 'is'} {and_list(names)}." if names else ""


def main_instead(session: Session, main: Prompt, name: str, more: str = "") -> Prompt:
    """The prompt of the main session, ``main``, where there is no agent of a name."""
    return _of_session(session, replace(main, notes=(says_none(name, more=more), *main.notes)))


def shown_for(session: Session, prompt: Prompt, spec: Spec) -> Prompt:
    """The prompt of a sub-agent, if one is at work, as one of the session that started it."""
    how, found = spec.delegation, _chain(session, spec)
    if how is not None and found:
        says = says_shown([calls.text(call, how.agent) for call in found], has_done=bool(found[-1].steps))
        prompt = replace(prompt, notes=(says, *prompt.notes))
    return _of_session(session, prompt)


def _of_session(session: Session, prompt: Prompt) -> Prompt:
    return replace(prompt, session=replace(prompt.session, turns=session.turns))


def _chain(session: Session, spec: Spec) -> list[Call]:
    """The calls that have started the sub-agents at work, the outermost first."""
    tool = spec.delegation.tool if spec.delegation is not None else None
    found: list[Call] = []
    steps = session.turns[-1].steps if session.turns else ()
    while (call := _last_start(steps)) is not None and call.tool == tool:
        found.append(call)
        steps = call.steps or ()
    return found


def _last_start(steps: Sequence[Sequence[Call]]) -> Call | None:
    """The last one of the last step that has started a sub-agent: what stands beside it is over before."""
    return next((call for call in reversed(steps[-1]) if call.steps is not None), None) if steps else None
