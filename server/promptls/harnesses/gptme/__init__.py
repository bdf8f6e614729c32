"""gptme: agent files of every directory down to the working one, selected files, and memories in a system message.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment, Tool
from promptls.core.values import replace
from promptls.harnesses.gptme.config import Project, read_project, read_user
from promptls.harnesses.gptme.files import (
    AGENTS,
    TREE,
    Search,
    above,
    agent_files,
    embedded,
    listed,
    selected_files,
)
from promptls.harnesses.gptme.lessons import brought, lessons, list_fails, rows
from promptls.harnesses.gptme.memory import memories
from promptls.harnesses.gptme.on_touch import on_touch
from promptls.harnesses.gptme.spec import SPEC
from promptls.harnesses.gptme.versions import NEWEST, ROWS, VARIABLES_NOT_MODELLED
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.candidates import argument
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.paths import first_above, join, name, native, parent, resolve
from promptls.kit.segments import head, tail
from promptls.kit.unread_files import name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Message, Prompt, Session
    from promptls.harnesses.gptme.config import User
    from promptls.harnesses.gptme.lessons import Lesson
    from promptls.harnesses.gptme.versions import Facts
    from promptls.kit.chain import FileText

WHY_BASE = "gptme's own text comes first, and in it what it says of its tools"
WHY_WORDS = "gptme's own sentences around the files"
WHY_PROJECT = "gptme tells the model of the project that the repository is"
WHY_FRAGMENT = "config.toml of the user names this text in prompt.fragments"
WHY_GIVEN = "--system replaces gptme's own text; the files stay"
WHY_STATE = "system, date, a tree of the folder and the state of git come after the instructions"
WHY_PLAIN = "gptme adds no instructions to what is typed; a file that it names is added"
WHY_OFF = "{} leaves out all files, those of the user, too"
WHY_COMMAND = "context_cmd of a project runs only after the user has trusted it, so that it adds nothing here"
KNOWN_TEXTS = ("full", "full-noexamples", "short")
LOCAL = "local/"
FAMILIES = regex("gpt-|codex|gemini|gemma|grok")
OFF = ("0", "false", "no", "off")
# What a definition of a tool has in OpenAI's newer way [source: _tool_spec_to_responses_tool].
FLAT = '"type":"function",'
NO_FILES = "--no-workspace"

OPTIONS = Options(
    cwd=("--workspace", "-w"),
    model=("--model", "-m"),
    named={"--agent-path": "--agent-path", "--context": "--context", "--system": "--system"},
    values=("--name", "--output-format", "--context-budget", "--allow-hosts", "--output-schema"),
    switches=(
        *("--no-confirm", "-y", "--non-interactive", "-n", "--stream", "--no-stream", "--show-hidden", "--verbose"),
        *("-v", "--prune-tool-output", "--no-prune-tool-output", "--show-prompt-stats", "--profile", NO_FILES),
    ),
    not_modelled=("--resume", "-r", "--tool-format", "--agent-profile"),
    variables=VARIABLES_NOT_MODELLED,
)
TOOLS = ("--tools", "-t")
NOTE_READ = (
    "gptme has a tool that reads a file only with -t +read; what its shell prints of a file brings no agent files."
)
OPTIONS = replace(
    OPTIONS,
    named={**OPTIONS.named, **dict.fromkeys(TOOLS, "--tools")},
    values=(*OPTIONS.values, "--tool-format", "--agent-profile"),
)
# (wire: home-names; captured: root-names)
UNREAD = Unread(
    names=(
        "agents.md",
        "claude.md",
        "AGENT.md",
        "CLAUDE.local.md",
        "GPTME.md",
        ".claude/CLAUDE.md",
        ".gptme/AGENTS.md",
    ),
    why="gptme does not load a file of this name; put it into AGENTS.md",
    home=(".agents/AGENTS.md", ".claude/CLAUDE.md", ".gptme/AGENTS.md"),
    why_home="gptme's file for all folders is ~/.config/gptme/AGENTS.md",
)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session that prints its answer (section "Placement")."""
    writer = Writer(SPEC, session, host, OPTIONS)
    facts, draft = row(ROWS, session.version), writer.draft
    config = host.realpath(join(host.home, ".config/gptme/config.toml"))
    search = Search(writer, facts, parent(config))
    user = read_user(draft, host, config)
    root = first_above(host, writer.cwd, ".git")
    of_root = read_project(draft, host, root) if root is not None else Project()
    here = of_root if root == writer.cwd else read_project(draft, host, writer.cwd)
    found = lessons(search, here, user)
    given = writer.command.last("--agent-path")
    agent = host.realpath(resolve(session.cwd, given)) if given is not None else None
    asked = writer.command.last("--system") or (here.system.text if here.system is not None else "full")
    parts = [_own_text(search, of_root, agent, asked)]
    parts += [_project(of_root, user, root)] if asked in KNOWN_TEXTS else []
    parts += [_skills(search, found)] if asked in KNOWN_TEXTS[:2] else []
    parts += _fragments(user)
    files = [*_workspaces(search, here, user, agent, parts)]
    joined = [each for part in parts if part for each in (tail("\n\n"), *part)][1:]
    writer.system(*joined, *embedded(search, files))
    if here.has_command:
        draft.notes.append(f"{WHY_COMMAND}.")
    writer.system(writer.own("boundary", why=WHY_STATE, size=facts.boundary), index=1)
    writer.system(writer.own("state of the machine and the folder", why=WHY_STATE, layer="environment"), index=2)
    sent: set[str] = set()
    send_chat(
        draft,
        index=3,
        prompt=lambda turn: [[typed(SPEC.title, turn, WHY_PLAIN)]],
        answer=lambda call: [[result(SPEC.title, call, WHY_PLAIN)]],
        after=lambda call: ("system", on_touch(search, call)),
        beside=lambda turn: ("system", brought(search, found, turn, sent)),
    )
    writer.name_unread(UNREAD, TREE)
    has_tools = "--tools" in writer.command.values
    if session.reads and not has_tools:
        draft.notes.append(NOTE_READ)
    if _by_responses(writer, facts):
        draft.messages = _as_instructions(draft.messages)
    elif (writer.model or "").partition("/")[2].startswith(facts.without_system):
        draft.messages = [_as_user(each) if each.role == "system" else each for each in draft.messages]
    return writer.prompt(tools=None if has_tools else _tools(writer, facts))


