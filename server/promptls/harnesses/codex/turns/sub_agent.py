"""The request of a sub-agent: its base, role, skills, tools and task."""

from __future__ import annotations

from functools import partial

from promptls.core.model import Origin, Segment
from promptls.core.values import replace
from promptls.harnesses.codex.messages.context import read_context
from promptls.harnesses.codex.messages.developer import DEFAULT, collaboration, mode_of_agents, role_messages
from promptls.harnesses.codex.request import Item, item
from promptls.harnesses.codex.start.setup import model_of
from promptls.harnesses.codex.turns.agents import AGAIN, ROOT, is_start, path_of, refusal
from promptls.harnesses.codex.turns.history import History
from promptls.kit import tool_calls
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Call, Turn
    from promptls.harnesses.codex.start.setup import Setup
    from promptls.kit.draft import Draft

    Parent = Callable[[], History]

WHY_TASK = "the task that the sub-agent is started with"
WHY_FORK = "Codex tells a sub-agent that has its parent's history what it is"
WHY_MODEL = "the sub-agent has another model than its parent"
NEW_BASE = (
    "<model_instructions>\nThe current model is {}.\n"
    "The following instructions replace the previous base instructions:\n\n"
)
NONE, ALL = "none", "all"
# The role of one that is started without any.
UNNAMED = "default"
# What a sub-agent of version 2 has not got, and the result of the call that started it; to the letter
# (captured: subagent-v2-fork).
GONE, ABORTED = "The following tools are no longer available. Do not call them:", "aborted"
DEPTH_1 = "A sub-agent of Codex with this model cannot start another one, so the request of {} is shown."


def last_start(steps: Sequence[Sequence[Call]]) -> list[Call]:
    """The calls that the last sub-agent was told with, where one of the last step is such; [] where none is.

    A later call may say more to a sub-agent: the first of the list is the one that started it.
    """
    last = next((call for call in reversed(steps[-1]) if call.steps is not None), None) if steps else None
    if last is None or not (is_start(last) or last.tool in AGAIN):
        return []
    if is_start(last):
        return [last]
    earlier = [call for step in steps for call in step if call.steps is not None][:-1]
    name = tool_calls.text(last, AGAIN[last.tool]).rpartition("/")[2]
    named = [call for call in earlier if is_start(call) and tool_calls.text(call, "task_name") == name]
    first = next(reversed(named or [call for call in earlier if is_start(call)]), None)
    if first is None:
        return []
    after = earlier[earlier.index(first) + 1 :]
    return [first, *(call for call in after if call.tool == last.tool), last]


def history_of_sub_agent(
    draft: Draft, host: Host, parent: Setup, turns: Sequence[Turn], before: Parent
) -> History | None:
    """The history of the sub-agent whose request is the last of the session; None where it is the session's own.

    ``before`` gives the history up to the call.
    """
    steps = [step for turn in turns for step in turn.steps]
    calls = last_start(steps)
    if not calls:
        return None
    from promptls.kit.delegated import says_known, says_shown  # noqa: PLC0415 - few sessions start a sub-agent

    reason = refusal(parent, calls[0])
    if reason is not None:
        name, known = tool_calls.text(calls[0], "agent_type"), {*parent.roles, *parent.config.facts.built_in_roles}
        meant = says_known(name, known) if name and name not in known else ""
        says = f"{reason[0].upper()}{reason[1:]}, so no sub-agent starts, and the main session is shown."
        draft.notes.append(f"{says}{meant}")
        return None
    chain = _chain(calls, is_v2=parent.model.agents == "v2")
    names = [tool_calls.text(each[0], "agent_type") or UNNAMED for each in chain]
    draft.notes.append(says_shown(names, has_done=bool(chain[-1][-1].steps)))
    return _sub_agent(draft, host, parent, calls, before, step=steps[-1])


def _chain(calls: list[Call], *, is_v2: bool) -> list[list[Call]]:
    """The calls to each of the sub-agents at work, the outermost first; only one of version 2 can start another."""
    inner = last_start(calls[-1].steps or ()) if is_v2 else []
    return [calls, *(_chain(inner, is_v2=is_v2) if inner else ())]


def _sub_agent(
    draft: Draft,
    host: Host,
    parent: Setup,
    calls: Sequence[Call],
    before: Parent,
    *,
    step: Sequence[Call],
    above: str = ROOT,
) -> History:
    """The history of a sub-agent, or of the one that it has started last.

    ``before`` gives the history of its parent, which one that is forked begins with; ``step`` has the last of the
    ``calls``; ``above`` is its parent's name.
    """
    first, is_v2 = calls[0], parent.model.agents == "v2"
    setup = _setup(parent, first)
    fork = _fork(first, is_v2=is_v2)
    path = path_of(first, above)
    if fork == NONE:
        context = read_context(draft, host, setup)
        history = History(draft, host, setup, context, items=list(context.sent(setup, DEFAULT)))
    else:
        history = before()
        # Of one whose parent is a sub-agent nothing has changed (seen by verify).
        is_first = above == ROOT
        if is_v2:
            _abort(history.items, step, calls[-1])
            history.items += _after_fork(parent, setup, first, is_first=is_first)
            # It has the tools of its parent, whatever its model (seen by verify).
            setup = replace(setup, model=parent.model)
            history.is_forked = history.is_forked or is_first
        else:
            # Only what was said, not what was done (captured: subagent-v1-fork).
            history.items = [each for each in history.items if each.kind not in ("result", "told")]
            setup = replace(parent, is_below=True)
        history.setup = setup
    history.path = path
    for call in calls:
        _say(history, call, path, above, is_v2=is_v2)
        steps = call.steps or ()
        inner = last_start(steps) if call is calls[-1] else []
        if inner and is_v2:
            done = steps[-1].index(inner[-1])
            within = partial(_until, history, (*steps[:-1], steps[-1][:done]))
            return _sub_agent(draft, host, setup, inner, within, step=steps[-1], above=path)
        if inner:
            draft.notes.append(DEPTH_1.format(path if is_v2 else "the first one"))
            steps = steps[:-1]
        _until(history, steps)
    return history


