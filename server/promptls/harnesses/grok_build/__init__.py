"""Grok Build: a system message of its own text, and a first user message with the rules of project and user."""

from __future__ import annotations

from promptls.core.formats.header import header
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import replace
from promptls.harnesses.grok_build.files import (
    NAMES,
    SETTINGS,
    UNTRUSTED,
    WHY,
    Search,
    git_root,
    is_trusted,
    name_untrusted,
    of_home,
    of_project,
)
from promptls.harnesses.grok_build.listing import called, listed, skills
from promptls.harnesses.grok_build.on_touch import Skills
from promptls.harnesses.grok_build.spec import SPEC
from promptls.harnesses.grok_build.versions import ROWS, VARIABLES_NOT_MODELLED
from promptls.kit.args import Options
from promptls.kit.base import built_in, described, json_size
from promptls.kit.candidates import own
from promptls.kit.chain import Chain, Frame
from promptls.kit.chat import answers, send_chat, send_plain, typed
from promptls.kit.delegated import main_instead, of_subagent, shown_for, without_delegation
from promptls.kit.draft import stripped
from promptls.kit.paths import join, native, resolve
from promptls.kit.segments import head, tail
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Role, Session, Tool, Turn
    from promptls.harnesses.grok_build.versions import Brought, Facts
    from promptls.kit.chain import FileText

WHY_BASE = "Grok Build's own text is the system message"
WHY_DATE = "the date ends what it says of the machine"
WHY_RULES = "a sentence of Grok Build's own comes before the rules"
WHY_OWN = "Grok Build has rules of its own before the user's"
WHY_PLAIN = "Grok Build adds no instructions to what is typed or read"
WHY_AGENT = "the command line names this agent, whose text ends the system message"
WHY_SERVERS = "Grok Build says which MCP servers it has connected, with their instructions"
FEEDBACK, SPAWN = "send_feedback", "spawn_subagent"
# What stays as it is in the name of a directory; the rest is encoded as in a URL.
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
STARTED = Origin("argument", name="working directory")
PROJECT = Frame(
    before='<always_applied_workspace_rules description="These are workspace-level rules that the agent must always '
    'follow.">\n',
    label='<always_applied_workspace_rule name="{path}">\n',
    end="\n</always_applied_workspace_rule>",
    between="\n\n",
    after="\n</always_applied_workspace_rules>\n\n",
)
USER_RULES = '<user_rules description="These are rules set by the user that you should follow if appropriate.">\n'
OF_AGENT = Frame(label="## From: {path}\n", end="\n\n\n")
UNREAD = Unread(
    names=(
        "agents.md",
        "AGENTS.local.md",
        "AGENTS.override.md",
        "GROK.md",
        "GEMINI.md",
        ".cursorrules",
        ".grok/AGENTS.md",
    ),
    why="Grok Build does not load a file of this name in this place; put it into AGENTS.md",
    home=("AGENTS.md", "CLAUDE.md", ".agents/AGENTS.md", ".codex/AGENTS.md"),
    why_home="Grok Build loads AGENTS.md of ~/.grok for all folders",
    above="Grok Build does not look above the git root; outside of a repository, in the working directory only",
    on_read="Grok Build loads no instructions on a read; start it there to load it",
)
CHAIN = Chain(NAMES, WHY)

RESUMED = ("--continue", "-c", "--resume", "-r", "--session", "-s", "--fork-session", "--worktree", "-w")
OPTIONS = Options(
    cwd=("--cwd",),
    model=("--model", "-m"),
    agent=("--agent",),
    prompt=("--print", "-p", "--single"),
    named={"--rules": "rules", "--system-prompt-override": "override"},
    values=(
        "--output-format",
        "--permission-mode",
        "--max-turns",
        "--tools",
        "--disallowed-tools",
        "--reasoning-effort",
        *("--allow", "--deny"),
    ),
    # Those of the second line change no request (seen by verify).
    switches=(
        *("--trust", "--no-auto-update", "--always-approve", "--yolo", "--verbatim"),
        *("--disable-web-search", "--no-plan", "--no-subagents", "--minimal", "--debug"),
    ),
    not_modelled=("--tools", "--disallowed-tools", "--permission-mode", *RESUMED),
    variables=VARIABLES_NOT_MODELLED,
)

