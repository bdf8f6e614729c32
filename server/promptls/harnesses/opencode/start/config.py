"""opencode's configuration: which files, in which order, and how they are merged (specification, section 4)."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.host import StepBudget
from promptls.core.model import Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.opencode.listing.agents import MODES, Agent, agent_of, merge_agent, merge_agent_value
from promptls.harnesses.opencode.start.entries import Entries, Entry, merge_command_file, merge_entries
from promptls.harnesses.opencode.start.filled_text import (
    FILLED_LIMIT,
    FilledText,
    Source,
    TooMuchError,
    fill_in,
    origin_of,
)
from promptls.harnesses.opencode.start.markdown import DEPTH, files, read
from promptls.harnesses.opencode.start.permissions import merge_permissions, permissions_of
from promptls.harnesses.opencode.start.variables import CONTENT, Flags
from promptls.kit.base import CONFIG_LIMIT, LARGE_CONFIG, type_clause, with_consequence
from promptls.kit.candidates import NOTHING, OUR_LIMIT, STATE_SAYS, Rule, own
from promptls.kit.paths import join, parent, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.harnesses.opencode.start.markdown import Markdown
    from promptls.harnesses.opencode.start.permissions import Permissions
    from promptls.kit.draft import Draft

NAMES = ("opencode.json", "opencode.jsonc")
GLOBAL_NAMES = ("config.json", *NAMES)
# A limit of ours for the files of one directory.
STEPS = 20_000
CONSEQUENCE = "opencode ends without sending anything until this is fixed"
UNREADABLE = "its front matter cannot be read, so it is skipped"


@dataclass(slots=True)
class OpencodeConfig:
    """The merged configuration. ``stopped`` says why opencode ends without sending anything."""

    instructions: list[Entry] | None = None
    agents: dict[str, Agent] = field(default_factory=dict)
    model: str | None = None
    default_agent: str | None = None
    default_agent_origin: Origin | None = None
    # Which shell commands are run in, and how much of what they print is sent: numbers, by key.
    shell: str | None = None
    output: dict[str, bool | int] = field(default_factory=dict)
    # Provider id to its npm package, and (provider id, model key) to the model's own id.
    packages: dict[str, str] = field(default_factory=dict)
    model_ids: dict[tuple[str, str], str] = field(default_factory=dict)
    first_model: str | None = None
    # What models take, by provider/model: context, input and output, in tokens.
    limits: dict[str, dict[str, int]] = field(default_factory=dict)
    # Of ``compaction``: switches and numbers.
    compaction: dict[str, bool | int] = field(default_factory=dict)
    permissions: Permissions = field(default_factory=dict)
    entries: Entries = field(default_factory=Entries)
    # Where Markdown files of agents, commands and skills are looked for, later ones over earlier ones.
    directories: list[str] = field(default_factory=list)
    stopped: str | None = None
    stopped_by: Origin | None = None


# -- which files, in which order -------------------------------------------------------------------------------


def read_config(draft: Draft, host: Host, cwd: str, root: str, flag: Flags) -> OpencodeConfig:
    """All sources merged, later over earlier (section 4.1; wire: config-merge)."""
    merge = _Merge(draft, host, flag)
    merge.global_files()
    if flag.config_file:
        merge.file(flag.config_file, "OPENCODE_CONFIG names it")
    project = [] if flag.no_project_config else reversed(list(upwards(cwd, root)))
    for directory in project:
        merge.files(directory, "opencode reads its configuration from the worktree root down to the working directory")
    merge.config.directories = _directories(cwd, root, flag)
    for directory in merge.config.directories:
        if directory != flag.xdg:
            merge.files(directory, "opencode reads the configuration in its own directories after the project's")
        merge.agent_files(directory)
        merge.command_files(directory)
    if flag.content:
        merge.environment(Source(None, cwd, flag.content))
    merge.files(flag.managed, "opencode reads the machine's managed configuration last")
    for mode in merge.modes.values():
        mode.mode = "primary"
        merge_agent(merge.config.agents, mode)
    return merge.config


def _directories(cwd: str, root: str, flag: Flags) -> list[str]:
    project = [] if flag.no_project_config else [join(place, ".opencode") for place in upwards(cwd, root)]
    own = [flag.xdg, *project, join(flag.home, ".opencode")]
    return list(dict.fromkeys([*own, flag.config_directory] if flag.config_directory else own))


class _Merge:
    """The configuration so far, and what is needed to add a source to it."""

    def __init__(self, draft: Draft, host: Host, flag: Flags) -> None:
        self._draft = draft
        self._host = host
        self._flag = flag
        self.config = OpencodeConfig()
        self.modes: dict[str, Agent] = {}

    def global_files(self) -> None:
        """The three files of the global directory replace each other's instructions (section 4.2)."""
        for file in GLOBAL_NAMES:
            before, self.config.instructions = self.config.instructions, None
            self.file(join(self._flag.xdg, file), "opencode reads its global configuration first")
            if self.config.instructions is None:
                self.config.instructions = before

    def files(self, directory: str, why: str) -> None:
        """Merge the configuration files of a directory."""
        for file in NAMES:
            self.file(join(directory, file), why)

    def file(self, path: str, why: str) -> None:
        """Merge a file; one that is not valid stops opencode."""
        contents = self._host.read(path)
        rule = Rule(why, Origin("computed", name="opencode's configuration"), "config")
        if contents.state in NOTHING:
            self._add(rule.missing(path, STATE_SAYS[contents.state]))
        elif contents.state != "file":
            self._add(rule.failed(path, f"{STATE_SAYS[contents.state]}, and opencode ends"))
            self._stop(f"opencode ends, because it cannot read {path}. Remove it.", Origin("config", path=path))
        elif not contents.data:
            self._add(rule.empty(path, "it is empty"))
        elif contents.size > LARGE_CONFIG:
            self._leave_out(rule, path, CONFIG_LIMIT)
        else:
            try:
                fault = self._text(Source(path, parent(path), decode(contents.data, keep_bom=False)))
            except TooMuchError:
                self._leave_out(rule, path, FILLED_LIMIT)
                return
            if fault is None:
                self._add(rule.loaded(path))
            else:
                shown = with_consequence(fault, CONSEQUENCE)
                self._add(rule.failed(path, "it is not valid, and opencode ends", faults=(shown,)))
                by = Origin("config", path=path, range=fault.range)
                self._stop(f"opencode ends, because {path} is not valid: {fault.message}.", by)

    def environment(self, source: Source) -> None:
        """Merge the configuration in the environment."""
        origin = Origin("argument", name=CONTENT)
        rule = Rule(f"the environment variable {CONTENT} holds a configuration", origin, "config")
        try:
            fault = self._text(source)
        except TooMuchError:
            self._draft.notes.append(f"{CONTENT} is ignored: {FILLED_LIMIT}.")
            self._add(rule.cut(None, FILLED_LIMIT))
            return
        if fault is None:
            self._add(rule.loaded())
            return
        why = f"opencode ends, because the environment variable {CONTENT} is not valid: {fault.message}."
        self._stop(why, origin)
        self._add(replace(rule, why=why).failed())

    def agent_files(self, directory: str) -> None:
        """Markdown files below agent(s)/ and in mode(s)/: the body is the prompt."""
        rule = own("opencode reads Markdown files in its agent directories as agents", use="agent")
        for kind in ("agent", "agents", "mode", "modes"):
            is_mode = kind.startswith("mode")
            for file in self._markdown(join(directory, kind), rule, depth=0 if is_mode else DEPTH):
                agent = agent_of(file, directory)
                if is_mode and agent.mode not in (None, *MODES):
                    self._add(rule.failed(file.path, UNREADABLE))
                    continue
                if agent.mode not in (None, *MODES):
                    says = f"opencode ends, because the mode of {file.path} is none of {', '.join(MODES)}."
                    self._stop(says, rule.origin)
                fault = None if is_mode else _fault_of_agent(file)
                if fault is not None:
                    by = Origin("config", path=file.path, range=fault.range)
                    self._stop(f"opencode ends, because {file.path} is not valid: {fault.message}.", by)
                    shown = with_consequence(fault, CONSEQUENCE)
                    self._add(rule.failed(file.path, "it is not valid, and opencode ends", faults=(shown,)))
                    continue
                self._add(_read(rule, file))
                if is_mode:
                    agent.mode = "primary"
                merge_agent(self.config.agents, agent)

    def command_files(self, directory: str) -> None:
        """Markdown files below command(s)/: the body is sent when the command is called (surfaces, 4.1)."""
        rule = own("opencode reads Markdown files in its command directories as commands", use="command")
        for kind in ("command", "commands"):
            for file in self._markdown(join(directory, kind), rule):
                before = merge_command_file(self.config.entries, file, directory)
                if before is not None:
                    self._shadow(before, file.path)
                self._add(_read(rule, file))

    def _markdown(self, directory: str, rule: Rule, *, depth: int = DEPTH) -> Iterator[Markdown]:
        """The files below a directory whose front matter can be read."""
        if self._host.kind(directory) != "directory":
            return
        steps = StepBudget(STEPS)
        for path in files(self._host, directory, ".md", steps, depth=depth):
            contents = self._host.read(path)
            if contents.state != "file":
                self._add(rule.failed(path, f"{STATE_SAYS[contents.state]}; it is left out here"))
            elif contents.is_cut:
                self._add(rule.cut(path, f"{OUR_LIMIT}; it is left out here"))
            elif (file := read(path, contents.data)).flaw is not None and not file.is_whole:
                self._add(rule.failed(path, UNREADABLE, faults=(file.flaw,)))
            else:
                yield file
        if steps.is_spent:
            self._draft.notes.append(f"Not every file below {directory} is used: there are too many.")

    def _add(self, candidate: Candidate) -> None:
        self._draft.candidates.append(candidate)

    def _shadow(self, path: str, by: str) -> None:
        """Say of a command that was read that a later one has its name."""
        candidates = self._draft.candidates
        at = next(at for at, each in enumerate(candidates) if each.path == path)
        reason = f"{by} has a command of this name, too, and counts"
        candidates[at] = replace(candidates[at], outcome="shadowed", reason=reason, other=by)

    def _leave_out(self, rule: Rule, path: str, limit: str) -> None:
        self._draft.notes.append(f"{path} is ignored: {limit}.")
        self._add(rule.cut(path, limit))

    def _stop(self, says: str, by: Origin) -> None:
        if self.config.stopped is None:
            self.config.stopped, self.config.stopped_by = says, by

    def _text(self, source: Source) -> Fault | None:
        """Merge what could be read of a text; returns the fault that stops opencode."""
        text = fill_in(self._host, self._flag, source)
        document = parse_json(text.text, comments=True)
        fault = text.fault or _fault(text, document)
        root = document.root
        if root is None:
            return fault
        config = self.config
        if instructions := root.get("instructions"):
            own = [Entry(str(item.data), origin_of(source, text, item)) for item in instructions.items]
            config.instructions = own if config.instructions is None else _joined(config.instructions, own)
        config.model = root.text("model") or config.model
        config.shell = root.text("shell") or config.shell
        config.output.update(_numbers(root.get("tool_output") or EMPTY))
        if (default := root.get("default_agent")) is not None and isinstance(default.data, str):
            config.default_agent, config.default_agent_origin = default.data, origin_of(source, text, default)
        for key, into in (("agent", config.agents), ("mode", self.modes)):
            for name_, value in (root.get(key) or EMPTY).members:
                merge_agent_value(into, str(name_.data), value, source, text, self._host)
        for name_, value in (root.get("agents") or EMPTY).members:
            merge_agent_value(config.agents, str(name_.data), value, source, text, self._host, prompt_key="system")
        merge_permissions(config.permissions, permissions_of(root))
        config.compaction.update(_numbers(root.get("compaction") or EMPTY))
        merge_entries(config.entries, root, source, text, self._host)
        _merge_providers(config, root.get("provider") or EMPTY)
        return fault


