"""The developer messages after the base text, and the tools that hold texts of the user's (section 1)."""

from __future__ import annotations

from promptls.core.model import Cut, Segment
from promptls.core.values import replace
from promptls.harnesses.codex.files import SPACE, trimmed
from promptls.harnesses.codex.listing.roles import role_list
from promptls.harnesses.codex.listing.servers import deferred, server_tools
from promptls.harnesses.codex.messages.permissions import permissions
from promptls.harnesses.codex.skills.listing import skill_list
from promptls.harnesses.codex.start.command_line import INTERACTIVE
from promptls.kit.candidates import own
from promptls.kit.paths import join
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.harnesses.codex.start.setup import Setup
    from promptls.harnesses.codex.versions import Model
    from promptls.kit.draft import Draft

WHY_DEVELOPER = "developer_instructions in the configuration is the first of the developer parts"
WHY_ROLE = "the role of the sub-agent comes first of the developer parts"
WHY_MODE = "Codex tells this model how to work with the user"
WHY_PLUGINS = "Codex tells this model how to use plugins"
WHY_SWITCHED = "a new process goes on with another model, and the base text of the first one stays"
WHY_AGENTS = "Codex tells this model how to work with sub-agents"
WHY_HINT = "features.multi_agent_v2 in the configuration replaces Codex's own text"
WHY_SWITCH = "the role of the sub-agent has another model, and keeps the base text of its parent's"
HINTS = ("features", "multi_agent_v2")
ULTRA = "ultra"
DEFAULT, PLAN = "default", "plan"
# The namespace of the tools for sub-agents of version 2.
COLLABORATION = "collaboration"
# Off, the namespaces that can be looked up stand in the tool that does it (captured: flag-world-state).
WORLD_STATE = ("features", "deferred_tool_world_state")


def tool_texts(setup: Setup) -> Iterator[list[Segment]]:
    """Definitions of tools with texts that a file or a server decides (sections 8 and 10).

    The tools of a model that looks them up are not in the first request (parts: agents-v2-roles-luna).
    """
    if setup.start.is_review:
        return
    has_v2 = setup.model.agents == "v2" and COLLABORATION in setup.model.tools
    is_shown = has_v2 or (not setup.model.is_deferred and has_agents_v1(setup))
    if is_shown and setup.config.is_on("agents", "enabled", default=True):
        yield role_list(setup.config.facts, setup.model.agents, setup.roles)
    if not setup.model.is_deferred:
        for tool in server_tools(setup.servers):
            yield [tool]


def has_agents_v1(setup: Setup) -> bool:
    """Whether there are tools for sub-agents of version 1 (parts: multi-agent-off; captured: agents-off)."""
    is_on = setup.config.is_on("features", "multi_agent", default=True)
    is_main = not setup.is_below and not setup.start.is_review
    return is_main and setup.model.agents == "v1" and is_on and setup.config.is_on("agents", "enabled", default=True)


def developer(draft: Draft, host: Host, setup: Setup) -> tuple[list[list[Segment]], list[list[Segment]]]:
    """The parts of the developer message in order, those before and those after the collaboration mode.

    The list of skills stands before the permissions, and last without them (wire: without-permissions; parts:
    all-parts, skills-model-default).
    """
    config = setup.config
    before, after = [_switch(setup), _instructions(setup)], []
    if config.is_on("features", "memories", default=False):
        before.append(memory(draft, host, config))
    listed = skill_list(draft, config, setup.model, setup.skills)
    has_permissions = config.is_on("include_permissions_instructions", default=True)
    if has_permissions:
        before += [listed, allowed(draft, host, setup)]
    if setup.model.has_usage and setup.has_plugins:
        text = elided("provider", "codex", "plugins", why=WHY_PLUGINS, size=config.facts.plugins)
        after.append([head("<plugins_instructions>", "provider"), text, tail("</plugins_instructions>", "provider")])
    if setup.model.is_deferred and config.is_on(*WORLD_STATE, default=True):
        has_agents = config.facts.names_agents and has_agents_v1(setup)
        is_on_screen = setup.start.is_on_screen
        after.append(deferred(config.facts, setup.servers, has_agents=has_agents, is_on_screen=is_on_screen))
    return before, after if has_permissions else [*after, listed]


def allowed(draft: Draft, host: Host, setup: Setup) -> list[Segment]:
    """The permission part of a start."""
    rules = [] if setup.start.ignores_rules else setup.folders
    facts = setup.config.facts.permissions
    return permissions(draft, host, facts, setup.sandbox, setup.approvals, rules, setup.model)


def _switch(setup: Setup) -> list[Segment]:
    """What a role with a model of its own begins with (captured: subagent-v1-role-model)."""
    return [] if setup.base is setup.model else switched(setup, setup.model, WHY_SWITCH)


def switched(setup: Setup, model: Model, why: str = WHY_SWITCHED) -> list[Segment]:
    """That another model goes on: its base text, beside the first one's, which stays."""
    base = setup.size_of_base(model)
    size = base + setup.config.facts.model_switch if base is not None else None
    text = elided("provider", "codex", "change of the model", why=why, size=size)
    return [head("<model_switch>", "provider"), text, tail("</model_switch>", "provider")]


