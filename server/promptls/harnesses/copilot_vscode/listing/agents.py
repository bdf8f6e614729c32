"""Custom agents: the list of those that can be run as sub-agents, and the one that the session runs.

(parts: agents-listed, agent-used, agent-used-agents-restricted)
"""

from __future__ import annotations

from promptls.core.formats import front_matter
from promptls.core.model import Origin, Segment
from promptls.core.text import decode, lines_of
from promptls.core.values import dataclass
from promptls.harnesses.copilot_vscode.files.locations import AGENTS, base_name, files
from promptls.harnesses.copilot_vscode.parts import PROGRAM, escaped, is_said, own_text, scalar
from promptls.kit.candidates import Rule
from promptls.kit.paths import join
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.header import Header
    from promptls.core.model import Fault
    from promptls.harnesses.copilot_vscode.parts import Chat

CHAT_MODES = ".github/chatmodes"
WHY_LISTED = f"{PROGRAM} lists the agents that it may run as sub-agents"
WHY_USED = "the session runs this agent, so its text follows the instructions"
# Names of earlier versions, and those that GitHub gives to tools (documentation: chat tools, custom agents).
FURTHER_TOOLS = (
    *("codebase", "editFiles", "fetch", "findTestFiles", "githubRepo", "new", "openSimpleBrowser", "problems"),
    *("runCommands", "runNotebooks", "runTasks", "runTests", "search", "searchResults", "think", "todos", "changes"),
    *("usages", "extensions", "vscodeAPI", "execute", "shell", "read", "edit", "agent", "custom-agent", "web", "todo"),
)


@dataclass(frozen=True, slots=True)
class Agent:
    """A custom agent: its name, its file, and what it restricts; None where it restricts nothing."""

    name: str
    path: str
    matter: Header
    tools: tuple[str, ...] | None
    agents: tuple[str, ...] | None


def found(chat: Chat) -> list[Agent]:
    """Every custom agent, in the order of the list."""
    _name_chat_modes(chat)
    agents: list[Agent] = []
    for path in files(chat, "agent", AGENTS):
        matter = chat.head(path)
        if matter is None:
            rule = Rule(WHY_LISTED, Origin("computed", name=WHY_LISTED), "agent")
            chat.draft.candidates.append(rule.failed(path, "it cannot be read"))
            continue
        agents.append(
            Agent(scalar(matter, "name") or base_name(path), path, matter, tools_of(matter), _words(matter, "agents"))
        )
    return agents


def _name_chat_modes(chat: Chat) -> None:
    """Chat modes of earlier versions are in no list (parts: agents-listed)."""
    rule = Rule(WHY_LISTED, Origin("computed", name=WHY_LISTED), "agent")
    for root in chat.roots():
        directory = join(root, CHAT_MODES)
        for entry in chat.host.entries(directory):
            new = f".github/agents/{base_name(entry.name)}.agent.md"
            reason = f"chat modes of earlier versions are not listed; move it to {new}"
            chat.draft.candidates.append(rule.excluded(join(directory, entry.name), reason))


def _words(matter: Header, key: str) -> tuple[str, ...] | None:
    value = matter.value(key)
    return matter.words(key) if value is not None and value.kind == "array" else None


def tools_of(matter: Header) -> tuple[str, ...] | None:
    """The tools that are asked for: a list, or a text with commas."""
    value = matter.value("tools")
    if value is None or value.kind in ("object", "null"):
        return None
    if value.kind == "array":
        return matter.words("tools")
    return tuple(each.strip() for each in scalar(matter, "tools").split(",") if each.strip())


def tool_faults(chat: Chat, path: str, matter: Header) -> tuple[Fault, ...]:
    """What looks misspelled in the list of tools; agents of Claude Code have its names."""
    if "/.claude/" in path:
        return ()
    from promptls.kit.tool_lists import unknown_tools  # noqa: PLC0415 - few folders have agents

    named = (word for each in chat.facts.tools for word in (each.name, *each.reference.split("/")) if word)
    known = {*named, *FURTHER_TOOLS}
    return unknown_tools(PROGRAM, matter.text, matter.start, matter.value("tools"), known, is_all=False)


def rows(chat: Chat, agents: list[Agent], used: Agent | None) -> Iterator[Segment]:
    """The list; ``used`` may restrict it (parts: agent-used-agents-restricted)."""
    only = used.agents if used is not None and used.agents is not None and "*" not in used.agents else None
    yield head("<agents>\n")
    yield own_text("paragraph before the list of agents", chat.facts.agents_preamble)
    yield tail("\n")
    for agent in agents:
        rule = Rule(WHY_LISTED, Origin("computed", name=WHY_LISTED), "agent")
        reason = _why_not(agent, only)
        if reason:
            if agent is not used:
                chat.draft.candidates.append(rule.excluded(agent.path, reason))
            continue
        if agent is not used:
            faults = tool_faults(chat, agent.path, agent.matter)
            chat.draft.candidates.append(rule.loaded(agent.path, faults=faults))
        yield from _row(agent)
    for name, size in chat.facts.built_in_agents:
        if only is None or name in only:
            yield own_text(f"built-in agent {name}", size)
            yield tail("\n")
    yield tail("</agents>\n\n\n")


def _why_not(agent: Agent, only: tuple[str, ...] | None) -> str:
    """Why an agent is not listed; "" if it is."""
    if only is not None:
        return "" if agent.name in only else "the session's agent does not name it in agents"
    infer = scalar(agent.matter, "infer")
    if infer in ("true", "false"):
        return "" if infer == "true" else "infer is false, so it is not listed"
    is_off = is_said(agent.matter, "disable-model-invocation", "true")
    return "disable-model-invocation keeps it out of the list" if is_off else ""


def _row(agent: Agent) -> Iterator[Segment]:
    yield head(f"<agent>\n<name>{escaped(agent.name)}</name>\n", path=agent.path)
    for key, tag in (("description", "description"), ("argument-hint", "argumentHint")):
        text = escaped(scalar(agent.matter, key))
        if text:
            yield head(f"<{tag}>")
            origin = Origin("file", path=agent.path, range=agent.matter.range(key))
            yield Segment("instructions", f"{agent.name}: {key}", text, origin, WHY_LISTED)
            yield tail(f"</{tag}>\n")
    yield tail("</agent>\n")


def instructions(chat: Chat, agent: Agent) -> Iterator[Segment]:
    """The text of the agent that the session runs, without its front matter (parts: agent-used)."""
    contents = chat.host.read(agent.path)
    text = decode(contents.data, keep_bom=False)
    start = front_matter.split(text).body
    rule = Rule(WHY_USED, Origin("computed", name=WHY_USED), "agent")
    chat.draft.candidates.append(rule.read(agent.path, contents))
    origin = Origin("file", path=agent.path, range=lines_of(text).range(start, len(text)))
    yield head(
        f'<modeInstructions>\nYou are currently running in "{agent.name}" mode. Below are your instructions for this '
        "mode, they must take precedence over any instructions above.\n\n",
        path=agent.path,
    )
    yield Segment("instructions", agent.path, text[start:], origin, WHY_USED)
    yield tail("\n</modeInstructions>\n")
