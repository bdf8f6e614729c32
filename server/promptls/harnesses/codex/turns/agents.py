"""Calls that start sub-agents: which there are, and what the main session gets back."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Segment
from promptls.harnesses.codex.request import Item, item
from promptls.kit import tool_calls
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Call
    from promptls.harnesses.codex.start.setup import Setup

START = "spawn_agent"
# A call that says more to a sub-agent, by the version of the tools, and how that names it.
AGAIN = {"send_input": "id", "followup_task": "target"}
ROOT = "/root"
NAME = regex(r"[a-z0-9_]+")
WHY_ID = "Codex numbers and names its sub-agents anew each time"
WHY_ANSWER = "only the sub-agent knows what it answers"


def is_start(call: Call) -> bool:
    """Whether a call starts a sub-agent."""
    return call.tool == START


def refusal(setup: Setup, call: Call) -> str | None:
    """Why a call starts no sub-agent, in a clause; None where it does."""
    name, model = tool_calls.text(call, "agent_type"), tool_calls.text(call, "model")
    if name and name not in setup.roles and name not in setup.config.facts.built_in_roles:
        return f"Codex has no role {name!r}"
    if name and setup.model.agents == "v1" and tool_calls.given(call).get("fork_context") is True:
        # (seen by verify)
        return "a sub-agent with its parent's history takes no role"
    if model and model not in setup.config.facts.models:
        # (seen by verify)
        return f"Codex does not know the model {model!r}"
    if setup.model.agents == "v2" and not NAME.fullmatch(tool_calls.text(call, "task_name") or "agent"):
        # (seen by verify)
        return "the name of a task has only lowercase letters, digits and underscores"
    return None


def path_of(call: Call, above: str = ROOT) -> str:
    """What a sub-agent of version 2 is called."""
    return f"{above}/{tool_calls.text(call, 'task_name') or 'agent'}"


def result_of_start(setup: Setup, call: Call, above: str) -> list[Segment]:
    """What the one that starts it, ``above``, gets at once (captured: subagent-v1-role-main, subagent-v2-role-main)."""
    if setup.model.agents == "v2":
        return [head(f'{{"task_name":"{path_of(call, above)}"}}', "runtime")]
    return [
        head('{"agent_id":"', "runtime"),
        elided("runtime", "codex", "id of the sub-agent", why=WHY_ID, size=setup.config.facts.agent_id),
        tail('","nickname":"', "runtime"),
        elided("runtime", "codex", "nickname of the sub-agent", why=WHY_ID),
        tail('"}', "runtime"),
    ]


def answer(setup: Setup, call: Call, above: str) -> tuple[Item, ...]:
    """What the one that has started it, ``above``, gets when a sub-agent has ended: here, after the next step."""
    said = elided("runtime", "codex", "answer of the sub-agent", why=WHY_ANSWER)
    if setup.model.agents == "v2":
        opening = f"Message Type: FINAL_ANSWER\nTask name: {above}\nSender: {path_of(call, above)}\nPayload:\n"
        return item("agent_message", "told", [head(opening, "runtime"), said], at=call.at)
    return item(
        "user",
        "told",
        [
            head('<subagent_notification>\n{"agent_path":"', "runtime"),
            elided("runtime", "codex", "id of the sub-agent", why=WHY_ID, size=setup.config.facts.agent_id),
            tail('","status":{"completed":"', "runtime"),
            said,
            tail('"}}\n</subagent_notification>', "runtime"),
        ],
        at=call.at,
    )
