"""What an MCP server answers when a program asks it: its tools, its instructions, and how long it takes to say so."""

from __future__ import annotations

from promptls.core.paths import join
from promptls.core.secrets import masked_arguments, masked_url
from promptls.core.text import decode
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal

    from promptls.core.files import Contents
    from promptls.core.formats.tree import Document, Value
    from promptls.core.model import Origin

    # It ends at once, or answers with an error: to the first request, or when it is asked for its tools.
    Failure = Literal["", "start", "init", "list"]

# Below the directory of what is kept: the answers of servers, a file for each.
KEPT = "servers"
# What a program calls the address of a server, its variables and headers.
URLS = ("url", "httpUrl", "serverUrl")
VARIABLES, HEADERS = ("env", "environment"), ("headers", "http_headers")
# How deep in a configuration a server may be: one is below a project.
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as tools/list has it. ``schema`` is its inputSchema as JSON; ``meta`` is ``_meta``."""

    name: str
    description: str | None = None
    schema: Any = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OfferedPrompt:
    """A prompt as prompts/list has it: its name, and those of its arguments in order."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What a server answers.

    ``lists_resources``: it can be asked for resources, also where it has none.
    ``delay`` and ``list_delay``: seconds until it has answered to initialize and to tools/list. ``page``: the number of
    tools on a page of the list, 0 where that has one page. ``changed``: the list after ``changed_after`` calls of its
    tools, None where it stays. ``file``: the file that an argument of its command names, to tell two servers of one
    name apart. ``seconds``: how long all of it took when the server was asked, 0 where nobody knows.
    """

    tools: tuple[OfferedTool, ...] = ()
    instructions: str | None = None
    prompts: tuple[OfferedPrompt, ...] = ()
    resources: tuple[str, ...] = ()
    lists_resources: bool = False
    delay: float = 0
    list_delay: float = 0
    page: int = 0
    failure: Failure = ""
    changed: tuple[OfferedTool, ...] | None = None
    changed_after: int = 0
    file: str = ""
    seconds: float = 0

    @property
    def has_resources(self) -> bool:
        """Whether a program takes it for one with resources."""
        return self.lists_resources or bool(self.resources)

    def left(self, only: frozenset[str] | None, without: frozenset[str]) -> tuple[OfferedTool, ...]:
        """The tools that a configuration leaves, which names those that count, None for all, and those that do not."""
        return tuple(each for each in self.tools if (only is None or each.name in only) and each.name not in without)

    def tools_after(self, calls: int) -> tuple[OfferedTool, ...]:
        """The list of tools after so many calls of its tools."""
        return self.changed if self.changed is not None and calls >= self.changed_after else self.tools


@dataclass(frozen=True, slots=True)
class ServerStart:
    """How a program starts a server, as a configuration says: by a command, or at an address.

    ``env`` has the variables that it is given, "" for the value of a secret; ``headers`` their names.
    """

    name: str
    harness: str
    path: str
    command: tuple[str, ...] = ()
    url: str = ""
    kind: str = ""
    cwd: str = ""
    env: tuple[tuple[str, str], ...] = ()
    headers: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Identifies what is asked, and for whom: another configuration is another question."""
        from hashlib import sha256  # noqa: PLC0415 - only where there are servers
        from json import dumps  # noqa: PLC0415 - the same

        whole = [self.harness, self.path, self.command, self.url, self.kind, self.cwd, self.env, self.headers]
        return sha256(dumps(whole).encode("utf-8", "replace")).hexdigest()[:32]

    @property
    def shown(self) -> str:
        """The command or the address for people, without secrets."""
        from shlex import join as quoted  # noqa: PLC0415 - only where it is shown

        return masked_url(self.url) if self.url else quoted(masked_arguments(self.command))


def start_at(read: Callable[[str], Contents], harness: str, name: str, origin: Origin) -> ServerStart | None:
    """How the server at ``origin`` is started; None where no file says so."""
    found = entry_at(read, origin)
    if found is None or origin.path is None:
        return None
    _, _, value = found
    return _start(value, harness, name, origin.path)