def _tools(writer: Writer, facts: Facts) -> tuple[Tool, ...]:
    """Its tools; their definitions have another size in OpenAI's newer way, and none is known for other providers."""
    if _by_responses(writer, facts):
        return built_in({each: size + len(FLAT) for each, size in facts.tools.items()})
    if _is_counted(writer):
        return built_in(facts.tools)
    return tuple(Tool(each, enabled=True, why="it is built in") for each in facts.tools)


def _by_responses(writer: Writer, facts: Facts) -> bool:
    """Whether OpenAI's newer way to ask a model is taken (seen by verify) [source: _should_use_responses_api]."""
    is_off = writer.host.env.get("GPTME_OPENAI_RESPONSES_API", "").strip().lower() in OFF
    return not is_off and (writer.model or "").startswith(facts.by_responses)


def _as_instructions(messages: list[Message]) -> list[Message]:
    """All system messages as the first one, those of later turns, too [source: _messages_dicts_to_responses_input]."""
    of_system = [each for each in messages if each.role == "system"]
    ends = [(*each.segments[:-1], _stripped(each.segments[-1])) for each in of_system]
    parts = [part for each in ends for part in (tail("\n\n"), *each)][1:]
    return [replace(of_system[0], segments=tuple(parts)), *(each for each in messages if each.role != "system")]


def _as_user(message: Message) -> Message:
    framed = (head("<system>\n", "provider"), *message.segments, tail("\n</system>", "provider"))
    return replace(message, role="user", segments=framed)


def _stripped(last: Segment) -> Segment:
    return last if last.elided else replace(last, text=last.text.rstrip())


def _own_text(search: Search, of_root: Project, agent: str | None, asked: str) -> list[Segment]:
    """Its own text with the tools, and what stands in its place (wire: toml-prompt-files, agent-path)."""
    writer, facts = search.writer, search.facts
    is_plain = asked == "full" and "--tools" not in writer.command.values
    counted = facts.base if _is_counted(writer) else None
    before = facts.base_by_responses if _by_responses(writer, facts) else counted
    # A fence stands in the examples of the shell, which not all sessions get (seen by verify).
    rest: list[Segment] = []
    if asked not in KNOWN_TEXTS[1:] and _has_shell(writer) and _is_counted(writer):
        rest_size = facts.rest if is_plain or asked not in KNOWN_TEXTS else None
        rest = [tail("````\n\n", "provider"), writer.own("rest of the tools", why=WHY_BASE, size=rest_size)]
    if asked not in KNOWN_TEXTS:
        said = Segment("provider", "--system", asked, Origin("argument", name="--system"), WHY_GIVEN)
        return [said, tail("\n\n"), writer.own("tools", why=WHY_BASE), *rest]
    named = read_project(writer.draft, search.host, agent).name if agent is not None else None
    if of_root.base is not None:
        base = of_root.base
        said = Segment("provider", "base_prompt", base.text, base.origin, "base_prompt replaces gptme's own text")
        return [said, tail("\n\n"), writer.own("tools", why=WHY_BASE), *rest]
    if named is None:
        size = before + len(writer.model) if before is not None and is_plain and writer.model else None
        return [writer.own("base prompt and tools", why=WHY_BASE, size=size), *rest]
    about = f", an agent running in gptme v{facts.version.name}, letting you act as a general-purpose AI assistant "
    about += f"powered by LLMs. Currently using model: {writer.model}\n"
    said = Segment("provider", "agent.name", named.text, named.origin, "gptme.toml of the agent has its name")
    return [head("You are ", "provider"), said, tail(about, "provider"), writer.own("base prompt", why=WHY_BASE), *rest]


