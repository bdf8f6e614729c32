"""Kimi Code: a system message with the instruction files in the middle of its own text, or what takes its place.

[source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex, decode, units
from promptls.core.values import replace
from promptls.harnesses.kimi_code.files import AGENTS, FENCE, FRAME, PROJECT, Named, at_start
from promptls.harnesses.kimi_code.listing import (
    SETTINGS,
    WHY_AGENT,
    Agent,
    agent_at,
    agent_rows,
    agent_rows_size,
    agents,
    find_skills,
    project_root,
    skills,
)
from promptls.harnesses.kimi_code.spec import SPEC
from promptls.harnesses.kimi_code.typed import called
from promptls.harnesses.kimi_code.versions import ROWS, VARIABLES_NOT_MODELLED
from promptls.kit import collation
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.candidates import Rule, own
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.delegated import main_instead, of_subagent, shown_for, without_delegation
from promptls.kit.paths import home_or, join, name, resolve
from promptls.kit.segments import by_hook, elided, head, tail
from promptls.kit.tool_calls import shown, text_of
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document
    from promptls.core.host import Host
    from promptls.core.model import Call, Candidate, Prompt, Role, Session, Tool, Turn
    from promptls.harnesses.kimi_code.versions import Facts
    from promptls.kit.chain import FileText
    from promptls.kit.named import Named as Skill

WHY_BASE = "Kimi Code's own text; the files are in the middle of it"
WHY_LISTING = "the entries of the working directory, and of its directories"
WHY_DATE = "the date follows the prompt, in a message of its own"
WHY_GIT = "Kimi Code tells this sub-agent what git says of the folder"
WHY_MODE = "what Kimi Code may do without a question follows the prompt"
WHY_HOOK = "a UserPromptSubmit hook may print instructions; promptls runs none"
WHY_PLAIN = "Kimi Code adds no instructions to what is typed or read"
WHY_READ = "the session reads this instruction file"
WHY_NOTE = "how much of the file it is follows its lines"
WHY_SYSTEM = "SYSTEM.md takes the place of the whole system message"
WHY_AGENT_FILE = "an agent of this name with override: true takes the place of the whole system message"
WHY_GIVEN = "the command line names this agent, whose text is the system message"
WHY_FILLED = "Kimi Code fills it into the text"
REPLACES = (
    "no AGENTS.md and nothing of the harness's own text is sent with it; ${agents_md} and ${base_prompt} put them in"
)
UNASKED = "{} takes the place of the system message and does not put ${{agents_md}} into it"
# What a text of the user's may ask for [source: systemPromptVars].
VARIABLE = regex(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
FILLED = (
    *("product_name", "role_additional", "reply_style_guide", "notify_user_guidance", "os", "windows_notes", "shell"),
    *("cwd_listing", "additional_dirs_info", "additional_dirs_section", "plugin_sections"),
)
# The sub-agent of its own that is told of git.
EXPLORES = "explore"
# The default agent, and those that only an agent with override: true can replace.
DEFAULT, BUILT_IN = "agent", ("agent", "coder", "explore", "plan")
UNREAD = Unread(
    names=(
        "CLAUDE.md",
        "KIMI.md",
        ".kimi/AGENTS.md",
        ".agents/AGENTS.md",
        ".kimi-code/agents.md",
        "AGENTS.override.md",
    ),
    why="Kimi Code does not load a file of this name; put it into AGENTS.md",
    home=("AGENTS.md", ".kimi/AGENTS.md", ".claude/CLAUDE.md"),
    why_home="Kimi Code loads AGENTS.md of ~/.kimi-code and ~/.agents for all folders",
    above="Kimi Code does not look above the git root; outside of a repository, it looks in the working directory only",
)

RESUMED = ("--session", "--resume", "-S", "-r", "--continue", "-c", "-C")
OPTIONS = Options(
    model=("--model", "-m"),
    agent=("--agent",),
    prompt=("--prompt", "-p"),
    named={"--skills-dir": "skills", "--agent-file": "agent-file"},
    values=("--output-format", "--add-dir", "--session", "-S", "--resume", "-r"),
    switches=("--yolo", "-y", "--yes", "--auto", "--auto-approve"),
    not_modelled=("--plan", *RESUMED),
    variables=VARIABLES_NOT_MODELLED,
    no_effect={"--add-dir": "Kimi Code lists the directories of --add-dir, and loads no AGENTS.md of them"},
)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (wire: root-names), or of the sub-agent that its last call has started.

    One of the user's own has its text alone, and the other tools; its own ones have the files, too (captured:
    subagent-rev, subagent-explore, subagent-plan, subagent-coder).
    """
    own_session, subagent = of_subagent(session, SPEC)
    writer = Writer(SPEC, own_session, host, OPTIONS)
    facts = row(ROWS, session.version)
    home = resolve(writer.cwd, host.env.get("KIMI_CODE_HOME") or join(host.home, ".kimi-code"))
    settings = SETTINGS.read(writer.draft, host, join(home, "config.toml"))
    files = at_start(writer, home)
    known = {each.path for each in files}
    offered = facts.of_subagent.get(subagent or "", facts.tools)
    found = find_skills(writer, facts, home, settings) if "Skill" in offered else {}
    listed = skills(found) if "Skill" in offered else []
    base = _base(writer, facts, files, listed, is_main=subagent is None)
    chosen, others = _replaced(writer, facts, home, subagent)
    if subagent is not None and chosen is None and offered is facts.tools:
        return main_instead(session, preview(without_delegation(session), host), subagent)
    writer.system(*(_filled(writer, chosen, files, listed, base) if chosen is not None else base))
    if "Agent" in offered and others:
        writer.draft.add_message("tools", agent_rows(writer, others), index=0, block=1)
    hooks = _hooks(settings, join(home, "config.toml"))
    writer.draft.add_message("user", hooks, index=1)
    _chat(writer, facts, Named(writer, known), 2 if hooks else 1, subagent, found=found)
    writer.name_unread(UNREAD, PROJECT)
    sizes = {each: facts.tools[each] for each in offered} | (
        {"Bash": facts.bash_of_explore} if subagent == EXPLORES else {}
    )
    tools = None if chosen is not None or any(each.name in BUILT_IN for each in others) else built_in(sizes)
    if tools is not None and others:
        tools = tuple(_of_agents(each, others) if each.name == "Agent" else each for each in tools)
    return shown_for(session, writer.prompt(tools=tools), SPEC)