# What a definition of a tool has in OpenAI's newer way to ask a model.
FLAT = '"type":"function",'
# The agent that one of the user's own is like, but for its text.
GENERAL = "general-purpose"
OWN_TOOLS = ("tools", "disallowedTools")


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (wire: root-names), or of the sub-agent that its last call has started."""
    own_session, subagent = of_subagent(session, SPEC)
    writer = Writer(SPEC, own_session, host, OPTIONS)
    facts = row(ROWS, session.version)
    home = resolve(writer.cwd, host.env.get("GROK_HOME") or join(host.home, ".grok"))
    settings = SETTINGS.read(writer.draft, host, join(home, "config.toml"))
    search = Search(writer, home, settings, git_root(writer))
    has_project = is_trusted(search)
    project = of_project(search) if has_project else []
    user = of_home(search)
    if not has_project:
        name_untrusted(search)
        writer.draft.notes.append(f"Of this folder nothing is sent: {UNTRUSTED}.")
    found = Skills(search, facts, skills(search, facts, with_project=has_project))
    if subagent is not None:
        task = _task(search, facts, subagent)
        if task is None:
            return main_instead(session, preview(without_delegation(session), host), subagent, " in .grok/agents")
        return _of_subagent(session, search, facts, task, [*user, *project])
    agent = _agent(search, facts, writer.agent)
    writer.system(*_system(search, facts, agent))
    messages = [_rules(search, [] if agent else project, [] if agent else user, is_agent=bool(agent))]
    messages += [_of_agent(writer, [*user, *project])] if agent else []
    messages.append(listed(found.at_start()))
    for index, message in enumerate(messages, 1):
        writer.draft.add_message("user", message, index=index)

    def prompt(turn: Turn) -> list[list[Segment]]:
        text = typed(SPEC.title, turn, WHY_PLAIN)
        brought = called(found.callable(), turn.prompt or "")
        if "--verbatim" in writer.command.switches:
            return [[text, *brought]]
        return [[head("<user_query>\n", "runtime"), text, tail("\n</user_query>", "runtime"), *brought]]

    def after(call: Call) -> tuple[Role, list[Segment]] | None:
        step = next((each for turn in writer.session.turns for each in turn.steps if each[-1] is call), None)
        return ("user", found.brought(step)) if step is not None and has_project else None

    given, answer = writer.command.last("prompt"), answers(SPEC.title, WHY_PLAIN)
    send_chat(writer.draft, index=len(messages) + 1, prompt=prompt, answer=answer, given=given, after=after)
    _servers(search, len(messages) + 2, has_project=has_project)
    writer.name_unread(
        UNREAD, CHAIN if search.root is None else Chain(NAMES, WHY, where=lambda _host, _cwd: search.places)
    )
    is_other = agent or "--tools" in writer.command.values or "--disallowed-tools" in writer.command.values
    return writer.prompt(tools=None if is_other else _tools(search, facts))


def _tools(search: Search, facts: Facts) -> tuple[Tool, ...]:
    """Its tools; send_feedback names the directory in which the session is kept, below one of the folder's path."""
    folder = native(search.writer.cwd).encode("utf-8", "surrogateescape")
    size = len(native(search.home)) + sum(1 if each in UNRESERVED else len("%2F") for each in folder)
    # That which starts agents lists the models that there are.
    asked = _model(search)
    named = {*(search.setting("model") or EMPTY).names(), *([asked] if asked else [])} - {*facts.models}
    models = sum(json_size(f"- {each}\n") for each in named)
    tools = {**facts.tools, FEEDBACK: facts.tools[FEEDBACK] + size, SPAWN: facts.tools[SPAWN] + models}
    return _sized(tools, search, facts)


def _sized(tools: Mapping[str, int], search: Search, facts: Facts) -> tuple[Tool, ...]:
    """Tools by their sizes; xAI's own models are asked by the newer way of OpenAI's API (seen by verify)."""
    asked = _model(search)
    if asked not in facts.models:
        return built_in(tools)
    return built_in({**{each: size + len(FLAT) for each, size in tools.items()}, **facts.models[asked]})


