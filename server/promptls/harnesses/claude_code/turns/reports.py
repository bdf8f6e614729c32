"""What the one that starts a sub-agent of Claude Code gets back from it (later, 3)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import replace
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.harnesses.claude_code.start_values import READERS
from promptls.harnesses.claude_code.turns.calls import input_of, text_of, tool_of
from promptls.harnesses.claude_code.turns.subagents import GENERAL, is_in_background, refusal
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Call
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.start_values import StartedSession


def report(started: StartedSession, call: Call) -> Block:
    """The result of a call that starts an agent (captured: tool-loaded, subagent-background-result)."""
    facts, said = started.setup.facts, input_of(call)
    name = text_of(said, "subagent_type") or GENERAL
    why = f"the agent {name} was started"
    if (reason := refusal(started, name)) is not None:
        return [_own(f"error of the call that starts {name}", f"{reason[0].lower()}{reason[1:]}")]
    agent = next((each for each in started.agents if each.name == name), None)
    if is_in_background(started.setup, said, agent):
        return [_own("notice that it runs in the background", why, facts.background_notice)]
    # All but the frame is indented.
    found = [*used(call, "  "), _own("frame of the report", why, facts.report_frame), tail("\n  ", "runtime")]
    text = f"⟪what the agent {name} answers, each line indented by two blanks⟫"
    found += [replace(_own("report", why), text=text)]
    if agent is not None or name not in READERS:
        # Those two cannot be told anything more.
        found += [tail("\n", "runtime"), _own("id and usage", why)]
    return found


def of_forked_skill(name: str, call: Call) -> Block:
    """The result of a skill that an agent has got: its answer as it is (case skill-tool-fork)."""
    says = f'Skill "{name}" completed (forked execution).\n\nResult:\n'
    why = "what Claude Code answers to the call"
    done = Segment("runtime", "result", says, COMPUTED, why, cache="turn")
    return [*used(call), done, replace(_own("answer", why), text="⟪what the agent answers⟫")]


def used(call: Call, indent: str = "") -> Block:
    """The tools that a sub-agent has used, if any; as an agent's, not a skill's, it is indented, with an empty line."""
    names = sorted({tool_of(each) for step in call.steps or () for each in step if not each.compact})
    if not names:
        return []
    says = f"{indent}<tools-used-before-summary>{', '.join(names)}</tools-used-before-summary>\n"
    says += f"{indent}\n" if indent else ""
    return [Segment("runtime", "tools that it has used", says, COMPUTED, "the agent has used them", cache="turn")]


def _own(title: str, why: str, size: int | None = None) -> Segment:
    return replace(elided("runtime", NAME, title, why=why, size=size), cache="turn")
