"""How Claude Code was started: its command line, environment and settings, and what these switch on and off."""

from __future__ import annotations

import re

from promptls.core.model import Origin
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.models import dashed, has_system_messages, sent_model, undated
from promptls.harnesses.claude_code.settings import SOURCES, json_root, read_settings
from promptls.harnesses.claude_code.spec import SPEC
from promptls.harnesses.claude_code.versions import ENV_NOT_MODELLED, NO_AGENTS, ROWS, SETTINGS_NOT_MODELLED
from promptls.kit import args
from promptls.kit.candidates import argument, not_modelled, own
from promptls.kit.paths import git_root, join, native, parent, resolve, upwards
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from promptls.core.host import Host
    from promptls.core.model import Session, Turn
    from promptls.harnesses.claude_code.listing.built_in import BuiltInSkill, Tools
    from promptls.harnesses.claude_code.listing.plugin import Plugin
    from promptls.harnesses.claude_code.settings import Setting, Settings
    from promptls.harnesses.claude_code.versions import Facts
    from promptls.kit.draft import Draft

    # By name: the value of a variable, and where it is set.
    Variables = Mapping[str, tuple[str, Origin]]

MANAGED = {"darwin": "/Library/Application Support/ClaudeCode", "win32": "C:/Program Files/ClaudeCode"}
MANAGED_LINUX = "/etc/claude-code"

