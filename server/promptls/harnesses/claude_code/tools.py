"""Which tools Claude Code offers to the model, and what their definitions weigh (surfaces, 1, 5 and 13).

One rule for every kind of session, a sub-agent's too; the row of the version has the names and the sizes.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment, Tool
from promptls.core.values import replace
from promptls.harnesses.claude_code.listing.agents import DELEGATING, NAMES
from promptls.harnesses.claude_code.listing.skill_list import OFF, overrides_of
from promptls.harnesses.claude_code.models import undated
from promptls.harnesses.claude_code.servers import unready
from promptls.harnesses.claude_code.setup import (
    NO_SKILLS,
    NO_TELEMETRY,
    NO_TRAFFIC,
    RESTRICTED,
    denials,
    is_yes,
    said_by,
    without_any,
)
from promptls.harnesses.claude_code.turns.calls import SELECT, input_of
from promptls.harnesses.claude_code.versions import NO_CRON, NO_WORKFLOWS
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.model import Turn
    from promptls.harnesses.claude_code.servers import Server
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import StartedSession

SENT = "its definition is sent"
WHY_PLACEHOLDER = "it stands for the tools that are named only"
DEFERRED = "only its name is sent; the model finds its definition with ToolSearch"
NOT_YET = "its name is sent with the next prompt"
LOADED = "the model has found it with ToolSearch, so its definition is sent"
ONLINE = f"a server decides whether its name is sent, because neither {NO_TELEMETRY} nor {NO_TRAFFIC} is set"

# In the place of the tools that are named only; no setting that names tools takes it away.
PLACEHOLDER = "DeferredToolPlaceholder"
BUILT_IN = Origin("builtin", name=PLACEHOLDER)
STRUCTURED = "StructuredOutput"
# Of these a session has all if --allowedTools names one (captured: allow-task). The last is an older name.
TASKS = ("TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite")
# What a sub-agent never has, and what one in the background has not (captured: subagent-named-main-only, -background;
# seen by verify: DesignSync).
MAIN_ONLY = ("AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "Workflow", STRUCTURED)
FOREGROUND_ONLY = ("CronCreate", "CronDelete", "CronList", "DesignSync", "ListAgents", "ReportFindings")
SWITCHES = {**dict.fromkeys(("CronCreate", "CronDelete", "CronList"), NO_CRON), "Workflow": NO_WORKFLOWS}
# With a tool that is asked for permissions the model may ask the user, too (captured: prompt-tool).
ASKING = "permission-prompt-tool"
# Modes in which nobody is asked before a command runs.
ASKS_NOTHING = ("plan", "auto", "bypassPermissions")
# Per cent.
ALL = 100
_NUMBER = regex(r"\s*\+?(\d{1,12})")
SEARCH, NO_BETAS = "ENABLE_TOOL_SEARCH", "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS"


def offered(started: StartedSession, turns: Iterable[Turn] = (), *, is_named: bool = True) -> tuple[Tool, ...] | None:
    """Each tool that is known by name, and what turns it off; None where no names are known.

    Without ``is_named``, the request is one that does not tell of the deferred ones yet (seen by verify).
    A new process keeps those of the first one, and names what another model has beside them (seen by verify).
    """
    found = _offered(replace(started, setup=started.setup.kept), turns)
    if found is not None and started.setup.kept is not started.setup:
        names = {tool.name for tool in found}
        now = _offered(started, turns) or ()
        found = (*found, *(tool for tool in now if tool.why == DEFERRED and tool.name not in names))
    return found if found is None or is_named else tuple(map(_not_yet, found))


def _not_yet(tool: Tool) -> Tool:
    return replace(tool, enabled=False, why=NOT_YET) if tool.enabled and tool.size == 0 else tool


def _offered(started: StartedSession, turns: Iterable[Turn]) -> tuple[Tool, ...] | None:
    setup = started.setup
    if not setup.tools.sent:
        return None
    if setup.is_bare:
        return tuple(Tool(name, True, SENT, size) for name, size in setup.facts.bare_tools.items())
    known, named_only = _known(started), _named_only(started)
    turns = tuple(turns)
    loaded = _loaded(turns) & named_only
    conditions = _conditions(started, [name for name in known if _taken_away_by(started, name) is None])
    found = []
    for name, size in known.items():
        off = _taken_away_by(started, name)
        if off is not None:
            found.append(Tool(name, enabled=False, why=off[0], origin=off[1]))
        elif name in loaded:
            more = setup.facts.loaded_tool
            found.append(Tool(name, True, LOADED, None if size is None else size + more))
        elif name in named_only:
            found.append(Tool(name, enabled=True, why=DEFERRED, size=0))
        elif name in setup.tools.online and setup.is_online:
            is_named = _may_search(setup) and started.has_tool("ToolSearch")
            found.append(Tool(name, True, ONLINE, 0 if is_named else size, is_certain=False))
        else:
            found.append(Tool(name, True, SENT, _size(setup, name, size, conditions)))
    if _has_placeholder(started, found):
        found.append(Tool(PLACEHOLDER, True, WHY_PLACEHOLDER, setup.tools.sent[PLACEHOLDER], BUILT_IN))
    return (*sorted(found, key=lambda tool: tool.name), *_offered_by_servers(started, turns))


# -- which there are -------------------------------------------------------------------------------------------


def _known(started: StartedSession) -> dict[str, int | None]:
    """The tools that may be offered, with the sizes of their definitions where no condition changes them."""
    setup, tools = started.setup, started.setup.tools
    known: dict[str, int | None] = {**tools.sent, **tools.deferred}
    known.pop(PLACEHOLDER, None)
    if setup.is_interactive or setup.in_editor:
        known |= {**tools.interactive, **tools.interactive_deferred}
    elif ASKING in setup.command.values:
        known |= tools.interactive
    known |= {name: size for name, size in tools.finders.items() if _is_finder(started, name)}
    has_tasks = setup.allows(*TASKS) or setup.is_on("CLAUDE_CODE_ENABLE_TODO_TOOLS")
    known |= {name: size for name, size in tools.tasks.items() if has_tasks or setup.asks_for(name)}
    if setup.has_todo:
        is_wanted = any(name in known or setup.asks_for(name) for name in TASKS)
        known = {name: size for name, size in known.items() if name not in TASKS}
        known |= tools.todo if is_wanted else {}
    if not setup.is_set(NO_TRAFFIC):
        known |= tools.online
    # Neither a typed command nor a forked skill has anybody to hand its report to (seen by verify).
    call = started.task.call if started.task is not None else None
    if call is not None and call.tool in DELEGATING and setup.handback is not None:
        known[setup.handback[0]] = setup.handback[1]
    schema = _schema(setup)
    return known if schema is None else {**known, STRUCTURED: setup.facts.structured_output + schema}


def _is_finder(started: StartedSession, name: str) -> bool:
    """Glob and Grep stand in for Bash that is denied; else something has to name them.

    That is --tools, --allowedTools (one of them brings both) or the list of an agent that has no Bash; the settings'
    permissions.allow does not (captured: deny-bash, allow-grep, tools-read-grep, agent-grep; parts: restricted).
    """
    setup, agent = started.setup, started.lists
    if setup.denies("Bash") or RESTRICTED in setup.command.switches or setup.allows(*setup.tools.finders):
        return True
    in_list = agent is not None and agent.tools is not None and agent.has(name) and not agent.has("Bash")
    return setup.asks_for(name) or in_list


def _taken_away_by(started: StartedSession, name: str) -> tuple[str, Origin] | None:
    """What takes a tool away, in a clause, and where that is said."""
    agent, task = started.lists, started.task
    if name == STRUCTURED and task is None:
        return None
    if started.setup.handback is not None and name == started.setup.handback[0]:
        # Whatever lists of tools say (seen by verify).
        return None
    if off := _off_by_session(started.setup, name):
        return off
    if task is not None and name in MAIN_ONLY:
        return "a sub-agent does not have it", Origin("computed", name="sub-agent")
    if task is not None and task.is_in_background and name in FOREGROUND_ONLY:
        return "a sub-agent in the background does not have it", Origin("computed", name="sub-agent")
    if agent is not None and not (agent.has(*_names(name)) and (name != "Monitor" or "Bash" not in agent.disallowed)):
        return f"the agent {agent.name} does not have it", agent.origin
    return None


def _off_by_session(setup: Setup, name: str) -> tuple[str, Origin] | None:
    """The same for every agent: command line, settings and variables."""
    if RESTRICTED in setup.command.switches and name in setup.facts.restricted_tools:
        return f"{RESTRICTED} takes it away", said_by(setup.variables, RESTRICTED)
    if name == "Skill" and NO_SKILLS in setup.command.switches:
        # (captured: no-slash-commands)
        return f"{NO_SKILLS} takes it away", Origin("argument", name=NO_SKILLS)
    if not setup.has_tool(*_names(name)):
        return next(_denials(setup, name), ("--tools does not name it", Origin("argument", name="--tools")))
    if off := setup.switch(SWITCHES.get(name, ())):
        return f"{off[0]} takes it away", off[1]
    if name == "ToolSearch" and not _may_search(setup):
        variable = NO_BETAS if setup.is_on(NO_BETAS) else SEARCH
        return f"{variable} turns it off, so every definition is sent", setup.variables[variable][1]
    if name == "Monitor" and setup.denies("Bash"):
        return next(_denials(setup, "Bash"))
    return None


def _names(name: str) -> tuple[str, ...]:
    """How a tool may be called (captured: tools-task, tools-older-names)."""
    return NAMES.get(name, (name,))


def _denials(setup: Setup, name: str) -> Iterator[tuple[str, Origin]]:
    return denials(setup, name, lambda rule: without_any(rule) in _names(name))


def _has_placeholder(started: StartedSession, found: Iterable[Tool]) -> bool:
    """Where tools may still come: in a main session that has any, and in a sub-agent without a list of built-in ones.

    (captured: tools-none, subagent-named-cron, subagent-tools-grep)
    """
    setup, agent = started.setup, started.lists
    if not _may_search(setup) or not any(tool.enabled for tool in found):
        return False
    if started.task is None:
        return setup.has_system_messages or started.has_tool("ToolSearch")
    listed = None if agent is None else agent.tools
    return listed is None or any(tool == "ToolSearch" or tool.startswith("mcp__") for tool in listed)


# -- which of them are only named (surfaces, 13) ---------------------------------------------------------------


def _search(setup: Setup) -> str:
    """``on``: deferred tools are only named; ``auto``: named and sent; ``off``: sent.

    The variable ``auto`` is ``auto:10``: on if they take so many per cent of the window (captured: toolsearch-auto,
    auto-100, no-betas).
    """
    given = setup.variables.get(SEARCH, ("",))[0].strip().lower()
    if setup.is_on(NO_BETAS) or given in ("0", "false", "no", "off"):
        return "off"
    word, _, number = given.partition(":")
    if word != "auto":
        return "on"
    share = int(number) if number.isascii() and number.isdigit() else setup.facts.tool_search_share
    if share >= ALL:
        return "off"
    return "on" if _fills(setup, share) else "auto"


def _fills(setup: Setup, share: int) -> bool:
    """Whether the built-in ones and those of servers take so much of the window.

    The service counts them; without its answer the program compares their characters with so many tokens
    (captured: auto-large).
    """
    from promptls.core.windows import window  # noqa: PLC0415 - few sessions ask for it

    characters = sum(setup.tools.deferred.values()) + setup.server_characters
    tokens = (window(setup.model) or float("inf")) * share / ALL
    return characters >= setup.facts.characters_per_token * tokens or not share


def _may_search(setup: Setup) -> bool:
    return _search(setup) == "on"


def is_searched(started: StartedSession) -> bool:
    """Whether some tools are named only, and found with ToolSearch (surfaces, 13; cases flag-tools, mcp-no-search)."""
    return _may_search(started.setup) and started.has_tool("ToolSearch")


def _listed(started: StartedSession) -> list[str]:
    """The names of deferred tools, also where their definitions are sent as well."""
    if _search(started.setup) == "off" or not started.has_tool("ToolSearch"):
        return []
    tools = started.setup.tools
    names = {*tools.deferred, *tools.tasks, *tools.todo, *tools.interactive_deferred} & _known(started).keys()
    if started.setup.is_set(NO_TELEMETRY):
        names |= tools.online.keys() & _known(started).keys()
    return sorted(name for name in names if _taken_away_by(started, name) is None)


def _named_only(started: StartedSession) -> set[str]:
    """The tools whose definitions are not sent; ToolSearch itself is not where it finds nothing."""
    return {*_listed(started)} if _may_search(started.setup) else set()


def _loaded(turns: Iterable[Turn]) -> set[str]:
    """The tools that the model has asked ToolSearch for by their names (captured: tool-loaded)."""
    queries = [
        str(input_of(call).get("query") or "")
        for turn in turns
        for calls in turn.steps
        for call in calls
        if call.tool == "ToolSearch"
    ]
    named = [query.removeprefix(SELECT) for query in queries if query.startswith(SELECT)]
    return {name.strip() for names in named for name in names.split(",")}


def deferred(started: StartedSession) -> list[Segment]:
    """The names of tools that the model has to look for, and those of MCP servers (surfaces, 5 and 13)."""
    started = replace(started, setup=started.setup.before)
    if _search(started.setup) == "off" or not started.has_tool("ToolSearch"):
        return []
    why = "the tools of this list are found with ToolSearch"
    found = [_how_to_find_tools(started.setup.facts.deferred_header, why)]
    maybe = _decided_by_a_server(started)
    # Those of the editor are on this machine, and stand in the same alphabet (captured: ide-opened).
    editor = started.setup.facts.ide_tools if started.setup.has_editor and started.task is None else ()
    known = _known_of_servers(started)
    names = sorted((*_listed(started), *maybe, *editor, *known))
    for name in names:
        if name in known:
            why = "a server offers this tool"
            found.append(Segment("tools", name, f"\n{name}", known[name], why))
        else:
            found.append(_unsure(name) if name in maybe else tail(f"\n{name}", "tools"))
    for server in sorted(started.servers, key=lambda server: server.prefix):
        if not server.is_always_loaded and server.answer is None:
            found += [tail("\n", "tools"), server.tools()]
    return [*found, *(unready(started.servers, started.setup) if known or _has_answers(started) else ())]


def deferred_again(before: StartedSession, now: StartedSession) -> list[list[Segment]]:
    """The tools that a process with another model names, and those that it does not have any more (seen by verify)."""
    old, new = _listed(before), _listed(now)
    why, facts = "the new model has other tools of this list", now.setup.facts
    found = []
    if more := [name for name in new if name not in old]:
        found.append([_how_to_find_tools(facts.deferred_header, why), *_lines(more)])
    if gone := [name for name in old if name not in new]:
        first, last = (
            replace(elided("tools", "Claude Code", title, why=why, size=size), cache="session")
            for title, size in zip(("note on tools that are gone", "end of the note"), facts.deferred_gone, strict=True)
        )
        found.append([first, *_lines(gone), tail("\n\n", "tools"), last])
    return found


def _lines(names: Iterable[str]) -> Iterator[Segment]:
    return (tail(f"\n{name}", "tools") for name in names)


def _how_to_find_tools(size: int | None, why: str) -> Segment:
    return replace(elided("tools", "Claude Code", "how to find tools", why=why, size=size), cache="session")


def _has_answers(started: StartedSession) -> bool:
    return any(each.answer is not None for each in started.servers)


def _known_of_servers(started: StartedSession) -> dict[str, Origin]:
    """The names of tools of servers whose answers are known, with where the server is configured."""
    if not _has_answers(started):
        return {}
    from promptls.harnesses.claude_code.server_tools import listed_names  # noqa: PLC0415 - few servers are known

    return listed_names(started)


def _offered_by_servers(started: StartedSession, turns: Iterable[Turn]) -> Iterable[Tool]:
    if not _has_answers(started):
        return ()
    from promptls.harnesses.claude_code.server_tools import offered_tools  # noqa: PLC0415 - few servers are known

    turns = tuple(turns)
    return offered_tools(started, _loaded(turns), turns, is_searched=is_searched(started))


def _decided_by_a_server(started: StartedSession) -> set[str]:
    """The names that may stand among the others: without an answer they do (captured: environment-default)."""
    if started.setup.is_set(NO_TELEMETRY):
        return set()
    names = started.setup.tools.online.keys() & _known(started).keys()
    return {name for name in names if _taken_away_by(started, name) is None}


def _unsure(name: str) -> Segment:
    """A line that may be there: nothing is shown of it, because nobody knows."""
    return replace(elided("runtime", "Claude Code", f"name of the tool {name}", why=ONLINE), text="", cache="session")


def definitions(started: StartedSession) -> list[Segment]:
    """The places of the tools of servers whose definitions are sent (cases mcp-always-load, mcp-limits)."""
    if started.setup.is_bare:
        return []
    all_of_them = not is_searched(started)
    unknown = [each for each in started.servers if each.answer is None]
    found: list[Server] = [each for each in unknown if all_of_them or each.is_always_loaded]
    return [piece for server in found for piece in (tail("\n", "tools"), server.tools())][1:]


# -- what they weigh -------------------------------------------------------------------------------------------


def _conditions(started: StartedSession, names: Iterable[str]) -> frozenset[str]:
    """What is so in this session of what changes the size of a definition."""
    setup, names = started.setup, {*names}
    forks = setup.variables.get("CLAUDE_CODE_FORK_SUBAGENT", ("",))[0]
    is_fork = is_yes(forks) or (setup.is_attended and not forks)
    verify = started.skills.find("verify") if started.has_skills else None
    is_told = verify is not None and not verify.is_for_users_only and overrides_of(setup).get(verify.name) not in OFF
    holds = {
        "asks nothing": setup.mode in ASKS_NOTHING,
        "an hour": setup.keeps_for_an_hour,
        "effort": setup.is_set("CLAUDE_CODE_EFFORT_LEVEL"),
        "finders": not names.isdisjoint(setup.tools.finders),
        "fork": is_fork,
        "interactive": setup.is_attended,
        "no agents": setup.has_no_agents,
        "no background": not setup.has_background,
        "no fork": bool(forks) and not is_fork,
        "no git": not setup.has_git_instructions,
        "no messages": "SendMessage" not in names,
        "no skills": not (started.has_skills and setup.has_bundled_skills),
        "some agents": started.allowed is not None,
        "teams": setup.is_on("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"),
        "prompt tool": setup.in_editor or ASKING in setup.command.values,
        "verify": is_told,
        f"workflows {setup.settings.text('workflowSizeGuideline')}": True,
        undated(setup.model): True,
        # Of a sub-agent, too, it is that of the session (seen by verify).
        f"main {undated(setup.main_model or setup.model)}": True,
    }
    return frozenset(name for name, is_so in holds.items() if is_so)


def _size(setup: Setup, name: str, size: int | None, conditions: frozenset[str]) -> int | None:
    """The characters of a definition; None where a condition holds whose effect is not known."""
    for together, more in setup.tools.changes.get(name, {}).items():
        if conditions.issuperset(together.split(" + ")):
            if size is None or more is None:
                return None
            size += more
    waits = _waits(setup) if name == "Bash" else 0
    return None if size is None or waits is None else size + waits


def _waits(setup: Setup) -> int | None:
    """What the variables for how long a command may run add to its definition: it names both times (seen by verify).

    A usual time beyond the longest one that is not set says more, of which nothing else is known.
    """
    known = setup.facts.command_waits
    minute = setup.facts.minute
    usual, longest = (_milliseconds(setup, variable) or at for variable, at in known.items())
    of_usual, of_longest = known.values()
    if usual > of_longest:
        return None
    times = (usual, of_usual, 1), (max(longest, of_longest), of_longest, 2)
    named = sum(count * (len(str(time)) - len(str(before))) for time, before, count in times)
    if not setup.is_inline:
        return named
    return named + sum(
        len(_number(time / minute)) - len(_number(before / minute)) for time, before, _ in times if time != before
    )


def _milliseconds(setup: Setup, variable: str) -> int:
    found = _NUMBER.match(setup.variables.get(variable, ("",))[0])
    return int(found[1]) if found else 0


def _number(number: float) -> str:
    """As JavaScript writes them."""
    from decimal import Decimal  # noqa: PLC0415 - few sessions have the variables

    return f"{Decimal(repr(number)):f}".removesuffix(".0")


# -- --json-schema ---------------------------------------------------------------------------------------------


def _schema(setup: Setup) -> int | None:
    """The characters of the schema that --json-schema gives, without blanks. On the screen it does nothing."""
    given = setup.command.last("json-schema")
    if given is None or setup.is_interactive:
        return None
    import json  # noqa: PLC0415 - few sessions have the option

    try:
        return len(json.dumps(json.loads(given), separators=(",", ":"), ensure_ascii=False))
    except (ValueError, RecursionError):
        return None


def request_for_output(setup: Setup, turn: Turn) -> list[Segment]:
    """What asks for the tool of --json-schema once the model has ended a turn without it (captured: json-schema)."""
    if any(call.tool == STRUCTURED for step in turn.steps for call in step):
        return []
    size = setup.facts.structured_output_request
    why = f"--json-schema wants an answer with the tool {STRUCTURED}: this follows one without it"
    return [elided("runtime", "Claude Code", "request for output", why=why, size=size)] if _schema(setup) else []