def _of_agents(tool: Tool, agents: list[Agent]) -> Tool:
    more = agent_rows_size(agents)
    return replace(tool, size=(tool.size or 0) + more if more is not None else None)


def _base(
    writer: Writer, facts: Facts, files: list[FileText], listed: list[Segment], *, is_main: bool
) -> list[Segment]:
    """The default system message; the fence is there without a file, too (wire: skills-places)."""
    return [
        writer.own("base prompt before the files", why=WHY_BASE, size=facts.base if is_main else None),
        writer.own("listing of the working directory", why=WHY_LISTING, layer="environment"),
        writer.own("base prompt after the listing", why=WHY_BASE, size=facts.base_after),
        head(f"\nThe applicable `AGENTS.md` instructions are:\n\n{FENCE}\n"),
        *FRAME.around(files),
        tail(f"\n{FENCE}\n\n\n" if listed else f"\n{FENCE}\n\n"),
        *listed,
    ]


# -- what takes the place of the system message ------------------------------------------------------------------------


def _replaced(writer: Writer, facts: Facts, home: str, subagent: str | None) -> tuple[Agent | None, list[Agent]]:
    """The text that takes its place, if there is one (wire: agent-override, system-md-bare) [source]; the other agents.

    An agent of the project comes before SYSTEM.md, and that before an agent of the user's.
    """
    host, root = writer.host, project_root(writer)
    path = writer.command.last("agent-file")
    if path is not None:
        return _agent_file_option(
            writer, agent_at(writer, home_or(host.home, path) or resolve(writer.cwd, path)), path
        ), []
    project = agents(writer, facts, [join(root, each, "agents") for each in (".kimi-code", ".agents")])
    user = agents(writer, facts, [join(home, "agents"), join(host.home, ".agents", "agents")])
    asked = subagent or writer.agent or DEFAULT
    system = _system_file(writer, join(home, "SYSTEM.md")) if asked == DEFAULT else None
    found = (project.get(asked), system, user.get(asked))
    chosen = next((each for each in found if each and (asked not in BUILT_IN or each.overrides)), None)
    if chosen is None and subagent is None and asked not in BUILT_IN:
        writer.stop(f"Kimi Code ends, because there is no agent {asked}. Fix --agent.", option="--agent")
    for each in (*project.values(), *user.values()):
        if each is not chosen:
            writer.draft.candidates.append(own(WHY_AGENT, use="agent").loaded(each.path))
    if chosen is not None and chosen is not system:
        rule = own(WHY_AGENT_FILE if asked == DEFAULT else WHY_GIVEN, use="prompt")
        writer.draft.candidates.append(_outcome(rule, chosen) if asked == DEFAULT else rule.loaded(chosen.path))
    if system is not None:
        rule = own(WHY_SYSTEM, use="prompt")
        by = chosen.path if chosen is not None else None
        hidden = rule.shadowed(system.path, f"{by} comes first", by=by)
        writer.draft.candidates.append(_outcome(rule, system) if chosen is system else hidden)
    every = {each.name: each for one in (user, project) for each in one.values()}
    ordered = [each for one in (project, user) for each in _by_name(one) if every[each.name] is each]
    return chosen, [each for each in ordered if each is not chosen]


