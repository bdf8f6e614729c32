"""Goose: a system message that ends with the hint files, those of directories that were touched before all others.

[source] is the public source of about that version.
"""

from __future__ import annotations

from itertools import count

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Origin, Segment, Tool
from promptls.core.text import LineIndex, decode, whole
from promptls.harnesses.goose.files import NAMES, SETTINGS, WHY_PROJECT, Search, context_names, hints, nested, template
from promptls.harnesses.goose.memory import builtins, is_on, memories, note_unsaid
from promptls.harnesses.goose.spec import SPEC
from promptls.harnesses.goose.versions import ROWS, VARIABLES_NOT_MODELLED
from promptls.kit.args import Options
from promptls.kit.base import built_in, described
from promptls.kit.candidates import not_modelled, own
from promptls.kit.chain import Chain, Reading, from_git_root
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.delegated import main_instead, of_subagent, shown_for, without_delegation
from promptls.kit.javascript import trimmed
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import join, native, parent, resolve
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import text as given
from promptls.kit.tool_calls import text_of
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Role, Session, Turn

WHY_TASK = "the text of the agent is in the system message of a sub-agent"
WHY_AGENT = "a call of the tool delegate may name it"
WHY_BASE = "Goose's own text comes first, with what it says of its extensions"
WHY_EXTENSIONS = "what Goose says of other extensions, with the instructions of MCP servers"
WHY_INSTEAD = "this text takes the place of the base prompt"
WHY_SKILL = "Goose lists the skills of .agents, .goose and .claude of the working directory, and of the user"
WHY_INFO = "the time, the working directory and a count of tokens come with the prompt"
WHY_CALLED = "the tool load_skill answers with the text of a skill or of one of its files"
WHY_PLAIN = "Goose adds no instructions to what is typed or read"
ROW = Row("Goose", "skill", WHY_SKILL, before="\n• {name} - ")
OWN_SKILL = "goose-doc-guide"
DASHES = "---"
OPENAI = "openai"
RESPONSES = regex(r"(?i)(?:^|[-/])(?:o[0-9]+(?:$|-)|gpt-5(?:$|[-.]))")


def _body(text: str) -> Iterator[tuple[int, int]]:
    """What stands behind the front matter, without white space around it."""
    start, end = trimmed(text, front_matter.split(text).body)
    if end > start:
        yield start, end


BODY = Reading(parts=_body, layer="tools")
UNREAD = Unread(
    names=(
        "CLAUDE.md",
        "GEMINI.md",
        "agents.md",
        "GOOSE.md",
        ".goose/AGENTS.md",
        ".agents/AGENTS.md",
        "AGENTS.override.md",
    ),
    why="Goose does not load a file of this name; put it into AGENTS.md, or name it in CONTEXT_FILE_NAMES",
    home=("AGENTS.md", ".goosehints", ".agents/AGENTS.md", ".claude/CLAUDE.md"),
    why_home="Goose loads AGENTS.md of ~/.config/goose for all folders",
    above="Goose does not look above the git root; outside of a repository, it looks in the working directory only",
)

