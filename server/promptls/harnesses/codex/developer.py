"""The developer messages after the base text, and the tools that hold texts of the user's (section 1)."""

from __future__ import annotations

from promptls.core.model import Segment
from promptls.harnesses.codex.files import SPACE
from promptls.harnesses.codex.permissions import permissions
from promptls.harnesses.codex.roles import role_list
from promptls.harnesses.codex.servers import deferred, server_tools
from promptls.harnesses.codex.skills.listing import skill_list
from promptls.harnesses.codex.start.command_line import INTERACTIVE
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.codex.start.setup import Setup
    from promptls.kit.draft import Draft

WHY_DEVELOPER = "developer_instructions in the configuration is the first of the developer parts"
WHY_ROLE = "the role of the sub-agent comes first of the developer parts"
WHY_MODE = "Codex tells this model how to work with the user"
WHY_PLUGINS = "Codex tells this model how to use plugins"
WHY_AGENTS = "Codex tells this model how to work with sub-agents"
WHY_HINT = "features.multi_agent_v2 in the configuration replaces Codex's own text"
HINTS = ("features", "multi_agent_v2")


def tool_texts(setup: Setup) -> Iterator[list[Segment]]:
    """Definitions of tools with texts that a file or a server decides (sections 8 and 10).

    The tools of a model that looks them up are not in the first request (surface: agents-v2-roles-luna).
    """
    is_shown = setup.model.agents == "v2" or (not setup.model.is_deferred and has_agents_v1(setup))
    if is_shown and setup.config.is_on("agents", "enabled", default=True):
        yield role_list(setup.config.facts, setup.model.agents, setup.roles)
    if not setup.model.is_deferred:
        for tool in server_tools(setup.servers):
            yield [tool]


def has_agents_v1(setup: Setup) -> bool:
    """Whether there are tools for sub-agents of version 1 (surface: multi-agent-off; captured: agents-off)."""
    is_on = setup.config.is_on("features", "multi_agent", default=True)
    return setup.model.agents == "v1" and is_on and setup.config.is_on("agents", "enabled", default=True)


def developer(draft: Draft, host: Host, setup: Setup) -> Iterator[list[Segment]]:
    """The parts of the developer message, in order (surface: all-parts, skills-model-default).

    The list of skills stands before the permissions, and last without them (wire: without-permissions).
    """
    config, start = setup.config, setup.start
    yield _instructions(setup)
    if config.is_on("features", "memories", default=False):
        from promptls.harnesses.codex.memory import memory  # noqa: PLC0415 - only with this feature

        yield memory(draft, host, config)
    has_permissions = config.is_on("include_permissions_instructions", default=True)
    if has_permissions:
        yield skill_list(draft, config, setup.model, setup.skills)
        facts = config.facts.permissions
        rules = [] if start.ignores_rules else setup.folders
        yield permissions(draft, host, facts, setup.sandbox, setup.approvals, rules, setup.model)
    yield _collaboration(setup)
    if setup.model.has_usage and setup.has_plugins:
        text = elided("provider", "codex", "plugins", why=WHY_PLUGINS, size=config.facts.plugins)
        yield [head("<plugins_instructions>", "provider"), text, tail("</plugins_instructions>", "provider")]
    if setup.model.is_deferred:
        has_agents = config.facts.names_agents and has_agents_v1(setup)
        yield deferred(config.facts, setup.servers, has_agents=has_agents, is_on_screen=start.is_on_screen)
    if not has_permissions:
        yield skill_list(draft, config, setup.model, setup.skills)


def _instructions(setup: Setup) -> list[Segment]:
    """``developer_instructions`` as written, or a sub-agent's role (surface: developer-trim)."""
    if setup.role is not None and setup.role.instructions:
        origin = setup.role.instructions_origin or setup.role.origin
        return [Segment("instructions", f"role {setup.role.name}", setup.role.instructions, origin, WHY_ROLE)]
    entry = setup.config.entries.get("developer_instructions")
    if entry is None or not isinstance(entry.value.data, str) or not entry.value.data.strip(SPACE):
        return []
    return [Segment("instructions", "developer_instructions", entry.value.data, entry.origin(), WHY_DEVELOPER)]


def _collaboration(setup: Setup) -> list[Segment]:
    """How to work with the user, in the default mode (surface: skills-model-default, tui-default)."""
    is_asked = setup.start.mode in INTERACTIVE
    size = setup.model.mode_interactive if is_asked else setup.model.mode
    is_on = setup.config.is_on("include_collaboration_mode_instructions", default=True)
    if size == 0 or not is_on or setup.start.mode == "debug":
        return []
    text = elided("provider", "codex", "collaboration mode", why=WHY_MODE, size=size)
    return [head("<collaboration_mode>", "provider"), text, tail("</collaboration_mode>", "provider")]


def _own_role(setup: Setup) -> list[Segment]:
    facts = setup.config.facts
    is_main, has_tag = setup.role is None, setup.model.has_role_tag
    if has_tag:
        size: int | None = facts.agents_role if is_main else facts.agents_role_below
    else:
        size = facts.agents_role_untagged if is_main else None
    text = elided("provider", "codex", "role among agents", why=WHY_AGENTS, size=size)
    return (
        [head("<multi_agent_role>", "provider"), text, tail("</multi_agent_role>", "provider")] if has_tag else [text]
    )


def role_messages(setup: Setup) -> Iterator[list[Segment]]:
    """The two messages about sub-agents of version 2 (surface: agents-enabled-false; captured: multi-agent-hints)."""
    config = setup.config
    if setup.model.agents != "v2" or not config.is_on("agents", "enabled", default=True):
        return
    own_role = config.find(*HINTS, "root_agent_usage_hint_text")
    if own_role is not None and isinstance(own_role.value.data, str):
        yield [Segment("instructions", "root_agent_usage_hint_text", own_role.value.data, own_role.origin(), WHY_HINT)]
    else:
        yield _own_role(setup)
    own_mode = config.find(*HINTS, "multi_agent_mode_hint_text")
    text = elided("provider", "codex", "mode of agents", why=WHY_AGENTS, size=config.facts.agents_mode)
    if own_mode is not None and isinstance(own_mode.value.data, str):
        text = Segment("instructions", "multi_agent_mode_hint_text", own_mode.value.data, own_mode.origin(), WHY_HINT)
    yield [head("<multi_agent_mode>", "provider"), text, tail("</multi_agent_mode>", "provider")]
