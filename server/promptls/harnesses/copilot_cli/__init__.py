"""Copilot CLI: everything at start is in the system message, and viewing a file adds a user message.

Numbers named here are those of the sections of the harness specification.
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, USED, Origin, Segment
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_cli.conversation import Conversation
from promptls.harnesses.copilot_cli.files.imports import Expansion, as_sent, mentions
from promptls.harnesses.copilot_cli.files.instruction_files import (
    WHY_ROW,
    WHY_WHOLE,
    InstructionFile,
    custom_directories,
    files_of,
    places_at_start,
    read,
)
from promptls.harnesses.copilot_cli.listing import agents, servers, skills, tools
from promptls.harnesses.copilot_cli.listing.tools import Start
from promptls.harnesses.copilot_cli.search import (
    AGENTS,
    CLAUDE,
    COPILOT,
    DIRECTORIES,
    DOT_CLAUDE,
    GEMINI,
    INSTRUCTIONS,
    NESTED,
    OFF,
    RULES,
    Search,
    name_not_read,
    written,
)
from promptls.harnesses.copilot_cli.spec import SPEC
from promptls.harnesses.copilot_cli.system import Own
from promptls.harnesses.copilot_cli.versions import ROWS
from promptls.kit import args
from promptls.kit import tool_calls as calls
from promptls.kit.base import described
from promptls.kit.candidates import Rule, not_modelled, own
from promptls.kit.draft import Draft
from promptls.kit.paths import first_above, join, parent, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from promptls.core.host import Host
    from promptls.core.model import Call, Candidate, Prompt, Session
    from promptls.harnesses.copilot_cli.listing.agents import Agent
    from promptls.harnesses.copilot_cli.listing.plugins import Plugin
    from promptls.harnesses.copilot_cli.versions import Facts

# Names that one might expect, and that are not read (1).
NOT_READ = (
    "AGENTS.override.md",
    "AGENT.md",
    ".github/AGENTS.md",
    ".agents/AGENTS.md",
    "CLAUDE.local.md",
    "copilot-instructions.md",
    ".copilot/copilot-instructions.md",
    ".cursor/rules",
    ".cursorrules",
)
NOT_READ_AT_HOME = (".claude/CLAUDE.md", RULES, COPILOT)
NOT_READ_IN_CUSTOM = ("copilot-instructions.md", COPILOT, CLAUDE, DOT_CLAUDE, GEMINI)

WHY_HOME = "Copilot CLI begins with copilot-instructions.md of its home directory"
WHY_COPILOT = "Copilot CLI reads .github/copilot-instructions.md at the git root, then in the working directory"
WHY_KINDS = "Copilot CLI reads AGENTS.md, CLAUDE.md and GEMINI.md at the git root, then in the working directory"
WHY_BETWEEN = "Copilot CLI reads the directories between the git root and the working directory last, the nearest first"
WHY_NESTED_ROW = f"AGENTS.md of a directory in {DIRECTORIES} is only listed in a table of nested files"
WHY_DOT_CLAUDE = (
    "Copilot CLI reads .claude/CLAUDE.md of other directories, not of the git root and the working directory"
)
WHY_NOT_BETWEEN = "between the git root and the working directory, Copilot CLI reads no instructions files and no rules"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of Copilot CLI for a session."""
    draft = Draft(session)
    command = args.read(
        session.args, values=VALUES, switches=(*SWITCHES, OFF), greedy=("add-dir", "available-tools", "excluded-tools")
    )
    cwd = host.realpath(session.cwd)
    top = first_above(host, cwd, ".git")
    search = Search(draft, host, cwd, top or cwd, OFF in command.switches, is_repository=top is not None)
    facts = row(ROWS, session.version)
    added = [host.realpath(resolve(cwd, each)) for each in command.values.get("add-dir", [])]
    of_plugins = _plugins(search, command)
    found = skills.find(search, added, of_plugins, facts)
    own_agents = agents.find(search, added, of_plugins, facts)
    trusted = servers.is_trusted(search)
    hooks = servers.hooks(search, trusted=trusted)
    started = _started_agent(draft, own_agents, facts)
    asked = session.agent or command.last("agent")
    chosen = agents.called(own_agents, asked) if started is None else None
    is_general = started is not None and started.name == facts.general_agent
    parts = facts.main if started is None else facts.general if is_general else facts.agent
    agent = started.agent if started is not None else chosen
    named, without = (_names(command, option) for option in ("available-tools", "excluded-tools"))
    built_in = facts.built_in_agents.get(started.name) if started and not started.agent else None
    named += built_in.tools if built_in else ()
    left = tools.left(facts, agent, named, without, is_started=started is not None)
    start = _start(session, command, is_general=is_general)
    model = session.model or command.last("model") or host.env.get("COPILOT_MODEL")
    offered = tools.offered(facts, own_agents, agent, left, model, is_started=started is not None, start=start)
    there = [each.name for each in offered if each.enabled]
    own_part = Own(search, facts, parts, found, start, added, there, model)
    blocks, scoped = _blocks(search, facts)
    if started is not None and not is_general:
        _not_for_agents(draft, started.name)
        text = own_part.of_agent(started.agent) if started.agent else own_part.of_built_in(started.name)
        draft.add_message("system", text, index=0)
    else:
        end = own_part.end_of_general() if started is not None else own_part.after(chosen)
        joint = [tail("\n\n")] if blocks or started is None else []
        draft.add_message("system", [*own_part.before(), *joint, *_joined(blocks), *end], index=0)
    if "task" in there:
        definition = agents.definition(own_agents, facts, is_of_agent=started is not None)
        draft.add_message("tools", definition, index=0, block=1)
    only = there if left is not None else None
    conversation = Conversation(search, facts, found, hooks, scoped, start, only)
    if started is not None:
        conversation.write_started(started.prompt, started.agent, started.steps)
    else:
        conversation.write(_typed(session, command))
    _name_options(search, command, facts, has_agent=bool(started or chosen))
    of_agent = (agent.tools, agent.servers, agent.origin) if agent is not None else (None, None, COMPUTED)
    allowed = servers.OfServers(of_agent[0], frozenset(named), frozenset(without), is_built_in=built_in is not None)
    of_servers = servers.server_tools(search, servers.find(search, command, *of_agent[1:], trusted=trusted), allowed)
    return draft.prompt(
        model=model, agent=asked if started or chosen else None, verified=True, tools=(*offered, *of_servers)
    )


