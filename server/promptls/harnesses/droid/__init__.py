"""Droid: a system message of its own text, and a first user message with the files, the skills and the droids.

[source] is the JavaScript in the program of that version.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment, Tool
from promptls.core.text import units
from promptls.core.values import replace
from promptls.harnesses.droid.files import SEARCHING, Search, at_start, brought, on_the_way, touched
from promptls.harnesses.droid.listing import (
    NESTED_ROW,
    Skills,
    disabled_skills,
    droid_rows,
    droids,
    listed,
    of_droid,
    settings,
)
from promptls.harnesses.droid.spec import SPEC
from promptls.harnesses.droid.versions import ROWS
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.candidates import Rule
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.delegated import delegated_session, main_instead, shown_for, without_delegation
from promptls.kit.javascript import trimmed
from promptls.kit.mentions import mentions
from promptls.kit.paths import join, native, resolve
from promptls.kit.segments import by_hook, elided, head, tail
from promptls.kit.tool_calls import shown, text, text_of
from promptls.kit.unread_files import name_above, name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document
    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Role, Session, Turn
    from promptls.harnesses.droid.versions import Facts
    from promptls.kit.named import Named

WHY_BASE = "Droid's own text comes first, and alone in the system message"
WHY_APPEND = "it stands at the end of the system message"
WHY_TOOLS = "names of tools whose definitions the model can ask for, those of MCP servers among them"
WHY_SPEC = "--use-spec starts the session in the mode for specifications"
WHY_AGENTS = "Droid's words on its sub-agents and on the custom droids"
WHY_SYSTEM = "system, model, language, the names of all environment variables and the working directory"
WHY_DATE = "the date is a part of its own"
WHY_STATE = "the entries of the working directory, and the status and the last commits of git"
WHY_HOOK = "a SessionStart hook may print instructions; promptls runs none"
WHY_TASK = "a sub-agent gets its task from the session that has started it"
# It has no tool that searches for tools.
EXPLORER = "explorer"
WHY_PLAIN = "what the user types is sent unchanged"
WHY_MENTION = "the prompt names it with @"
WHY_NAME = "Droid does not load a file of this name; put it into AGENTS.md"
WHY_HOME = "Droid loads none of the home directory itself; put it into ~/.factory/AGENTS.md"
WHY_ABOVE = "Droid does not look above the git root; outside of a repository, it looks in the working directory only"
NOTE_SEARCH = (
    "Droid also adds the guidelines of directories in which a search finds something; promptls does not search."
)
# Of other programs and of habit (wire: root-names).
UNREAD = (
    *("GEMINI.md", "AGENT.md", "AGENTS.local.md", "AGENTS.override.md", "CLAUDE.local.md", "DROID.md", "claude.md"),
    *(".claude/CLAUDE.md", ".factory/memories.md", ".cursorrules", ".github/copilot-instructions.md"),
)

RESUMED = ("--session-id", "-s", "--fork", "--resume", "--worktree", "-w", "--mission")
TOOLS = ("--enabled-tools", "--disabled-tools", "--mcp-config")
CHOOSING = ("--only-tools", "--add-tools", "--remove-tools")
SKILL, SPEC_MODE = "Skill", "--use-spec"
OPTIONS = Options(
    cwd=("--cwd",),
    model=("--model", "-m"),
    named={"--append-system-prompt": "append", "--append-system-prompt-file": "append-file"},
    values=(
        *("--output-format", "-o", "--input-format", "--auto", "--reasoning-effort", "-r", "--spec-model"),
        *("--spec-reasoning-effort", "--file", "-f", "--settings", "--tag", "--log-group-id", *TOOLS, *CHOOSING),
        *("--session-id", "-s", "--fork", "--resume"),
    ),
    switches=("--skip-permissions-unsafe", "--disable-builtin-skills", SPEC_MODE, "--list-tools"),
    not_modelled=(*RESUMED, *TOOLS, "--settings", "--file", "-f"),
)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (wire: root-names), or of the sub-agent that its last call has started."""
    own_session, task = delegated_session(session, SPEC)
    writer = Writer(SPEC, own_session, host, OPTIONS)
    facts = row(ROWS, session.version)
    home = resolve(writer.cwd, host.env.get("FACTORY_HOME_OVERRIDE") or host.home)
    search = Search(writer, facts, home)
    documents = settings(search)
    skills = Skills(search, disabled_skills(documents))
    is_offline = bool(host.env.get("FACTORY_AIRGAP_ENABLED"))
    own_droids = droids(search)
    if task is not None:
        return _of_subagent(session, search, skills, own_droids, task)
    size, appended = facts.base_offline if is_offline else facts.base, _appended(writer)
    # Two line feeds are between them (seen by verify).
    size = size + len("\n") if size is not None and appended else size
    writer.system(writer.own("base prompt", why=WHY_BASE, size=size), *appended)
    hooks = _hooks(search, documents)
    writer.draft.add_message("user", hooks, index=1)
    index = 2 if hooks else 1
    found = skills.at_start()
    has_built_in = "--disable-builtin-skills" not in writer.command.switches
    # Where tools are chosen, no skills are listed, also with the tool for them (seen by verify).
    is_listed = "--only-tools" not in writer.command.values and _is_chosen(writer, SKILL)
    rows = listed(found, has_built_in=has_built_in) if is_listed else []
    parts = _first_message(search, rows, own_droids, facts.connectors)
    for block, part in enumerate(parts):
        writer.draft.add_message("user", part, index=index, block=block)
    given = [each for each in writer.command.rest if each != "exec"]
    _chat(search, skills, index + 1, given[-1] if given else None)
    _unread(search)
    absent = {*(["GenerateImage"] if is_offline else []), *([] if found or has_built_in else [SKILL])}
    leaving = Tool("ExitSpecMode", enabled=True, why="it ends the spec mode", size=facts.exit_spec_mode)
    known = (*built_in(facts.tools), *([leaving] if SPEC_MODE in writer.command.switches else []))
    tools = tuple(each for each in known if each.name not in absent and _is_chosen(writer, each.name))
    if any(each.use == "agent" and each.outcome == "loaded" for each in writer.draft.candidates):
        tools = tuple(_of_droids(each, facts) if each.name == "Task" else each for each in tools)
    has_other = not writer.command.values.keys().isdisjoint(TOOLS)
    return writer.prompt(tools=None if has_other else tools)


