"""opencode's configuration: which files, in which order, and how they are merged (specification, section 4).

Also agents, which come from configuration and from Markdown files.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import lru_cache

from promptls.core.formats import front_matter, jsonc, yaml
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import Candidate, Fault, Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field
from promptls.harnesses.base import (
    CONFIG_LIMIT,
    LARGE_CONFIG,
    OUR_LIMIT,
    STATE_SAYS,
    type_clause,
    with_consequence,
)
from promptls.harnesses.globs import STEPS_OF_A_DIRECTORY, Steps
from promptls.harnesses.paths import join, name, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Outcome, Range
    from promptls.harnesses.base import Draft

NAMES = ("opencode.json", "opencode.jsonc")
GLOBAL_NAMES = ("config.json", *NAMES)
MANAGED = "/etc/opencode"
# Limits of ours, so that links in a loop end, also where every level has several.
AGENT_DEPTH = 16
AGENT_STEPS = 20_000
MODES = ("primary", "subagent", "all")
CONTENT = "OPENCODE_CONFIG_CONTENT"

_ENV = re.compile(r"\{env:([^}]+)\}")
_FILE = re.compile(r"\{file:([^}]+)\}")
_COMMENT = re.compile(r"[^\S\n]*//")
# What {env:} and {file:} may add to a configuration: characters, and times.
MAX_FILLED = 4 * 1024 * 1024
MAX_TIMES_FILLED = 1000
FILLED_LIMIT = "promptls leaves out a configuration that {env:} and {file:} make larger than 4 MiB"


@dataclass(frozen=True, slots=True)
class Flags:
    """The environment variables that matter, as opencode reads them. ``fatal`` is one that it refuses."""

    no_project_config: bool
    no_claude: bool
    config_file: str | None
    config_directory: str | None
    content: str | None
    managed: str
    # OPENCODE_TEST_HOME moves ``home``, but neither ``xdg`` nor where ``{file:~/}`` looks.
    home: str
    real_home: str
    xdg: str
    fatal: str | None

    @property
    def directory(self) -> str:
        """Where the global AGENTS.md is looked for (section 3)."""
        return self.config_directory or self.xdg


def flags(host: Host, cwd: str) -> Flags:
    """Read the environment."""
    env = host.env
    xdg = env.get("XDG_CONFIG_HOME") or join(host.home, ".config")
    directory = env.get("OPENCODE_CONFIG_DIR")
    claude = {flag: env.get(flag) for flag in NO_CLAUDE}
    return Flags(
        no_project_config=(env.get("OPENCODE_DISABLE_PROJECT_CONFIG") or "").lower() in ("1", "true"),
        no_claude=any(value in YES for value in claude.values()),
        config_file=resolve(cwd, env["OPENCODE_CONFIG"]) if env.get("OPENCODE_CONFIG") else None,
        config_directory=resolve(cwd, directory) if directory else None,
        content=env.get(CONTENT) or None,
        managed=resolve(cwd, env.get("OPENCODE_TEST_MANAGED_CONFIG_DIR") or MANAGED),
        home=resolve(cwd, env.get("OPENCODE_TEST_HOME") or host.home),
        real_home=resolve(cwd, host.home),
        xdg=resolve(cwd, join(xdg, "opencode")),
        fatal=next((flag for flag, value in claude.items() if value is not None and value not in YES + NO), None),
    )


NO_CLAUDE = ("OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT")
# Exactly these; any other value, also another case or the empty string, ends the program (seen on the wire).
YES = ("true", "yes", "on", "1", "y")
NO = ("false", "no", "off", "0", "n")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of ``instructions`` and where it stands."""

    text: str
    origin: Origin


@dataclass(slots=True)
class Agent:
    """An agent: each key with the place of the source that was merged last."""

    name: str
    prompt: str | None = None
    prompt_origin: Origin | None = None
    model: str | None = None
    mode: str | None = None
    is_disabled: bool = False
    is_hidden: bool = False
    has_skills: bool = True