def _plugins(search: Search, command: args.Arguments) -> list[Plugin]:
    named = command.values.get("plugin-dir", [])
    if not named:
        return []
    from promptls.harnesses.copilot_cli.listing import plugins  # noqa: PLC0415 - few sessions have any

    return plugins.find(search, named)


def _blocks(search: Search, facts: Facts) -> tuple[list[list[Segment]], list[InstructionFile]]:
    """The custom instructions in order, and the files with patterns."""
    at_start: set[str] = set()
    wrapped = list(_wrapped(search, at_start))
    whole, scoped = _instructions_files(search)
    nested, tables = [*_nested_table(search, at_start, facts)], [*_table(scoped, facts)]
    # Without a file in a wrapper, nothing ends with a blank line (parts: table-only; wire: instructions-alone).
    if not wrapped and tables:
        tables[0].pop()
    tables = [*nested, *tables]
    if wrapped and whole and not tables:
        whole[-1] = [*whole[-1], tail("\n")]  # (wire: instructions-last)
    return [*wrapped, *whole, *tables], scoped


def _names(command: args.Arguments, option: str) -> list[str]:
    """The names in the values of an option, with commas between them."""
    return [each.strip() for value in command.values.get(option, ()) for each in value.split(",") if each.strip()]


def _typed(session: Session, command: args.Arguments) -> str | None:
    """What the user types; None if it is not known."""
    prompt = session.turns[0].prompt if session.turns else None
    return prompt if prompt is not None else command.last("prompt")


@dataclass(frozen=True, slots=True)
class StartedAgent:
    """The sub-agent whose request is the last one; ``agent`` is None for one that is there without a file."""

    name: str
    agent: Agent | None
    prompt: str
    steps: tuple[tuple[Call, ...], ...]