# Options with a value that is used here, with one that is not, and options without a value.
VALUES = {
    option: option.removeprefix("--")
    for option in (
        *("--system-prompt", "--system-prompt-file", "--append-system-prompt", "--append-system-prompt-file"),
        *("--agent", "--agents", "--add-dir", "--setting-sources", "--settings", "--model", "--mcp-config"),
        *("--plugin-dir", "--tools", "--allowedTools", "--disallowedTools", "--allowed-tools", "--disallowed-tools"),
        *("--resume", "--session-id", "--from-pr", "--permission-mode", "--permission-prompt-tool"),
        *("--input-format", "--output-format", "--json-schema", "--max-turns", "--max-budget-usd", "--effort"),
        *("--fallback-model", "--betas", "--file", "--name", "--autocompact", "--debug-file"),
        # (seen by verify)
        *("--permission-prompts", "--thinking", "--max-thinking-tokens", "--task-budget", "--teammate-mode"),
        *("--plugin-url", "--system-prompt-snapshot", "--prompt-suggestions"),
    )
} | {"-r": "resume", "-n": "name"}
GREEDY = (
    *("add-dir", "mcp-config", "plugin-dir", "tools", "betas", "file"),
    *("allowedTools", "disallowedTools", "allowed-tools", "disallowed-tools"),
)
BARE, SAFE, RESTRICTED = "--bare", "--safe-mode", "--restricted"
# The mode in which it decides by itself whether a call is allowed.
AUTO = "auto"
# How a session starts that has been cleared, as hooks know it.
CLEAR = "clear"
NO_TRAFFIC, NO_TELEMETRY = "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY"
# Variables that say the same (seen by verify).
IMPLIES = {SAFE: "CLAUDE_CODE_SAFE_MODE", RESTRICTED: "CLAUDE_CODE_RESTRICTED"}
NO_SKILLS = "--disable-slash-commands"
NO_GIT = "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS"
NO_FILES = "CLAUDE_CODE_DISABLE_CLAUDE_MDS"
NO_FLAGS = ("CLAUDE_CODE_DISABLE_FEATURE_FLAGS", "DISABLE_GROWTHBOOK")
EXCLUDE_DYNAMIC = "--exclude-dynamic-system-prompt-sections"
CONTINUES = ("--continue", "-c", "--fork-session")
SWITCHES = (
    *(BARE, SAFE, RESTRICTED, NO_SKILLS, EXCLUDE_DYNAMIC, *CONTINUES),
    *("--print", "-p", "--verbose", "--debug", "-d", "--ide", "--chrome", "--no-chrome", "--strict-mcp-config"),
    *("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--no-session-persistence"),
    *("--include-partial-messages", "--include-hook-events", "--replay-user-messages", "--ax-screen-reader"),
    "--forward-subagent-text",
)
# They change the request, and promptls does not say how.
NOT_MODELLED = ("from-pr", "max-budget-usd", "plugin-url")
MODES = SPEC.modes
# How they are called for short, and the newest name of the usual one.
SHORT_MODES = {"accept": "acceptEdits", "bypass": "bypassPermissions", "manual": "default"}
# What a switch leaves over (9): each kind of file, with the option or variable that switches it off.
EVERY_KIND = ("managed", "user", "project", "local", "memory")


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that is known before the first instruction file is looked for.

    ``facts`` is the row of the version. ``root`` is the git root, ``main`` that of the main checkout where ``root`` is
    a linked worktree. ``sources`` are the setting sources in use; ``off`` maps a kind of file to what switches it off.
    ``state_file`` is where the program keeps what it knows of projects.
    ``variables`` are those of the environment and of ``env`` in the settings, each with where it is set.
    """

    facts: Facts
    host: Host
    cwd: str
    home: str
    directory: str
    state_file: str
    managed: str
    root: str | None
    main: str | None
    command: args.Arguments
    settings: Settings
    variables: Variables
    sources: tuple[str, ...]
    model: str
    externals_approved: bool
    plugins: tuple[Plugin, ...] = ()
    off: dict[str, Origin] = field(default_factory=dict)
    # The model of the session, where a command that is typed asks for another one.
    model_before: str | None = None
    # The turn that asks for it, from 0 on.
    switched_at: int = 0
    # The model of the first process, where a later one has another.
    first_model: str | None = None
    # Of a sub-agent: the model of the main session, the hooks of its own, and its own linked worktree, if it has one,
    # without the id at the end.
    main_model: str | None = None
    agent_hooks: tuple[Setting, ...] = ()
    worktree: str | None = None
    # Of a sub-agent whose model has a window of a million tokens there.
    is_wide: bool = False
    # The permission mode that the session says; the command line may say another.
    chosen_mode: str | None = None
    # The session says that the user trusts the folder.
    trusts: bool = False
    # The program on the screen, or one that an editor runs; and whether an editor is connected to that on the screen.
    is_interactive: bool = False
    in_editor: bool = False
    has_editor: bool = False
    # Of the tools of servers whose answers are known.
    server_characters: int = 0
    # How the session started, as hooks know it.
    start: str = "startup"

    @property
    def before(self) -> Setup:
        """The same with the model of the session, of which its start tells (captured: skill-model-typed)."""
        return self if self.model_before is None else replace(self, model=self.model_before, model_before=None)

    @property
    def kept(self) -> Setup:
        """The same with the model whose own prompt and tools a new process sends (seen by verify)."""
        return self if self.first_model is None else self.before

    @property
    def at_start(self) -> Setup:
        """The same with the model of the first request."""
        return self.before if self.switched_at or self.first_model is not None else self

    @property
    def is_bare(self) -> bool:
        """--bare and CLAUDE_CODE_SIMPLE."""
        return BARE in self.command.switches or self.is_on("CLAUDE_CODE_SIMPLE")

    @property
    def continues(self) -> bool:
        """Whether an earlier session goes on, of which promptls knows the start only."""
        return bool(self.command.switches & {*CONTINUES}) or "resume" in self.command.values

    @property
    def mode(self) -> str:
        """The permission mode: of an option, else of the settings (surfaces, 1; captured: interactive-start)."""
        if "--dangerously-skip-permissions" in self.command.switches and self.chosen_mode is None:
            return "bypassPermissions"
        given = [setting.value.text("defaultMode") for setting in self.settings.every("permissions")]
        named = [mode for mode in given if mode is not None]
        usual = self.facts.interactive_mode if self.is_attended else "default"
        return self.chosen_mode or self.command.last("permission-mode") or (named[-1] if named else usual)

    @property
    def has_system_messages(self) -> bool:
        """Whether reminders go into messages of role system after the first one (1)."""
        return has_system_messages(self.model, self.facts)

    @property
    def is_reminded(self) -> bool:
        """Whether the model is one that is told how long the user has heard nothing."""
        return undated(self.model) in self.facts.reminded_models

    @property
    def is_tagged(self) -> bool:
        """Whether each section of a message of role system has the tags of a reminder."""
        return undated(self.model) in self.facts.tagged_models

    @property
    def counts_tokens(self) -> bool:
        """Whether the model gets a line on the tokens that are left, as those with inline reminders do."""
        is_so = self.facts.counts_tokens.search(dashed(self.model)) is not None
        return is_so or undated(self.model) in self.facts.counting_models

    @property
    def has_older_texts(self) -> bool:
        """Whether the model gets the texts of the older layout: its own prompt, and what is said of agents."""
        return self.is_inline or self.is_tagged

    @property
    def is_inline(self) -> bool:
        """Whether what a read adds is inside the tool's result (5)."""
        return not self.has_system_messages

    def is_on(self, variable: str) -> bool:
        """Whether a variable is set to something that means yes."""
        return is_on(self.variables, variable)

    def is_set(self, variable: str) -> bool:
        """Whether a variable has any value."""
        return bool(self.variables.get(variable, ("",))[0])

    def switch(self, names: Iterable[str]) -> tuple[str, Origin] | None:
        """The first of these variables and settings that is on, and where; ``!`` before a setting: that is false."""
        for name in names:
            if name.isupper():
                if self.is_on(name):
                    return name, self.variables[name][1]
                continue
            setting = self.settings.last(name.removeprefix("!"))
            if setting is not None and setting.value.kind == ("false" if name.startswith("!") else "true"):
                return name.removeprefix("!"), setting.origin
        return None

    @property
    def entry(self) -> str:
        """What started the program, as it tells its maker (seen by verify)."""
        given = self.variables.get("CLAUDE_CODE_ENTRYPOINT", ("",))[0]
        if not given and self.is_on("CLAUDE_CODE_ACTION"):
            return "claude-code-github-action"
        usual = "cli" if self.is_interactive else SPEC.in_editor if self.in_editor else "sdk-cli"
        return usual if given in {"", "cli"} else given

    @property
    def is_attended(self) -> bool:
        """Whether it takes its user to be there: on the screen, or in the editor of its maker (seen by verify)."""
        return self.is_interactive or self.entry == SPEC.in_editor

    @property
    def excludes_dynamic(self) -> bool:
        """Whether the option moves a part of its own prompt; on the screen it does nothing (seen by verify)."""
        return EXCLUDE_DYNAMIC in self.command.switches and not self.is_interactive

    @property
    def has_todo(self) -> bool:
        """Whether one tool for a list stands in the place of those for tasks, as in an editor (seen by verify)."""
        return self.in_editor or is_no(self.variables.get("CLAUDE_CODE_ENABLE_TASKS", ("",))[0])

    @property
    def is_online(self) -> bool:
        """Whether it may ask its maker's servers what is on; any value says no (captured: environment-default)."""
        return not self.is_set(NO_TRAFFIC) and not self.is_set(NO_TELEMETRY)

    @property
    def asks_what_is_on(self) -> bool:
        """The same for what decides on paragraphs of its prompts (seen by verify)."""
        return self.is_online and not any(map(self.is_on, NO_FLAGS))

    @property
    def handback(self) -> tuple[str, int, int, int] | None:
        """How a sub-agent hands its report back, where it is not its last answer; as in ``Facts``."""
        return self.facts.handback if self.mode == AUTO and self.is_online else None

    @property
    def has_git_instructions(self) -> bool:
        """Whether the model is told how to use git; a variable comes before the setting (captured: git-variable)."""
        if self.is_set(NO_GIT):
            return not self.is_on(NO_GIT)
        return not self.settings.is_false("includeGitInstructions")

    @property
    def keeps_for_an_hour(self) -> bool:
        """Whether each cache mark lasts an hour; the setting comes before the variables (seen by verify)."""
        asked = self.settings.text("promptCacheTtl")
        is_asked = self.is_on("ENABLE_PROMPT_CACHING_1H") and not self.is_on("FORCE_PROMPT_CACHING_5M")
        return is_asked if asked is None else asked == "1h"

    @property
    def has_background(self) -> bool:
        """Whether commands and agents may run in the background (captured: bg-env)."""
        return not self.is_on("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS")

    @property
    def has_bundled_skills(self) -> bool:
        """Whether the program's own skills are on (case skills-no-bundled)."""
        setting = self.settings.last("disableBundledSkills")
        is_off = setting is not None and setting.value.kind == "true"
        return not is_off and not self.is_on("CLAUDE_CODE_DISABLE_BUNDLED_SKILLS")

    @property
    def has_no_agents(self) -> bool:
        """Whether those of the program's own are off, which the program on the screen has anyway (seen by verify)."""
        return not self.is_interactive and self.switch(NO_AGENTS) is not None

    @property
    def own_skills(self) -> tuple[BuiltInSkill, ...]:
        """The program's own skills that no switch takes away: those at the start of the list, then those at its end."""
        known = (*self.facts.built_in_skills, *self.facts.late_skills)
        return tuple(each for each in known if self.switch(each.off_by) is None)

    @property
    def typed_skills(self) -> tuple[BuiltInSkill, ...]:
        """Those of them that can be typed (case command-unknown)."""
        return tuple(each for each in self.own_skills if each.can_be_typed)

    @property
    def tools(self) -> Tools:
        """Those of the version, as the model gets them."""
        newer, older = self.facts.tools, self.facts.tools_inline
        own = older if self.has_older_texts else newer
        # A sub-agent has those of the main session in its own model's words (captured: subagent-model-sonnet-4-5); of
        # the tagged models: (captured: model-sonnet-5)
        others = newer if has_system_messages(self.main_model or self.model, self.facts) else older
        return own if others is own or not own.sent else own.offered_as(others)

    @property
    def is_trusted(self) -> bool:
        """Whether the user has said to trust the folder or one above it, as the program keeps it, or the session does.

        Nothing asks in ``-p``; what an agent's own file would start needs it (captured: subagent-hooks,
        subagent-mcp-inline-trusted).
        """
        projects = json_root(self.host, self.state_file).get("projects")
        entries = (projects.get(native(place)) for place in upwards(self.cwd)) if projects is not None else ()
        flags = (entry.get("hasTrustDialogAccepted") for entry in entries if entry is not None)
        return self.trusts or any(flag is not None and flag.kind == "true" for flag in flags)

    def has_tool(self, *names: str) -> bool:
        """Whether neither the command line nor a rule takes away the tool that goes by these names (surfaces, 1)."""
        if RESTRICTED in self.command.switches and not self.facts.restricted_tools.isdisjoint(names):
            return False
        given = self._listed("tools")
        # It is a name only where it stands alone (captured: tools-default, tools-default-grep).
        is_offered = given is None or given == {"default"} or self.asks_for(*names)
        return is_offered and not self.denies(*names)

    def asks_for(self, *names: str) -> bool:
        """Whether --tools names one of them."""
        return not (self._listed("tools") or set()).isdisjoint(names)

    def allows(self, *names: str) -> bool:
        """Whether --allowedTools names one of them, with or without what it may be used for."""
        given = {*(self._listed("allowedTools") or ()), *(self._listed("allowed-tools") or ())}
        return not {name.partition("(")[0] for name in given}.isdisjoint(names)

    def denies(self, *names: str) -> bool:
        """Whether --disallowedTools or a setting denies one of them as a whole: ``Bash`` or ``Bash(*)``."""
        given = {*(self._listed("disallowedTools") or ()), *(self._listed("disallowed-tools") or ())}
        given |= {*self.settings.words("permissions", "deny")}
        return not {without_any(each) for each in given}.isdisjoint(names)

    def _listed(self, option: str) -> set[str] | None:
        words = self.command.values.get(option)
        return None if words is None else {name for word in words for name in re.split(r"[\s,]+", word)}