def _by_name(found: dict[str, Agent]) -> list[Agent]:
    return sorted(found.values(), key=lambda each: collation.key(each.name))


def _outcome(rule: Rule, agent: Agent) -> Candidate:
    is_alone = not {"agents_md", "base_prompt"} & set(VARIABLE.findall(agent.text[agent.start : agent.end]))
    return rule.candidate("loaded", agent.path, REPLACES if is_alone else "", state="replaces" if is_alone else None)


def _agent_file_option(writer: Writer, agent: Agent | None, path: str) -> Agent | None:
    if agent is None:
        writer.stop(f"Kimi Code ends, because {path} is no agent file. Fix --agent-file.", option="--agent-file")
    else:
        rule = Rule(WHY_GIVEN, Origin("argument", name="--agent-file"), "prompt")
        writer.draft.candidates.append(rule.loaded(agent.path))
    return agent


def _system_file(writer: Writer, path: str) -> Agent | None:
    """SYSTEM.md of the user, unless it is blank."""
    contents = writer.host.read(path)
    text = decode(contents.data, keep_bom=False) if contents.state == "file" else ""
    return Agent(DEFAULT, path, text, 0, len(text), overrides=True) if text.strip() else None


def _filled(
    writer: Writer, agent: Agent, files: list[FileText], listed: list[Segment], base: list[Segment]
) -> list[Segment]:
    """The text with its variables in their places; one that is not known stays (wire: system-md-bare)."""
    index = LineIndex(agent.text)
    why = WHY_SYSTEM if name(agent.path) == "SYSTEM.md" else WHY_AGENT_FILE if agent.name == DEFAULT else WHY_GIVEN
    parts: list[Segment] = []
    asked: set[str] = set()

    def text(start: int, end: int) -> None:
        origin = Origin("file", path=agent.path, range=index.range(start, end), again=bool(parts))
        parts.append(Segment("instructions", agent.path, agent.text[start:end], origin, why))

    at = agent.start
    for match in VARIABLE.finditer(agent.text, agent.start, agent.end):
        value = _value(writer, match[1], files, listed, base)
        if value is not None:
            asked.add(match[1])
            text(at, match.start())
            parts += value
            at = match.end()
    text(at, agent.end)
    if not asked & {"agents_md", "base_prompt"}:
        for file in files:
            gone = own(file.candidate.rule).excluded(file.path, UNASKED.format(agent.path), other=agent.path)
            writer.change(file, replace(file, candidate=gone))
    return parts


def _value(
    writer: Writer, variable: str, files: list[FileText], listed: list[Segment], base: list[Segment]
) -> list[Segment] | None:
    known = {"agents_md": FRAME.around(files), "base_prompt": base, "skills": listed, "skills_section": listed}
    if variable in known:
        return known[variable]
    if variable == "cwd":
        return [Segment("environment", "working directory", writer.cwd, Origin("argument", name="cwd"), WHY_FILLED)]
    return [writer.own(variable, why=WHY_FILLED, layer="environment")] if variable in FILLED else None