BUILTIN = "--with-builtin"
EXTENSIONS = ("--with-extension", BUILTIN, "--with-streamable-http-extension")
RESUMED = ("--resume", "-r", "--name", "-n", "--session-id", "--path")
OPTIONS = Options(
    model=("--model",),
    prompt=("--text", "-t"),
    named={"--system": "system", "--instructions": "file", "-i": "file"},
    values=("--recipe", "--params", "--provider", "--output-format", "--max-turns", *EXTENSIONS, *RESUMED[2:]),
    switches=("--no-profile", "--no-session", "--quiet", "-q", "--debug", "--interactive", "-s"),
    not_modelled=("--recipe", *(each for each in EXTENSIONS if each != BUILTIN), *RESUMED),
    variables=VARIABLES_NOT_MODELLED,
)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (wire: root-names), or of the sub-agent that its last call has started."""
    own_session, subagent = of_subagent(session, SPEC)
    writer = Writer(SPEC, own_session, host, OPTIONS)
    home = _home(writer)
    more = host.env.get("GOOSE_ADDITIONAL_CONFIG_FILES", "").split(":" if host.home.startswith("/") else ";")
    paths = [join(home, "config.yaml"), *(resolve(writer.cwd, each) for each in more if each)]
    read = ((path, SETTINGS.read(writer.draft, host, path)) for path in paths)
    documents = [(path, each) for path, each in read if each is not None]
    search = Search(writer, row(ROWS, session.version), home, _config(writer), documents)
    search.names = context_names(search)
    agents = _agents(search)
    if subagent is not None and subagent not in agents:
        return main_instead(session, preview(without_delegation(session), host), subagent, " in .goose/agents")
    own_hints = hints(search)
    blocks = [each for turn in own_session.turns for step in turn.steps for each in nested(search, step)]
    said = writer.command.last("system")
    added = [Segment("instructions", "--system", said, Origin("argument", name="--system"), "--system")] if said else []
    sections = [each for each in (added, *blocks, own_hints) if each]
    ending = [part for number, each in enumerate(sections) for part in ([tail("\n\n")] if number else []) + each]
    skills = _skills(search) if subagent is None and _has_skills(search) else {}
    base = _base(search, skills) if subagent is None else _of_subagent(writer, agents[subagent])
    writer.system(*base, *([head("\n# Additional Instructions:\n\n"), *ending] if ending else []))
    _chat(search, skills)
    writer.name_unread(UNREAD, Chain(NAMES, WHY_PROJECT, where=from_git_root))
    if subagent is not None:
        return shown_for(session, writer.prompt(), SPEC)
    if not is_on(search):
        note_unsaid(search)
    is_known = builtins(search) <= search.facts.builtins.keys()
    if not is_known:
        writer.draft.candidates.append(not_modelled(BUILTIN))
    others = {*EXTENSIONS, "--recipe"} - {BUILTIN}
    is_counted = is_known and others.isdisjoint(writer.command.values) and _has_profile(search)
    return writer.prompt(tools=_tools(search) if is_counted else None)


def _tools(search: Search) -> tuple[Tool, ...]:
    """Its tools. Each way to ask a model has their definitions in its own form, of which two are counted."""
    facts = search.facts
    added = {tool: size for each in sorted(builtins(search)) for tool, size in facts.builtins[each].items()}
    if _setting(search, "GOOSE_PROVIDER", "--provider") not in ("", OPENAI):
        return tuple(Tool(each, enabled=True, why="it is built in") for each in (*facts.tools, *added))
    if not _by_responses(search):
        return built_in({**facts.tools, **added})
    uncounted = tuple(Tool(each, enabled=True, why=f"{BUILTIN} adds it") for each in added)
    return (*built_in(facts.tools_by_responses), *uncounted)


def _by_responses(search: Search) -> bool:
    """Whether OpenAI's newer way to ask a model is taken, as for this model [source: is_openai_responses_model]."""
    provider = _setting(search, "GOOSE_PROVIDER", "--provider")
    model = search.writer.model or _setting(search, "GOOSE_MODEL")
    return provider in ("", OPENAI) and RESPONSES.search(model) is not None


def _setting(search: Search, name: str, option: str = "") -> str:
    """A setting by the command line, a variable or a configuration; "" where there is none."""
    said = search.writer.command.values.get(option) or [search.writer.host.env.get(name, "")]
    for _, document in search.documents if not said[-1] else ():
        value = document.root.get(name) if document.root is not None else None
        if value is not None and isinstance(value.data, str):
            return value.data
    return said[-1]


def _agents(search: Search) -> dict[str, str]:
    """The paths of the user's agents, by name (captured: agents-list, delegate)."""
    writer, home = search.writer, search.writer.host.home
    near = [join(writer.cwd, each) for each in (".goose", ".claude", ".agents")]
    user = [search.home, join(home, ".agents"), join(home, ".claude")]
    found: dict[str, str] = {}
    for place in (join(each, "agents") for each in (*near, *user)):
        for entry in writer.host.entries(place):
            if entry.name.endswith(".md"):
                path = join(place, entry.name)
                writer.draft.candidates.append(own(WHY_AGENT, use="agent").loaded(path))
                found.setdefault(entry.name.removesuffix(".md"), path)
    return found