def _model(search: Search) -> str:
    """The model of the command line, else of the settings; "" where nobody says one."""
    default = search.setting("models", "default")
    return search.writer.model or (default.data if default is not None and isinstance(default.data, str) else "")


def _task(search: Search, facts: Facts, name: str) -> tuple[Brought | None, list[Segment]] | None:
    """What an agent gets, and its text: one of the user's comes before one that is brought (captured: own-explore).

    Of one that says which tools it has, the other sizes are not known (captured: subagent-few).
    """
    path = _agent_file(search, name)
    if path is not None:
        text = _agent_text(search, path)
        front = header(decode(search.writer.host.read(path).data, keep_bom=False))
        has_own = any(front.value(each) is not None for each in OWN_TOOLS)
        return (None if has_own else facts.agents[GENERAL]), text
    brought = facts.agents.get(name)
    if brought is None:
        return None
    return brought, [search.writer.own(f"text of the agent {name}", why=WHY_AGENT, size=brought.text)]


def _of_subagent(
    session: Session, search: Search, facts: Facts, task: tuple[Brought | None, list[Segment]], files: list[FileText]
) -> Prompt:
    """Its text ends the system message; no skills, and the task has no frame (wire: subagent)."""
    (kind, text), writer = task, search.writer
    shell = writer.host.env.get("SHELL") or "/bin/bash"
    machine = f"OS: linux\nShell: {shell}\nWorkspace Path: {native(writer.cwd)}\n"
    writer.system(
        writer.own("base prompt of a sub-agent", why=WHY_BASE, size=kind.base if kind else None),
        tail("\n<project_instructions_spec>\n"),
        writer.own("words on project instructions", why=WHY_BASE, size=facts.on_instructions),
        tail("\n</project_instructions_spec>\n\n<user_info>\n"),
        Segment("environment", "machine", machine, STARTED, "it ends with the machine and the working directory"),
        writer.own("date", why=WHY_DATE, layer="environment"),
        tail("\n</user_info>\n\n"),
        *text,
    )
    shown = _of_agent(writer, files)
    writer.draft.add_message("user", shown, index=1)
    send_plain(writer.draft, SPEC.title, index=2 if shown else 1, why=WHY_PLAIN)
    tools = _sized({each: facts.of_subagent[each] for each in kind.tools}, search, facts) if kind else None
    return shown_for(session, writer.prompt(tools=tools), SPEC)


def _system(search: Search, facts: Facts, agent: list[Segment]) -> list[Segment]:
    """Its own text and what is added; or what takes its place (wire: rules-flag, system-override, agent-file).

    With an agent its own text is shorter, with tools of the user's choice it depends on them, and a line feed ends it
    where rules follow (seen by verify).
    """
    writer = search.writer
    instead = writer.command.last("override")
    if instead is not None:
        origin = Origin("argument", name="--system-prompt-override")
        return [Segment("provider", "--system-prompt-override", instead, origin, "it is the whole system message")]
    rules = writer.command.last("rules")
    size = facts.base_of_agent if agent else facts.base
    size += facts.for_own_model if _model(search) in facts.models else 0
    is_known = "--tools" not in writer.command.values and not any(each.elided for each in agent)
    size += len("\n") if rules is not None and not agent else 0
    base = writer.own("base prompt", why=WHY_BASE, size=size if is_known else None)
    parts = [base, *([tail("\n"), *agent] if agent else []), *([tail("\n")] if agent and rules is not None else [])]
    if rules is not None:
        said = Segment(
            "instructions", "--rules", rules, Origin("argument", name="--rules"), "it ends the system message"
        )
        parts += [head("\n<human_rules>\n"), said, tail("\n</human_rules>")]
    return parts


def _agent(search: Search, facts: Facts, name: str | None) -> list[Segment]:
    """The text of the agent that is asked for (wire: agent-file); without one of that name it has none."""
    path = _agent_file(search, name) if name is not None else None
    if path is not None:
        return _agent_text(search, path)
    if name in facts.agents:
        return [search.writer.own(f"text of the agent {name}", why=WHY_AGENT)]
    if name is not None:
        said = f"There is no agent {name!r} in .grok/agents or .claude/agents, so Grok Build starts without one."
        search.writer.draft.notes.append(said)
    return []