def _instructions(setup: Setup) -> list[Segment]:
    """``developer_instructions`` as written, or a sub-agent's role (parts: developer-trim)."""
    if setup.role is not None and setup.role.instructions:
        origin = setup.role.instructions_origin or setup.role.origin
        return [Segment("instructions", f"role {setup.role.name}", setup.role.instructions, origin, WHY_ROLE)]
    entry = setup.config.entries.get("developer_instructions")
    if entry is None or not isinstance(entry.value.data, str) or not entry.value.data.strip(SPACE):
        return []
    return [Segment("instructions", "developer_instructions", entry.value.data, entry.origin(), WHY_DEVELOPER)]


def collaboration(setup: Setup, mode: str) -> list[Segment]:
    """How to work with the user, in a mode (parts: skills-model-default, tui-default; captured: mode-plan).

    A sub-agent gets what a run gets, also on the screen (seen with gpt-5.4, stub-model and gpt-6.1-sol of 0.169.0), and
    so does a review (seen by verify).
    """
    is_on_screen = setup.start.mode in INTERACTIVE and not setup.is_below and not setup.start.is_review
    size = setup.model.mode_interactive if is_on_screen else setup.model.mode
    is_on = setup.config.is_on("include_collaboration_mode_instructions", default=True)
    if mode == PLAN:
        size = setup.config.facts.plan_mode
    if size == 0 or not is_on or setup.start.mode == "debug":
        return []
    title = "collaboration mode" if mode == DEFAULT else "collaboration mode of plan mode"
    text = elided("provider", "codex", title, why=WHY_MODE, size=size)
    return [head("<collaboration_mode>", "provider"), text, tail("</collaboration_mode>", "provider")]


def _own_role(setup: Setup) -> list[Segment]:
    facts = setup.config.facts
    is_below, has_tag = setup.is_below, setup.model.has_role_tag
    if has_tag:
        size = facts.agents_role_below if is_below else facts.agents_role
    else:
        size = facts.agents_role_below_untagged if is_below else facts.agents_role_untagged
    text = elided("provider", "codex", "role among agents", why=WHY_AGENTS, size=size)
    return (
        [head("<multi_agent_role>", "provider"), text, tail("</multi_agent_role>", "provider")] if has_tag else [text]
    )


def role_messages(setup: Setup) -> Iterator[list[Segment]]:
    """The two messages about sub-agents of version 2 (parts: agents-enabled-false; captured: multi-agent-hints)."""
    config = setup.config
    if setup.start.is_review or setup.model.agents != "v2" or not config.is_on("agents", "enabled", default=True):
        return
    own_role = config.find(*HINTS, "root_agent_usage_hint_text")
    if own_role is not None and isinstance(own_role.value.data, str):
        yield [Segment("instructions", "root_agent_usage_hint_text", own_role.value.data, own_role.origin(), WHY_HINT)]
    else:
        yield _own_role(setup)
    yield mode_of_agents(setup)


def mode_of_agents(setup: Setup) -> list[Segment]:
    """How much sub-agents are to be used, which the highest effort changes (captured: effort-ultra-default)."""
    config = setup.config
    own_mode = config.find(*HINTS, "multi_agent_mode_hint_text")
    is_ultra = setup.model.has_ultra and config.text("model_reasoning_effort") == ULTRA
    size = config.facts.agents_mode_ultra if is_ultra else config.facts.agents_mode
    text = elided("provider", "codex", "mode of agents", why=WHY_AGENTS, size=size)
    if own_mode is not None and isinstance(own_mode.value.data, str):
        text = Segment("instructions", "multi_agent_mode_hint_text", own_mode.value.data, own_mode.origin(), WHY_HINT)
    return [head("<multi_agent_mode>", "provider"), text, tail("</multi_agent_mode>", "provider")]


# -- what Codex remembers: the summary that it sends where the feature is on (9 of the surfaces) -----------------------

BEGIN, END = "========= MEMORY_SUMMARY BEGINS =========\n", "\n========= MEMORY_SUMMARY ENDS ========="
WHY = "Codex sends the summary of its memories, which features.memories switches on"
WHY_HOW = "Codex explains its memories around the summary"
LIMIT = "Codex sends the beginning and the end of a long summary"
BYTES_PER_TOKEN = 4


def memory(draft: Draft, host: Host, config: CodexConfig) -> list[Segment]:
    """The part, [] without a summary (parts: memories-long; captured: memories, memories-empty)."""
    if not config.is_on("memories", "use_memories", default=True):
        return []
    path, rule = join(config.home, "memories", "memory_summary.md"), own(WHY, use="prompt")
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return []
    doc = trimmed(path, contents.data, WHY)
    if doc is None:
        draft.candidates.append(rule.empty(path, "it is blank"))
        return []
    text = _shortened(doc.text, config.facts.memory_bytes)
    cut = Cut(config.facts.memory_bytes, len(doc.text.encode("utf-8", "replace")), "bytes", LIMIT) if text else None
    draft.candidates.append(rule.cut(path, LIMIT, cut=cut) if cut else rule.loaded(path))
    segment = Segment("memory", path, text or doc.text, doc.origin, WHY, cut=cut)
    how = elided("memory", "codex", "memories", why=WHY_HOW)
    return [how, head(BEGIN, "memory"), segment, tail(END, "memory"), replace(how, title="memories, rest")]


def _shortened(text: str, limit: int) -> str | None:
    """A text whose middle is replaced by the number of tokens in it; None for one that fits."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return None
    begin = data[: limit // 2].decode("utf-8", "ignore")
    end = data[len(data) - (limit - limit // 2) :].decode("utf-8", "ignore")
    return f"{begin}…{-(-(len(data) - limit) // BYTES_PER_TOKEN)} tokens truncated…{end}"
