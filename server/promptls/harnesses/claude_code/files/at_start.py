"""Which instruction files Claude Code loads at start, and in which order (specification, 2, 6, 7)."""

from __future__ import annotations

from promptls.core.model import Cut, Origin, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.instruction_file import SentFile
from promptls.harnesses.claude_code.files.instruction_text import visible_text, without_unseen
from promptls.harnesses.claude_code.message_blocks import kilobytes
from promptls.harnesses.claude_code.setup import NO_FILES
from promptls.harnesses.claude_code.versions import NEWEST
from promptls.kit.candidates import Rule, own
from promptls.kit.javascript import SPACE
from promptls.kit.paths import home_or, is_absolute, is_below, join, native, resolve, upwards
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Candidate
    from promptls.harnesses.claude_code.files.instruction_file import LazyRule, Loader
    from promptls.harnesses.claude_code.settings import Setting
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.versions import Facts

CLAUDE, LOCAL, AGENTS, MEMORY = "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md"
DOT_CLAUDE = ".claude/CLAUDE.md"
RULES = ".claude/rules"
AGENTS_PLUGIN = "agents-md@builtin"

WHY_MANAGED = "Claude Code reads the organization's CLAUDE.md and rules first"
WHY_USER = "Claude Code reads the user's CLAUDE.md and rules before those of the project"
WHY_CHAIN = "Claude Code reads these files in each directory from the top of the disk down to the working directory"
WHY_AGENTS = "if no CLAUDE.md on the way counts, Claude Code reads AGENTS.md from the top down to the working directory"
WHY_ADDED = "Claude Code reads the files of a directory added with --add-dir, as a variable asks for it"
WHY_MEMORY = "Claude Code ends with its own memory of this project"


@dataclass(slots=True)
class LoadedAtStart:
    """What is loaded at start, in order, and the rules that wait for a file that they are about.

    ``agents_mode`` is how AGENTS.md is treated; ``agents_hidden`` names the file that switches it off.
    """

    entries: list[SentFile] = field(default_factory=list)
    managed_rules: list[LazyRule] = field(default_factory=list)
    user_rules: list[LazyRule] = field(default_factory=list)
    project_rules: list[LazyRule] = field(default_factory=list)
    agents_mode: str = ""
    agents_hidden: str | None = None


def at_start(loader: Loader) -> LoadedAtStart:
    """Managed, user, project from the top down, AGENTS.md, added directories, memory (2, order)."""
    started = LoadedAtStart()
    mode = _agents_mode(loader)
    started.agents_mode = mode
    _managed(loader, started)
    if mode != MANAGED_ONLY:
        _user(loader, started)
        for directory in chain(loader.setup.cwd):
            _project(loader, started, directory)
        _agents(loader, started)
        _load_added_directories(loader, started)
    else:
        _left_out(loader)
    _memory(loader, started)
    return started


def chain(cwd: str) -> list[str]:
    """The directories from the top down to ``cwd``, without the root (captured: filesystem-root)."""
    return list(upwards(cwd))[-2::-1]


def _managed(loader: Loader, started: LoadedAtStart) -> None:
    path, rules = join(loader.setup.managed, CLAUDE), join(loader.setup.managed, RULES)
    if loader.off("managed", (path, rules), WHY_MANAGED):
        return
    started.entries += loader.file(path, "managed", WHY_MANAGED)
    started.entries += _managed_text(loader)
    always, lazy = loader.rules(rules, "managed", WHY_MANAGED, base=loader.setup.cwd)
    started.entries += always
    started.managed_rules += lazy


def _managed_text(loader: Loader) -> list[SentFile]:
    """``claudeMd`` of the managed settings is an entry of its own (captured: managed-settings-claudemd)."""
    for setting in loader.setup.settings.every("claudeMd"):
        text = setting.value.data
        if setting.scope == "managed" and isinstance(text, str) and text.strip():
            loader.draft.candidates.append(Rule(WHY_MANAGED, setting.origin).loaded(setting.origin.path))
            return [SentFile("<managed-settings>", setting.origin, "managed", text, ((0, len(text)),), WHY_MANAGED)]
    return []


def _user(loader: Loader, started: LoadedAtStart) -> None:
    path, rules = join(loader.setup.directory, CLAUDE), join(loader.setup.directory, "rules")
    if loader.off("user", (path, rules), WHY_USER):
        # Also where the home directory is above the working directory.
        loader.seen.add(loader.setup.host.realpath(path))
        return
    started.entries += loader.file(path, "user", WHY_USER)
    always, lazy = loader.rules(rules, "user", WHY_USER, base=loader.setup.cwd)
    started.entries += always
    started.user_rules += lazy