def _is_chosen(writer: Writer, tool: str) -> bool:
    """Whether the command line leaves a tool among those that are sent (seen by verify)."""
    given = [writer.command.values.get(option, ()) for option in CHOOSING]
    only, more, less = ([part for each in values for part in each.split(",")] for values in given)
    return (not only or tool in (*only, *more)) and tool not in less


def _of_droids(task: Tool, facts: Facts) -> Tool:
    """The tool Task where there is a custom droid: a sentence more."""
    is_known = task.size is not None and facts.of_droids is not None
    return replace(task, size=(task.size or 0) + (facts.of_droids or 0) if is_known else None)


def _appended(writer: Writer) -> list[Segment]:
    """What is added to the system message: the file before the text (wire: append-flag, append-env)."""
    found: list[Segment] = []
    path = writer.command.last("append-file")
    if path is not None:
        found += _append_file(writer, resolve(writer.cwd, path))
    said = writer.command.last("append")
    if said is not None:
        origin = Origin("argument", name="--append-system-prompt")
        found += [tail("\n\n")] if found else []
        found.append(Segment("instructions", "--append-system-prompt", said, origin, WHY_APPEND))
    variable = writer.host.env.get("FACTORY_APPEND_SYSTEM_PROMPT")
    if variable and not found:
        origin = Origin("argument", name="FACTORY_APPEND_SYSTEM_PROMPT")
        found.append(Segment("instructions", "FACTORY_APPEND_SYSTEM_PROMPT", variable, origin, WHY_APPEND))
    return [tail("\n"), *found] if found else []


def _append_file(writer: Writer, path: str) -> list[Segment]:
    """The text of a file without white space around it; without a file the program ends [source]."""
    option = "--append-system-prompt-file"
    rule = Rule(WHY_APPEND, Origin("argument", name=option))
    contents = writer.host.read(path)
    if contents.state != "file":
        writer.draft.candidates.append(rule.unread(path, contents.state))
        writer.stop(f"Droid ends, because it cannot read {path}. Fix {option}.", option=option)
        return []
    text = contents.data.decode("utf-8", "replace")
    start, end = trimmed(text)
    writer.draft.candidates.append(rule.read(path, contents) if end > start else rule.empty(path, "it is blank"))
    from promptls.core.text import LineIndex  # noqa: PLC0415 - only for such a file

    origin = Origin("file", path=path, range=LineIndex(text).range(start, end))
    return [Segment("instructions", path, text[start:end], origin, WHY_APPEND)] if end > start else []


def _hooks(search: Search, documents: list[tuple[str, Document]]) -> list[Segment]:
    """Placeholders for what SessionStart hooks print, which is the first message (wire: hooks)."""
    from promptls.harnesses.droid.listing import SETTINGS  # noqa: PLC0415 - beside the settings

    path = join(search.home, ".factory", "hooks.json")
    alone = SETTINGS.read(search.writer.draft, search.host, path)
    places = [(where, each, each.root.get("hooks") if each.root is not None else None) for where, each in documents]
    if alone is not None and alone.root is not None:
        places.append((path, alone, alone.root.get("hooks") or alone.root))
    found: list[Segment] = []
    for where, document, hooks in places:
        started = hooks.get("SessionStart") if hooks is not None else None
        for entry in started.items if started is not None else ():
            for hook in (entry.get("hooks") or entry).items:
                origin = Origin("config", path=where, range=document.range(hook), name="SessionStart")
                said = elided("runtime", SPEC.title, "output of a SessionStart hook", why=WHY_HOOK)
                found += [*([tail("\n\n", "runtime")] if found else []), by_hook(said, origin)]
    return found