def _read(rule: Rule, file: Markdown) -> Candidate:
    """A file that counts, with what is wrong with its front matter."""
    return replace(rule.loaded(file.path), faults=(file.flaw,) if file.flaw is not None else ())


def _fault_of_agent(file: Markdown) -> Fault | None:
    """The first value in the front matter of an agent that opencode does not take."""
    for value, says in _wrong_values(file.root):
        return Fault("config-type", file.range(value), says)
    return None


def _wrong_values(root: Value) -> Iterable[tuple[Value, str]]:
    from promptls.harnesses.opencode.start.agent_schema import wrong_values  # noqa: PLC0415 - few folders have agents

    return wrong_values(root)


def _joined(before: list[Entry], own: list[Entry]) -> list[Entry]:
    """Two arrays as one, each string at its first place (section 4.2)."""
    first: dict[str, Entry] = {}
    for entry in (*before, *own):
        first.setdefault(entry.text, entry)
    return list(first.values())


def _fault(text: FilledText, document: Document) -> Fault | None:
    if document.flaw is not None:
        where = text.range(document.flaw.start, document.flaw.end)
        return Fault("config-invalid", where, document.flaw.message)
    root = document.root
    if root is None:
        return None
    if (refused := root.get("permissions")) is not None:
        says = "opencode has no key permissions, only permission"
        return Fault("config-type", text.range(refused.start, refused.end), says)
    for value, kinds in _typed(root):
        if value.kind not in kinds:
            return Fault("config-type", text.range(value.start, value.end), type_clause(kinds))
    agents = [agent for key in ("agent", "mode") for _, agent in (root.get(key) or EMPTY).members]
    for value, says in (each for agent in agents for each in _wrong_values(agent)):
        return Fault("config-type", text.range(value.start, value.end), says)
    return None