def _project(loader: Loader, started: LoadedAtStart, directory: str) -> None:
    """CLAUDE.md, .claude/CLAUDE.md, rules, CLAUDE.local.md of one directory (2, order)."""
    setup = loader.setup
    files = (join(directory, CLAUDE), join(directory, DOT_CLAUDE))
    rules, local = join(directory, RULES), join(directory, LOCAL)
    if setup.main and setup.root and is_below(directory, setup.main) and not is_below(directory, setup.root):
        reason = f"the worktree {setup.root} has its own copy"
        for path in (*files, rules, local):
            if setup.host.kind(path) is not None:
                loader.draft.candidates.append(own(WHY_CHAIN).shadowed(path, reason, by=setup.root))
        return
    if not loader.off("project", (*files, rules), WHY_CHAIN):
        for path in files:
            started.entries += loader.file(path, "project", WHY_CHAIN)
        always, lazy = loader.rules(rules, "project", WHY_CHAIN, base=directory)
        started.entries += always
        started.project_rules += lazy
    if not loader.off("local", (local,), WHY_CHAIN):
        started.entries += loader.file(local, "local", WHY_CHAIN)


# -- AGENTS.md (7) ---------------------------------------------------------------------------------------------

CLAUDE_ONLY, EITHER, BOTH = "claude-md", "claude-md-or-agents-md", "claude-md-and-agents-md"
MANAGED_ONLY = "managed-only"


def _agents_mode(loader: Loader) -> str:
    """The plugin's option in the user's settings; project settings are not read for it."""
    setup = loader.setup
    if not setup.facts.agents_md:
        return CLAUDE_ONLY
    for setting in reversed(list(setup.settings.every("pluginConfigs"))):
        if setting.scope not in ("user", "managed", "flag"):
            continue
        options = setting.value.get(AGENTS_PLUGIN)
        options = options.get("options") if options else None
        given = (options.text("instructionFiles"), options.text("projectInstructions")) if options else (None, None)
        if given[0] in (CLAUDE_ONLY, EITHER, BOTH, MANAGED_ONLY):
            return given[0]
        if given[1] == "both":
            return BOTH
        if any(given):
            why = f"promptls does not know this option of {AGENTS_PLUGIN}; the default is shown"
            loader.draft.candidates.append(Rule(why, setting.origin).excluded())
    return EITHER


def _left_out(loader: Loader) -> None:
    """With ``managed-only``, what is in the usual places is named (wire: agents-md-opt-*-managed-only)."""
    setup = loader.setup
    reason = f"the option managed-only of {AGENTS_PLUGIN} leaves out all but managed files and memory"
    places = [
        (directory, name) for directory in chain(setup.cwd) for name in (CLAUDE, DOT_CLAUDE, RULES, LOCAL, AGENTS)
    ]
    for path in (join(setup.directory, CLAUDE), join(setup.directory, "rules"), *(join(*place) for place in places)):
        if setup.host.kind(path) is not None:
            loader.draft.candidates.append(own(WHY_CHAIN).disabled(path, reason))
    loader.seen.add(setup.host.realpath(join(setup.directory, CLAUDE)))


def _agents(loader: Loader, started: LoadedAtStart) -> None:
    """All AGENTS.md on the way down, if no CLAUDE.md is there or the option wants both."""
    setup = loader.setup
    paths = [join(place, name) for place in chain(setup.cwd) for name in (AGENTS, join(".claude", AGENTS))]
    # That of the user's own directory is none of a project (wire: base-order-all-layers).
    paths = [path for path in paths if path != join(setup.directory, AGENTS)]
    if loader.off("project", paths, WHY_AGENTS):
        return
    hidden = _first_claude(loader) if started.agents_mode == EITHER else None
    started.agents_hidden = hidden
    for path in paths:
        if started.agents_mode in (EITHER, BOTH) and hidden is None:
            started.entries += loader.file(path, "project", WHY_AGENTS)
        elif setup.host.kind(path) is not None:
            loader.draft.candidates.append(_hidden_agents(loader, started, path))