# -- the chat ----------------------------------------------------------------------------------------------------------


def _hooks(settings: Document | None, path: str) -> list[Segment]:
    """Placeholders for what the user's UserPromptSubmit hooks print (wire: hooks)."""
    listed = settings.root.get("hooks") if settings is not None and settings.root is not None else None
    found: list[Segment] = []
    for hook in listed.items if settings is not None and listed is not None else ():
        if hook.text("event") == "UserPromptSubmit" and settings is not None:
            origin = Origin("config", path=path, range=settings.range(hook), name="UserPromptSubmit")
            said = elided("runtime", SPEC.title, "output of a UserPromptSubmit hook", why=WHY_HOOK)
            found += [tail("\n", "runtime"), by_hook(said, origin)]
    opening = head('<hook_result hook_event="UserPromptSubmit">', "runtime")
    return [opening, *found, tail("\n</hook_result>", "runtime")] if found else []


def _chat(
    writer: Writer, facts: Facts, named: Named, index: int, subagent: str | None, *, found: dict[str, Skill]
) -> None:
    """The turns; after the results of a step, the files are named that its reads have come near."""
    session = writer.session

    def prompt(turn: Turn) -> Iterator[list[Segment]]:
        git = writer.own("state of git", why=WHY_GIT, layer="environment")
        skill = called(writer, found, turn.prompt or "") if session.editor else []
        yield skill or [*([git, tail("\n\n")] if subagent == EXPLORES else []), typed(SPEC.title, turn, WHY_PLAIN)]
        if turn is session.turns[0] if session.turns else True:
            yield [writer.own("date", why=WHY_DATE, size=facts.date, layer="environment")]
            if not session.editor:  # seen by verify
                yield [writer.own("mode of permissions", why=WHY_MODE, size=facts.mode, layer="environment")]

    def answer(call: Call) -> list[list[Segment]]:
        read = _read(writer, facts, call.read) if call.read is not None else None
        return [read or [result(SPEC.title, call, WHY_PLAIN)]]

    def after(call: Call) -> tuple[Role, list[Segment]] | None:
        step = next((each for turn in session.turns for each in turn.steps if each[-1] is call), None)
        return None if step is None else ("user", named.message(step))

    given = writer.command.last("prompt")
    send_chat(writer.draft, index=index, prompt=prompt, answer=answer, given=given, after=after)


def _read(writer: Writer, facts: Facts, path: str) -> list[Segment] | None:
    """Numbered lines; those of an instruction file are instructions (wire: nested-read-itself).

    Of a file that is longer than a result may be, there is a part.
    """
    text = text_of(writer.host, path)
    if not text or "\r" in text or units(text) > facts.read:
        return None
    note = writer.own("note on the read", why=WHY_NOTE, layer="runtime")
    lines = text.removesuffix("\n").split("\n")
    if name(path) not in AGENTS:
        numbered = "".join(f"{number}\t{line}\n" for number, line in enumerate(lines, 1))
        return [shown(path, numbered), note]
    index, parts, at = LineIndex(text), list[Segment](), 0
    for number, line in enumerate(lines, 1):
        where = Origin("file", path=path, range=index.range(at, at + len(line)), again=number > 1)
        parts += [
            head(f"{number}\t", "runtime"),
            Segment("instructions", path, line, where, WHY_READ),
            tail("\n", "runtime"),
        ]
        at += len(line) + 1
    return [*parts, note]


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "AGENTS.md of ~/.kimi-code, and AGENTS.md, else agents.md, of ~/.agents",
        ".kimi-code/AGENTS.md of each directory from the git root down to the working directory",
        "After it AGENTS.md of the same directory, else agents.md",
        "In place of all of it: an agent of the project that is called agent and has override: true, or SYSTEM.md",
        "On read: the paths of the AGENTS.md files on the way to the file, not their texts",
        "Names, descriptions and paths of skills",
    ),
)