def denials(setup: Setup, name: str, means: Callable[[str], bool]) -> Iterator[tuple[str, Origin]]:
    """What takes the tool ``name`` away, in a clause, and where: each rule and option of which ``means`` holds."""
    for setting in setup.settings.every("permissions"):
        listed = setting.value.get("deny")
        for item in listed.items if listed is not None else ():
            if isinstance(item.data, str) and means(item.data):
                yield "the settings deny it", setting.part(item, f"permissions.deny {name}")
    for option in ("disallowedTools", "disallowed-tools"):
        given = setup.command.values.get(option, ())
        if any(means(each) for words in given for each in words.replace(",", " ").split()):
            yield f"--{option} takes it away", Origin("argument", name=f"--{option}")


def without_any(rule: str) -> str:
    """The tool of a rule for all that it does (captured: deny-bash-star)."""
    return rule.removesuffix("(*)")


def is_on(variables: Variables, name: str) -> bool:
    """Whether a variable is set to something that means yes."""
    return name in variables and is_yes(variables[name][0])


def _implied(variables: Variables, option: str) -> bool:
    return is_on(variables, IMPLIES.get(option, ""))


def said_by(variables: Variables, option: str) -> Origin:
    """Where an option that is on is set: by its variable, or on the command line."""
    return variables[IMPLIES[option]][1] if _implied(variables, option) else Origin("argument", name=option)


