"""Agents and output styles of Claude Code: Markdown files with front matter (specification, 8)."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.read_again import read
from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.files.rules import rule_files
from promptls.harnesses.claude_code.listing.places import places
from promptls.harnesses.claude_code.listing.plugins import agent_files
from promptls.harnesses.claude_code.models import undated
from promptls.harnesses.claude_code.settings import Setting
from promptls.harnesses.claude_code.setup import SAFE
from promptls.kit import collation
from promptls.kit.candidates import Rule
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from promptls.core.formats.read_again import FrontMatter
    from promptls.core.formats.tree import Value
    from promptls.core.model import Fault
    from promptls.harnesses.claude_code.listing.built_in import BuiltIn
    from promptls.harnesses.claude_code.listing.plugin import Plugin
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.collation import Key
    from promptls.kit.draft import Draft

    # Scope, path, text and front matter of a file.
    Definition = tuple[str, str, str, FrontMatter]

WHY_AGENT = "Claude Code offers the agents that are defined here"
# Of equal names the last scope wins (wire: agent-dup-names; surfaces, 9).
SCOPES = ("plugin", "user", "add-dir", "project", "flag", "managed")
# Tools that older names stand for, too, in lists of agents, options and settings (captured: tools-older-names).
NAMES = {
    "Agent": ("Agent", "Task"),
    "ListAgents": ("ListAgents", "ListPeers"),
    "TaskStop": ("TaskStop", "KillShell", "KillBash"),
}
WORKTREE = "worktree"
# The tool that starts other agents.
DELEGATING = NAMES["Agent"]
# An agent with a memory of its own can write and read it (wire: agent-names-and-memories).
MEMORIES, MEMORY_TOOLS = ("user", "project", "local"), ("Write", "Edit", "Read")
# Tools that need a setting, a plugin, another system or another version (documentation: tools reference).
FURTHER_TOOLS = (
    *("AskUserQuestion", "BashOutput", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillBash", "KillShell", "LS"),
    *("LSP", "ListMcpResourcesTool", "MultiEdit", "NotebookRead", "PowerShell", "ReadMcpResourceTool", "SlashCommand"),
    *("Task", "TaskOutput", "TodoRead", "TodoWrite", "StructuredOutput", "RemoteTrigger", "PushNotification"),
    *("Artifact", "ArtifactComments", "ArtifactData", "ArtifactCheck", "TeamCreate", "TeamDelete", "Workflow"),
)


@dataclass(frozen=True, slots=True)
class Agent:
    """A persona. ``tools`` is None for all of them; ``origin`` has no range, ``body`` has its own.

    ``memory`` says whose memory of its own it has: one of MEMORIES, or None.
    """

    name: str
    description: str
    tools: tuple[str, ...] | None
    model: str | None
    scope: str
    origin: Origin
    body: str
    body_origin: Origin
    disallowed: tuple[str, ...] = ()
    # Skills whose text it is started with.
    skills: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    memory: str | None = None
    # Nobody waits for its answer, whatever a call says.
    is_in_background: bool = False
    # It gets no instruction files at start (captured: subagent-omit-claude-md).
    omits_files: bool = False
    # It works in a linked worktree of its own.
    has_worktree: bool = False
    # Its own hooks and MCP servers; those of the command line have none that is known here.
    hooks: Setting | None = None
    servers: Setting | None = None

    @property
    def is_built_in(self) -> bool:
        """Whether the program brings it: its prompt is the program's own (wire: agent-built-in)."""
        return self.origin.kind == "builtin"

    def has(self, *names: str) -> bool:
        """Whether it has the tool that goes by these names."""
        given = None if self.tools is None else {tool.partition("(")[0] for tool in self.tools}
        return not any(name in self.disallowed for name in names) and (given is None or bool(given & {*names}))

    @property
    def starts(self) -> frozenset[str] | None:
        """The agents that it may start, where its tools name some: ``Agent(name, other)``; None for all."""
        listed = [tool.partition("(") for tool in self.tools or ()]
        within = [inner for name, _, inner in listed if name in DELEGATING and inner]
        names = (name.strip() for inner in within for name in inner.removesuffix(")").split(","))
        return frozenset(names) if within else None

    @property
    def shown_tools(self) -> str:
        """Its tools as the list of agents has them (wire: settle-agents-disallowed)."""
        if self.tools is not None:
            return ", ".join(self.tools) or "None"
        return f"All tools except {', '.join(self.disallowed)}" if self.disallowed else "All tools"

    def listed(self) -> list[Segment]:
        """Its line in the list of agents (wire: agent-files-main)."""
        text = f"- {self.name}: {self.description} (Tools: {self.shown_tools})\n"
        return [Segment("tools", f"agent {self.name}", text, self.origin, WHY_AGENT)]

    def prompt(self) -> Segment:
        """Its body, which replaces the program's own prompt."""
        why = "the agent's own prompt replaces that of Claude Code"
        return Segment("provider", f"prompt of agent {self.name}", self.body, self.body_origin, why)