def _not_there(asked: str, facts: Facts) -> str:
    """Copilot CLI ends where nobody has the agent that is asked for (seen: "No such agent: nope, available: rev")."""
    if asked in (facts.general_agent, *facts.built_in_agents):
        return f"What Copilot CLI sends in a main session of its own agent {asked} is not known."
    return f"There is no agent {asked} in any directory: Copilot CLI ends, unless your organization has one."


def _started_agent(draft: Draft, own_agents: Mapping[str, Agent], facts: Facts) -> StartedAgent | None:
    """The sub-agent that the last call starts (parts: agent-task; captured: subagent-explore)."""
    session = draft.session
    last = session.turns[-1] if session.turns else None
    call = last.calls[-1] if last is not None and last.calls and session.request is None else None
    if call is None or call.tool != "task":
        return None
    asked, prompt, steps = calls.text(call, "agent_type"), calls.text(call, "prompt"), call.steps or ()
    agent = agents.called(own_agents, asked)
    if asked == facts.general_agent or (agent is None and asked in facts.built_in_agents):
        return StartedAgent(asked, None, prompt, steps)
    if agent is None:
        draft.notes.append(f"There is no agent {asked!r}, so no sub-agent starts, and the main session is shown.")
        return None
    return StartedAgent(agent.name, agent, prompt, steps)


def _start(session: Session, command: args.Arguments, *, is_general: bool) -> Start:
    """How it was started; a session that is taken up has a prompt to answer (captured: compact-resume)."""
    is_resumed = any(turn.resumes for turn in session.turns)
    by_option = next((mode for mode in (tools.PLAN, tools.AUTOPILOT) if f"--{mode}" in command.switches), "")
    mode = session.mode or by_option
    is_compacted = any(turn.compact is not None for turn in session.turns[: None if not session.request else -1])
    return Start(
        session.interactive is True and not is_resumed,
        mode if mode in (tools.PLAN, tools.AUTOPILOT) else "",
        is_general,
        is_compacted,
    )


def _not_for_agents(draft: Draft, name: str) -> None:
    """Only the agent for everything gets the user's instruction files at start (later, B, 1)."""
    for at, each in enumerate(draft.candidates):
        if each.use == "instruction" and each.outcome in USED:
            reason = f"the agent {name} gets no instruction files at start"
            draft.candidates[at] = replace(each, outcome="unscoped", reason=reason)


# -- 1: files in a wrapper ---------------------------------------------------------------------------------------


def _wrapped(search: Search, at_start: set[str]) -> Iterator[list[Segment]]:
    """Home, .github of root and cwd, then root, cwd, and what is between: not by depth (captured: chain-cwd-in-subdir).

    Empty files are sent, too; the same text is sent once (wire: settle-same-text-forms).
    ``at_start`` takes their paths.
    """
    texts: dict[str, str] = {}
    for named, why in _places(search):
        path = search.spelled(named)
        found = search.look(path, why)
        if found is None:
            continue
        at_start.add(path)
        first = texts.setdefault(found.text, path)
        if first != path:
            reason = f"{first} has the same text, which is sent once"
            search.draft.candidates[-1] = own(why).duplicate(path, reason, of=first)
            continue
        inside = search.host.realpath(search.home) if why == WHY_HOME else search.root
        expansion = Expansion(search.draft, search.host, inside, parent(path), imports=not named.endswith(GEMINI))
        opening, closing = "<custom_instruction>\n", "\n</custom_instruction>"
        if found.text:
            text = expansion.segments(path, found, why)
            yield [head(opening, path=found.origin.path), *text, tail(closing)]
        else:
            yield [Segment("instructions", path, opening + closing, found.origin, f"{why}: empty, in its wrapper")]


def _places(search: Search) -> Iterator[tuple[str, str]]:
    yield join(search.home, "copilot-instructions.md"), WHY_HOME
    yield from ((join(place, COPILOT), WHY_COPILOT) for place in search.directories)
    yield from ((join(place, kind), WHY_KINDS) for place in search.directories for kind in (AGENTS, CLAUDE, GEMINI))
    yield from ((join(place, kind), WHY_BETWEEN) for place in search.between for kind in NESTED)


def _joined(blocks: Iterable[list[Segment]]) -> Iterator[Segment]:
    for at, block in enumerate(blocks):
        yield tail("\n\n" if at else "")
        yield from block