def _agent_file(search: Search, name: str) -> str | None:
    """The nearest file of an agent, also in a folder that is not trusted (seen by verify)."""
    near = [join(each, place) for each in search.places[::-1] for place in (".grok", ".claude")]
    paths = [join(each, "agents", f"{name}.md") for each in (*near, search.home)]
    return next((each for each in paths if search.writer.host.kind(each) == "file"), None)


def _agent_text(search: Search, path: str) -> list[Segment]:
    text = decode(search.writer.host.read(path).data, keep_bom=False)
    search.writer.draft.candidates.append(own(WHY_AGENT, use="agent").loaded(path))
    said, origin = stripped(path, text, header(text).body)
    return [Segment("provider", path, said, origin, WHY_AGENT)]


def _rules(search: Search, project: list[FileText], user: list[FileText], *, is_agent: bool) -> list[Segment]:
    """What it says of the machine, then the rules: the project's before the user's (wire: root-names, home-names)."""
    writer = search.writer
    shell = writer.host.env.get("SHELL") or "/bin/bash"
    machine = f"<user_info>\nOS Version: linux\nShell: {shell}\nWorkspace Path: {native(writer.cwd)}\n"
    parts = [
        Segment("environment", "machine", machine, STARTED, "it begins with the machine and the working directory"),
        writer.own("date", why=WHY_DATE, layer="environment"),
        tail("\n</user_info>\n\n<rules>\n"),
        writer.own("introduction to rules", why=WHY_RULES),
        tail("\n\n\n"),
        *PROJECT.around(project),
        tail(f"{USER_RULES}<user_rule>\n"),
        writer.own("rule of its own", why=WHY_OWN),
        tail("\n</user_rule>"),
    ]
    if not is_agent:
        parts += [tail("\n\n<user_rule>\n"), writer.own("rule of its own", why=WHY_OWN), tail("\n</user_rule>")]
    for file in user:
        end = "\n</user_rule>" if file.text else "</user_rule>"
        parts += [head("\n\n<user_rule>\n", path=file.path), *file.segments, tail(end)]
    return [*parts, tail("\n</user_rules>\n</rules>")]


def _of_agent(writer: Writer, files: list[FileText]) -> list[Segment]:
    """The frame of a session with an agent: the user's files first, each with its path (wire: agent-file)."""
    shown = OF_AGENT.around(files)
    words = writer.own("introduction to the files", why=WHY_RULES)
    last = writer.own("remark on the files", why=WHY_RULES)
    return (
        [head("\n\n<system-reminder>\n"), words, tail("\n\n"), *shown, last, tail("\n</system-reminder>")]
        if shown
        else []
    )


def _servers(search: Search, index: int, *, has_project: bool) -> None:
    """A placeholder for what MCP servers say, where a folder that is trusted configures some (wire: mcp-works)."""
    writer = search.writer
    near = [join(writer.cwd, each) for each in (".mcp.json", ".cursor/mcp.json")] if has_project else []
    named = [each for each in near if writer.host.kind(each) == "file"]
    named += [join(search.home, "config.toml")] if search.setting("mcp_servers") is not None else []
    if named:
        # Where none of them runs, there is no such message (seen by verify).
        origin = Origin("config", path=named[0], name="mcp_servers")
        said = replace(writer.own("MCP servers", why=WHY_SERVERS, layer="tools"), origin=origin)
        parts = [head("<system-reminder>\n", "tools"), said, tail("\n</system-reminder>", "tools")]
        writer.draft.add_message("user", parts, index=index)


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "Agents.md, Claude.md, CLAUDE.md, CLAUDE.local.md, AGENT.md and AGENTS.md from the git root down",
        ".claude/CLAUDE.md and .claude/CLAUDE.local.md of the same",
        "Every Markdown file of .grok/rules, .claude/rules and .cursor/rules of the same",
        "Nothing of a folder that is not trusted, and nothing that the .gitignore of the git root names",
        "The same names and rules of ~/.grok, ~/.claude and ~/.cursor",
        "Names, descriptions and paths of skills and commands",
        "On read and edit: skills whose paths mean the file, and those of directories on the way to it",
    ),
)
