"""Letta Code: no instruction file at start, but the memory of an agent and a list of skills in one system message.

The local backend is meant; with that of the cloud, the prompt is made on a server. [source] is the program's package,
or its public source. Sections named here are those of the harness specification for Letta Code.
"""

from __future__ import annotations

from promptls.core.model import Cut
from promptls.harnesses.letta_code.agents import agents, definition, tools
from promptls.harnesses.letta_code.agents import body as body_of
from promptls.harnesses.letta_code.skills import WHY_FLAG, Found, find, rows
from promptls.harnesses.letta_code.spec import SPEC
from promptls.harnesses.letta_code.versions import NEWEST, ROWS
from promptls.kit.args import Options
from promptls.kit.base import described
from promptls.kit.candidates import Rule, argument, own
from promptls.kit.chain import Chain, Reading, only_cwd, without_space
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.delegated import main_instead, of_subagent, shown_for, without_delegation
from promptls.kit.paths import git_root, join, native, parent
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import text as given_text
from promptls.kit.unread_files import name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Segment, Session
    from promptls.harnesses.letta_code.versions import Facts

AGENTS = "AGENTS.md"
WHY_BASE = "Letta Code's own text comes first; --system and --personality choose another one"
WHY_MEMORY = "the memory of the agent, which belongs to it and to no project; promptls does not read it"
WHY_REMINDER = "the first message begins with the time, the device, the directory, git, the agent and its servers"
# Each is a block of its own (wire: no-system-info).
REMINDERS = ("time, device and state of git", "the agent", "servers", "permissions")
# That of a sub-agent (captured: subagent-rev).
OF_CALLER = "who asks"
WHY_PLAIN = "Letta Code adds nothing else to what is typed or read"
WHY_NONE = "Letta Code sends no instruction file at start; its own text tells the model that it may read AGENTS.md"
WHY_WORKTREE = "EnterWorktree shows AGENTS.md of the new worktree, as it was committed last"
WHY_CALLED = "a call of the tool Skill brings the whole file"
NOTE_CLOUD = (
    "This is the prompt of the local backend. With that of the cloud, a server makes the prompt, unseen by promptls."
)

OPTIONS = Options(
    model=("--model", "-m"),
    prompt=("--prompt", "-p"),
    greedy=("--skills",),
    values=(
        *("--backend", "--skills", "--skill-sources", "--system", "--personality", "--agent", "-a", "--conversation"),
        *("--output-format", "--input-format", "--tools", "--permission-mode", "--toolset", "--name", "-n"),
    ),
    switches=(
        *("--yolo", "--ephemeral", "--no-skills", "--no-system-info-reminder", "--new", "--continue", "-c"),
        *("--no-memfs", "--memfs", "--no-bundled-skills", "--no-mods"),
    ),
    not_modelled=("--agent", "-a", "--conversation", "--tools", "--toolset", "--continue", "-c"),
)
# Options with which the tools, and the own text, are others.
OTHER_TOOLS = ("--tools", "--toolset")
OTHER_MODELS = ("openai/", "openai-codex/", "chatgpt_oauth/")
OTHER_BASE = ("--system", "--personality", "--ephemeral")
NAMES = (
    *(AGENTS, "CLAUDE.md", "GEMINI.md", "LETTA.md", "AGENT.md", ".cursorrules", ".github/copilot-instructions.md"),
    *(".letta/AGENTS.md", ".letta/LETTA.md", ".agents/AGENTS.md", ".claude/CLAUDE.md"),
)
OF_WORKTREE = Chain((AGENTS,), WHY_WORKTREE, where=only_cwd, reading=Reading(parts=without_space, empty="it is blank"))


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (sections "What stands in the prompt instead" and "Skills"), or of its sub-agent."""
    own_session, subagent = of_subagent(session, SPEC)
    writer = Writer(SPEC, own_session, host, OPTIONS)
    facts, draft, command = row(ROWS, session.version), writer.draft, writer.command
    found = find(writer)
    known = agents(writer, facts)
    body = body_of(known, subagent) if subagent is not None else []
    if subagent is not None and not body:
        return main_instead(session, preview(without_delegation(session), host), subagent, " in .letta/agents")
    writer.system(
        *(body or [_base(writer, facts)]), *_memory(writer, has_agent=not body), *_listed(writer, facts, found)
    )
    if known and not body:
        draft.add_message("tools", definition(writer, facts, known), index=0, block=1)
    reminders = list(REMINDERS[2:] if "--no-system-info-reminder" in command.switches else REMINDERS)
    reminders = [OF_CALLER] if body else reminders
    reminder = [[writer.own(each, why=WHY_REMINDER, layer="environment")] for each in reminders]
    first = (own_session.turns or (None,))[0]
    send_chat(
        draft,
        index=1,
        prompt=lambda turn: [
            *(reminder if first is None or turn is first else []),
            [typed(SPEC.title, turn, WHY_PLAIN)],
        ],
        answer=lambda call: [_result(writer, facts, call)],
        given=command.last("prompt"),
        after=lambda call: ("user", _called(writer, found, call)),
    )
    draft.notes.append(NOTE_CLOUD)
    if "--skills" in command.values:
        draft.candidates.append(argument("--skills", WHY_FLAG, use="skill"))
    _name_files(writer)
    has_tools = not body and _has_default_tools(writer)
    return shown_for(session, writer.prompt(tools=tools(facts, known) if has_tools else None), SPEC)


def _has_default_tools(writer: Writer) -> bool:
    """Whether the tools are those of the row [source: resolveBaseToolNamesForModel, maybeApplyLspReadOverride]."""
    given = (*writer.command.values, *writer.command.switches)
    return (
        not {*OTHER_TOOLS}.intersection(given)
        and not (writer.session.model or "").startswith(OTHER_MODELS)
        and not writer.host.env.get("LETTA_ENABLE_LSP")
    )


def _base(writer: Writer, facts: Facts) -> Segment:
    """The own text of a new agent, where nobody chooses another one (wire: system-preset, ephemeral)."""
    is_other = {*OTHER_BASE}.intersection((*writer.command.values, *writer.command.switches))
    return writer.own("base prompt", why=WHY_BASE, size=None if is_other else facts.base)


def _memory(writer: Writer, *, has_agent: bool) -> list[Segment]:
    """The agent's memory; a session without an agent has none, nor has a sub-agent (wire: ephemeral, skills)."""
    known = [tail("\n<memory_metadata>\n", "memory"), writer.own("state of the memory", why=WHY_MEMORY, layer="memory")]
    known += [tail("\n</memory_metadata>", "memory")]
    if "--ephemeral" in writer.command.switches or not has_agent:
        return known
    return [
        tail("\n<self>\n<projection>$MEMORY_DIR/system/persona.md</projection>\n", "memory"),
        writer.own("persona of the agent", why=WHY_MEMORY, layer="memory"),
        tail("\n</self>\n\n<memory>\n<human>\n", "memory"),
        writer.own("what the agent knows of the user", why=WHY_MEMORY, layer="memory"),
        tail("\n</human>\n</memory>\n", "memory"),
        *known,
    ]