def _of_subagent(writer: Writer, path: str) -> list[Segment]:
    """The text of an agent in the middle of that of a sub-agent, which has no skills (captured: subagent-rev)."""
    text = decode(writer.host.read(path).data, keep_bom=False)
    start, end = trimmed(text, front_matter.split(text).body)
    where = Origin("file", path=path, range=LineIndex(text).range(start, end))
    return [
        writer.own("base prompt of a sub-agent", why=WHY_BASE),
        head("\n\n# Task Instructions\n", path=path),
        Segment("instructions", path, text[start:end], where, WHY_TASK),
        tail("\n\n"),
        writer.own("rest of the base prompt of a sub-agent", why=WHY_BASE),
    ]


def _home(writer: Writer) -> str:
    """Where Goose keeps what is the user's (wire: xdg-config-home) [source: GOOSE_PATH_ROOT]."""
    root = writer.host.env.get("GOOSE_PATH_ROOT")
    return join(resolve(writer.cwd, root), "config") if root else _config(writer)


def _config(writer: Writer) -> str:
    """Where the extensions keep it, which know nothing of GOOSE_PATH_ROOT (wire: xdg-config-home)."""
    xdg = writer.host.env.get("XDG_CONFIG_HOME")
    return join(resolve(writer.cwd, xdg) if xdg else join(writer.host.home, ".config"), "goose")


def _base(search: Search, skills: dict[str, Named]) -> list[Segment]:
    """The base prompt with extensions and skills, or a text in its place.

    (wire: system-prompt-file, prompt-template)
    """
    writer = search.writer
    variable = "GOOSE_SYSTEM_PROMPT_FILE_PATH"
    named = writer.host.env.get(variable)
    path = resolve(writer.cwd, named) if named else join(search.home, "prompts", "system.md")
    origin = Origin("argument", name=variable) if named else Origin("computed", name=WHY_INSTEAD)
    # Said in a configuration, it does the same (seen by verify).
    for config, document in search.documents if not named else ():
        said = document.root.get(variable) if document.root is not None else None
        if said is not None and isinstance(said.data, str):
            path = resolve(writer.cwd, said.data)
            origin = Origin("config", path=config, range=document.range(said), name=variable)
            break
    instead = template(search, WHY_INSTEAD, path, origin)
    if instead is not None:
        return instead
    base = writer.own("base prompt and extensions", why=WHY_BASE)
    rest = writer.own("rest of the base prompt", why=WHY_EXTENSIONS, layer="tools")
    rows = [part for _, each in sorted(skills.items()) for part in ROW.segments(each)]
    kept = (
        [*memories(search), writer.own("other extensions", why=WHY_EXTENSIONS, layer="tools")] if is_on(search) else []
    )
    return [base, *kept, *rows, rest] if skills else [base, *kept]


def _has_profile(search: Search) -> bool:
    """Whether the extensions are those that Goose comes with."""
    named = (each.root.get("extensions") for _, each in search.documents if each.root is not None)
    return "--no-profile" not in search.writer.command.switches and all(each is None for each in named)


def _has_skills(search: Search) -> bool:
    """Whether the extension for skills is on (wire: no-profile; captured: skills-extension-off)."""
    for _, document in search.documents:
        extensions = document.root.get("extensions") if document.root is not None else None
        skills = extensions.get("skills") if extensions is not None else None
        enabled = skills.get("enabled") if skills is not None else None
        if enabled is not None:
            return enabled.kind != "false"
    return "--no-profile" not in search.writer.command.switches