@dataclass(slots=True)
class Config:
    """The merged configuration. ``stopped`` says why opencode ends without sending anything."""

    instructions: list[Entry] | None = None
    agents: dict[str, Agent] = field(default_factory=dict)
    model: str | None = None
    default_agent: str | None = None
    default_agent_origin: Origin | None = None
    # Provider id to its npm package, and (provider id, model key) to the model's own id.
    packages: dict[str, str] = field(default_factory=dict)
    model_ids: dict[tuple[str, str], str] = field(default_factory=dict)
    first_model: str | None = None
    has_skills: bool = True
    has_references: bool = False
    stopped: str | None = None
    stopped_by: Origin | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration text: ``path`` is None for the one in the environment; ``base`` is where {file:} looks."""

    path: str | None
    base: str
    text: str


# -- which files, in which order -------------------------------------------------------------------------------


def read_config(draft: Draft, host: Host, cwd: str, root: str, flag: Flags) -> Config:
    """All sources merged, later over earlier (section 4.1; order: wire config-merge)."""
    merge = _Merge(draft, host, flag)
    merge.global_files()
    if flag.config_file:
        merge.file(flag.config_file, "OPENCODE_CONFIG names it")
    project = [] if flag.no_project_config else reversed(list(upwards(cwd, root)))
    for directory in project:
        merge.files(directory, "opencode reads its configuration from the worktree root down to the working directory")
    for directory in _directories(cwd, root, flag):
        if directory != flag.xdg:
            merge.files(directory, "opencode reads the configuration in its own directories after the project's")
        merge.agent_files(directory)
    if flag.content:
        merge.environment(Source(None, cwd, flag.content))
    merge.files(flag.managed, "opencode reads the machine's managed configuration last")
    for mode in merge.modes.values():
        mode.mode = "primary"
        _merge_agent(merge.config, mode)
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
        self.config = Config()
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
        if contents.state in ("missing", "broken-link"):
            self._note(path, "missing", f"{why}: {STATE_SAYS[contents.state]}")
        elif contents.state != "file":
            self._note(path, "failed", f"{why}: {STATE_SAYS[contents.state]}, and opencode ends")
            self._stop(f"opencode ends, because it cannot read {path}. Remove it.", Origin("config", path=path))
        elif not contents.data:
            self._note(path, "empty", f"{why}: it is empty")
        elif contents.size > LARGE_CONFIG:
            self._leave_out(path, why, CONFIG_LIMIT)
        else:
            try:
                fault = self._text(Source(path, parent(path), decode(contents.data, keep_bom=False)))
            except _TooMuchError:
                self._leave_out(path, why, FILLED_LIMIT)
                return
            if fault is None:
                self._note(path, "loaded", why)
            else:
                told = with_consequence(fault, "opencode ends without sending anything until this is corrected")
                self._note(path, "failed", f"{why}: it is not valid, and opencode ends", told)
                by = Origin("config", path=path, range=fault.range)
                self._stop(f"opencode ends, because {path} is not valid: {fault.message}.", by)

    def environment(self, source: Source) -> None:
        """Merge the configuration in the environment."""
        origin = Origin("argument", name=CONTENT)
        why = f"the environment variable {CONTENT} holds a configuration"
        try:
            fault = self._text(source)
        except _TooMuchError:
            self._draft.notes.append(f"{CONTENT} is not taken into account: {FILLED_LIMIT}.")
            self._draft.candidates.append(Candidate("cut", f"{why}: {FILLED_LIMIT}", origin, use="config"))
            return
        if fault is not None:
            why = f"opencode ends, because the environment variable {CONTENT} is not valid: {fault.message}."
            self._stop(why, origin)
        outcome: Outcome = "loaded" if fault is None else "failed"
        self._draft.candidates.append(Candidate(outcome, why, origin, use="config"))

    def agent_files(self, directory: str) -> None:
        """Markdown files below agent(s)/ and in mode(s)/: the body is the prompt."""
        if self._host.kind(directory) != "directory":
            return
        why = "opencode takes Markdown files in its agent directories for agents"
        steps = Steps(AGENT_STEPS)
        for kind, is_mode in (("agent", False), ("agents", False), ("mode", True), ("modes", True)):
            depth = 0 if is_mode else AGENT_DEPTH
            for path in _markdown_files(self._host, join(directory, kind), depth, steps):
                origin = Origin("computed", name=why)
                contents = self._host.read(path)
                if contents.state != "file" or contents.is_cut:
                    limit = OUR_LIMIT if contents.is_cut else STATE_SAYS[contents.state]
                    outcome: Outcome = "cut" if contents.is_cut else "failed"
                    says = f"{why}: {limit}; the agent is left out here"
                    self._draft.candidates.append(Candidate(outcome, says, origin, path=path, use="prompt"))
                    continue
                agent = _agent_file(self._host, path, directory)
                if agent is None or (is_mode and agent.mode not in (None, *MODES)):
                    says = f"{why}: its front matter cannot be read, so it is passed over"
                    self._draft.candidates.append(Candidate("failed", says, origin, path=path, use="prompt"))
                    continue
                if agent.mode not in (None, *MODES):
                    self._stop(f"opencode ends, because the mode of {path} is none of {', '.join(MODES)}.", origin)
                self._draft.candidates.append(Candidate("loaded", why, origin, path=path, use="prompt"))
                if is_mode:
                    agent.mode = "primary"
                _merge_agent(self.config, agent)
        if steps.left <= 0:
            self._draft.notes.append(f"Not every agent below {directory} is taken into account: there are too many.")

    def _note(self, path: str, outcome: Outcome, why: str, fault: Fault | None = None) -> None:
        faults = (fault,) if fault else ()
        origin = Origin("computed", name="opencode's configuration")
        self._draft.candidates.append(Candidate(outcome, why, origin, path=path, use="config", faults=faults))

    def _leave_out(self, path: str, why: str, limit: str) -> None:
        self._draft.notes.append(f"{path} is not taken into account: {limit}.")
        self._note(path, "cut", f"{why}: {limit}")

    def _stop(self, says: str, by: Origin) -> None:
        if self.config.stopped is None:
            self.config.stopped, self.config.stopped_by = says, by

    def _text(self, source: Source) -> Fault | None:
        """Merge what could be read of a text; returns the fault that stops opencode."""
        text = _fill_in(self._host, self._flag, source)
        document = jsonc.parse(text.text, comments=True)
        fault = text.fault or _fault(text, document)
        root = document.root
        if root is None or root.kind != "object":
            return fault
        config = self.config
        if instructions := root.get("instructions"):
            own = [Entry(str(item.data), _origin(source, text, item)) for item in instructions.items]
            config.instructions = own if config.instructions is None else _joined(config.instructions, own)
        config.model = root.text("model") or config.model
        if (default := root.get("default_agent")) is not None and isinstance(default.data, str):
            config.default_agent, config.default_agent_origin = default.data, _origin(source, text, default)
        for key, into in (("agent", config.agents), ("mode", self.modes)):
            for name_, value in (root.get(key) or EMPTY).members:
                _merge_agent_value(into, str(name_.data), value, source, text, self._host)
        for name_, value in (root.get("agents") or EMPTY).members:
            _merge_agent_value(config.agents, str(name_.data), value, source, text, self._host, prompt_key="system")
        config.has_skills = config.has_skills and _allows_skills(root)
        references = (root.get("references") or EMPTY).members
        config.has_references = config.has_references or any(value.get("description") for _, value in references)
        _merge_providers(config, root.get("provider") or EMPTY)
        return fault


def _joined(before: list[Entry], own: list[Entry]) -> list[Entry]:
    """Two arrays as one, each string at its first place (section 4.2)."""
    first: dict[str, Entry] = {}
    for entry in (*before, *own):
        first.setdefault(entry.text, entry)
    return list(first.values())


# -- one configuration text ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Text:
    """A configuration text with {env:} and {file:} filled in, and the way back to the original's places."""

    text: str
    original: str
    # Start and end in the text, start and end in the original, and the file that was inserted.
    inserted: tuple[tuple[int, int, int, int, str | None], ...] = ()
    fault: Fault | None = None

    def range(self, start: int, end: int) -> Range:
        """The range in the original of two offsets in the text."""
        return _lines(self.original).range(self._back(start), self._back(end, at_end=True))

    def file(self, value: Value) -> str | None:
        """The file whose text is the whole of a string, if it is."""
        for start, end, _, _, path in self.inserted:
            if path is not None and (start, end) == (value.start + 1, value.end - 1):
                return path
        return None

    def _back(self, offset: int, *, at_end: bool = False) -> int:
        first = max(bisect_left(self.inserted, offset, key=lambda insertion: insertion[0]) - 1, 0)
        shift = self.inserted[first - 1][3] - self.inserted[first - 1][1] if first else 0
        for start, end, old_start, old_end, _ in self.inserted[first:]:
            if offset < start or (offset == start and not at_end):
                break
            if offset < end or (offset == end and at_end):
                return old_end if at_end else old_start
            shift = old_end - end
        return offset + shift