def agents(draft: Draft, setup: Setup) -> list[Agent]:
    """Every agent by its scope, weakest first; of equal names only the one that counts."""
    if setup.is_bare:
        return []
    found = [
        *_agent_files(draft, setup, definitions_of(setup, "agents")),
        *(agent for plugin in setup.plugins for agent in _of_plugin(draft, setup, plugin)),
        *_agents_option(draft, setup),
    ]
    found.sort(key=lambda agent: SCOPES.index(agent.scope))
    counts = {agent.name: agent for agent in found}
    for agent in found:
        winner = counts[agent.name]
        path = agent.origin.path
        if agent is winner:
            draft.candidates.append(Rule(WHY_AGENT, agent.origin, "agent").loaded(path, faults=agent.faults))
        else:
            rule = Rule(f"another agent {agent.name} comes first", agent.origin, "agent")
            draft.candidates.append(rule.shadowed(path, by=winner.origin.path))
    return [agent for agent in found if counts[agent.name] is agent]


def definitions_of(setup: Setup, folder: str) -> Iterator[Definition]:
    """Scope, path, text and front matter of each file; in one directory by path, whatever the disk's order."""
    seen: set[str] = set()
    for place in reversed(list(places(setup, folder))):
        if place.source == "add-dir" and not setup.facts.add_dir_agents:
            continue
        for each in sorted(rule_files(setup.host, place.directory), key=lambda each: each.path):
            contents = setup.host.read(each.path)
            if contents.state == "file" and each.path not in seen:
                seen.add(each.path)
                text = decode(contents.data, keep_bom=False)
                yield place.source, each.path, text, read(text)


def _of_plugin(draft: Draft, setup: Setup, plugin: Plugin) -> Iterator[Agent]:
    """``pl:name``, and with the directories below that of the plugin ``pl:sub:name`` (case plugin-dir)."""
    for below, path in agent_files(setup.host, plugin):
        contents = setup.host.read(path)
        if contents.state == "file":
            text = decode(contents.data, keep_bom=False)
            for agent in _agent_files(draft, setup, [("plugin", path, text, read(text))]):
                yield replace(agent, name=plugin.called(":".join((*below, agent.name))))


