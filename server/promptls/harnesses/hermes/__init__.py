"""Hermes: one kind of instruction file in the system message, between texts of its home; others come with calls.

[source] is the program's package; sections are those of the harness specification for Hermes.
"""

from __future__ import annotations

from promptls.core.formats.header import header
from promptls.core.model import SKILL_FILE, Origin, Segment
from promptls.core.text import decode
from promptls.core.values import replace
from promptls.harnesses.hermes.files import (
    SETTINGS,
    Search,
    brought,
    instructions,
    memories,
    read_variables,
    soul,
    touched,
)
from promptls.harnesses.hermes.skills import listed
from promptls.harnesses.hermes.spec import SPEC
from promptls.harnesses.hermes.versions import NEWEST, ROWS, VARIABLES_NOT_MODELLED
from promptls.harnesses.hermes.viewed import fields
from promptls.harnesses.hermes.workspace import is_coding, workspace
from promptls.kit.args import Options
from promptls.kit.base import described
from promptls.kit.candidates import argument, own
from promptls.kit.chain import Chain, Reading, Stretches, from_git_root, without_space
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.delegated import delegated_session, shown_for
from promptls.kit.paths import home_or, is_absolute, is_below, join, name, native, parent, relative, resolve
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import given
from promptls.kit.tool_calls import text as given_text
from promptls.kit.unread_files import name_unread
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Role, Session
    from promptls.kit.candidates import Rule
    from promptls.kit.chain import FileText