@lru_cache(maxsize=8)
def _lines(text: str) -> LineIndex:
    return LineIndex(text)


class _TooMuchError(Exception):
    """A configuration grows too large when it is filled in."""


def _fill_in(host: Host, flag: Flags, source: Source) -> _Text:
    """``{env:NAME}`` over the whole text, then ``{file:path}`` except behind a line's ``//`` (section 4.8).

    Raises:
        _TooMuchError: a limit of ours is reached.
    """
    with_env = _replace(source.text, _ENV, lambda found: (host.env.get(found[1], ""), None))
    missing: list[re.Match[str]] = []
    line = 0

    def file_text(found: re.Match[str]) -> tuple[str, str | None] | None:
        nonlocal line
        line = max(line, with_env.text.rfind("\n", line, found.start()) + 1)
        comment = _COMMENT.match(with_env.text, line)
        if comment and comment.end() <= found.start():
            return None
        named = found[1]
        path = resolve(flag.real_home, named[2:]) if named.startswith("~/") else resolve(source.base, named)
        contents = host.read(path)
        if contents.state != "file":
            missing.append(found)
            return None
        if contents.is_cut:
            raise _TooMuchError
        text = decode(contents.data, keep_bom=False).strip()
        return json.dumps(text, ensure_ascii=False)[1:-1], path

    with_files = _replace(with_env.text, _FILE, file_text)
    inserted = _compose(with_env, with_files)
    fault = None
    if missing:
        where = LineIndex(source.text).range(*_span_back(with_env, missing[0]))
        says = f"the file that {missing[0][0]} names cannot be read"
        fault = Fault("config-invalid", where, says)
    return _Text(with_files.text, source.text, inserted, fault)