def _agent_files(draft: Draft, setup: Setup, definitions: Iterable[Definition]) -> Iterator[Agent]:
    facts = setup.facts
    known = {*facts.tools.sent, *facts.tools_inline.deferred, *FURTHER_TOOLS}
    for scope, path, text, front in definitions:
        given, description = front.text("name"), front.text("description")
        if not given or not description:
            missing = "description" if given else "name"
            reason = "its front matter cannot be read" if front.unread else f"it has no {missing} in its front matter"
            draft.candidates.append(Rule(WHY_AGENT, Origin("file", path=path), "agent").failed(path, reason))
            continue
        if given.startswith("-") or ":" in given:
            # (wire: agent-names-and-memories)
            reason = "its name begins with - or has a colon"
            draft.candidates.append(Rule(WHY_AGENT, Origin("file", path=path), "agent").failed(path, reason))
            continue
        from promptls.kit.tool_lists import unknown_tools  # noqa: PLC0415 - few folders have agents

        body, where = body_of(path, text, front.body)
        disallowed = _tools(front.get("disallowedTools")) or ()
        yield Agent(
            name=given,
            # A line break as one writes it in code is one (surfaces, 9).
            description=description.replace("\\n", "\n"),
            tools=_usable(front.get("tools"), disallowed, front.text("memory")),
            model=front.text("model"),
            scope=scope,
            origin=Origin("file", path=path),
            body=body,
            body_origin=where,
            disallowed=disallowed,
            skills=_tools(front.get("skills")) or (),
            memory=_memory(front.text("memory")),
            is_in_background=_is_true(front.get("background")),
            omits_files=_is_true(front.get("omitClaudeMd")),
            has_worktree=front.text("isolation") == WORKTREE,
            hooks=_part(path, text, front, "hooks"),
            servers=_part(path, text, front, "mcpServers"),
            faults=unknown_tools("Claude Code", text, front.start, front.get("tools"), known),
        )


def _agents_option(draft: Draft, setup: Setup) -> Iterator[Agent]:
    """``--agents`` with JSON beats a project file of the name (captured: agents-json-flag)."""
    given = setup.command.last("agents")
    if given is None:
        return
    origin = Origin("argument", name="--agents")
    rule = Rule(WHY_AGENT, origin, "agent")
    document = parse_json(given, comments=False)
    if document.flaw is not None:
        draft.candidates.append(rule.failed(None, "it is not valid JSON"))
        return
    for key, value in document.root.members if document.root else ():
        description = value.text("description")
        if not description:
            draft.candidates.append(rule.failed(None, f"{key.data} has no description"))
            continue
        disallowed = _tools(value.get("disallowedTools")) or ()
        yield Agent(
            name=str(key.data),
            description=description,
            tools=_usable(value.get("tools"), disallowed, value.text("memory")),
            model=value.text("model"),
            scope="flag",
            origin=origin,
            body=(value.text("prompt") or "").strip(),
            body_origin=origin,
            disallowed=disallowed,
            skills=_tools(value.get("skills")) or (),
            memory=_memory(value.text("memory")),
            is_in_background=_is_true(value.get("background")),
            omits_files=_is_true(value.get("omitClaudeMd")),
            has_worktree=value.text("isolation") == WORKTREE,
        )


def known_here(setup: Setup) -> Iterator[BuiltIn]:
    """The program's own agents that this session has (captured: interactive-start)."""
    is_safe, is_of_code = SAFE in setup.command.switches, setup.entry.startswith("sdk-")
    for known in setup.facts.built_in_agents:
        is_off = setup.has_no_agents or setup.switch(known.off_by) is not None
        if (known.in_safe_mode or not is_safe) and not (known.is_for_users and is_of_code) and not is_off:
            yield known


def built_in(setup: Setup, name: str) -> Agent | None:
    """An agent of the program's own (wire: agent-built-in)."""
    known = next((each for each in known_here(setup) if each.name == name), None)
    if known is None:
        return None
    origin = Origin("builtin", name=name)
    tools, _, without = known.tools.partition(EXCEPT)
    given = None if without or tools == "*" else tuple(tools.split(", "))
    disallowed = tuple(without.split(", ")) if without else ()
    return Agent(name, "", given, None, "built-in", origin, "", origin, disallowed)


EXCEPT = "All tools except "
# Commas and blanks part tools, but not between parentheses; the end of a line does not (wire: agent-tools-lines).
_TOOL = regex(r"(?:\([^()]*\)|[^ ,(]|\()+")


