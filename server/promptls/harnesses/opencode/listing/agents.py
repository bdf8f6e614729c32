"""opencode's agents, from configuration and from Markdown files (specification, sections 1 and 4; surfaces, 3)."""

from __future__ import annotations

from promptls.core.formats.tree import Value
from promptls.core.model import Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field
from promptls.harnesses.opencode.start.filled_text import FilledText, Source, origin_of
from promptls.harnesses.opencode.start.permissions import merge_permissions, permissions_of
from promptls.kit.candidates import argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.host import Host
    from promptls.harnesses.opencode.start.markdown import Markdown
    from promptls.harnesses.opencode.start.permissions import Permissions
    from promptls.harnesses.opencode.versions import BuiltInAgent
    from promptls.kit.draft import Draft

MODES = ("primary", "subagent", "all")


@dataclass(slots=True)
class Agent:
    """An agent: each key with the place of the source that was merged last."""

    name: str
    prompt: str | None = None
    prompt_origin: Origin | None = None
    description: str | None = None
    description_origin: Origin | None = None
    model: str | None = None
    mode: str | None = None
    is_disabled: bool | None = None
    is_hidden: bool | None = None
    permissions: Permissions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents that are configured, over those that are built in."""

    configured: Mapping[str, Agent]
    built_in: Mapping[str, BuiltInAgent]
    default: str | None

    def get(self, name: str) -> Agent:
        """The agent as far as it is configured."""
        return self.configured.get(name, Agent(name))

    def mode(self, name: str) -> str:
        """``primary``, ``subagent`` or ``all``."""
        built_in = self.built_in.get(name)
        return self.get(name).mode or (built_in.mode if built_in else "all")

    def names(self) -> list[str]:
        """All that are not disabled."""
        every = dict.fromkeys((*self.built_in, *self.configured))
        return [name for name in every if not self.get(name).is_disabled]

    def is_hidden(self, name: str) -> bool:
        """Whether users cannot choose it."""
        own, built_in = self.get(name).is_hidden, self.built_in.get(name)
        return own if own is not None else built_in is not None and built_in.is_hidden

    def why_not(self, name: str) -> str | None:
        """Why a session cannot begin with the agent, in a clause; None if it can."""
        if name not in self.configured and name not in self.built_in:
            return "is not known"
        if self.get(name).is_disabled:
            return "is disabled"
        return "is a subagent" if self.mode(name) == "subagent" else None

    def first(self) -> str | None:
        """The agent where none is asked for: the first that a session can begin with, hidden ones left out [source]."""
        can_begin = (name for name in self.names() if self.mode(name) != "subagent" and not self.is_hidden(name))
        return self.default or next(can_begin, None)

    def choose(self, draft: Draft, asked: str | None) -> Agent:
        """The agent that is used: the one asked for if it can be, else the default one."""
        default = self.first() or "build"
        if asked is not None and asked != default:
            why = self.why_not(asked)
            if why is None:
                return self.get(asked)
            says = f"agent {asked} {why}, so opencode falls back to {default}"
            draft.candidates.append(argument(asked, says, use="prompt"))
            draft.notes.append(f"The agent {asked} {why}; opencode falls back to {default}.")
        return self.get(default)


# -- reading ---------------------------------------------------------------------------------------------------------


def merge_agent_value(  # noqa: PLR0917 - a value and where it comes from
    agents: dict[str, Agent],
    agent_name: str,
    value: Value,
    source: Source,
    text: FilledText,
    host: Host,
    *,
    prompt_key: str = "prompt",
) -> None:
    """Merge what a configuration says of an agent over what is known of it."""
    agent = agents.setdefault(agent_name, Agent(agent_name))
    prompt = value.get(prompt_key)
    if prompt is not None and isinstance(prompt.data, str):
        agent.prompt, agent.prompt_origin = prompt.data, text_origin(source, text, prompt, host)
    description = value.get("description")
    if description is not None and isinstance(description.data, str):
        agent.description = description.data
        agent.description_origin = text_origin(source, text, description, host)
    agent.model = value.text("model") or agent.model
    agent.mode = value.text("mode") or agent.mode
    merge_permissions(agent.permissions, permissions_of(value))
    _set_switches(agent, value)


def _set_switches(agent: Agent, value: Value) -> None:
    for key, attribute in (("disable", "is_disabled"), ("hidden", "is_hidden")):
        if switch := value.get(key):
            setattr(agent, attribute, switch.kind == "true")


def text_origin(source: Source, text: FilledText, value: Value, host: Host) -> Origin:
    """The place of a text in a configuration, or the file that ``{file:}`` names for it."""
    path = text.file(value)
    return _stripped_file(host, path) if path else origin_of(source, text, value)


def _stripped_file(host: Host, path: str) -> Origin:
    """A file as origin, with the range of its text between white space."""
    text = decode(host.read(path).data, keep_bom=False)
    start = len(text) - len(text.lstrip())
    return Origin("file", path=path, range=LineIndex(text).range(start, len(text.rstrip())))


def merge_agent(agents: dict[str, Agent], newer: Agent) -> None:
    """Merge an agent over the one of its name."""
    agent = agents.setdefault(newer.name, Agent(newer.name))
    if newer.prompt is not None:
        agent.prompt, agent.prompt_origin = newer.prompt, newer.prompt_origin
    if newer.description is not None:
        agent.description, agent.description_origin = newer.description, newer.description_origin
    agent.model = newer.model or agent.model
    agent.mode = newer.mode or agent.mode
    agent.is_disabled = agent.is_disabled if newer.is_disabled is None else newer.is_disabled
    agent.is_hidden = agent.is_hidden if newer.is_hidden is None else newer.is_hidden
    merge_permissions(agent.permissions, newer.permissions)


def agent_of(file: Markdown, directory: str) -> Agent:
    """The agent in a Markdown file somewhere below ``directory``: by default, its path is its name."""
    root = file.root
    below = file.path.removeprefix(directory + "/").partition("/")[2]
    called = root.get("name")
    # (captured: agent-kinds)
    own_name = "null" if called is not None and called.kind == "null" else root.text("name")
    agent = Agent(own_name or below.removesuffix(".md"))
    agent.prompt, agent.prompt_origin = file.body, file.body_origin
    agent.description, agent.description_origin = root.text("description"), file.origin("description")
    agent.model, agent.mode = root.text("model"), root.text("mode")
    _set_switches(agent, root)
    agent.permissions = permissions_of(root)
    return agent
