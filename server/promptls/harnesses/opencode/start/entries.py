"""What opencode's configuration lists beside instructions and agents: commands, MCP servers, references, skills."""

from __future__ import annotations

from promptls.core.formats.tree import EMPTY, Value
from promptls.core.model import Origin
from promptls.core.values import dataclass, field
from promptls.harnesses.opencode.listing.agents import text_origin
from promptls.harnesses.opencode.start.filled_text import FilledText, Source, origin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.harnesses.opencode.start.markdown import Markdown


@dataclass(frozen=True, slots=True)
class Entry:
    """A text of a list and where it is."""

    text: str
    origin: Origin


@dataclass(slots=True)
class Command:
    """A command: each key with the place of the source that was merged last. ``file`` is the one that defines it."""

    name: str
    template: str | None = None
    origin: Origin | None = None
    agent: str | None = None
    model: str | None = None
    is_subtask: bool | None = None
    file: str | None = None


@dataclass(slots=True)
class Server:
    """An MCP server, by its key in the configuration."""

    name: str
    origin: Origin
    is_enabled: bool = True
    command: tuple[str, ...] = ()
    # Milliseconds after which the program does without it.
    timeout: float | None = None
    # Where it is said how it is started, which another source may have said.
    started_at: Origin | None = None


@dataclass(slots=True)
class Reference:
    """A folder or repository that the model may look into. ``base`` is what a relative path begins at."""

    name: str
    base: str
    path: str | None = None
    repository: str | None = None
    description: str | None = None
    origin: Origin | None = None


@dataclass(slots=True)
class Entries:
    """All of them by name, later sources merged over earlier ones. ``reference`` is the older key (surfaces, 6)."""

    commands: dict[str, Command] = field(default_factory=dict)
    servers: dict[str, Server] = field(default_factory=dict)
    references: dict[str, Reference] = field(default_factory=dict)
    reference: dict[str, Reference] = field(default_factory=dict)
    skill_paths: list[Entry] = field(default_factory=list)
    skill_urls: list[Entry] = field(default_factory=list)


def merge_entries(entries: Entries, root: Value, source: Source, text: FilledText, host: Host) -> None:
    """Merge what the configuration ``root`` lists."""
    for key, value in (root.get("command") or EMPTY).members:
        name = str(key.data)
        _merge_command(entries.commands.setdefault(name, Command(name)), value, source, text, host)
    for key, value in (root.get("mcp") or EMPTY).members:
        name, origin = str(key.data), origin_of(source, text, key)
        _merge_server(entries.servers.setdefault(name, Server(name, origin)), value, origin)
    for references, list_name in ((entries.references, "references"), (entries.reference, "reference")):
        for key, value in (root.get(list_name) or EMPTY).members:
            name = str(key.data)
            _merge_reference(references.setdefault(name, Reference(name, source.base)), value, source, text)
    skills = root.get("skills") or EMPTY
    if (paths := skills.get("paths")) is not None:
        entries.skill_paths = _texts(paths, source, text)
    if (urls := skills.get("urls")) is not None:
        entries.skill_urls = _texts(urls, source, text)


def _merge_server(server: Server, value: Value, origin: Origin) -> None:
    server.origin = origin
    if switch := value.get("enabled"):
        server.is_enabled = switch.kind != "false"
    if (command := value.get("command")) is not None:
        server.command = tuple(str(each.data) for each in command.items)
    if command is not None or value.get("url") is not None:
        server.started_at = origin
    if isinstance(timeout := (value.get("timeout") or EMPTY).data, (int, float)):
        server.timeout = timeout


def merge_command_file(entries: Entries, file: Markdown, directory: str) -> str | None:
    """Merge the command in a Markdown file somewhere below ``directory``: by default, its path is its name.

    Returns the file whose text it takes the place of, None without one.
    """
    root = file.root
    below = file.path.removeprefix(directory + "/").partition("/")[2]
    name = root.text("name") or below.removesuffix(".md")
    command = entries.commands.setdefault(name, Command(name))
    before = command.file
    command.template, command.origin, command.file = file.body, file.body_origin, file.path
    _merge_keys(command, root)
    return before


def _merge_command(command: Command, value: Value, source: Source, text: FilledText, host: Host) -> None:
    template = value.get("template")
    if template is not None and isinstance(template.data, str):
        command.template, command.file = template.data, None
        command.origin = text_origin(source, text, template, host)
    _merge_keys(command, value)


def _merge_keys(command: Command, value: Value) -> None:
    command.agent = value.text("agent") or command.agent
    command.model = value.text("model") or command.model
    if (subtask := value.get("subtask")) is not None:
        command.is_subtask = subtask.kind == "true"


def _merge_reference(reference: Reference, value: Value, source: Source, text: FilledText) -> None:
    reference.base = source.base
    reference.path = value.text("path") or reference.path
    reference.repository = value.text("repository") or reference.repository
    description = value.get("description")
    if description is not None and isinstance(description.data, str):
        reference.description, reference.origin = description.data, origin_of(source, text, description)


def _texts(value: Value, source: Source, text: FilledText) -> list[Entry]:
    return [Entry(item.data, origin_of(source, text, item)) for item in value.items if isinstance(item.data, str)]