def _first_message(
    search: Search, skills: list[Segment], own_droids: dict[str, Named], connectors: int | None
) -> list[list[Segment]]:
    """The parts of the first message, each a reminder (wire: root-names, skills-places, task, prompt-mention)."""
    writer = search.writer
    rows = droid_rows(own_droids.values())
    agents = [
        head("<system-reminder>\n", "tools"),
        writer.own("sub-agents", why=WHY_AGENTS, layer="tools"),
        *([tail("\n", "tools"), *rows] if rows else []),
        *([tail("\n", "tools"), writer.own("advice on droids", why=WHY_AGENTS, layer="tools")] if rows else []),
        tail("\n</system-reminder>", "tools"),
    ]
    return [
        [writer.own("names of deferred tools", why=WHY_TOOLS, layer="tools")],
        *([[writer.own("advice on connectors", why=WHY_TOOLS, size=connectors)]] if connectors is not None else []),
        skills,
        agents,
        _information(search),
        *_mentioned(search),
        *([[writer.own("spec mode", why=WHY_SPEC)]] if SPEC_MODE in writer.command.switches else []),
        [writer.own("date", why=WHY_DATE, layer="environment")],
        _state(search),
    ]


def _information(search: Search) -> list[Segment]:
    return [
        head("<system-reminder>\n\n", "environment"),
        search.writer.own("system information", why=WHY_SYSTEM, layer="environment"),
        *at_start(search),
        tail("\n</system-reminder>"),
    ]


def _state(search: Search) -> list[Segment]:
    return [
        head("<system-reminder>\n", "environment"),
        search.writer.own("workspace state", why=WHY_STATE, layer="environment"),
        tail("\n</system-reminder>", "environment"),
    ]


def _of_subagent(session: Session, search: Search, skills: Skills, own_droids: dict[str, Named], task: Call) -> Prompt:
    """A short system message with the text of the droid; skills and files are those of the main session (wire: task).

    (captured: subagent-helper, subagent-worker, subagent-explorer)
    """
    writer, facts, called = search.writer, search.facts, text(task, "subagent_type")
    size = facts.brought.get(called)
    if called in own_droids:
        said, has_search = of_droid(search, own_droids[called])
    elif size is not None:
        said = [writer.own(f"text of the droid {called}", why=WHY_AGENTS, size=size)]
        has_search = called != EXPLORER
    else:
        return main_instead(session, preview(without_delegation(session), writer.host), called, " in .factory/droids")
    writer.system(
        writer.own("introduction of a sub-agent", why=WHY_BASE, size=facts.introduction),
        tail("\n\n"),
        *said,
        tail("\n\n"),
        writer.own("contract of a sub-agent", why=WHY_BASE, size=facts.contract),
    )
    found = skills.at_start()
    has_built_in = "--disable-builtin-skills" not in writer.command.switches
    deferred = [writer.own("names of deferred tools", why=WHY_TOOLS, layer="tools")]
    parts = [deferred if has_search else [], listed(found, has_built_in=has_built_in)]
    parts += [_information(search), _state(search)]
    for block, part in enumerate(each for each in parts if each):
        writer.draft.add_message("user", part, index=1, block=block)
    _chat(search, skills, 2, None, task)
    return shown_for(session, writer.prompt(), SPEC)


def _task(search: Search, task: Call, turn: Turn) -> list[Segment]:
    """The frame of a task (captured: subagent-helper)."""
    own, complexity = search.writer.own, text(task, "complexity")
    return [
        head(f"# Task Tool Invocation\n\nSubagent type: {text(task, 'subagent_type')}\nTask complexity: ", "runtime"),
        tail(complexity, "runtime") if complexity else own("complexity", why=WHY_TASK, layer="runtime"),
        tail(f"\nTask description: {text(task, 'description')}\n\n## Context\n", "runtime"),
        own("words on the context", why=WHY_TASK, size=search.facts.on_context, layer="runtime"),
        tail("\n\n## Task\n---BEGIN TASK FROM PARENT AGENT---\n", "runtime"),
        typed(SPEC.title, turn, WHY_TASK),
        tail("\n---END TASK FROM PARENT AGENT---", "runtime"),
    ]


