"""How Claude Code was started: its command line, environment and settings, and what these switch on and off."""

from __future__ import annotations

from promptls.core.formats import jsonc
from promptls.core.model import Candidate, Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.harnesses import args
from promptls.harnesses.base import STATE_SAYS, type_clause, with_consequence
from promptls.harnesses.paths import git_root, join, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.core.host import Host
    from promptls.core.model import Session
    from promptls.harnesses.base import Draft

# Default models of the versions seen (head of the specification).
DEFAULT_MODEL = {"2.1.330": "claude-opus-5-5", "2.1.197": "claude-opus-4-8", "2.1.85": "claude-sonnet-4-6"}
# Models that take no messages of role system get the older layout (1); seen with sonnet-4-5 only.
WITHOUT_SYSTEM_MESSAGES = ("claude-3", "-4-5", "-4-1", "-4-0", "-4-2025")

MANAGED = {"darwin": "/Library/Application Support/ClaudeCode"}
MANAGED_LINUX = "/etc/claude-code"
SOURCES = ("user", "project", "local")

# Options with a value that is used here, with one that is not, and options without a value.
VALUES = {
    option: option.removeprefix("--")
    for option in (
        *("--system-prompt", "--system-prompt-file", "--append-system-prompt", "--append-system-prompt-file"),
        *("--agent", "--agents", "--add-dir", "--setting-sources", "--settings", "--model", "--mcp-config"),
        *("--plugin-dir", "--tools", "--allowedTools", "--disallowedTools", "--allowed-tools", "--disallowed-tools"),
        *("--resume", "--session-id", "--from-pr", "--permission-mode", "--permission-prompt-tool"),
        *("--input-format", "--output-format", "--json-schema", "--max-turns", "--max-budget-usd", "--effort"),
        *("--fallback-model", "--betas", "--file", "--name"),
    )
} | {"-r": "resume", "-n": "name"}
GREEDY = (
    *("add-dir", "mcp-config", "plugin-dir", "tools", "betas", "file"),
    *("allowedTools", "disallowedTools", "allowed-tools", "disallowed-tools"),
)
BARE, SAFE, RESTRICTED = "--bare", "--safe-mode", "--restricted"
EXCLUDE_DYNAMIC = "--exclude-dynamic-system-prompt-sections"
CONTINUES = ("--continue", "-c", "--fork-session")
SWITCHES = (
    *(BARE, SAFE, RESTRICTED, EXCLUDE_DYNAMIC, *CONTINUES),
    *("--print", "-p", "--verbose", "--debug", "-d", "--ide", "--chrome", "--no-chrome", "--strict-mcp-config"),
    *("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--no-session-persistence"),
    *("--include-partial-messages", "--include-hook-events", "--replay-user-messages", "--disable-slash-commands"),
)
# They change the request, and promptls does not say how.
NOT_MODELLED = ("plugin-dir", "tools", "disallowedTools", "disallowed-tools", "resume", "from-pr")
ENV_NOT_MODELLED = ("CLAUDE_CODE_COORDINATOR_MODE", "CLAUDE_CODE_PROACTIVE", "CLAUDE_CODE_BRIEF")