def _hidden_agents(loader: Loader, started: LoadedAtStart, path: str) -> Candidate:
    rule = own(WHY_AGENTS)
    if started.agents_hidden is not None:
        return rule.shadowed(path, f"{started.agents_hidden} hides it", by=started.agents_hidden)
    if not loader.setup.facts.agents_md:
        version = loader.setup.facts.version.name
        return replace(rule, why=f"Claude Code {version} does not read AGENTS.md").disabled(path)
    return rule.disabled(path, f"the option {started.agents_mode} of {AGENTS_PLUGIN} leaves it out")


def _first_claude(loader: Loader) -> str | None:
    """The first file on the way down that switches AGENTS.md off; the user's own does not."""
    setup = loader.setup
    own = join(setup.directory, CLAUDE)
    for directory in chain(setup.cwd):
        for name in (CLAUDE, DOT_CLAUDE, LOCAL):
            path = join(directory, name)
            if path != own and loader.hides_agents(path):
                return path
    return None


# -- --add-dir (9) ---------------------------------------------------------------------------------------------


def _load_added_directories(loader: Loader, started: LoadedAtStart) -> None:
    """Directories of --add-dir, if a variable wants their files; never their parents or children."""
    setup = loader.setup
    wanted = setup.is_on("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD")
    for given in setup.command.values.get("add-dir", []):
        directory = home_or(setup.home, given) or resolve(setup.cwd, given)
        files = [(join(directory, CLAUDE), "project"), (join(directory, DOT_CLAUDE), "project")]
        local = join(directory, LOCAL)
        rules = join(directory, RULES)
        if not wanted:
            why = "files of --add-dir are read only with CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD=1"
            for path in (*(path for path, _ in files), rules, local):
                if setup.host.kind(path) is not None and setup.host.realpath(path) not in loader.seen:
                    rule = Rule(why, Origin("argument", name="--add-dir"))
                    loader.draft.candidates.append(rule.disabled(path))
            continue
        if not loader.off("project", (*(path for path, _ in files), rules), WHY_ADDED):
            for path, kind in files:
                started.entries += loader.file(path, kind, WHY_ADDED)
            always, lazy = loader.rules(rules, "project", WHY_ADDED, base=directory)
            started.entries += always
            started.project_rules += lazy
        if not loader.off("local", (local,), WHY_ADDED):
            started.entries += loader.file(local, "local", WHY_ADDED)


# -- auto memory (6) -------------------------------------------------------------------------------------------


def memory_off(loader: Loader) -> Origin | None:
    """What switches the auto memory off."""
    setup = loader.setup
    if "memory" in setup.off:
        return setup.off["memory"]
    enabled = setup.settings.last("autoMemoryEnabled")
    return enabled.origin if enabled and enabled.value.kind == "false" else None


def explains_memory(loader: Loader) -> bool:
    """Whether its own prompt has the section on the memory: it has, where a variable keeps only the files back.

    (captured: memory-without-files)
    """
    off = memory_off(loader)
    return off is None or (off.name or "").endswith(NO_FILES)


def _memory(loader: Loader, started: LoadedAtStart) -> None:
    path = _memory_path(loader)
    off = memory_off(loader)
    if off is not None:
        if loader.setup.host.kind(path) is not None:
            loader.draft.candidates.append(Rule(WHY_MEMORY, off).disabled(path, f"{off.name} switches it off"))
        return
    # No import of a memory is followed (wire: auto-memory-import-comment).
    for whole in loader.file(path, "memory", WHY_MEMORY, with_imports=False):
        entry = limited(loader, whole)
        if entry.has_text:
            started.entries.append(entry)
        else:
            loader.draft.candidates[-1] = own(WHY_MEMORY).empty(path, "it has no letters that are sent")


def _memory_path(loader: Loader) -> str:
    """Where the memory is; a relative path of a setting does not count (wire: settle-memory-dir-user-relative)."""
    moved = _moved(loader.setup)
    if moved is not None and _directory(loader.setup, moved) is None:
        reason = f"{moved.value.data} is neither an absolute path nor begins with ~/, so the usual directory is used"
        loader.draft.candidates.append(Rule(WHY_MEMORY, moved.origin, "config").excluded(None, reason))
    return join(memory_directory(loader.setup), MEMORY)


def memory_directory(setup: Setup) -> str:
    """Where the settings say, else a directory named after the main checkout, also below it and in a worktree."""
    moved = _moved(setup)
    given = _directory(setup, moved) if moved is not None else None
    if given is not None:
        return given
    project = setup.main or setup.root or setup.cwd
    return join(setup.directory, "projects", slug(native(project), setup.facts.slug_length), "memory")


