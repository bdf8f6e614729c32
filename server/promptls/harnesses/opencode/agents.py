"""opencode's agents, from configuration and from Markdown files (specification, sections 1 and 4)."""

from __future__ import annotations

import json
import re

from promptls.core.formats import front_matter, yaml
from promptls.core.formats.tree import EMPTY, Value
from promptls.core.model import Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field
from promptls.harnesses.opencode.text import FilledText, Source, origin_of
from promptls.harnesses.shared.globs import STEPS_OF_A_DIRECTORY, StepBudget
from promptls.harnesses.shared.paths import join, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host

    # Key, such as the name of a tool -> allow, ask or deny, or patterns of what it is asked for -> one of these.
    Permissions = dict[str, str | dict[str, str]]

# Limits of ours, so that links in a loop end, also where every level has several.
AGENT_DEPTH = 16
AGENT_STEPS = 20_000
MODES = ("primary", "subagent", "all")


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
    permissions: Permissions = field(default_factory=dict)


def permissions_of(value: Value) -> Permissions:
    """What a configuration or an agent allows and denies: its ``tools``, and over them its ``permission``."""
    found: Permissions = {}
    for key, switch in (value.get("tools") or EMPTY).members:
        if switch.kind in ("true", "false"):
            found[str(key.data)] = "allow" if switch.kind == "true" else "deny"
    asked = value.get("permission") or EMPTY
    if isinstance(asked.data, str):
        merge_permissions(found, {"*": asked.data})
    for key, action in asked.members:
        one = action.data if isinstance(action.data, str) else None
        several = {str(name.data): each.data for name, each in action.members if isinstance(each.data, str)}
        merge_permissions(found, {str(key.data): one or several})
    return found


def merge_permissions(below: Permissions, above: Permissions) -> None:
    """Merge ``above`` into ``below``: a key that is there keeps its place, which decides, and its patterns."""
    for key, action in above.items():
        own = below.get(key)
        below[key] = own | action if isinstance(own, dict) and isinstance(action, dict) else action


def offers_skills(*layers: Permissions) -> bool:
    """Whether the skill tool is on: the last rule that matches it decides, if it is for every skill."""
    last = ("*", "allow")
    for layer in layers:
        for key, action in layer.items():
            if _matches("skill", key):
                last = ("*", action) if isinstance(action, str) else next(reversed(action.items()), last)
    return last != ("*", "deny")


def _matches(name_: str, pattern: str) -> bool:
    """``*`` is any text, ``?`` a character; all else is itself."""
    parts = ("." if letter == "?" else ".*" if letter == "*" else re.escape(letter) for letter in pattern)
    return re.fullmatch("".join(parts), name_, re.DOTALL) is not None


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
        path = text.file(prompt)
        agent.prompt = prompt.data
        agent.prompt_origin = _stripped_file(host, path) if path else origin_of(source, text, prompt)
    agent.model = value.text("model") or agent.model
    agent.mode = value.text("mode") or agent.mode
    merge_permissions(agent.permissions, permissions_of(value))
    for key, attribute in (("disable", "is_disabled"), ("hidden", "is_hidden")):
        if switch := value.get(key):
            setattr(agent, attribute, switch.kind == "true")


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
    agent.model = newer.model or agent.model
    agent.mode = newer.mode or agent.mode
    agent.is_disabled = newer.is_disabled or agent.is_disabled
    agent.is_hidden = newer.is_hidden or agent.is_hidden
    merge_permissions(agent.permissions, newer.permissions)


def markdown_files(host: Host, directory: str, depth: int, steps: StepBudget) -> Iterator[str]:
    """The Markdown files of a directory and ``depth`` levels below it, hidden ones and links too."""
    entries = host.entries(directory)
    steps.left -= STEPS_OF_A_DIRECTORY + len(entries)
    for entry in entries if steps.left > 0 else ():
        path = join(directory, entry.name)
        if entry.name.endswith(".md") and host.kind(path) == "file":
            yield path
        elif depth and (entry.is_directory or (entry.is_link and host.kind(path) == "directory")):
            yield from markdown_files(host, path, depth - 1, steps)


def agent_file(host: Host, path: str, directory: str) -> Agent | None:
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
    agent.permissions = permissions_of(root)
    return agent


_COLON_INSIDE = re.compile(r"^([A-Za-z_]+:[ \t]+)([^\s\"'\[{|>].*:[ \t].*)$", re.MULTILINE)