def _listed(writer: Writer, facts: Facts, found: Found | None) -> list[Segment]:
    if found is None:
        return []
    return [
        tail("\n\n<available_skills>\n", "tools"),
        *rows(writer, facts, found),
        tail("</available_skills>", "tools"),
    ]


def _result(writer: Writer, facts: Facts, call: Call) -> list[Segment]:
    """What a tool answers; EnterWorktree shows the AGENTS.md of the root.

    (wire: worktree, worktree-link, worktree-empty) Its worktree is made from the last commit; what is on the disk is
    shown for that.
    """
    said = result(SPEC.title, call, WHY_PLAIN)
    root = git_root(writer.host, writer.cwd)
    if call.tool != "EnterWorktree" or root is None:
        return [said]
    files = writer.find(OF_WORKTREE, [root], call.at)
    if not files:
        return [said]
    (file,) = files
    most, whole = facts.worktree, len(file.text)
    if whole > most:
        limit = f"Letta Code leaves out the middle of an AGENTS.md of more than {most} characters"
        cut = Cut(most, whole, "characters", limit)
        rule = Rule(WHY_WORKTREE, file.candidate.origin, at=call.at)
        file = writer.change(file, file.first(most // 2, cut, rule.cut(file.path, limit, cut=cut)))
        ended = [writer.own("note of what was left out, and the end of the file", why=limit)]
    else:
        ended = []
    called = given_text(call, "name")
    path = native(join(root, ".letta/worktrees", called)) if called else ""
    about = [tail(f"\nPath: {path}\n", "runtime")] if path else []
    begin = head("\n--- BEGIN AGENTS.md ---\n", path=file.path)
    return [said, *about, begin, *file.segments, *ended, tail("\n--- END AGENTS.md ---")]


def _called(writer: Writer, found: Found | None, call: Call) -> list[Segment]:
    """The text of a skill that the model calls (wire: skill-call)."""
    skill = found.skills.get(given_text(call, "skill")) if call.tool == "Skill" and found is not None else None
    if skill is None or skill.path is None:
        return []
    rule = own(WHY_CALLED, use="skill", at=call.at)
    file = Reading(layer="tools").file(writer.host, skill.path, rule)
    writer.draft.candidates.append(file.candidate)
    intro = writer.own("sentence about the skill", why=WHY_CALLED, layer="runtime")
    end = tail(f"\n\nSkill directory: {native(parent(skill.path))}\n", "runtime")
    return [intro, head("\n", path=skill.path), *file.segments, end]


def _name_files(writer: Writer) -> None:
    """What looks as if it were sent, and is not (wire: root-names, settings)."""
    host, cwd = writer.host, writer.cwd
    root = git_root(host, cwd)
    places = list(dict.fromkeys((cwd, *([root] if root is not None else []))))
    name_unread(writer.draft, host, WHY_NONE, [join(place, each) for place in places for each in NAMES])
    at_home = [join(host.home, each) for each in (AGENTS, ".letta/AGENTS.md", ".agents/AGENTS.md")]
    name_unread(writer.draft, host, WHY_NONE, at_home)


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "No AGENTS.md and no other instruction file at start",
        "A placeholder for the memory of the agent",
        "Name and the first line of the description of each skill of .agents/skills, .skills and ~/.letta/skills",
        f"In a new worktree: AGENTS.md of its root, at most {NEWEST.worktree} characters, in the tool's result",
    ),
)