WHY_BASE = "Hermes' own text comes first, unless SOUL.md takes the place of its first sentence"
WHY_TOOLS = "what Hermes says of its tools, and to some families of models"
WHY_STATE = "Hermes tells the model of the machine, of Python, of its profile, and of the command line"
WHY_HINT = "a text of the user's for the system message"
WHY_END = "the date, the model and the provider come last"
WHY_PRELOADED = "--skills puts the whole skill at the end of the system message"
WHY_VIEWED = "skill_view answers with the whole file"
WHY_LINKED = "skill_view with a file_path answers with that file of the skill"
WHOLE = Reading(has_unix_lines=True, layer="tools")
# Of another file that is not UTF-8, only its size is said.
LINKED = replace(WHOLE, not_utf_8="left out", sends_empty=True)
WHY_TASK = "a sub-agent gets no instruction file, no SOUL.md and no memory; it is told its task instead"
CALLED = Origin("argument", name="delegate_task")
ROLES = ("leaf", "orchestrator")
WHY_PLAIN = "Hermes adds no instructions to what is typed"
WHY_OFF = "{} leaves out instruction files, SOUL.md and memories, but not what a call brings"
NOTE_ORDER = (
    "One call brings files of several directories, and Hermes sends them in an order that changes from run to run."
)
# By a part of the model's name [source].
ENFORCED = ("gpt", "codex", "gemini", "gemma", "grok", "glm", "qwen", "deepseek")
BY_DEVELOPER = ("gpt-5", "codex")
BY_PATCH = ("gpt", "codex")
BY_REPLACING = (
    *("claude", "sonnet", "opus", "haiku", "gemini", "gemma", "deepseek", "qwen", "kimi", "glm", "grok", "hermes"),
    *("llama", "mistral", "devstral", "minimax"),
)
MODES = {
    "on": ("on", "true", "yes", "1", "always"),
    "off": ("off", "false", "no", "0", "never"),
}
RULES_OFF = ("--ignore-rules", "--safe-mode")
RESUMED = ("--resume", "-r", "--continue", "-c", "--worktree", "-w")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
OPTIONS = Options(
    model=("--model", "-m"),
    prompt=("--query", "-q", "--oneshot", "-z"),
    named={"--profile": "profile", "-p": "profile", "--skills": "skills", "-s": "skills"},
    values=("--provider", "--toolsets", "-t", "--image", "--max-turns", "--source", "--usage-file", *RESUMED[:2]),
    switches=(
        *("--quiet", "-Q", "--yolo", "--verbose", "-v", "--cli", "--tui", "--dev", "--accept-hooks", "--checkpoints"),
        *("--pass-session-id", "--ignore-user-config", "--no-restore-cwd", *RULES_OFF),
    ),
    not_modelled=("--toolsets", "-t", "--image", *RESUMED),
    variables=VARIABLES_NOT_MODELLED,
)
UNREAD = Unread(
    names=("GEMINI.md", "AGENTS.override.md", "hermes.md", "Agents.md", ".github/copilot-instructions.md"),
    why="Hermes does not load a file of this name; put it into AGENTS.md",
    home=("AGENTS.md", ".hermes/AGENTS.md", ".hermes/HERMES.md", ".agents/AGENTS.md", ".claude/CLAUDE.md"),
    why_home="Hermes has no instruction file for all folders; ~/.hermes/SOUL.md is what it is",
)
WHY_ABOVE = "Hermes loads this file of the working directory only"
EVERY = Chain(("AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules"), WHY_ABOVE, where=from_git_root)


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of a session (section "Placement"), or of the sub-agent that its last call has started."""
    own_session, task = delegated_session(session, SPEC)
    writer = Writer(SPEC, own_session, host, OPTIONS)
    search = Search(writer, row(ROWS, session.version), _home(writer), task)
    read_variables(search)
    if not {"--ignore-user-config", "--safe-mode"} & writer.command.switches:
        search.settings = SETTINGS.read(writer.draft, host, join(search.home, "config.yaml"))
    off = _off(search)
    has_files = not off and task is None
    identity = soul(search) if has_files else []
    skills = listed(search)
    files = instructions(search) if has_files else []
    # (captured: model-gpt-5)
    role: Role = "developer" if _is_of(_model(search), BY_DEVELOPER) else "system"
    system = [
        *(identity or [writer.own("identity", why=WHY_BASE, size=search.facts.identity)]),
        *_guidance(search),
        *skills,
        *_state(search),
        *files,
        *(memories(search) if has_files else []),
        *_end(search),
        *_only_once(search),
    ]
    writer.draft.add_message(role, system, index=0)
    if off and task is None:
        writer.draft.candidates.append(argument(off, WHY_OFF.format(off)))
    send_chat(
        writer.draft,
        index=1,
        prompt=lambda turn: [[typed(SPEC.title, turn, WHY_PLAIN)]],
        answer=lambda call: [_answer(search, call)],
        given=writer.command.last("prompt"),
    )
    _name_unread(writer)
    if task is not None:
        role_said = given_text(task, "role")
        if role_said.strip().lower() not in ("", *ROLES):
            says = f"Hermes' sub-agents have roles, {' and '.join(ROLES)}, and no names: {role_said!r} is a {ROLES[0]}."
            writer.draft.notes.append(says)
        near, at_home = [".hermes.md", *EVERY.every_name], ["SOUL.md", "memories/MEMORY.md", "memories/USER.md"]
        left = [*(join(writer.cwd, each) for each in near), *(join(search.home, each) for each in at_home)]
        name_unread(writer.draft, host, WHY_TASK, left)
    # Its tools hang on what is installed beside it (section "Sizes").
    return shown_for(session, writer.prompt(model=_model(search)), SPEC)


def _home(writer: Writer) -> str:
    """Where Hermes keeps what is the user's (wire: hermes-home, profile); a profile may be kept as the usual one."""
    host = writer.host
    named = host.env.get("HERMES_HOME")
    home = resolve(writer.cwd, named) if named else join(host.home, ".hermes")
    root = parent(parent(home)) if name(parent(home)) == "profiles" else home
    profile = writer.command.last("profile")
    kept = join(root, "active_profile")
    if profile is None and root == home and host.kind(kept) == "file":
        profile = host.read(kept).data.decode("utf-8", "replace").strip()
    if profile in (None, ""):
        return home
    return root if profile == "default" else join(root, "profiles", profile or "")


def _off(search: Search) -> str:
    """What turns off instruction files, if anything does (wire: ignore-rules, env-file; captured: ignore-rules-env)."""
    given_one = next((each for each in RULES_OFF if each in search.writer.command.switches), "")
    return given_one or ("HERMES_IGNORE_RULES" if _variable(search, "HERMES_IGNORE_RULES") == "1" else "")


def _is_of(model: str | None, names: Iterable[str]) -> bool:
    return any(each in (model or "").lower() for each in names)