def _typed(root: Value) -> Iterator[tuple[Value, tuple[str, ...]]]:
    """Each value of a key known here, with the kinds that opencode's schema takes; unknown keys are fine."""
    yield root, ("object",)
    for key, kind in (("instructions", "array"), ("agent", "object"), ("mode", "object"), ("provider", "object")):
        if value := root.get(key):
            yield value, (kind,)
    for item in (root.get("instructions") or EMPTY).items:
        yield item, ("string",)
    for key in ("model", "default_agent", "small_model", "username"):
        if value := root.get(key):
            yield value, ("string",)
    for key in ("agent", "mode"):
        for _, agent in (root.get(key) or EMPTY).members:
            yield agent, ("object",)
            if prompt := agent.get("prompt"):
                yield prompt, ("string",)


def _merge_providers(config: OpencodeConfig, providers: Value) -> None:
    for provider_id, provider in providers.members:
        key = str(provider_id.data)
        if npm := provider.text("npm"):
            config.packages[key] = npm
        for model_key, model in (provider.get("models") or EMPTY).members:
            config.first_model = config.first_model or f"{key}/{model_key.data}"
            if own := model.text("id"):
                config.model_ids[key, str(model_key.data)] = own
            if limit := model.get("limit"):
                known = config.limits.setdefault(f"{key}/{model_key.data}", {})
                known.update({name: int(size) for name, size in _numbers(limit).items()})


def _numbers(value: Value) -> dict[str, bool | int]:
    """The switches and whole numbers of an object."""
    found: dict[str, bool | int] = {}
    for key, each in value.members:
        if each.kind in ("true", "false"):
            found[str(key.data)] = each.kind == "true"
        elif isinstance(each.data, (int, float)):
            found[str(key.data)] = int(each.data)
    return found
