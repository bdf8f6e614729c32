"""Deep Agents Code: three AGENTS.md files at most in one system message, and the skills after them.

What says "source" was read in the program's package and not seen on the wire. Sections are those of its specification.
"""

from __future__ import annotations

from promptls.core.formats import parse_toml
from promptls.core.model import Origin, Segment
from promptls.core.values import replace
from promptls.harnesses.deepagents_code.agents import BROUGHT, agents, definition, tools
from promptls.harnesses.deepagents_code.files import AGENTS, DOTTED, PROJECT, WHY_NO_GIT, Places, memory
from promptls.harnesses.deepagents_code.local import context
from promptls.harnesses.deepagents_code.skills import Skill, locations, rows, skills, sources
from promptls.harnesses.deepagents_code.spec import SPEC
from promptls.harnesses.deepagents_code.versions import ROWS
from promptls.kit.args import Options
from promptls.kit.base import described
from promptls.kit.candidates import Rule
from promptls.kit.chat import result, send_chat, send_plain, typed
from promptls.kit.configs import ConfigReader, at
from promptls.kit.delegated import main_instead, of_subagent, shown_for, without_delegation
from promptls.kit.paths import git_root, join
from promptls.kit.segments import head, tail
from promptls.kit.unread_files import name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session, Turn
    from promptls.harnesses.deepagents_code.versions import Facts

WHY_BASE = "Deep Agents Code's own text comes first"
WHY_GUIDE = "it says how the files are to be taken and kept; DEEPAGENTS_CODE_MEMORY_AUTO_SAVE=0 makes it shorter"
WHY_SKILLS = "Deep Agents Code's own sentences around the list of skills, and the skills that it brings"
WHY_PLAIN = "Deep Agents Code adds no instructions to what is typed or read"
WHY_INVOKED = "--skill sends the whole file with what is typed"
WHY_ALONE = "a sub-agent gets no AGENTS.md: what it has to know belongs into the text of its agent"
WHY_TASK = "it is the whole system message of a sub-agent"
# Unless the user has one of the name.
# Options and variables with which there are other tools [source: create_cli_agent].
OTHER_TOOLS = (
    *("--shell", "--no-interpreter", "--trust-project-mcp", "--mcp-config", "--sandbox", "--goal", "--rubric", "--acp"),
)
SAVES = "DEEPAGENTS_CODE_MEMORY_AUTO_SAVE"
NONE = "(No memory loaded)"
# Code blocks in its own text about skills and files, after the list (wire: comment-front).
FENCES = 6