def _moved(setup: Setup) -> Setting | None:
    scopes = setup.facts.memory_scopes
    moved = [found for found in setup.settings.every("autoMemoryDirectory") if found.scope in scopes]
    return moved[-1] if moved and isinstance(moved[-1].value.data, str) else None


def _directory(setup: Setup, moved: Setting) -> str | None:
    given = str(moved.value.data)
    return home_or(setup.home, given) or (resolve(setup.cwd, given) if is_absolute(given, setup.cwd) else None)


def slug(path: str, longest: int = NEWEST.slug_length) -> str:
    """The name of a project's directory: a dash for each UTF-16 unit that is no ASCII letter or digit.

    Of a long one the beginning is followed by a hash of the path (wire: settle-memory-slug-special).
    """
    raw = path.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]
    dashed = "".join(chr(unit) if unit < ASCII and chr(unit).isalnum() else "-" for unit in units)
    if len(dashed) <= longest:
        return dashed
    number = 0
    for unit in units:
        number = (number * 31 + unit) & 0xFFFFFFFF
    # Without its sign, as a number of 32 bits.
    return f"{dashed[:longest]}-{_base36(min(number, (1 << 32) - number))}"


ASCII = 128
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _base36(number: int) -> str:
    found = ""
    while number:
        number, digit = divmod(number, 36)
        found = DIGITS[digit] + found
    return found or "0"


def limited(loader: Loader, entry: SentFile) -> SentFile:
    """At most so many lines and characters, whole lines, and a warning that names the first line left out (6).

    What is left is sent without unseen letters.
    """
    entry = _first_lines(loader, entry)
    text, kept = without_unseen(entry.text, entry.spans)
    return replace(entry, text=text, spans=kept)


def _first_lines(loader: Loader, entry: SentFile) -> SentFile:
    most_lines, most_characters = loader.setup.facts.memory_lines, loader.setup.facts.memory_characters
    entry = entry.trimmed()
    whole = "".join(entry.text[start:end] for start, end in entry.spans)
    lines = whole.split("\n")
    too_many, too_long = len(lines) > most_lines, len(whole) > most_characters
    if not too_many and not too_long:
        return entry
    shown = "\n".join(lines[:most_lines])
    if len(shown) > most_characters:
        end = shown.rfind("\n", 0, most_characters + 1)
        shown = shown[: end if end > 0 else most_characters]
    count = shown.count("\n") + 1
    unit, total, number = ("lines", len(lines), count) if too_many else ("characters", len(whole), len(shown))
    limit = f"Claude Code sends {most_lines} lines or {most_characters} characters of its memory at most"
    loader.draft.candidates[-1] = replace(loader.draft.candidates[-1], outcome="cut", rule=limit, reason="")
    return replace(
        entry,
        spans=_first_characters(entry.spans, len(shown)),
        cut=Cut(number, total, unit, limit),
        note=_warning(loader.setup.facts, whole, lines, count, too_many=too_many, too_long=too_long),
    )


def _first_characters(kept: tuple[tuple[int, int], ...], size: int) -> tuple[tuple[int, int], ...]:
    """The stretches that hold the first ``size`` characters; those behind them are empty."""
    found: list[tuple[int, int]] = []
    for start, end in kept:
        found.append((start, min(end, start + size)))
        size = max(0, size - (end - start))
    return tuple(found)


def _warning(
    facts: Facts, whole: str, lines: list[str], count: int, *, too_many: bool, too_long: bool
) -> tuple[Segment, ...]:
    """Exactly, as far as it was seen: with one of the limits (wire: auto-memory-250-lines, auto-memory-bytes)."""
    if too_many and too_long:
        why = "both limits of the memory are reached"
        return (tail("\n\n", "memory"), elided("memory", "Claude Code", "warning about the memory's size", why=why))
    what = f"{len(lines)} lines (limit: {facts.memory_lines})"
    if too_long:
        what = f"{kilobytes(len(whole))} (limit: {kilobytes(facts.memory_characters)}) — index entries are too long"
    first = visible_text(lines[count].strip(SPACE)) if count < len(lines) else ""
    first = first if len(first) <= facts.memory_excerpt else first[: facts.memory_excerpt - 1] + "…"
    says = (
        f"\n\n> WARNING: {MEMORY} is {what}. Only part of it was loaded: {len(lines) - count} of {len(lines)} lines "
        f'were cut off, starting at line {count + 1} ("{first}"). Keep index entries to one line under ~200 chars; '
        "move detail into topic files."
    )
    return (tail(says, "memory"),)
