"""What Claude Code tells the model at start beside instruction files, in the order of the request (surfaces, 1)."""

from __future__ import annotations

from promptls.core.values import replace
from promptls.harnesses.claude_code import environment, tools
from promptls.harnesses.claude_code.listing import skill_list
from promptls.harnesses.claude_code.listing.agents import DELEGATING, by_name, listing
from promptls.harnesses.claude_code.servers import instructions
from promptls.harnesses.claude_code.turns.hooks import hook_sections
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.model import Segment
    from promptls.harnesses.claude_code.listing.agents import Agent
    from promptls.harnesses.claude_code.listing.skill_list import Entry
    from promptls.harnesses.claude_code.listing.styles import Style
    from promptls.harnesses.claude_code.start_values import StartedSession
    from promptls.kit.draft import Draft

    Section = list[Segment]

NAME = "Claude Code"


def sections(
    draft: Draft,
    started: StartedSession,
    *,
    mentioned: Iterable[Section] = (),
    thinking: Iterable[Section] = (),
    discovered: Iterable[Section] = (),
    active: Iterable[Entry] = (),
    near: Iterable[Section] = (),
    counter: Section,
    mode: Iterable[Section] = (),
    editor: Iterable[Section] = (),
    hooked: Iterable[Section] = (),
) -> list[Section]:
    """The sections in order, without empty ones (cases all-surfaces, all-surfaces-s45).

    What the first prompt brings is among them: sentences on agents and files that it mentions, ``near`` the instruction
    files beside these where they are sent here, the directories with skills that it has made known, those skills, and
    at the end the permission mode, tokens, the style once more and hooks (captured: mode-style-plan, haiku-style-read).
    """
    setup = started.setup
    found = [
        *hook_sections(draft, setup, "SessionStart", setup.start),
        *mentioned,
        environment.environment(setup),
        environment.model(setup.before),
        *thinking,
        _style(started.style),
        environment.language(setup),
        tools.deferred(started),
        listing(setup.before, started.agents, started.allowed) if started.has_tool(*DELEGATING) else [],
        instructions(started.servers, setup),
        *near,
        *discovered,
        _skills(draft, started, active),
    ]
    found += [*mode, *editor, counter, reminder(started.style), *hooked]
    found += [environment.date(setup)] if setup.has_system_messages else []
    return [section for section in found if section]


def sections_of_sub_agent(
    draft: Draft, started: StartedSession, mentioned: Iterable[Section], active: Iterable[Entry]
) -> list[Section]:
    """The same for a sub-agent, without agents (surfaces, 1; cases subagent-skills, skill-tool-fork).

    Style and language are sent with a command only that is typed for a run that prints (seen by verify).
    ``active`` are the skills that files have made known before, whoever touched them (captured: subagent-after-read).
    """
    setup = started.setup
    found = [
        *mentioned,
        tools.deferred(started),
        environment.environment(setup),
        environment.model(setup),
        _style(started.task.style if started.task is not None else None),
        environment.language(setup) if started.task is not None and started.task.is_first else [],
        _skills(draft, started, active),
        environment.date(setup) if setup.has_system_messages else [],
    ]
    return [section for section in found if section]


def of_second_request(started: StartedSession) -> list[Section]:
    """What a sub-agent gets with the results of its first step (captured: subagent-general-purpose-read).

    The agents that it may start, and what MCP servers say.
    """
    setup = started.setup
    found = [
        listing(setup, started.agents, started.allowed) if started.has_tool(*DELEGATING) else [],
        instructions(started.servers, setup),
    ]
    return [section for section in found if section]


def sections_again(
    draft: Draft,
    started: StartedSession,
    first: Iterable[Section],
    active: Iterable[Entry],
    *,
    model: Section,
    hooked: Iterable[Section],
) -> list[Section]:
    """What a compaction makes the program say again, behind what is ``first`` (captured: compact-typed-then-read).

    ``model`` is what is said of that of the process that compacts.
    """
    setup = started.setup
    found = [
        *first,
        tools.deferred(started),
        listing(setup, started.agents, started.allowed) if started.has_tool(*DELEGATING) else [],
        _skills_again(draft, started, active),
        instructions(started.servers, setup),
        environment.environment(setup),
        model,
        _style(started.style),
        environment.language(setup),
        *hooked,
    ]
    return [section for section in found if section]


def _skills_again(draft: Draft, started: StartedSession, active: Iterable[Entry]) -> Section:
    """The list of skills once more; what came of each is said at start."""
    told = len(draft.candidates)
    started.skills.displays.clear()
    found = _skills(draft, started, active)
    del draft.candidates[told:]
    return found


def _style(style: Style | None) -> Section:
    """The output style (surfaces, 10; cases style-*)."""
    return [head(f"# Output Style: {style.name}\n", "provider"), style.segment] if style is not None else []


def reminder(style: Style | None) -> Section:
    """What it says of an output style: at start, and after the results of each step (wire: style-steps)."""
    if style is None:
        return []
    return [head(f"{style.name} output style is active. ", "provider"), style.again]


def _skills(draft: Draft, started: StartedSession, active: Iterable[Entry]) -> Section:
    if started.has_skills:
        return skill_list.section(skill_list.entries(draft, started.setup, started.skills, active))
    for skill in started.skills.known.values():
        reason = "the model has no Skill tool, so no skill is listed"
        draft.candidates.append(skill.rule().disabled(skill.path, reason))
    return []


# -- where the parts are not known (1) ---------------------------------------------------------------------------


def surroundings(started: StartedSession) -> list[Section]:
    """Environment, output style, agents, skills."""
    why = "Claude Code describes the environment; sizes vary with the folder and the tools"
    # Measured of the whole message, without anything of one's own.
    size = started.setup.facts.surroundings
    first = [replace(elided("environment", NAME, "environment", why=why, size=size), cache="session")]
    if started.has_tool(*DELEGATING):
        in_order = sorted(started.agents, key=lambda agent: by_name(agent.name))
        first += [tail("\n"), *agent_list(started, in_order)]
    skills = elided("tools", NAME, "skills", why="the list of skills and what else belongs to this session")
    found = [first, _style(started.style), [replace(skills, cache="session")]]
    return [section for section in found if section]


def agent_list(started: StartedSession, listed: list[Agent]) -> Section:
    """The agents of one's own, where the built-in ones are not known by name."""
    if not listed:
        return []
    why = "the built-in agents; in the request they are sorted with the others by name"
    if started.setup.facts.agents_in_tool:
        why = "the built-in agents"
    built_in = elided("tools", NAME, "list of built-in agents", why=why)
    return [built_in, tail("\n", "tools"), *(piece for agent in listed for piece in agent.listed())]
