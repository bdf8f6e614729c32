"""Gemini CLI's sub-agents: which are listed, and the request of one (surfaces, Sub-agents)."""

from __future__ import annotations

from promptls.core.formats import front_matter, parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.model import Fault, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import own
from promptls.kit.javascript import trimmed
from promptls.kit.named import Named, Row, text_at
from promptls.kit.paths import join
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.extensions import Extension
    from promptls.harnesses.gemini_cli.versions import Facts, System
    from promptls.kit.candidates import Rule

WHY = "gemini-cli lists every sub-agent with its description"
WHY_USER = "gemini-cli reads the Markdown files in ~/.gemini/agents as sub-agents"
WHY_PROJECT = "gemini-cli reads the Markdown files in .gemini/agents as sub-agents"
WHY_EXTENSION = "an extension that is switched on provides it"
NOT_AGREED = "gemini-cli lists it only when the user has agreed to it, as it is now, in the interactive program"
# Tools that need a setting, or that other versions have (source: tool-names.ts).
FURTHER_TOOLS = (
    *("read_many_files", "ask_user", "get_internal_docs", "exit_plan_mode", "complete_task", "read_mcp_resource"),
    *("list_mcp_resources", "search_file_content", "save_memory", "tracker_create_task", "tracker_update_task"),
    *("tracker_get_task", "tracker_list_tasks", "tracker_add_dependency", "tracker_visualize"),
)
PLAIN = Row("gemini-cli", "sub-agent", WHY, before="\n- {name} -> ")
TAGGED = replace(
    PLAIN, before="\n  <subagent>\n    <name>{name}</name>\n    <description>", after="</description>\n  </subagent>"
)
KEYS = (
    *("kind", "name", "description", "display_name", "tools", "mcp_servers"),
    *("model", "temperature", "max_turns", "timeout_mins"),
)
# What the text of a sub-agent may refer to: anything else makes it fail (parts: agent-template-error).
INPUTS = ("query", "cliVersion", "activeModel", "today")
_INPUT = regex(r"\$\{(\w+)\}")
_SLUG = regex(r"[a-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Agent:
    """A sub-agent. ``body`` is None where it is built in."""

    name: str
    description: str = ""
    where: Origin | None = None
    body: str | None = None
    body_origin: Origin | None = None
    faults: tuple[Fault, ...] = ()
    # The tools that it names; None for those of the session.
    tools: tuple[str, ...] | None = None

    @property
    def unknown_input(self) -> str | None:
        """What its text refers to that gemini-cli does not know: with it, the sub-agent fails when it is called."""
        names = _INPUT.findall(self.body or "")
        return next((name for name in names if name not in INPUTS), None)


def find(search: Search, extensions: Iterable[Extension], facts: Facts) -> dict[str, Agent]:
    """Every sub-agent that is listed (parts: agents, agent-home-and-project-same-name)."""
    if not search.settings.is_true("experimental.enableAgents", default=True):
        return {}
    found = {name: Agent(name) for name in facts.built_in_agents}
    known = {*facts.tools, *facts.tools_of_yolo, *facts.built_in_agents, *FURTHER_TOOLS}
    project = join(search.cwd, ".gemini", "agents")
    user = join(search.directory, "agents")
    if project != user:
        agreed = _agreed(search)
        for agent, path, rule, text in _look(search, project, WHY_PROJECT, known):
            if agreed.get(agent.name) == _hash(text):
                _keep(search, found, agent, path, rule)
            else:
                search.note(replace(rule.excluded(path, NOT_AGREED), faults=agent.faults))
    for agent, path, rule, _ in _look(search, user, WHY_USER, known):
        _keep(search, found, agent, path, rule)
    for extension in extensions:
        if extension.is_on:
            why = f"{WHY_EXTENSION} ({extension.name})"
            for agent, path, rule, _ in _look(search, join(extension.directory, "agents"), why, known):
                _keep(search, found, agent, path, rule)
    return found


def _keep(search: Search, found: dict[str, Agent], agent: Agent, path: str, rule: Rule) -> None:
    unknown = agent.unknown_input
    says = f"it fails when it is called, because gemini-cli does not know ${{{unknown}}} in its text" if unknown else ""
    search.note(rule.loaded(path, says, faults=agent.faults))
    found[agent.name] = agent


def _look(search: Search, directory: str, why: str, known: Collection[str]) -> Iterator[tuple[Agent, str, Rule, str]]:
    rule = own(why, use="agent")
    for entry in sorted(search.host.entries(directory), key=lambda each: each.name):
        path = join(directory, entry.name)
        if not entry.name.endswith(".md") or entry.is_directory or entry.is_link:
            continue
        if entry.name.startswith("_"):
            search.note(rule.excluded(path, "gemini-cli passes over names that begin with _"))
            continue
        text = text_at(search.host, path, rule, search.note, keep_bom=True, is_whole=True)
        agent = _read(search, path, text, rule, known) if text is not None else None
        if text is not None and agent is not None:
            yield agent, path, rule, text


def _read(search: Search, path: str, text: str, rule: Rule, known: Collection[str]) -> Agent | None:
    front = front_matter.split(text)
    document = front.document
    root = document.root if document is not None and document.flaw is None else None
    if root is None:
        search.note(rule.failed(path, "it has no front matter that can be read, so it is left out"))
        return None
    name, description = root.text("name"), root.get("description")
    unknown = next((key for key in root.names() if key not in KEYS), None)
    if root.text("kind") == "remote":
        search.note(rule.excluded(path, "promptls does not model remote sub-agents"))
        return None
    if name is None or not _SLUG.fullmatch(name):
        search.note(rule.failed(path, "its name is missing, or is not of small letters, digits, - and _ only"))
        return None
    if description is None or not isinstance(description.data, str) or not description.data:
        search.note(rule.failed(path, "it has no description, so it is left out"))
        return None
    if unknown is not None:
        search.note(rule.failed(path, f"gemini-cli knows no key {unknown} and leaves the sub-agent out"))
        return None
    from promptls.kit.tool_lists import unknown_tools  # noqa: PLC0415 - few folders have agents

    index = LineIndex(text)
    where = index.range(front.start + description.start, front.start + description.end)
    start, end = trimmed(text, front.body)
    body_origin = Origin("file", path=path, range=index.range(start, end))
    tools = unknown_tools("Gemini CLI", text, front.start, root.get("tools"), known)
    faults = (*tools, *_faults(text, start, index))
    named = root.get("tools")
    wanted = tuple(str(each.data) for each in named.items) if named is not None and named.kind == "array" else None
    where_described = Origin("file", path=path, range=where)
    return Agent(name, description.data, where_described, text[start:end], body_origin, faults, wanted)


def _faults(text: str, start: int, index: LineIndex) -> Iterator[Fault]:
    """Each ``${x}`` in the body that makes the sub-agent fail (parts: agent-template-error)."""
    for found in _INPUT.finditer(text, start):
        if found[1] not in INPUTS:
            known = ", ".join(INPUTS)
            says = f"Gemini CLI does not know {found[0]}, so the sub-agent fails when it is called. It knows {known}."
            yield Fault("agent-input", index.range(*found.span()), f"{says} Write it in another way.")


def _agreed(search: Search) -> Mapping[str, str]:
    """Name to checksum of the project's sub-agents that the user has agreed to (source: acknowledgedAgents.ts)."""
    contents = search.host.read(join(search.directory, "acknowledgments", "agents.json"))
    if contents.state != "file":
        return {}
    root = parse_json(decode(contents.data, keep_bom=True), comments=False).root or EMPTY
    agreed = root.get(search.cwd) or EMPTY
    return {str(key.data): str(value.data) for key, value in agreed.members}


def _hash(text: str) -> str:
    import hashlib  # noqa: PLC0415 - few projects have sub-agents

    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


# -- the list ------------------------------------------------------------------------------------------------------


def section(agents: Mapping[str, Agent], facts: Facts, system: System, *, is_plan: bool) -> Iterator[Segment]:
    """The section of the system instruction; nothing without a sub-agent (parts: agents, model-gemini-3)."""
    if not agents:
        return
    yield head("# Available Sub-Agents\n", "tools")
    yield elided("tools", "gemini-cli", "introduction of sub-agents", why=WHY, size=system.agents_intro)
    if system.has_tags:
        yield tail("\n<available_subagents>", "tools")
    for agent in agents.values():
        known = facts.built_in_agents.get(agent.name)
        size = known.description - known.shorter_in_plan * is_plan if known else None
        named = Named(agent.name, agent.description, origin=agent.where, size=size)
        for part in (TAGGED if system.has_tags else PLAIN).segments(named):
            yield replace(part, why="it is built in") if part.elided else part
    if system.has_tags:
        yield tail("\n</available_subagents>", "tools")
    yield tail("\n", "tools")
    yield elided("tools", "gemini-cli", "advice on sub-agents", why=WHY, size=system.agents_end)
    yield tail("\n", "tools")