def _model(search: Search) -> str | None:
    """The model; the settings may name another one for sub-agents [source]."""
    of_task = search.text("delegation", "model") if search.task is not None else ""
    return of_task or search.writer.model or search.text("model", "default") or None


def _guidance(search: Search) -> list[Segment]:
    """What is said of tools; its size depends on the model [source]. A sub-agent is told nothing of memories."""
    facts, model = search.facts, _model(search)
    size = facts.guidance - (0 if search.task is None else facts.of_memory)
    if _is_of(model, ENFORCED):
        size += 2 + facts.enforcement
        size += facts.of_google + 2 if _is_of(model, ("gemini", "gemma")) else 0
        size += facts.of_openai + 2 if _is_of(model, ("gpt", "codex", "grok")) else 0
    has_own = search.setting("agent", "tool_use_enforcement") is not None or model is None
    return [tail("\n\n", "provider"), search.writer.own("guidance", why=WHY_TOOLS, size=None if has_own else size)]


def _state(search: Search) -> Iterator[Segment]:
    """The machine, the folder, and what Hermes says of itself (wire: config-prompts, coding-off)."""
    writer, facts = search.writer, search.facts
    machine = writer.own("name of the system", why=WHY_STATE, layer="environment")
    yield from (tail("\n\n", "environment"), machine)
    place = f"\nUser home directory: {native(writer.host.home)}\nCurrent working directory: {native(writer.cwd)}"
    yield tail(place, "environment")
    if _variable(search, "HERMES_ENVIRONMENT_HINT"):
        yield from _variable_text(search, "HERMES_ENVIRONMENT_HINT")
    else:
        yield from _set(search, "agent", "environment_hint")
    said = search.setting("agent", "coding_context")
    mode = str(said.data).strip().lower() if said is not None else ""
    known = next((each for each, words in MODES.items() if mode in words), "auto")
    # A sub-agent is in no folder with code, unless the settings say so (captured: subagent-leaf).
    if known == "on" if search.task is not None else is_coding(writer.host, facts, writer.cwd, known):
        edit = facts.edit_by_patch if _is_of(_model(search), BY_PATCH) else facts.edit_by_replacing
        has_edit = _is_of(_model(search), (*BY_PATCH, *BY_REPLACING))
        yield tail("\n\n", "provider")
        yield writer.own("brief for code", why=WHY_TOOLS, size=facts.brief + (1 + edit if has_edit else 0))
        yield from workspace(writer, facts)
        yield from _set(search, "agent", "coding_instructions", before="Operator instructions (from config):\n")
    yield from (tail("\n\n", "provider"), writer.own("Python and profile", why=WHY_STATE, layer="environment"))
    yield from _hint(search)


def _hint(search: Search) -> Iterator[Segment]:
    """What is said of the command line, and what the settings add or put in its place (wire: config-prompts).

    Of a sub-agent Hermes says nothing here itself.
    """
    where = "cli" if search.task is None else "subagent"
    if search.text("platform_hints", where, "replace"):
        yield from _set(search, "platform_hints", where, "replace")
    elif search.task is None:
        own_one = search.writer.own("hint for the command line", why=WHY_STATE, size=search.facts.hint)
        yield from (tail("\n\n", "provider"), own_one)
    yield from _set(search, "platform_hints", where, "append")
    yield from _set(search, "platform_hints", where)


def _variable(search: Search, name: str) -> str:
    return search.variables[name].text.strip() if name in search.variables else ""


def _variable_text(search: Search, variable: str) -> Iterator[Segment]:
    """The text of a variable (wire: env-file, config-prompts)."""
    yield tail("\n\n")
    yield Segment("instructions", variable, _variable(search, variable), search.variables[variable].origin, WHY_HINT)


def _set(search: Search, *keys: str, before: str = "") -> Iterator[Segment]:
    """A text of the settings, if there is one."""
    value, said = search.setting(*keys), search.text(*keys)
    if value is not None and said and search.settings is not None:
        where = search.settings.range(value)
        origin = Origin("config", path=join(search.home, "config.yaml"), range=where, name=".".join(keys))
        yield tail(f"\n\n{before}")
        yield Segment("instructions", ".".join(keys), said, origin, WHY_HINT)