def _skills(search: Search) -> dict[str, Named]:
    """Those that are listed, with one of Goose's own (wire: skills-forms, skills-from-subdir)."""
    found: dict[str, Named] = {OWN_SKILL: Named(OWN_SKILL, size=search.facts.own_skill)}
    writer, home = search.writer, search.writer.host.home
    near = [join(writer.cwd, each, "skills") for each in (".agents", ".goose", ".claude")]
    user = [join(home, ".agents"), search.home, join(home, ".claude"), join(home, ".config", "agents")]
    plugins = [
        join(home, ".agents", "plugins", each.name) for each in writer.host.entries(join(home, ".agents/plugins"))
    ]
    for place in (*near, *(join(each, "skills") for each in (*user, *sorted(plugins)))):
        for path in _skill_files(search, place):
            skill = _skill(search, path)
            if skill is not None:
                take(found, skill, writer.draft.candidates.append)
    return found


def _skill_files(search: Search, place: str) -> Iterator[str]:
    """SKILL.md at any depth; hidden folders and links count (wire: skills-forms)."""
    host, waiting, seen = search.writer.host, [place], set[str]()
    while waiting:
        path = waiting.pop(0)
        real = host.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        if host.kind(join(path, SKILL_FILE)) == "file":
            yield join(path, SKILL_FILE)
        names = sorted(each.name for each in host.entries(path))
        waiting += [join(path, each) for each in names if host.kind(join(path, each)) == "directory"]


def _skill(search: Search, path: str) -> Named | None:
    """A skill; without a name or with front matter that is not YAML it is dropped without a word."""
    rule, note = own(WHY_SKILL, use="skill"), search.writer.draft.candidates.append
    text = text_at(search.writer.host, path, rule, note, is_whole=True, only_utf_8=True)
    if text is None:
        return None
    front = _front(text)
    called, words = _text(front, "name"), _text(front, "description")
    if not front.is_taken("again", "alias") or not called or "/" in called or words is None:
        note(rule.failed(path, "it has no front matter with a name, so Goose leaves it out without a word"))
        return None
    note(rule.loaded(path))
    origin = Origin("file", path=search.writer.host.realpath(path), range=front.range("description"))
    return Named(called, words, path, origin, rule)


def _front(text: str) -> Header:
    """What stands between the first two places with three dashes, wherever these are (captured: front-forms)."""
    start = text.find(DASHES) + len(DASHES)
    end = text.find(DASHES, start) if start >= len(DASHES) else -1
    if end < 0:
        return Header(text)
    start, last = trimmed(text[:end], start)
    matter = front_matter.between(text, start, last, end + len(DASHES))
    return Header(text, matter.start, matter.document, matter.body)


def _text(front: Header, key: str) -> str | None:
    """A scalar as it is written (captured: front-forms); None for any other value, "" where there is none.

    A block that is not the last of the front matter ends with its line feed (wire: skill-block).
    """
    value = front.value(key)
    if value is None or value.kind in ("object", "array"):
        return "" if value is None else None
    said = value.data if isinstance(value.data, str) else front.written(value)
    return said if front.text[front.start + value.end :].strip(" \r\n")[:3] != DASHES else said.rstrip("\n")


def _loaded(writer: Writer, skills: dict[str, Named], call: Call) -> list[Segment]:
    """What load_skill answers: a skill with the paths of its other files, or one of these (wire: skill-call)."""
    named, _, linked = given(call, "name").partition("/")
    skill = skills.get(named) if call.tool == "load_skill" else None
    if skill is None or skill.path is None:
        return []
    place, rule = parent(skill.path), own(WHY_CALLED, use="skill", at=call.at)
    others = [*_others(writer.host, place, "")]
    if linked:
        path = join(place, linked)
        file = Reading(layer="tools").file(writer.host, path, rule) if linked in others else None
        if file is None or not file.is_sent:
            return []
        writer.draft.candidates.append(file.candidate)
        begin = head(f"# Loaded: {named}/{linked}\n\n", "tools", path=path)
        return [begin, *file.segments, tail("\n\n", "tools"), writer.own("remark", why=WHY_CALLED, layer="tools")]
    file = BODY.file(writer.host, skill.path, rule)
    writer.draft.candidates.append(file.candidate)
    title = f"# Loaded Skill: {named} (skill)\n\n## {named} (skill)\n\n{skill.words}\n\n### Content\n\n"
    rows = [f'- {each} → load_skill(name: "{named}/{each}")\n' for each in others]
    listed = f"\n\n## Supporting Files\n\nSkill directory: {native(place)}\n\n{''.join(rows)}\n" if rows else "\n\n"
    remark = writer.own("remark", why=WHY_CALLED, layer="tools")
    return [head(title, "tools", path=skill.path), *file.segments, tail(listed, "tools"), remark]