READER = ConfigReader(
    "Deep Agents Code reads its settings here",
    parse=parse_toml,
    reason="it is not valid TOML, so it is left out",
    # [source: config_manifest.py]
    not_modelled=("interpreter.enable_interpreter", "interpreter.ptc", "skills.extra_allowed_dirs"),
)
RESUMED = ("--resume", "-r")
OPTIONS = Options(
    model=("--model", "-M"),
    agent=("--agent", "-a"),
    prompt=("--non-interactive", "-n", "--message", "-m"),
    named={"--skill": "--skill", "-s": "--skill", "--shell-allow-list": "--shell", "-S": "--shell"},
    values=(
        *("--model-params", "--max-retries", "--profile-override", "--startup-cmd", "--auto-classifier-model"),
        *("--sandbox", "--sandbox-id", "--sandbox-snapshot-name", "--sandbox-setup", "--mcp-config"),
        *("--interpreter-tools", "--allow-fs-tools", "--max-turns", "--goal", "--rubric", "--rubric-model"),
        *("--rubric-max-iterations", "--recursion-limit", "--timeout"),
    ),
    switches=(
        *("--auto-approve", "-y", "--yolo", "--no-mcp", "--trust-project-mcp", "--trust-project-hooks"),
        *("--interpreter", "--no-interpreter", "--quiet", "-q", "--no-stream", "--stdin", "--json", "--acp", *RESUMED),
    ),
    not_modelled=(*RESUMED, "--mcp-config", "--sandbox", "--goal", "--rubric", "--acp"),
)
# (wire: root-names; captured: home-names)
UNREAD = Unread(
    names=(
        "agents.md",
        "AGENT.md",
        "CLAUDE.md",
        "GEMINI.md",
        "DEEPAGENTS.md",
        ".agents/AGENTS.md",
        ".claude/AGENTS.md",
    ),
    why="Deep Agents Code does not load a file of this name; put it into AGENTS.md of the git root",
    home=(".deepagents/AGENTS.md", "AGENTS.md", ".agents/AGENTS.md"),
    why_home="Deep Agents Code's file for all folders is ~/.deepagents/agent/AGENTS.md",
)
WHY_BELOW = "Deep Agents Code loads nothing between the git root and the working directory; put it into the root's"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement"), or of the sub-agent that its last call has started."""
    own_session, subagent = of_subagent(session, SPEC)
    writer = Writer(SPEC, own_session, host, OPTIONS)
    facts, draft = row(ROWS, session.version), writer.draft
    settings = READER.read(draft, host, join(host.home, ".deepagents/config.toml"))
    root = settings.root if settings is not None else None
    places = Places(join(host.home, ".deepagents", _agent(writer, root)), git_root(host, writer.cwd))
    known = agents(writer, facts, places)
    if subagent is not None:
        text = known[subagent].text if subagent in known else _of_its_own(writer, facts, subagent)
        if text is None:
            return main_instead(session, preview(without_delegation(session), host), subagent, " in .deepagents/agents")
        return _of_subagent(session, writer, places, text)
    files = memory(writer, places)
    found = sources(host, places)
    listed = skills(writer, facts, found)
    has_shell = "--shell" in writer.command.values
    writer.system(
        writer.own("base prompt", why=WHY_BASE, size=facts.base),
        tail("---\n\n", "provider"),
        writer.own("rest of the base prompt", why=WHY_BASE),
        tail("\n<agent_memory>\n", "memory"),
        *(files or [tail(NONE, "memory")]),
        tail("\n\n</agent_memory>\n\n", "memory"),
        writer.own("guidelines for memories", why=WHY_GUIDE, size=_guidelines(host, facts, root)),
        writer.own("heading of the skills", why=WHY_SKILLS, layer="tools"),
        tail("\n", "tools"),
        locations(found),
        *rows(writer, facts, listed),
        *_own_rest(writer),
        *([tail("\n\n", "provider"), *context(writer, facts, places.root)] if has_shell else []),
    )
    if known:
        draft.add_message("tools", definition(writer, known), index=0, block=1)
    send_chat(
        draft,
        index=1,
        prompt=lambda turn: [_typed(writer, listed, turn)],
        answer=lambda call: [[result(SPEC.title, call, WHY_PLAIN)]],
        given=writer.command.last("prompt"),
    )
    _name_unread(writer, places)
    return writer.prompt(tools=tools(facts, known) if _has_default_tools(writer) else None)


def _has_default_tools(writer: Writer) -> bool:
    """Whether the tools are those of the row: without a shell, servers of the user's and a search of the web."""
    command, host = writer.command, writer.host
    has_servers = "--no-mcp" not in command.switches and host.kind(join(host.home, ".deepagents/.mcp.json")) is not None
    is_other = not {*OTHER_TOOLS}.isdisjoint((*command.values, *command.switches))
    return not has_servers and not is_other and not host.env.get("TAVILY_API_KEY")


def _of_its_own(writer: Writer, facts: Facts, name: str) -> tuple[Segment, ...] | None:
    """What an agent that it brings is told; None where it brings none of the name (captured: subagent-general)."""
    if name != BROUGHT:
        return None
    return (writer.own("prompt of a sub-agent", why=WHY_TASK, size=facts.general_purpose),)