def is_yes(text: str) -> bool:
    """Whether a variable or a value of front matter means yes."""
    return text.strip().lower() in ("1", "true", "yes", "on")


def is_no(text: str) -> bool:
    """Whether a variable means no."""
    return text.strip().lower() in ("0", "false", "no", "off")


def read_command(given: Iterable[str]) -> args.Arguments:
    """A command line of the program."""
    return args.read(given, values=VALUES, switches=SWITCHES, greedy=GREEDY)


def set_up(draft: Draft, session: Session, host: Host) -> Setup:
    """Read command line, environment and settings."""
    command = read_command(session.args)
    cwd = host.realpath(session.cwd)
    given = host.env.get("CLAUDE_CONFIG_DIR")
    directory = resolve(cwd, given) if given else join(host.home, ".claude")
    state_file = join(directory if given else host.home, ".claude.json")
    managed = MANAGED.get(host.platform, MANAGED_LINUX)
    asked = command.last("setting-sources")
    sources = SOURCES if asked is None else tuple(source.strip() for source in asked.split(","))
    root = git_root(host, cwd)
    settings = read_settings(draft, host, command, cwd, root, directory, managed, sources)
    variables = _variables(host, settings)
    command = replace(command, switches=command.switches | {each for each in IMPLIES if _implied(variables, each)})
    _name_what_is_not_modelled(draft, variables, command, settings)
    main = main_checkout(host, root) if root else None
    setup = Setup(
        facts=row(ROWS, session.version),
        host=host,
        cwd=cwd,
        home=host.home,
        directory=directory,
        managed=managed,
        root=root,
        main=main,
        command=command,
        settings=settings,
        variables=variables,
        sources=sources,
        model="",
        state_file=state_file,
        externals_approved=_externals_approved(draft, host, state_file, (cwd, root)),
        off=_kinds_off(variables, command, sources, asked),
        trusts=session.is_trusted,
        chosen_mode=_chosen_mode(draft, session.mode),
        is_interactive=session.interactive is True,
        in_editor=session.editor is True,
        has_editor=session.interactive is True and ("--ide" in command.switches or any(map(_has_open, session.turns))),
    )
    return replace(setup, model=own_model(setup, session.model))