def entry_at(read: Callable[[str], Contents], origin: Origin) -> tuple[Document, Value, Value] | None:
    """The entry of a server in its file, as key and value: the one of which one is where ``origin`` is."""
    if origin.path is None:
        return None
    from promptls.core.formats import parse_json, parse_toml  # noqa: PLC0415 - only where there are servers

    contents = read(origin.path)
    if contents.state != "file":
        return None
    text = decode(contents.data, keep_bom=False)
    document = parse_toml(text) if origin.path.endswith(".toml") else parse_json(text, comments=True)
    entries = _entries(document.root, DEEPEST) if document.root is not None else ()
    for key, value in entries:
        is_there = origin.range is None or origin.range in (document.range(key), document.range(value))
        if is_there and str(key.data) in (origin.name, (origin.name or "").rpartition(":")[2]):
            return document, key, value
    return None


def _entries(value: Value, depth: int) -> Iterator[tuple[Value, Value]]:
    """What may be a server: each object in it that says how one is started."""
    for key, each in value.members:
        if each.kind == "object" and any(each.get(word) is not None for word in ("command", *URLS)):
            yield key, each
        elif each.kind == "object" and depth:
            yield from _entries(each, depth - 1)


def _start(value: Value, harness: str, name: str, path: str) -> ServerStart | None:
    command, args = value.get("command"), value.get("args")
    words = [*(command.items or (command,) if command is not None else ()), *(args.items if args is not None else ())]
    env = next((each for word in VARIABLES if (each := value.get(word)) is not None), None)
    headers = next((each for word in HEADERS if (each := value.get(word)) is not None), None)
    url = next(filter(None, map(value.text, URLS)), "")
    start = ServerStart(
        name,
        harness,
        path,
        tuple(str(each.data) for each in words if each.data is not None),
        url,
        value.text("type") or "",
        value.text("cwd") or "",
        tuple((str(key.data), str(each.data)) for key, each in env.members) if env is not None else (),
        tuple(headers.names()) if headers is not None else (),
    )
    return start if start.command or start.url else None


def kept_of(read: Callable[[str], Contents], kept: str, start: ServerStart) -> KeptAnswer | None:
    """What is kept of a server below a directory; None where nothing is."""
    contents = read(kept_path(kept, start))
    return from_kept(contents.data) if contents.state == "file" else None


def kept_path(kept: str, start: ServerStart) -> str:
    """Where the answer of a server is kept, below the directory of what is kept."""
    return join(kept, KEPT, f"{start.key}.json")


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What is kept of a server: its answer, the day on which it gave it, and what it calls itself."""

    answer: ServerAnswer
    asked: str = ""
    offered_by: str = ""


def from_kept(data: bytes) -> KeptAnswer | None:
    """What is kept of a server; None if it is not as it was written."""
    from json import loads  # noqa: PLC0415 - only where something is kept

    try:
        root = loads(data)
    except (ValueError, RecursionError):
        return None
    answer = root.get("answer") if isinstance(root, dict) else None
    if not isinstance(answer, dict):
        return None
    said, server, seconds = answer.get("instructions"), root.get("server"), root.get("seconds")
    found = ServerAnswer(
        tools=tuple(_tools(answer.get("tools"))),
        instructions=said if isinstance(said, str) else None,
        prompts=tuple(_prompts(answer.get("prompts"))),
        resources=tuple(each for each in _strings(answer.get("resources"), "uri")),
        lists_resources=isinstance(answer.get("resources"), list),
        page=answer["page"] if isinstance(answer.get("page"), int) else 0,
        seconds=seconds if isinstance(seconds, int | float) else 0,
    )
    by = f"{server.get('name', '')} {server.get('version', '')}".strip() if isinstance(server, dict) else ""
    return KeptAnswer(found, str(root.get("asked", "")), by)


def _tools(listed: object) -> Iterator[OfferedTool]:
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(name := each.get("name"), str):
            description, meta = each.get("description"), each.get("_meta")
            said = description if isinstance(description, str) else None
            yield OfferedTool(name, said, each.get("inputSchema", {}), meta if isinstance(meta, dict) else {})


def _prompts(listed: object) -> Iterator[OfferedPrompt]:
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(name := each.get("name"), str):
            yield OfferedPrompt(name, tuple(_strings(each.get("arguments"), "name")))


def _strings(listed: object, key: str) -> Iterator[str]:
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(text := each.get(key), str):
            yield text