def _of_subagent(session: Session, writer: Writer, places: Places, text: tuple[Segment, ...]) -> Prompt:
    """The text of the agent alone: no AGENTS.md and no skills (captured: subagent-rev, subagent-empty)."""
    project = [join(places.root, each) for each in (DOTTED, AGENTS)] if places.root is not None else []
    name_unread(writer.draft, writer.host, WHY_ALONE, [join(places.agent, AGENTS), *project])
    writer.system(*(replace(each, why=WHY_TASK) for each in text))
    send_plain(writer.draft, SPEC.title, index=1, why=WHY_PLAIN)
    return shown_for(session, writer.prompt(), SPEC)


def _own_rest(writer: Writer) -> list[Segment]:
    parts: list[Segment] = [tail("\n", "tools")]
    for number in range(FENCES):
        fence = "\n```\n\n" if number < FENCES - 1 else "\n```"
        parts += [writer.own("sentences after the list", why=WHY_SKILLS), tail(fence, "provider")]
    return parts


def _guidelines(host: Host, facts: Facts, settings: Value | None) -> int | None:
    """They are shorter where nothing is saved by itself (wire: memory-auto-save)."""
    if SAVES in host.env:
        return None
    saves = at(settings, "memory.auto_save")
    return facts.guidelines if saves is None or saves.kind != "false" else facts.guidelines_of_reader


def _agent(writer: Writer, settings: Value | None) -> str:
    """The command line, else the configuration, if there is a directory of the name (wire: agent-flag) [source]."""
    host, draft = writer.host, writer.draft
    if writer.agent is not None:
        if host.kind(join(host.home, ".deepagents", writer.agent)) != "directory":
            draft.notes.append(f"There is no agent {writer.agent!r} in ~/.deepagents yet; Deep Agents Code makes it.")
        return writer.agent
    agents = settings.get("agents") if settings is not None else None
    named = [agents.text(key) for key in ("default", "recent")] if agents is not None else []
    there = (each for each in named if each and host.kind(join(host.home, ".deepagents", each)) == "directory")
    return next(there, "agent")


def _typed(writer: Writer, listed: list[Skill], turn: Turn) -> list[Segment]:
    """What is typed; with --skill, the skill and then what is typed (captured: skill-flag)."""
    named = writer.command.last("--skill")
    said = typed(SPEC.title, turn, WHY_PLAIN)
    skill = next((each for each in listed if each.name == named), None)
    if skill is None or skill.path is None or turn is not (writer.session.turns or (turn,))[0]:
        return [said]
    text = Segment("instructions", skill.path, skill.text, Origin("file", path=skill.path), WHY_INVOKED)
    rule = Rule(WHY_INVOKED, Origin("argument", name="--skill"), "skill")
    writer.draft.candidates.append(rule.loaded(skill.path))
    intro = writer.own("sentence about the skill", why=WHY_INVOKED)
    return [intro, head("\n\n---\n", path=skill.path), text, tail("\n---\n\n**User request:** "), said]


def _name_unread(writer: Writer, places: Places) -> None:
    root, cwd = places.root, writer.cwd
    if root is None:
        name_unread(writer.draft, writer.host, WHY_NO_GIT, [join(cwd, each) for each in (AGENTS, DOTTED)])
    writer.name_unread(UNREAD, replace(PROJECT, where=lambda _host, place: [root or place]))
    if root is not None and root != cwd:
        name_unread(writer.draft, writer.host, WHY_BELOW, [join(cwd, each) for each in (AGENTS, DOTTED, "CLAUDE.md")])


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "AGENTS.md of ~/.deepagents/agent, or of the agent that is started",
        ".deepagents/AGENTS.md, then AGENTS.md of the git root; without git, no file of the folder",
        "Name and description of each skill, of the last of several places",
        "With the shell on, the first lines of the Makefile of the working directory",
    ),
)
