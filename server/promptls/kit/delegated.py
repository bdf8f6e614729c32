"""The session of a sub-agent, where the one that is asked about has started it with its last call."""

from __future__ import annotations

from promptls.core.model import Turn
from promptls.core.values import replace
from promptls.kit import tool_calls as calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Call, Prompt, Session
    from promptls.core.spec import Spec


def of_subagent(session: Session, spec: Spec) -> tuple[Session, str | None]:
    """The session of the innermost sub-agent that is at work, whose prompt is its task, and the name of the agent.

    The session itself and None where none is. A call without steps has started one that has ended.
    """
    session, call = started(session, spec)
    if call is None or spec.delegation is None:
        return session, None
    return session, calls.text(call, spec.delegation.agent)


def started(session: Session, spec: Spec) -> tuple[Session, Call | None]:
    """The same session, and the call that has started the sub-agent."""
    how, found = spec.delegation, None
    while how is not None and (call := _last_start(session)) is not None:
        if call.tool != how.tool:
            break
        found = call
        session = replace(session, turns=(Turn(prompt=calls.text(call, how.task), steps=call.steps or ()),))
    return session, found


def not_started(session: Session) -> Session:
    """The session whose last call has started no sub-agent."""
    *before, last = session.turns
    steps = (*last.steps[:-1], tuple(replace(call, steps=None) for call in last.steps[-1]))
    return replace(session, turns=(*before, replace(last, steps=steps)))


def main_instead(session: Session, main: Prompt, name: str, more: str = "") -> Prompt:
    """The prompt of the main session, ``main``, where there is no agent of a name."""
    says = f"There is no agent {name!r}{more}, so no sub-agent starts, and the main session is shown."
    return shown_for(session, replace(main, notes=(says, *main.notes)))


def shown_for(session: Session, prompt: Prompt) -> Prompt:
    """The prompt of a sub-agent as one of the session that started it."""
    return replace(prompt, session=replace(prompt.session, turns=session.turns))


def _last_start(session: Session) -> Call | None:
    """The last one of the last step that has started a sub-agent: what stands beside it is over before."""
    steps = session.turns[-1].steps if session.turns else ()
    return next((call for call in reversed(steps[-1]) if call.steps is not None), None) if steps else None