def _mentioned(search: Search) -> list[list[Segment]]:
    """What the prompt names with @: a part that says so, and one with what is there (wire: prompt-mention)."""
    turn = next(iter(search.writer.session.turns), None)
    found: list[list[Segment]] = []
    for each in mentions((turn.prompt if turn is not None else None) or ""):
        path = resolve(search.writer.cwd, each.target)
        kind = search.host.kind(path)
        if kind not in ("file", "directory"):
            continue
        # Each has such a part before it (seen by verify).
        named = f"<system-reminder>\nUser tagged {kind}: {native(path)}\n</system-reminder>"
        found.append([head(named, "runtime", path=path)])
        if kind == "directory":
            begin = head(f"<system-reminder>\nContents of directory {native(path)} (", "runtime", path=path)
            entries = elided("runtime", SPEC.title, f"entries of {path}", why=WHY_MENTION)
            found.append([begin, entries, tail("\n</system-reminder>", "runtime")])
            continue
        rule = Rule(WHY_MENTION, Origin("argument", name=f"@{each.target}"))
        text = _whole(search, path)
        if text is None:
            found.append([elided("runtime", SPEC.title, f"text of {path}", why=WHY_MENTION)])
            continue
        search.writer.draft.candidates.append(rule.loaded(path))
        lines = text.count("\n") + 1
        label = f"<system-reminder>\nContents of {native(path)} (lines 1\u2013{lines} of {lines}):\n"
        found.append([head(label, path=path), shown(path, text), tail("\n</system-reminder>")])
    return found


def _whole(search: Search, path: str) -> str | None:
    """The text of a file that is sent whole; of a longer one there is a part, with a note on the rest."""
    text, facts = text_of(search.host, path), search.facts
    if text is None or text.count("\n") >= facts.whole_lines or units(text) > facts.whole_characters:
        return None
    return text


def _chat(search: Search, skills: Skills, index: int, given: str | None, task: Call | None = None) -> None:
    """The turns; after the results of a step comes one message with all that its reads bring (wire: nested-read)."""
    session, seen = search.writer.session, set[str]()
    if any(call.tool in SEARCHING for call in session.calls):
        search.writer.draft.notes.append(NOTE_SEARCH)

    def answer(call: Call) -> list[list[Segment]]:
        called = skills.called(call)
        if called:
            return [called]
        text = _whole(search, call.read) if call.read is not None else None
        return [[shown(call.read or "", text) if text else result(SPEC.title, call, WHY_PLAIN)]]

    def after(call: Call) -> tuple[Role, list[Segment]] | None:
        step = next((each for turn in session.turns for each in turn.steps if each[-1] is call), None)
        return None if step is None else ("user", _brought(search, skills, step, seen))

    def prompt(turn: Turn) -> list[list[Segment]]:
        return [[typed(SPEC.title, turn, WHY_PLAIN)] if task is None else _task(search, task, turn)]

    send_chat(search.writer.draft, index=index, prompt=prompt, answer=answer, given=given, after=after)


def _brought(search: Search, skills: Skills, step: tuple[Call, ...], seen: set[str]) -> list[Segment]:
    """The guidelines and skills that the calls of a step bring [source]."""
    parts: list[list[Segment]] = []
    for call in step:
        for file in brought(search, call):
            label = head(f"## {native(file.path)}\n<coding_guidelines>\n", path=file.path)
            parts.append([label, *file.segments, tail("\n</coding_guidelines>")])
    if parts:
        opening = "Additional project instructions discovered along the accessed paths:"
        parts.insert(0, [head(opening)])
    found: list[Named] = []
    for call in step:
        target = touched(search, call)
        found += skills.of_directories(on_the_way(search, target) if target is not None else (), seen, call.at)
    if found:
        words = "New skills discovered along the accessed paths and now available via the Skill tool:"
        parts += [[head(words, "tools")], *(NESTED_ROW.segments(each) for each in found)]
    if not parts:
        return []
    joined = [part for number, each in enumerate(parts) for part in ([tail("\n\n")] if number else []) + each]
    return [head("<system-reminder>\n"), *joined, tail("\n</system-reminder>")]


def _unread(search: Search) -> None:
    """What looks as if it was read (wire: root-names)."""
    draft, host, cwd = search.writer.draft, search.host, search.writer.cwd
    top = search.root or cwd
    name_unread(draft, host, WHY_NAME, [join(cwd, each) for each in UNREAD])
    name_unread(draft, host, WHY_HOME, [join(host.home, each) for each in ("AGENTS.md", "CLAUDE.md")])
    name_above(draft, host, WHY_ABOVE, top, ("AGENTS.md", "CLAUDE.md"))


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "CLAUDE.md and AGENTS.md of each directory from the working directory up to the git root, the nearest first",
        "The same of .factory, .agents and .agent in each of these, and of those in the home directory",
        "DESIGN.md of the same directories",
        "No file that is a link, and none of a directory that is one",
        "On read: those of the directories on the way to the file, in a message after the result",
        "Names and descriptions of skills and of custom droids",
    ),
)
