"""Copilot CLI's agents: which the tool task offers, and the text of one (surfaces, Agents)."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_cli.front_matter import OF_AGENTS, text_of, wrong_key
from promptls.harnesses.copilot_cli.search import code_units
from promptls.kit.candidates import own
from promptls.kit.javascript import trimmed
from promptls.kit.named import Named, Row, text_at
from promptls.kit.paths import join, name, upwards
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from promptls.core.formats.tree import Value
    from promptls.harnesses.copilot_cli.listing.plugins import Plugin
    from promptls.harnesses.copilot_cli.search import Search
    from promptls.harnesses.copilot_cli.versions import Facts
    from promptls.kit.candidates import Rule

WHY = "the tool task names every agent that the model can start"
UNLISTED = "its front matter says that the model cannot start it"
WHY_PLACE = "Copilot CLI reads the Markdown files in its directories of agents as agents"
ENDINGS = (".agent.md", ".md")
# Other names of tools, in any spelling (documentation: custom agents configuration).
ALIASES = (
    *("execute", "shell", "powershell", "read", "NotebookRead", "MultiEdit", "Write", "NotebookEdit", "search"),
    *("agent", "custom-agent", "web", "WebSearch", "WebFetch", "todo", "TodoWrite", "TodoRead", "LS", "web_fetch"),
    *("ask_user", "report_intent", "update_todo", "store_memory", "apply_patch", "think", "codebase", "usages"),
)
# Those of VS Code that mean something here (captured: agents with each of them).
OF_VSCODE = (
    *("execute/runInTerminal", "read/readFile", "edit/editFiles", "edit/createFile", "edit/createDirectory"),
    *("search/codebase", "search/fileSearch", "search/textSearch", "agent/runSubagent"),
)


ROW = Row("Copilot CLI", "agent", WHY, before="\n- **{name}**: ", between="\n")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent. ``is_listed``: the model can start it. ``tools``: those that it names, None for all.

    ``skills``: those whose text it begins with.
    """

    name: str
    description: str
    origin: Origin
    body: str
    body_origin: Origin
    is_listed: bool
    tools: tuple[str, ...] | None
    tools_origin: Origin
    skills: tuple[str, ...] = ()
    servers: Value | None = None

    @property
    def path(self) -> str | None:
        """Its file."""
        return self.origin.path


def find(search: Search, added: Sequence[str], plugins: Sequence[Plugin], facts: Facts) -> dict[str, Agent]:
    """Every agent by file name: from the working directory up to the git root, of --add-dir, of the home directory.

    Of two files of one name the first counts, whatever they call themselves (wire: agents-of-one-file-name,
    skills-between). Those of a plugin have its name in front (later: plugin-dir-two).
    """
    found: dict[str, Agent] = {}
    known = {*facts.tools, *facts.tools_of_agents, *ALIASES, *OF_VSCODE}
    rule = own(WHY_PLACE, use="agent")
    for directory in upwards(search.cwd, search.root):
        _look(search, join(directory, ".github", "agents"), rule, found, known, is_deep=True)
        _look(search, join(directory, ".claude", "agents"), rule, found, known, is_deep=False)
    for directory in added:
        _look(search, join(directory, ".github", "agents"), rule, found, known, is_deep=True)
    _look(search, join(search.home, "agents"), rule, found, known, is_deep=False)
    for plugin in plugins:
        of_plugin: dict[str, Agent] = {}
        for place in plugin.agents:
            _look(search, place, rule, of_plugin, known, is_deep=False)
        named = ((f"{plugin.name}:{stem}", agent) for stem, agent in of_plugin.items())
        found |= {name: replace(agent, name=name) for name, agent in named if name not in found}
    return found


def _look(
    search: Search, place: str, rule: Rule, found: dict[str, Agent], known: Collection[str], *, is_deep: bool
) -> None:
    if search.host.kind(place) != "directory":
        return
    for path in search.files_below(place, hidden=True):
        is_here = is_deep or path.count("/") == place.count("/") + 1
        if is_here and path.endswith(".md"):
            _take(search, path, rule, found, known)


def _take(search: Search, path: str, rule: Rule, found: dict[str, Agent], known: Collection[str]) -> None:
    add = search.draft.candidates.append
    text = text_at(search.host, path, rule, add, is_whole=True)
    if text is None:
        return
    from promptls.harnesses.copilot_cli.front_matter import strict_header  # noqa: PLC0415 - only with an agent

    front = strict_header(text)
    if front.document is None or front.document.flaw is not None:
        add(rule.failed(path, "it has no front matter that can be read, so it is left out"))
        return
    stem = _stem(path)
    own_name = front.word("name") or stem
    described = front.value("description")
    if described is None or not isinstance(described.data, str):
        add(rule.failed(path, "it has no description, so it is left out"))
        return
    wrong = wrong_key(front, OF_AGENTS)
    if wrong is not None:
        add(rule.failed(path, f"{wrong} has the wrong type, so it is left out"))
        return
    if stem in found:
        first = found[stem].origin.path
        add(rule.shadowed(path, f"{first} has the same file name and comes first", by=first))
        return
    from promptls.kit.tool_lists import unknown_tools  # noqa: PLC0415 - few folders have agents

    infer = front.value("infer")
    is_listed = not front.is_true("disable-model-invocation") and not (infer is not None and infer.kind == "false")
    result = rule.loaded(path) if is_listed else rule.excluded(path, UNLISTED)
    # Other programs that read the file may have tools of other names.
    faults = unknown_tools("Copilot CLI", text, front.start, front.value("tools"), known, is_all=False)
    add(replace(result, faults=faults))
    start, end = trimmed(text, front.body)
    body_origin = Origin("file", path=path, range=LineIndex(text).range(start, end))
    where = Origin("file", path=path, range=front.range("description"))
    named = front.patterns("tools") if front.value("tools") is not None else None
    by = Origin("file", path=path, range=front.range("tools"))
    skills = front.value("skills")
    begins = tuple(str(each.data) for each in skills.items) if skills is not None else ()
    described_as, body = text_of(front, described), text[start:end]
    servers = front.value("mcp-servers")
    found[stem] = Agent(own_name, described_as, where, body, body_origin, is_listed, named, by, begins, servers)


def _stem(path: str) -> str:
    called = name(path)
    return next(called.removesuffix(ending) for ending in ENDINGS if called.endswith(ending))


def called(agents: Mapping[str, Agent], wanted: str | None) -> Agent | None:
    """The first agent of a name, else the one of a file name (parts: agent-by-file-name)."""
    by_name = (each for each in agents.values() if each.name == wanted)
    return next(by_name, agents.get(wanted) if wanted is not None else None)


def definition(agents: Mapping[str, Agent], facts: Facts, *, is_of_agent: bool) -> Iterator[Segment]:
    """The description of the tool task where it holds text of the user's (parts: agents, agent-task)."""
    listed = sorted((each for each in agents.values() if each.is_listed), key=lambda each: code_units(each.name))
    if not listed:
        return
    yield elided("tools", "Copilot CLI", "description of tool task", why=WHY, size=facts.task_intro)
    yield from ROW.rows(Named(each.name, each.description, each.path, each.origin) for each in listed)
    if is_of_agent:
        yield tail("\n\n", "tools")
        yield elided("tools", "Copilot CLI", "advice on agents", why=WHY, size=facts.task_end)