def _chosen_mode(draft: Draft, asked: str | None) -> str | None:
    """A permission mode by its name; a note where there is none of this name."""
    mode = SHORT_MODES.get(asked or "", asked)
    if mode is None or mode in MODES:
        return mode
    draft.notes.append(f"Claude Code has no mode {mode}; it has {', '.join(MODES)}. The usual one is shown.")
    return None


def _has_open(turn: Turn) -> bool:
    return bool(turn.open)


def model_again(setup: Setup, turn: Turn) -> str | None:
    """The model that a new process asks for; without one it stays with that of the session (seen by verify)."""
    asked = read_command(turn.args or ()).last("model") if turn.resumes else None
    return None if asked is None else sent_model(asked, setup.facts, setup.mode)


def own_model(setup: Setup, asked: str | None) -> str:
    """The model of the session: the one ``asked`` for, that of the command line, of a variable or of the settings."""
    wanted = asked or setup.command.last("model") or setup.variables.get("ANTHROPIC_MODEL", ("",))[0]
    named = wanted or setup.settings.text("model") or _first_allowed(setup)
    return sent_model(named, setup.facts, setup.mode)


def _first_allowed(setup: Setup) -> str | None:
    """The model that stands for the usual one where that is not among those that are allowed (seen by verify)."""
    listed = setup.settings.last("availableModels")
    names = [each.data for each in listed.value.items if isinstance(each.data, str)] if listed is not None else []
    if setup.switch(("enforceAvailableModels",)) is None or not names:
        return None
    usual = sent_model(None, setup.facts)
    return None if any(sent_model(each, setup.facts) == usual for each in names) else names[0]