def _end(search: Search) -> Iterator[Segment]:
    """The date, and what the model is (wire: config-prompts)."""
    today = search.writer.host.today()
    day, month = DAYS[today.tm_wday], MONTHS[today.tm_mon - 1]
    yield tail(f"\n\nConversation started: {day}, {month} {today.tm_mday:02d}, {today.tm_year:04d}\n", "runtime")
    yield search.writer.own("model and provider", why=WHY_END, layer="runtime")


def _only_once(search: Search) -> Iterator[Segment]:
    """What comes only for this session, which for a sub-agent is its task (captured: skills-flag, subagent-leaf)."""
    writer = search.writer
    if search.task is not None:
        yield from _task(search, search.task)
        return
    if _variable(search, "HERMES_EPHEMERAL_SYSTEM_PROMPT"):
        yield from _variable_text(search, "HERMES_EPHEMERAL_SYSTEM_PROMPT")
    else:
        yield from _set(search, "agent", "system_prompt")
    named = [each.strip() for part in writer.command.values.get("skills", ()) for each in part.split(",")]
    for each in dict.fromkeys(named):
        yield from _preloaded(search, each)


def _task(search: Search, task: Call) -> Iterator[Segment]:
    """What a sub-agent is told of its task, its context and the folder, which is all that it knows of the project."""
    writer, facts = search.writer, search.facts
    yield tail("\n\n", "provider")
    yield writer.own("sentence on sub-agents", why=WHY_TASK, size=facts.on_subagents)
    for heading, key in (("YOUR TASK", "goal"), ("CONTEXT", "context")):
        said = given_text(task, key)
        if said.strip() or key == "goal":
            yield from (tail(f"\n\n{heading}:\n", "runtime"), Segment("runtime", key, said, CALLED, WHY_TASK))
    yield tail(f"\n\nWORKSPACE PATH:\n{native(writer.cwd)}\n", "environment")
    # Only where the settings allow more than one level is an orchestrator more than a leaf [source].
    is_leaf = given_text(task, "role").strip().lower() != ROLES[1]
    is_leaf = is_leaf or search.setting("delegation", "max_spawn_depth") is None
    yield writer.own("what a sub-agent has to do", why=WHY_TASK, size=facts.for_subagents if is_leaf else None)


def _preloaded(search: Search, named: str) -> Iterator[Segment]:
    """A skill that --skills names."""
    writer, skill = search.writer, _skill(search, named)
    if skill is not None:
        file = _read(search, skill, own(WHY_PRELOADED, use="skill"))
        yield tail("\n\n", "tools")
        yield writer.own("sentence about the skill", why=WHY_PRELOADED, layer="tools")
        yield head("\n\n", "tools", path=file.path)
        yield from Stretches(file.segments).between(*next(without_space(file.text), (0, 0)))
        yield tail(f"\n\n[Skill directory: {native(parent(file.path))}]\n", "tools")
        yield writer.own("sentences about the skill's files", why=WHY_PRELOADED, layer="tools")


def _skill(search: Search, named: str) -> str | None:
    """The file of a skill of the list, by its name, its folder, or its path among skills."""
    place = join(search.home, "skills")
    for each in search.writer.draft.candidates:
        path = each.path
        is_skill = path is not None and each.use == "skill" and name(path) == SKILL_FILE
        if path is None or not is_skill or each.outcome not in ("loaded", "unscoped"):
            continue
        front = header(decode(search.writer.host.read(path).data, keep_bom=False))
        if named in (name(parent(path)), front.word("name"), relative(parent(path), place)):
            return path
    return None


def _read(search: Search, path: str, rule: Rule, reading: Reading = WHOLE) -> FileText:
    """A file whose whole text is sent."""
    file = reading.file(search.writer.host, path, rule)
    search.writer.draft.candidates.append(file.candidate)
    return file


# -- what a call brings ------------------------------------------------------------------------------------------------