def _tools(value: Value | None) -> tuple[str, ...] | None:
    """The tools that a value names; None for all of them: also an empty list, and one with ``*``."""
    words = [] if value is None else [value, *value.items]
    given = tuple(tool for word in words if isinstance(word.data, str) for tool in _parted(word.data))
    return None if not given or "*" in given else given


def _parted(text: str) -> Iterator[str]:
    tools = (tool.strip() for tool in _TOOL.findall(text))
    return (tool for tool in tools if tool)


def _is_true(value: Value | None) -> bool:
    return value is not None and value.kind == "true"


def _part(path: str, text: str, front: FrontMatter, key: str) -> Setting | None:
    """A part of the front matter that is one of the settings elsewhere; its parts have the range of all of it."""
    value = front.get(key)
    if value is None or front.document is None:
        return None
    where = Origin("file", path=path, range=LineIndex(text).range(*front.span(value)), name=key)
    return Setting(value, where, "agent", front.document)


def _memory(given: str | None) -> str | None:
    return given if given in MEMORIES else None


def _usable(value: Value | None, disallowed: tuple[str, ...], memory: str | None) -> tuple[str, ...] | None:
    """The tools of a list that are left, and those that a memory needs, also where the list names none."""
    tools = _tools(value)
    if tools is None and (value is None or memory not in MEMORIES or _is_all(value)):
        return None
    tools = tools or ()
    if memory in MEMORIES:
        tools = (*tools, *(tool for tool in MEMORY_TOOLS if tool not in tools))
    return tuple(tool for tool in tools if tool not in disallowed)


def _is_all(value: Value) -> bool:
    return any(isinstance(each.data, str) and "*" in _parted(each.data) for each in (value, *value.items))


def body_of(path: str, text: str, start: int) -> tuple[str, Origin]:
    """What a file says behind its front matter, and where that is."""
    body = text[start:].strip()
    start = text.find(body, start)
    return body, Origin("file", path=path, range=LineIndex(text).range(start, start + len(body)))


# -- the list (surfaces, 9) --------------------------------------------------------------------------------------

HEADER = "Available agent types for the Agent tool:\n"


def is_denied(setup: Setup, name: str) -> bool:
    """Whether ``Agent(name)`` is among the denied tools (case deny-rules)."""
    denied = set(setup.settings.words("permissions", "deny"))
    return any(f"{tool}({name})" in denied for tool in DELEGATING)


def listing(setup: Setup, known: list[Agent], allowed: Container[str] | None = None) -> list[Segment]:
    """The agents of one's own and the built-in ones in one alphabet (wire: agent-files-main).

    ``Agent`` or ``Agent(name)`` among the denied tools takes all or one off the list; ``allowed`` are those that may be
    started, None for all.
    """
    shown: dict[str, list[Segment]] = {}
    for own in known_here(setup):
        why = "Claude Code describes its built-in agents"
        size = own.size_inline if setup.has_older_texts else own.size
        text = elided("tools", "Claude Code", f"description of {own.name}", why=why, size=size)
        shown[own.name] = [head(f"- {own.name}: ", "tools"), text, tail(f" (Tools: {own.tools})\n", "tools")]
    shown |= {agent.name: agent.listed() for agent in known}
    names = [each for each in shown if not is_denied(setup, each) and (allowed is None or each in allowed)]
    lines = [segment for each in sorted(names, key=by_name) for segment in shown[each]]
    if not lines:  # (seen by verify)
        return []
    if undated(setup.model) in setup.facts.models_without_footer:
        return [head(HEADER, "tools"), *lines[:-1], replace(lines[-1], text=lines[-1].text.rstrip("\n"))]
    why, size = "it follows the list of agents", setup.facts.agents_footer
    footer = elided("tools", "Claude Code", "how to use agents", why=why, size=size)
    return [head(HEADER, "tools"), *lines, tail("\n", "tools"), footer]


def by_name(word: str) -> tuple[bool, Key]:
    """The place of an agent: a letter that is not ASCII's comes last (cases agents-sort, sort-lang-c)."""
    return not word[:1].isascii(), collation.key(word)