def _span_back(text: _Text, found: re.Match[str]) -> tuple[int, int]:
    return text._back(found.start()), text._back(found.end(), at_end=True)  # noqa: SLF001 - its own module


def _replace(text: str, pattern: re.Pattern[str], fill: object) -> _Text:
    pieces: list[str] = []
    inserted: list[tuple[int, int, int, int, str | None]] = []
    at = length = added = 0
    # Not behind the last bracket: the pattern would look for one from every place on.
    for found in pattern.finditer(text, 0, text.rfind("}") + 1):
        filled = fill(found)  # type: ignore[operator] # one of the two functions above
        if filled is None:
            continue
        value, path = filled
        added += len(value)
        if added > MAX_FILLED or len(inserted) == MAX_TIMES_FILLED:
            raise _TooMuchError
        pieces += [text[at : found.start()], value]
        length += found.start() - at
        inserted.append((length, length + len(value), found.start(), found.end(), path))
        length += len(value)
        at = found.end()
    return _Text("".join([*pieces, text[at:]]), text, tuple(inserted))


def _compose(first: _Text, second: _Text) -> tuple[tuple[int, int, int, int, str | None], ...]:
    """The insertions of two rounds as one: from the final text back to the original."""
    if not first.inserted:
        return second.inserted
    moved = [(s, e, first._back(a), first._back(b, at_end=True), path) for s, e, a, b, path in second.inserted]  # noqa: SLF001 - its own module
    for start, end, old_start, old_end, path in first.inserted:
        if any(a <= old_start and old_end <= b for _, _, a, b, _ in moved):
            continue
        shift = 0
        for _, new_end, _, old, _ in second.inserted:
            if old <= start:
                shift = new_end - old
        moved.append((start + shift, end + shift, old_start, old_end, path))
    return tuple(sorted(moved, key=lambda insertion: insertion[0]))


def _fault(text: _Text, document: Document) -> Fault | None:
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
            for name_, kinds in (
                ("prompt", ("string",)),
                ("model", ("string",)),
                ("description", ("string",)),
                ("disable", ("true", "false")),
                ("hidden", ("true", "false")),
            ):
                if value := agent.get(name_):
                    yield value, kinds


def _origin(source: Source, text: _Text, value: Value) -> Origin:
    data = str(value.data)
    if source.path is None:
        return Origin("argument", name=data)
    return Origin("config", path=source.path, range=text.range(value.start, value.end), name=data)


def _merge_providers(config: Config, providers: Value) -> None:
    for provider_id, provider in providers.members:
        key = str(provider_id.data)
        if npm := provider.text("npm"):
            config.packages[key] = npm
        for model_key, model in (provider.get("models") or EMPTY).members:
            config.first_model = config.first_model or f"{key}/{model_key.data}"
            if own := model.text("id"):
                config.model_ids[key, str(model_key.data)] = own