def _variables(host: Host, settings: Settings) -> Variables:
    """Those of the settings come before those of the environment (wire: settle-settings-env-args)."""
    found = {name: (value, Origin("argument", name=name)) for name, value in host.env.items()}
    return found | {name: (value, origin) for name, value, origin in settings.env()}


def _kinds_off(
    variables: Variables, command: args.Arguments, sources: tuple[str, ...], asked: str | None
) -> dict[str, Origin]:
    off: dict[str, Origin] = {}
    if is_on(variables, NO_FILES):
        off = dict.fromkeys(EVERY_KIND, variables[NO_FILES][1])
    if asked is not None:
        off |= {kind: Origin("argument", name="--setting-sources") for kind in SOURCES if kind not in sources}
    if RESTRICTED in command.switches:
        off |= {kind: said_by(variables, RESTRICTED) for kind in EVERY_KIND if kind != "managed"}
    if is_on(variables, "CLAUDE_CODE_DISABLE_AUTO_MEMORY"):
        off["memory"] = variables["CLAUDE_CODE_DISABLE_AUTO_MEMORY"][1]
    for option in (SAFE, BARE):
        if option in command.switches:
            off |= dict.fromkeys(EVERY_KIND, said_by(variables, option))
    if is_on(variables, "CLAUDE_CODE_SIMPLE"):
        off |= dict.fromkeys(EVERY_KIND, variables["CLAUDE_CODE_SIMPLE"][1])
    return off


def _name_what_is_not_modelled(draft: Draft, variables: Variables, command: args.Arguments, settings: Settings) -> None:
    named = [f"--{name}" for name in NOT_MODELLED if name in command.values]
    named += [variable for variable in ENV_NOT_MODELLED if variables.get(variable, ("",))[0]]
    named += [name for name in SETTINGS_NOT_MODELLED if (found := settings.last(name)) and found.value.kind != "false"]
    if (sandbox := settings.member("sandbox", "enabled")) is not None and sandbox[1].kind == "true":
        named.append("sandbox.enabled")
    for option in named:
        draft.candidates.append(not_modelled(option))
    for option in command.unknown:
        why = f"promptls does not know the option {option}; the prompt is shown without it"
        draft.candidates.append(argument(option, why))


def _externals_approved(draft: Draft, host: Host, path: str, projects: tuple[str | None, ...]) -> bool:
    """Whether imports from outside of the cwd were approved, for the cwd or the git root (3)."""
    if host.kind(path) != "file":
        return False
    why = "Claude Code keeps here which projects may import files from outside"
    draft.candidates.append(own(why, use="config").loaded(path))
    known = json_root(host, path).get("projects")
    for project in (spelled for each in projects if each for spelled in (each, native(each))):
        entry = known.get(project) if known else None
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