# -- 2 to 5: instructions files and rules, and the two tables ------------------------------------------------------


def _instructions_files(search: Search) -> tuple[list[list[Segment]], list[InstructionFile]]:
    """Those that are sent whole and those with patterns; the same text twice (wire: settle-instructions-same-text)."""
    whole: list[list[Segment]] = []
    scoped: list[InstructionFile] = []
    seen: set[str] = set()
    for place in places_at_start(search):
        for path in files_of(search, place):
            if path in seen:
                continue
            seen.add(path)
            each = read(search, path, place, WHY_WHOLE)
            if each is None or not each.found.text:
                continue
            if each.scope.is_whole:
                found = each.found
                text = as_sent(found.text)
                whole.append([Segment("instructions", path, text, found.origin, WHY_WHOLE, cut=found.cut)])
            else:
                scoped.append(each)
                search.draft.candidates[-1] = Rule(WHY_ROW, each.origin).unscoped(path)
    return whole, scoped


def _table(scoped: list[InstructionFile], facts: Facts) -> Iterator[list[Segment]]:
    """A row for each file with patterns (4; wire: applyto-forms, settle-applyto-front-matter)."""
    rows = [
        _row(
            f"\n| {_cell(', '.join(each.scope.patterns))} | '{each.shown}' | {_description(each)} |", each.path, WHY_ROW
        )
        for each in scoped
    ]
    if rows:
        columns = "\n| Pattern | File Path | Description |\n| ------- | --------- | ----------- |"
        yield [
            *_paragraph("Here is a list of instruction files ", columns, WHY_ROW, facts.table_intro),
            *rows,
            tail("\n"),
        ]


def _nested_table(search: Search, at_start: set[str], facts: Facts) -> Iterator[list[Segment]]:
    """A row for AGENTS.md of each custom directory, in exactly this spelling; nothing else of them (5)."""
    rows: list[Segment] = []
    origin = Origin("argument", name=DIRECTORIES)
    for place in custom_directories(search):
        path = join(place, AGENTS)
        if search.host.kind(path) == "file" and path not in at_start and not search.is_off:
            search.draft.candidates.append(Rule(WHY_NESTED_ROW, origin).unscoped(path))
            shown = written(place, search.root)
            text = f"\n| {shown}/ | '{shown}/{AGENTS}' | Agent instructions for {shown}/**/* |"
            rows.append(_row(text, path, WHY_NESTED_ROW))
        if place not in (*search.directories, *search.between):
            for kind in NOT_READ_IN_CUSTOM:
                name_not_read(search, join(place, kind), f"of a directory in {DIRECTORIES} it is not read", origin)
    if rows:
        columns = "\n| Directory | File Path | Description |\n| --------- | --------- | ----------- |"
        first = "Here is a list of nested AGENTS.md files "
        yield [*_paragraph(first, columns, WHY_NESTED_ROW, facts.nested_intro), *rows]


def _paragraph(first_words: str, columns: str, why: str, size: int) -> list[Segment]:
    """The first words are all that the captured sessions keep of the paragraph; ``size`` is that of the rest."""
    rest = elided("instructions", "Copilot CLI", "paragraph before the table", why=why, size=size)
    return [head(first_words), rest, tail(columns)]


def _row(text: str, path: str, why: str) -> Segment:
    return Segment("instructions", f"row for {path}", text, Origin("computed", name=path), why)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\r\n", " ").replace("\n", " ")


def _description(scoped: InstructionFile) -> str:
    return _cell(scoped.scope.description.strip())


# -- the command line, and files that are not read -----------------------------------------------------------------

VALUES = {
    "--model": "model",
    "--agent": "agent",
    "--add-dir": "add-dir",
    "--plugin-dir": "plugin-dir",
    "--additional-mcp-config": "mcp",
    "--disable-mcp-server": "disabled",
    "--available-tools": "available-tools",
    "--excluded-tools": "excluded-tools",
    **dict.fromkeys(("-p", "--prompt", "-i", "--interactive"), "prompt"),
    **dict.fromkeys(("--allow-tool", "--deny-tool", "--allow-url", "--deny-url", "--log-dir", "--log-level"), "other"),
}
SWITCHES = (
    "--plan",
    "--autopilot",
    "--allow-all-tools",
    "--allow-all-paths",
    "--allow-all",
    "--no-color",
    "--banner",
    "-s",
    "--silent",
)