# -- agents ----------------------------------------------------------------------------------------------------


def _allows_skills(value: Value) -> bool:
    """Whether a configuration or an agent leaves the skill tool on."""
    denied = (value.get("permission") or EMPTY).text("skill") == "deny"
    off = (value.get("tools") or EMPTY).get("skill")
    return not denied and (off is None or off.kind != "false")


def _merge_agent_value(  # noqa: PLR0917 - a value and where it comes from
    agents: dict[str, Agent],
    agent_name: str,
    value: Value,
    source: Source,
    text: _Text,
    host: Host,
    *,
    prompt_key: str = "prompt",
) -> None:
    agent = agents.setdefault(agent_name, Agent(agent_name))
    prompt = value.get(prompt_key)
    if prompt is not None and isinstance(prompt.data, str):
        path = text.file(prompt)
        agent.prompt = prompt.data
        agent.prompt_origin = _stripped_file(host, path) if path else _origin(source, text, prompt)
    agent.model = value.text("model") or agent.model
    agent.mode = value.text("mode") or agent.mode
    agent.has_skills = agent.has_skills and _allows_skills(value)
    for key, attribute in (("disable", "is_disabled"), ("hidden", "is_hidden")):
        if switch := value.get(key):
            setattr(agent, attribute, switch.kind == "true")


def _stripped_file(host: Host, path: str) -> Origin:
    """A file as origin, with the range of its text between white space."""
    text = decode(host.read(path).data, keep_bom=False)
    start = len(text) - len(text.lstrip())
    return Origin("file", path=path, range=LineIndex(text).range(start, len(text.rstrip())))


def _merge_agent(config: Config, newer: Agent) -> None:
    agent = config.agents.setdefault(newer.name, Agent(newer.name))
    if newer.prompt is not None:
        agent.prompt, agent.prompt_origin = newer.prompt, newer.prompt_origin
    agent.model = newer.model or agent.model
    agent.mode = newer.mode or agent.mode
    agent.is_disabled = newer.is_disabled or agent.is_disabled
    agent.is_hidden = newer.is_hidden or agent.is_hidden
    agent.has_skills = newer.has_skills and agent.has_skills


def _markdown_files(host: Host, directory: str, depth: int, steps: Steps) -> Iterator[str]:
    """The Markdown files of a directory and ``depth`` levels below it, hidden ones and links too."""
    entries = host.entries(directory)
    steps.left -= STEPS_OF_A_DIRECTORY + len(entries)
    for entry in entries if steps.left > 0 else ():
        path = join(directory, entry.name)
        if entry.name.endswith(".md") and host.kind(path) == "file":
            yield path
        elif depth and (entry.is_directory or (entry.is_link and host.kind(path) == "directory")):
            yield from _markdown_files(host, path, depth - 1, steps)


def _agent_file(host: Host, path: str, directory: str) -> Agent | None:
    """The agent in a Markdown file; None if its front matter cannot be read."""
    text = decode(host.read(path).data, keep_bom=False)
    front = front_matter.split(text)
    document = front.document
    if document is not None and document.flaw is not None:
        # opencode tries once more with values in quotes where a colon stands in them.
        document = yaml.parse(_COLON_INSIDE.sub(lambda found: f"{found[1]}{json.dumps(found[2])}", document.text))
        if document.flaw is not None:
            return None
    body = text[front.body :]
    start = front.body + len(body) - len(body.lstrip())
    root = (document.root if document else None) or EMPTY
    below = path.removeprefix(directory + "/").partition("/")[2]
    agent = Agent(root.text("name") or below.removesuffix(".md"))
    agent.prompt = body.strip()
    where = LineIndex(text).range(start, front.body + len(body.rstrip()))
    agent.prompt_origin = Origin("file", path=path, range=where, name=name(path))
    agent.model, agent.mode = root.text("model"), root.text("mode")
    agent.is_disabled = (root.get("disable") or root).kind == "true"
    agent.is_hidden = (root.get("hidden") or root).kind == "true"
    agent.has_skills = _allows_skills(root)
    return agent


_COLON_INSIDE = re.compile(r"^([A-Za-z_]+:[ \t]+)([^\s\"'\[{|>].*:[ \t].*)$", re.MULTILINE)