def _others(host: Host, place: str, base: str) -> Iterator[str]:
    """The other files of a skill in the order of the disk, without those of a skill in it (captured: skill-files)."""
    for each in host.entries(join(place, base)):
        path = f"{base}{each.name}"
        if host.kind(join(place, path)) == "directory":
            if host.kind(join(place, path, SKILL_FILE)) is None:
                yield from _others(host, place, f"{path}/")
        elif each.name != SKILL_FILE:
            yield path


def _chat(search: Search, skills: dict[str, Named]) -> None:
    """The turns, and what Goose says of the moment, which moves along (wire: instructions-file; captured: moments).

    That is a line of what is typed, or apart from it where OpenAI's newer way is taken (seen by verify).
    """
    writer, is_apart = search.writer, _by_responses(search)
    path = writer.command.last("file")
    named = resolve(writer.cwd, path) if path is not None else None
    behind = _moment(writer.session.turns)
    numbers, line = count(), tail("\n", "runtime")

    def typed_or_named(turn: Turn) -> Segment:
        text = text_of(writer.host, named) if named is not None and turn.prompt is None else None
        if text is None or named is None:
            return typed(SPEC.title, turn, WHY_PLAIN)
        writer.draft.candidates.append(own("-i names it", use="prompt").loaded(named))
        origin = Origin("file", path=named, range=whole(text))
        return Segment("instructions", named, text, origin, "-i gives the prompt")

    def prompt(turn: Turn) -> list[list[Segment]]:
        if behind is None:
            return together([_info(writer, "\n"), [typed_or_named(turn)]])
        return together([[typed_or_named(turn)], *([_info(writer)] if next(numbers) == behind else [])])

    def together(parts: list[list[Segment]]) -> list[list[Segment]]:
        return parts if is_apart else [[*parts[0], *(each for part in parts[1:] for each in (line, *part))]]

    def answer(call: Call) -> list[list[Segment]]:
        return [_loaded(writer, skills, call) or [result(SPEC.title, call, WHY_PLAIN)]]

    def after(call: Call) -> tuple[Role, list[Segment]] | None:
        return ("user", _info(writer)) if call is behind else None

    given_one = writer.command.last("prompt")
    send_chat(writer.draft, index=1, prompt=prompt, answer=answer, after=after, given=given_one)


def _moment(turns: tuple[Turn, ...]) -> int | Call | None:
    """Behind what Goose says of the moment: before the model's last message comes a turn, by its number, or a call.

    None where the model has said nothing yet (captured: moments).
    """
    steps = [(number, step) for number, turn in enumerate(turns) for step in ((), *turn.steps)][:-1]
    if not steps:
        return None
    number, step = steps[-1]
    return step[-1] if step else number


def _info(writer: Writer, more: str = "") -> list[Segment]:
    """The time, the place and how full the window is; ``more`` where nothing is known of that yet."""
    when = writer.own("time", why=WHY_INFO, layer="runtime")
    full = writer.own("count of tokens", why=WHY_INFO, layer="runtime")
    place = tail(f"\nWorking directory: {native(writer.cwd)}\n{more}", "runtime")
    return [head("<info-msg>\n", "runtime"), when, place, full, tail("\n</info-msg>", "runtime")]


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        ".goosehints and AGENTS.md of ~/.config/goose, then of each directory from the git root down",
        "CONTEXT_FILE_NAMES takes the place of these names",
        "Files that they import with @path",
        "On read: those of the directories below the working directory, in the system message before the others",
        "Names and descriptions of skills",
        "With the memory extension: what it keeps in ~/.config/goose/memory",
    ),
)