ENV_READ = (
    *("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "ANTHROPIC_MODEL"),
    *("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "DISABLE_PROMPT_CACHING", "ENABLE_PROMPT_CACHING_1H"),
    *ENV_NOT_MODELLED,
)

# What Claude Code expects of the settings that are used here.
KINDS: dict[str, tuple[str, ...]] = {
    "claudeMdExcludes": ("array",),
    "claudeMd": ("string",),
    "autoMemoryEnabled": ("true", "false"),
    "autoMemoryDirectory": ("string",),
    "includeGitInstructions": ("true", "false"),
    "outputStyle": ("string",),
    "agent": ("string",),
    "model": ("string",),
    "language": ("string",),
    "pluginConfigs": ("object",),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of one settings file."""

    value: Value
    origin: Origin
    scope: str
    document: Document

    def part(self, value: Value, name: str) -> Origin:
        """The origin of a value inside of this one."""
        return Origin(self.origin.kind, self.origin.path, range=self.document.range(value), name=name)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings files that are read, weakest first: user, project, local, --settings, managed."""

    layers: tuple[tuple[str, Origin, Document], ...] = ()

    def every(self, key: str) -> Iterator[Setting]:
        """The values of ``key``, weakest first."""
        for scope, origin, document in self.layers:
            value = document.root.get(key) if document.root else None
            if value is not None:
                where = Origin(origin.kind, origin.path, range=document.range(value), name=key)
                yield Setting(value, where, scope, document)

    def last(self, key: str) -> Setting | None:
        """The value of ``key`` that counts."""
        found = list(self.every(key))
        return found[-1] if found else None

    def text(self, key: str) -> str | None:
        """The string that counts, if it is one."""
        found = self.last(key)
        return found.value.data if found and isinstance(found.value.data, str) else None

    def is_false(self, key: str) -> bool:
        """Whether the value that counts is ``false``."""
        found = self.last(key)
        return found is not None and found.value.kind == "false"


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that is known before the first instruction file is looked for.

    ``root`` is the git root, ``main`` that of the main checkout where ``root`` is a linked worktree.
    ``sources`` are the setting sources in use; ``off`` maps a kind of file to what switches it off.
    """

    version: str
    host: Host
    cwd: str
    home: str
    directory: str
    managed: str
    root: str | None
    main: str | None
    command: args.Arguments
    settings: Settings
    sources: tuple[str, ...]
    model: str
    externals_approved: bool
    off: dict[str, Origin] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The last part of the version: 330 of 2.1.330."""
        return int(self.version.rpartition(".")[2])

    @property
    def is_bare(self) -> bool:
        """--bare and CLAUDE_CODE_SIMPLE."""
        return BARE in self.command.switches or is_on(self.host, "CLAUDE_CODE_SIMPLE")

    @property
    def has_system_messages(self) -> bool:
        """Whether reminders go into messages of role system behind the first one (1)."""
        return self.number >= 197 and not any(part in self.model for part in WITHOUT_SYSTEM_MESSAGES)  # noqa: PLR2004 - 2.1.197

    @property
    def is_inline(self) -> bool:
        """Whether what a read brings stands inside of the tool's result (5)."""
        return not self.has_system_messages


def is_on(host: Host, variable: str) -> bool:
    """Whether an environment variable is set to something that means yes."""
    return host.env.get(variable, "").strip().lower() in ("1", "true", "yes", "on")


def set_up(draft: Draft, session: Session, host: Host) -> Setup:
    """Read command line, environment and settings."""
    command = args.read(session.args, values=VALUES, switches=SWITCHES, greedy=GREEDY)
    cwd = host.realpath(session.cwd)
    given = host.env.get("CLAUDE_CONFIG_DIR")
    directory = resolve(cwd, given) if given else join(host.home, ".claude")
    managed = MANAGED.get(host.platform, MANAGED_LINUX)
    _name_what_is_not_modelled(draft, host, command)
    asked = command.last("setting-sources")
    sources = SOURCES if asked is None else tuple(source.strip() for source in asked.split(","))
    settings = _settings(draft, host, command, cwd, directory, managed, sources)
    root = git_root(host, cwd)
    main = main_checkout(host, root) if root else None
    for setting in settings.every("env"):
        for name in ENV_READ:
            if setting.value.get(name) is not None and name not in host.env:
                why = f"promptls does not apply env of the settings; set {name} in the environment to see what it does"
                draft.candidates.append(Candidate("excluded", why, setting.part(setting.value, f"env.{name}")))
    model = session.model or command.last("model") or host.env.get("ANTHROPIC_MODEL") or settings.text("model")
    return Setup(
        version=session.version,
        host=host,
        cwd=cwd,
        home=host.home,
        directory=directory,
        managed=managed,
        root=root,
        main=main,
        command=command,
        settings=settings,
        sources=sources,
        model=model or DEFAULT_MODEL[session.version],
        externals_approved=_externals_approved(draft, host, given, directory, (cwd, root)),
        off=_off(host, command, sources, asked),
    )


# What a switch leaves over (9): each kind of file, with the option or variable that switches it off.
EVERY_KIND = ("managed", "user", "project", "local", "memory")


def _off(host: Host, command: args.Arguments, sources: tuple[str, ...], asked: str | None) -> dict[str, Origin]:
    off: dict[str, Origin] = {}
    if asked is not None:
        off = {kind: Origin("argument", name="--setting-sources") for kind in SOURCES if kind not in sources}
    if RESTRICTED in command.switches:
        off |= {kind: Origin("argument", name=RESTRICTED) for kind in EVERY_KIND if kind != "managed"}
    if is_on(host, "CLAUDE_CODE_DISABLE_AUTO_MEMORY"):
        off["memory"] = Origin("argument", name="CLAUDE_CODE_DISABLE_AUTO_MEMORY")
    for option in (SAFE, BARE):
        if option in command.switches:
            off |= dict.fromkeys(EVERY_KIND, Origin("argument", name=option))
    for variable in ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_SIMPLE"):
        if is_on(host, variable):
            off |= dict.fromkeys(EVERY_KIND, Origin("argument", name=variable))
    return off


def _name_what_is_not_modelled(draft: Draft, host: Host, command: args.Arguments) -> None:
    named = [option for option in CONTINUES if option in command.switches]
    named += [f"--{name}" for name in NOT_MODELLED if name in command.values]
    named += [variable for variable in ENV_NOT_MODELLED if host.env.get(variable)]
    for option in named:
        why = f"promptls does not model {option}; the prompt is shown as without it"
        draft.candidates.append(Candidate("excluded", why, Origin("argument", name=option)))
    for option in command.unknown:
        why = f"promptls does not know the option {option}; the prompt is shown as without it"
        draft.candidates.append(Candidate("excluded", why, Origin("argument", name=option)))


# -- settings --------------------------------------------------------------------------------------------------


def _settings(  # noqa: PLR0917 - where each of the files is
    draft: Draft,
    host: Host,
    command: args.Arguments,
    cwd: str,
    directory: str,
    managed: str,
    sources: tuple[str, ...],
) -> Settings:
    """Only the cwd's own project settings are read, also where it is below the git root (9)."""
    places = [
        ("user", join(directory, "settings.json")),
        ("project", join(cwd, ".claude", "settings.json")),
        ("local", join(cwd, ".claude", "settings.local.json")),
    ]
    layers: list[tuple[str, Origin, Document]] = []
    for scope, path in places:
        if scope in sources:
            layers += _file(draft, host, scope, path)
        elif host.kind(path) is not None:
            origin = Origin("argument", name="--setting-sources")
            why = f"--setting-sources leaves out the {scope} settings"
            draft.candidates.append(Candidate("disabled", why, origin, path=path, use="config"))
    given = command.last("settings")
    if given is not None and given.lstrip().startswith("{"):
        layers.append(("flag", Origin("argument", name="--settings"), jsonc.parse(given, comments=False)))
    elif given:
        layers += _file(draft, host, "flag", resolve(cwd, given))
    layers += _file(draft, host, "managed", join(managed, "managed-settings.json"))
    return Settings(tuple(layers))


def _file(draft: Draft, host: Host, scope: str, path: str) -> list[tuple[str, Origin, Document]]:
    why = f"Claude Code reads the {scope} settings here"
    found = Origin("computed", name=why)
    contents = host.read(path)
    if contents.state != "file":
        outcome = "missing" if contents.state in ("missing", "broken-link") else "failed"
        says = f"{why}: {STATE_SAYS[contents.state]}"
        draft.candidates.append(
            Candidate(outcome, says, found, path=path, use="config", state=contents.state)  # type: ignore[arg-type] # one of two outcomes
        )
        return []
    document = jsonc.parse(decode(contents.data, keep_bom=False), comments=False)
    fault = document.fault("config-invalid")
    if fault is not None:
        fault = with_consequence(fault, "Claude Code cannot read these settings until this is corrected")
        says = f"{why}: it is not valid JSON"
        draft.candidates.append(Candidate("failed", says, found, path=path, use="config", faults=(fault,)))
        return []
    faults = tuple(_type_faults(document))
    draft.candidates.append(Candidate("loaded", why, found, path=path, use="config", faults=faults))
    return [(scope, Origin("config", path=path), document)]


def _type_faults(document: Document) -> Iterator[Fault]:
    root = document.root
    for key, kinds in KINDS.items():
        value = root.get(key) if root else None
        if value is not None and value.kind not in kinds:
            clause = "this must be true or false" if "true" in kinds else type_clause(kinds)
            fault = Fault("config-type", document.range(value), clause)
            yield with_consequence(fault, f"Claude Code cannot use {key} until this is corrected")


def _externals_approved(
    draft: Draft, host: Host, given: str | None, directory: str, projects: tuple[str | None, ...]
) -> bool:
    """Whether imports from outside of the cwd were approved, for the cwd or the git root (3)."""
    path = join(directory if given else host.home, ".claude.json")
    contents = host.read(path)
    if contents.state != "file":
        return False
    document = jsonc.parse(decode(contents.data, keep_bom=False), comments=False)
    why = "Claude Code keeps here which projects may import files from outside"
    draft.candidates.append(Candidate("loaded", why, Origin("computed", name=why), path=path, use="config"))
    known = document.root.get("projects") if document.root else None
    for project in projects:
        entry = known.get(project) if known and project else None
        flag = entry.get("hasClaudeMdExternalIncludesApproved") if entry else None
        if flag is not None and flag.kind == "true":
            return True
    return False


def main_checkout(host: Host, root: str) -> str | None:
    """The root of the main checkout if ``root`` is a linked worktree of it."""
    git = join(root, ".git")
    if host.kind(git) != "file":
        return None
    _, _, there = host.read(git).data.decode("utf-8", "replace").partition(":")
    worktree = resolve(root, there.strip())
    # <main>/.git/worktrees/<name>
    common = parent(parent(worktree))
    return parent(common) if common.endswith("/.git") and parent(worktree).endswith("/worktrees") else None