def _answer(search: Search, call: Call) -> list[Segment]:
    """A result, and the files that it brings (wire: nested-read-tools, nested-read-cwd-in-subdir)."""
    directories = touched(search, _paths(search.writer, call))
    parts = brought(search, call, directories)
    if sum(each.frame == "head" and each.origin.path is not None for each in parts) > 1:
        search.writer.draft.notes.append(NOTE_ORDER)
    viewed = _viewed(search, call) if call.tool == "skill_view" else []
    return [*(viewed or [result(SPEC.title, call, WHY_PLAIN)]), *parts]


def _viewed(search: Search, call: Call) -> list[Segment]:
    """A file of a skill in JSON; the fields around SKILL.md hang on what the skill needs (wire: skill-call)."""
    named, linked = given_text(call, "name"), given_text(call, "file_path")
    skill = _skill(search, named)
    if skill is None or (linked and not _is_inside(search.writer.host, parent(skill), linked)):
        return []
    path = join(parent(skill), linked) if linked else skill
    rule = own(WHY_LINKED if linked else WHY_VIEWED, use="skill", at=call.at)
    file = _read(search, path, rule, LINKED if linked else WHOLE)
    if linked and not file.is_sent:
        return []
    said = [replace(each, text=_json(each.text)[1:-1]) for each in file.segments]
    if linked:
        front = f'{{"success": true, "name": {_json(named)}, "file": {_json(linked)}, "content": "'
        ending = f'", "file_type": {_json(_suffix(linked))}}}'
        return [head(front, "tools", path=path), *said, tail(ending, "tools")]
    around = fields(search.writer.host, path, join(search.home, "skills"), file.text)
    if around is not None:
        before, after = around
        return [head(f'{before}"content": "', "tools", path=path), *said, tail(f'"{after}', "tools")]
    own_fields = search.writer.own("other fields of the answer", why=WHY_VIEWED, layer="tools")
    return [own_fields, head('"content": "', "tools", path=path), *said, tail('", ', "tools"), own_fields]


def _is_inside(host: Host, directory: str, linked: str) -> bool:
    """Whether a file below a directory is named: to name another is an error, as one that is not there [source]."""
    if ".." in linked.split("/"):
        return False
    path = join(directory, linked)
    return is_below(host.realpath(path), host.realpath(directory)) and host.read(path).state == "file"


def _suffix(path: str) -> str:
    stem, _, ending = name(path).rpartition(".")
    return f".{ending}" if stem and ending else ""


def _json(text: str) -> str:
    import json  # noqa: PLC0415 - only where a skill is viewed

    return json.dumps(text, ensure_ascii=False)


def _paths(writer: Writer, call: Call) -> Iterator[str]:
    """The paths that a call names: of the terminal, each word with a slash or a dot [source]."""
    if call.read is not None:
        yield call.read
        return
    said = [given_text(call, key) for key in ("path", "file_path", "workdir")]
    if call.tool == "terminal":
        import shlex  # noqa: PLC0415 - only where the terminal is used

        command = given(call).get("command")
        try:
            words = shlex.split(command) if isinstance(command, str) else []
        except ValueError:
            words = str(command).split()
        apart = ("-", "http://", "https://", "git@")
        said += [each for each in words if ("/" in each or "." in each) and not each.startswith(apart)]
    for each in said:
        if each.strip():
            path = home_or(writer.host.home, each) or each
            yield path if is_absolute(path, writer.host.home) else resolve(writer.cwd, path)


def _name_unread(writer: Writer) -> None:
    writer.name_unread(UNREAD, EVERY)
    above = [each for each in from_git_root(writer.host, writer.cwd) if each != writer.cwd]
    paths = [join(place, each) for place in above for each in EVERY.every_name]
    name_unread(writer.draft, writer.host, WHY_ABOVE, paths, outcome="outside")


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "SOUL.md of ~/.hermes, in place of its own first sentence",
        "The nearest .hermes.md or HERMES.md up to the git root",
        "Without one: AGENTS.md, else CLAUDE.md, else .cursorrules and .cursor/rules/*.mdc of the working directory",
        "A file with a sentence that its scanner takes for an attack is left out whole",
        "MEMORY.md and USER.md of ~/.hermes/memories; names and descriptions of skills of ~/.hermes/skills",
        f"On a call that names a path: such a file of at most {NEWEST.levels} directories on the way to it",
    ),
)