def _name_options(search: Search, command: args.Arguments, facts: Facts, *, has_agent: bool) -> None:
    """Options, variables and files that have no effect, and those that promptls does not model."""
    draft, host, cwd = search.draft, search.host, search.cwd
    for place in command.values.get("add-dir", []):
        for kind in (*NESTED, INSTRUCTIONS, RULES):
            path = join(resolve(cwd, place), kind)
            if host.kind(path) is not None:
                why = "--add-dir loads no instruction file of the directory, also not when a file there is viewed"
                draft.candidates.append(_excluded(why, "--add-dir", path))
    typed = _typed(draft.session, command)
    for prompt in [typed] if typed is not None else []:
        for mention in mentions(prompt):
            why = "@file in the prompt adds neither its text nor instructions for it"
            draft.candidates.append(_excluded(why, f"@{mention.target}", resolve(cwd, mention.target)))
    agent = draft.session.agent or command.last("agent")
    if agent and not has_agent:
        draft.candidates.append(_excluded("Copilot CLI finds no agent of this name", f"--agent {agent}"))
        draft.notes.append(_not_there(agent, facts))
    for option in command.unknown:
        draft.candidates.append(not_modelled(option))
    if host.env.get("XDG_CONFIG_HOME"):
        why = "XDG_CONFIG_HOME has no effect on Copilot CLI"
        draft.candidates.append(_excluded(why, "XDG_CONFIG_HOME"))
    _name_not_read(search)


def _excluded(why: str, option: str, path: str | None = None) -> Candidate:
    return Rule(why, Origin("argument", name=option)).excluded(path)


def _name_not_read(search: Search) -> None:
    """Files where one might expect Copilot CLI to look (1)."""
    for place in search.directories:
        for kind in NOT_READ:
            name_not_read(search, join(place, kind), "Copilot CLI does not read it")
        name_not_read(search, join(place, DOT_CLAUDE), WHY_DOT_CLAUDE)
    for place in search.between:
        for kind in (INSTRUCTIONS, RULES):
            name_not_read(search, join(place, kind), WHY_NOT_BETWEEN)
    for path in (join(search.home, AGENTS), join(search.home, "rules")):
        name_not_read(search, path, "Copilot CLI does not read it")
    for kind in NOT_READ_AT_HOME:
        name_not_read(search, join(search.host.home, kind), "Copilot CLI does not read it in the home directory")
    usual = join(search.host.home, ".copilot")
    if search.home != usual:
        for kind in ("copilot-instructions.md", "instructions"):
            name_not_read(search, join(usual, kind), "COPILOT_HOME names another directory in its place")


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "Name and description of skills in .github, .agents and .claude from the working directory up to the git root",
        "Those of plugins (--plugin-dir), ~/.copilot/skills and ~/.agents/skills, and the files of .claude/commands",
        "In the definition of the tool task: agents of .github/agents, .claude/agents, ~/.copilot/agents and plugins",
        "~/.copilot/copilot-instructions.md",
        ".github/copilot-instructions.md of the git root, then of the working directory",
        "AGENTS.md, CLAUDE.md and GEMINI.md of both; the first two with what @path imports",
        "These, .github/copilot-instructions.md and .claude/CLAUDE.md of what lies between, with imports, too",
        "*.instructions.md of ~/.copilot/instructions, then these and .claude/rules of both: without a path pattern",
        "The same of each directory in COPILOT_CUSTOM_INSTRUCTIONS_DIRS, then all other *.instructions.md below it",
        "The same with a path pattern, and AGENTS.md of COPILOT_CUSTOM_INSTRUCTIONS_DIRS: only a row of a table",
        "On view: *.instructions.md and .claude/rules whose pattern matches the file",
        "On view: all these kinds from the file's directory up",
        "On a call of the tool skill: the text of the skill; of task: the request of the agent that is started",
        "The text of hooks of ~/.copilot/hooks, and of .github/hooks where the folder is trusted, as placeholders",
    ),
)