def _is_counted(writer: Writer) -> bool:
    """Whether a model gets the texts that were counted: to some families more is said of tools [source]."""
    model = (writer.model or LOCAL).lower()
    return model.startswith(LOCAL) and FAMILIES.search(model) is None


def _has_shell(writer: Writer) -> bool:
    """Whether the tool for a shell is among those of the command line, of which some only add or take away."""
    named = [part.strip() for each in writer.command.values.get("--tools", ()) for part in each.split(",")]
    return "-shell" not in named and (not named or named[0][:1] in ("+", "-") or "shell" in named)


def _project(of_root: Project, user: User, root: str | None) -> list[Segment]:
    """What is said of the repository (wire: toml-github; captured: user-config): of itself, or by the user."""
    if root is None:
        return []
    said = of_root.prompt or (user.projects or {}).get(name(root))
    about = [tail("\n\n"), Segment("instructions", "prompt", said.text, said.origin, WHY_PROJECT)] if said else []
    return [head(f"## Current Project: {name(root)}", "environment"), *about]


def _skills(search: Search, found: list[Lesson]) -> list[Segment]:
    """The list of skills, which gptme's own short text and a text of the user's do not have (captured: system)."""
    listed_skills = [] if list_fails(search, found) else [*rows(search, found)]
    if not listed_skills:
        return []
    own = search.writer.own
    return [
        own("heading of the skills", why=WHY_WORDS, layer="tools"),
        tail("\n\n", "tools"),
        *listed_skills,
        own("number of skills", why=WHY_WORDS, layer="tools"),
    ]


def _fragments(user: User) -> list[list[Segment]]:
    """Texts of the user's by their names [source]."""
    given = sorted((user.fragments or {}).items())
    return [[Segment("instructions", key, each.text, each.origin, WHY_FRAGMENT)] for key, each in given]


def _workspaces(
    search: Search, here: Project, user: User, agent: str | None, parts: list[list[Segment]]
) -> list[FileText]:
    """The sections of the agent's folder and of the working directory; the files whose texts come after them."""
    writer, host = search.writer, search.host
    files: list[FileText] = []
    if agent is not None:
        parts.append([head(f"# Agent Config\n\n**Path:** {native(agent)}")])
        of_agent = read_project(writer.draft, host, agent)
        files += _sections(search, of_agent, user, agent, parts)
    off = NO_FILES if NO_FILES in writer.command.switches else None
    contexts = {part for each in writer.command.values.get("--context", ()) for part in each.split(",")}
    off = "--context" if contexts and not contexts & {"all", "files"} else off
    if off is not None:
        writer.draft.candidates.append(argument(off, WHY_OFF.format(off)))
        places = [search.config, *above(host, writer.cwd)]
        unread = [join(place, each) for place in places for each in AGENTS]
        name_unread(writer.draft, host, WHY_OFF.format(off), unread)
        return files
    if agent != writer.cwd:
        files += _sections(search, here, user, writer.cwd, parts)
    return files


def _sections(
    search: Search, project: Project, user: User, directory: str, parts: list[list[Segment]]
) -> list[FileText]:
    own = search.writer.own
    agents = agent_files(search, directory)
    selected = selected_files(search, project, user.files, directory)
    if agents:
        words = own("sentences about the files", why=WHY_WORDS, size=search.facts.about_agents)
        parts.append([head("## Agent Instructions\n\n"), words, tail("\n\n"), listed(agents)])
    if selected:
        words = own("sentence about the files", why=WHY_WORDS, size=search.facts.about_selected)
        parts.append([head("## Selected files\n\n"), words, tail("\n\n"), listed(selected)])
    parts.append(memories(search))
    return [*agents, *selected]


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "AGENTS.md, CLAUDE.md, COPILOT.md, GEMINI.md, .github/copilot-instructions.md, .cursorrules and .windsurfrules",
        "All of these of ~/.config/gptme, and of each directory from the home directory down to the working directory",
        "Without files in gptme.toml: README*, rules of Cursor, pyproject.toml, package.json and the like",
        "Memories of the folder, of Claude Code and of the user; name and description of each skill",
        f"On read or write: at most {NEWEST.brought_files} agent files on the way to the file, the deepest first",
        "Lessons of which a word is in the prompt",
    ),
)