def _until(history: History, steps: Sequence[Sequence[Call]]) -> History:
    """The history of a sub-agent with what it has done."""
    for each in steps:
        history.step(each)
    return history


def _abort(items: list[Item], step: Sequence[Call], call: Call) -> None:
    """Say of ``call``, and of those behind it in its step, that they have no result yet.

    That stands right behind the calls, so before the results of those that were made before (seen by verify).
    """
    before = step.index(call)
    results = [at for at, each in enumerate(items) if each.kind == "result"]
    at = results[-before] if 0 < before <= len(results) else len(items)
    for each in reversed(step[before:]):
        items[at:at] = item("tool", "result", [head(ABORTED, "runtime")], at=each.at, is_answered=True)


def _setup(parent: Setup, call: Call) -> Setup:
    """What a sub-agent is made of: its role, and the model and the skills of that.

    The model that the call asks for yields to the role's. With it, the base text is that of the model, where that has
    its tools among what is said; any other is told of a change of the model (seen by verify).
    """
    role = parent.roles.get(tool_calls.text(call, "agent_type"))
    setup, asked = replace(parent, role=role, is_below=True), _model(call)
    named = role.model if role is not None and role.model else asked
    if named:
        # The tools by which sub-agents are started are those of the session (seen by verify).
        model = replace(model_of(parent.config.facts, named), agents=parent.model.agents)
        setup = replace(setup, model=model, base=model if asked and model.has_tool_item else parent.base)
    if role is None:
        return setup
    skills = [each for each in parent.skills if not {each.name, each.path, each.real} & set(role.without)]
    return replace(setup, skills=skills)


def _model(call: Call) -> str:
    return tool_calls.text(call, "model")


def _fork(call: Call, *, is_v2: bool) -> str:
    """How much of its parent's history a sub-agent begins with; all, where version 2 is not told [source]."""
    given = tool_calls.given(call)
    if not is_v2:
        return ALL if given.get("fork_context") is True else NONE
    asked = str(given.get("fork_turns") or ALL).strip().lower()
    return NONE if asked == NONE or call.namespace == "multi_agent_v1" else ALL


def _after_fork(parent: Setup, setup: Setup, call: Call, *, is_first: bool) -> tuple[Item, ...]:
    """What a sub-agent of version 2 is told after its parent's history (captured: subagent-v2-fork)."""
    what = elided("provider", "codex", "role of a sub-agent", why=WHY_FORK, size=setup.config.facts.forked)
    role: list[Segment] = []
    if setup.role is not None and setup.role.instructions:
        origin = setup.role.instructions_origin or setup.role.origin
        role = [Segment("instructions", f"role {setup.role.name}", setup.role.instructions, origin, WHY_FORK)]
    names = "".join(f"\n- {name}" for name in parent.model.forked_without)
    gone = [head(f"{GONE}{names}", "provider")] if parent.model.tools_below and is_first else []
    named = setup.role.model if setup.role is not None and setup.role.model else _model(call)
    # Its place among agents stands between them (seen by verify).
    own = next(role_messages(setup), [])
    return (
        *item("developer", "context", [what], role),
        *item("developer", "context", own),
        *item("developer", "context", gone),
        *(_other_model(setup, named) if named and setup.model is not parent.model else ()),
        *(item("developer", "context", mode_of_agents(setup)) if is_first else ()),
    )


def _other_model(setup: Setup, name: str) -> tuple[Item, ...]:
    """What a sub-agent with another model is told after its parent's history (seen by verify)."""
    text = elided("provider", "codex", "base text of the other model", why=WHY_MODEL, size=setup.model.base)
    told = [head(NEW_BASE.format(name), "provider"), text, tail("\n</model_instructions>", "provider")]
    return (
        *item("developer", "context", told),
        *item("developer", "context", collaboration(setup, DEFAULT)),
    )


def _say(history: History, call: Call, path: str, above: str, *, is_v2: bool) -> None:
    """The task: expanded as a prompt in version 1, to the letter between agents in version 2."""
    task = Segment("runtime", "task", tool_calls.text(call, "message"), Origin("argument", name="task"), WHY_TASK)
    if not is_v2:
        history.items += item("user", "prompt", [task], at=call.at)
        history.bring_skills(task.text, call.at)
        return
    opening = f"Message Type: NEW_TASK\nTask name: {path}\nSender: {above}\nPayload:\n"
    history.items += item("agent_message", "prompt", [head(opening, "runtime")], [task], at=call.at)
