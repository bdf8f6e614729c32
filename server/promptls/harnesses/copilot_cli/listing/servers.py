"""Copilot CLI's MCP servers and hooks: what they add is known only when they run, and so is a placeholder.

Of servers, only the tools are sent (parts: mcp-server). Those of the workspace count where its folder is trusted
(parts: hooks-claude-format-trusted).
"""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.model import Origin, Tool
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_cli.spec import SPEC
from promptls.harnesses.copilot_cli.versions import ROWS
from promptls.kit.candidates import NOTHING, STATE_SAYS, Rule
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.segments import by_hook, elided
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from typing import Any

    from promptls.core.formats.tree import Document, Value
    from promptls.core.model import Segment, Use
    from promptls.core.servers import ServerAnswer
    from promptls.harnesses.copilot_cli.search import Search
    from promptls.kit.args import Arguments

WHY_SERVERS = "Copilot CLI reads its MCP servers here"
# What limits a value in a schema.
LIMITS = (
    *("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    # (captured: playwright-drop)
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "propertyNames"),
)
NOT_IN_A_NAME = regex(r"[^A-Za-z0-9_-]")
# What a server's list of tools allows: all of them, or none (captured: lists).
EVERY = "*"
NONE: frozenset[str] = frozenset()
WHY_HOOKS = "Copilot CLI reads its hooks here"
NOT_TRUSTED = "the folder is not trusted"
TRUSTED = ("trusted_folders", "trustedFolders")
SESSION_START, PROMPT, BEFORE_TOOL, AFTER_TOOL = "sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse"


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook: its event, and where it is configured."""

    event: str
    name: str
    origin: Origin

    def placeholder(self) -> Segment:
        """What it may add."""
        why = f"a hook for {self.event} may add text, which is known only when it runs"
        return by_hook(elided("runtime", "Copilot CLI", f"text of hook {self.name}", why=why), self.origin)


def is_trusted(search: Search) -> bool:
    """Whether the user trusts the working directory, as Copilot's own configuration says."""
    document = _document(search, join(search.home, "config.json"))
    root = (document.root if document is not None else None) or EMPTY
    places = [item.data for key in TRUSTED for item in (root.get(key) or EMPTY).items if isinstance(item.data, str)]
    is_known = any(is_below(search.cwd, search.host.realpath(resolve(search.cwd, place))) for place in places)
    if is_known or not search.draft.session.is_trusted:
        return is_known
    below = [(".mcp.json",), (".github", "hooks")]
    search.draft.once_trusted += [join(directory, *names) for directory in search.directories for names in below]
    return True


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server by its name in a configuration. ``only``: the names of its tools that count, None for all."""

    name: str
    origin: Origin
    only: frozenset[str] | None = None
    answer: ServerAnswer | None = None


@dataclass(frozen=True, slots=True)
class OfServers:
    """What leaves tools of servers to a session: what its agent lists, and options, which use the names that are sent.

    A built-in agent that is started has none (captured: agent-lists, flag-available, subagent-explore-inside).
    """

    listed: tuple[str, ...] | None
    only: frozenset[str]
    without: frozenset[str]
    is_built_in: bool

    def has(self, server: str, tool: str, sent: str) -> bool:
        """Whether a tool is there; an agent names it ``server/tool``, or all of them ``server/*``."""
        if self.is_built_in or sent in self.without or (self.only and sent not in self.only):
            return False
        named = {EVERY, f"{server}/{tool}", f"{server}/{EVERY}", sent}
        return self.listed is None or not named.isdisjoint(self.listed)


def find(search: Search, command: Arguments, own: Value | None, origin: Origin, *, trusted: bool) -> list[Server]:
    """The servers: those of the command line count before those of the workspace, and these before those at home.

    ``own`` are those that an agent brings, ``origin`` is where (captured: clash-config, agent-lists, flag-disable).
    """
    given, disabled = command.values.get("mcp", []), {*command.values.get("disabled", ())}
    places = [(join(search.home, "mcp-config.json"), True)]
    places += [(join(directory, ".mcp.json"), trusted) for directory in search.directories]
    places += [(resolve(search.cwd, each[1:]), True) for each in given if each.startswith("@")]
    found: dict[str, tuple[Value, Origin]] = {}
    for path, counts in places:
        document = configuration(search, path, WHY_SERVERS, "server", counts=counts)
        for key, value in _servers_of(document):
            where = Origin("config", path=path, range=document.range(key) if document else None, name=str(key.data))
            found[str(key.data)] = value, where
    for text in (each for each in given if not each.startswith("@")):
        for key, value in _servers_of(parse_json(text, comments=True)):
            found[str(key.data)] = value, Origin("argument", name=str(key.data))
    for key, value in own.members if own is not None else ():
        found[str(key.data)] = value, replace(origin, name=str(key.data))
    # Only what counts in the end is asked.
    return [_server(search, name, *said) for name, said in found.items() if name not in disabled]


def _servers_of(document: Document | None) -> tuple[tuple[Value, Value], ...]:
    root = (document.root if document is not None else None) or EMPTY
    return tuple((root.get("mcpServers") or EMPTY).members)


def _server(search: Search, name: str, value: Value, origin: Origin) -> Server:
    """What is said of one: ``*`` names all of its tools, as no key does (captured: lists, lists-missing)."""
    listed, args = value.get("tools"), value.get("args")
    only = None if listed is None else frozenset(str(each.data) for each in listed.items)
    words = [str(each.data) for each in args.items] if args is not None else []
    answer = search.host.answer_of(name, words, SPEC.name, origin)
    return Server(name, origin, None if only is not None and EVERY in only else only, answer)


def server_tools(search: Search, servers: Sequence[Server], allowed: OfServers) -> tuple[Tool, ...]:
    """The tools of each server, or a line for them where its answer is not known."""
    found = [
        Tool(f"{safe(each.name)}-*", enabled=True, why=f"the MCP server {each.name} is configured", origin=each.origin)
        for each in servers
        if each.answer is None and each.only != NONE
    ]
    known = [each for each in servers if each.answer is not None]
    return (*found, *_known_tools(search, known, allowed)) if known else tuple(found)


def _known_tools(search: Search, servers: Sequence[Server], allowed: OfServers) -> Iterator[Tool]:
    """Of two of one name the first counts; those that were cut to it have a number (captured: long-names)."""
    from promptls.kit import server_tools as kit  # noqa: PLC0415 - few servers are known

    facts = row(ROWS, search.draft.session.version)
    found: dict[str, Tool] = {}
    for server in servers:
        answer = server.answer
        if answer is None or answer.failure:
            continue
        calls = kit.calls_of(search.draft.session, f"{safe(server.name)}-")
        for offered in answer.tools_after(calls):
            if server.only is not None and offered.name not in server.only:
                continue
            name = f"{safe(server.name)}-{safe(offered.name)}"
            is_cut = len(name) > facts.tool_name
            name = _numbered(name[: facts.tool_name], found) if is_cut else name
            if name in found:
                continue
            is_on = allowed.has(server.name, offered.name, name)
            parameters = _schema(offered.schema)
            definition = {"name": name, "description": offered.description or "", "parameters": parameters}
            why = (
                f"the MCP server {server.name} offers it" if is_on else "the session's agent or an option leaves it out"
            )
            text = kit.compact(definition) if is_on else ""
            size = len(text) if is_on else None
            found[name] = Tool(name, is_on, why, size, server.origin, offered_as=offered.name, definition=text)
    yield from sorted(found.values(), key=lambda each: each.name)


def _numbered(name: str, taken: Container[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name[: -len(str(number))]}{number}"
    return found


def safe(name: str) -> str:
    """A name as it is sent: other letters than those of ASCII are in punycode (captured: names)."""
    plain = name if name.isascii() else f"xn--{name.encode('punycode', 'replace').decode('ascii')}"
    return NOT_IN_A_NAME.sub("-", plain)


def _schema(schema: Any) -> dict[str, Any]:
    """A schema as it is sent: what limits a value is said in its description (captured: shape)."""
    from promptls.kit.server_tools import compact, each_schema  # noqa: PLC0415 - few servers are known

    def described(each: dict[str, Any]) -> dict[str, Any]:
        limits = [f"{key}: {compact(each[key])}" for key in LIMITS if key in each]
        kept = {key: value for key, value in each.items() if key not in LIMITS}
        if limits:
            before = f"{each['description']}\n\n" if each.get("description") else ""
            kept["description"] = f"{before}{{{', '.join(limits)}}}"
        if kept.get("type") == "array":
            kept.setdefault("items", {})
        if isinstance(properties := kept.get("properties"), dict):
            kept["properties"] = {name: {} if value is True else value for name, value in properties.items()}
        return kept

    found: dict[str, Any] = each_schema(schema, described)
    found.setdefault("properties", {})
    return found


def hooks(search: Search, *, trusted: bool) -> list[Hook]:
    """The hooks of the home directory, and of the workspace where it is trusted (parts: hooks-session-start)."""
    found: list[Hook] = []
    places = [(join(search.home, "hooks"), True)]
    places += [(join(directory, ".github", "hooks"), trusted) for directory in search.directories]
    for place, counts in places:
        for entry in sorted(search.host.entries(place), key=lambda each: each.name):
            if entry.name.endswith(".json"):
                path = join(place, entry.name)
                document = configuration(search, path, WHY_HOOKS, "hook", counts=counts)
                found += _hooks_of(path, document) if document is not None else ()
    return found


def _hooks_of(path: str, document: Document) -> Iterator[Hook]:
    root = document.root or EMPTY
    for key, listed in (root.get("hooks") or EMPTY).members:
        for hook in listed.items:
            command = hook.text("bash") or hook.text("command") or str(key.data)
            where = Origin("config", path=path, range=document.range(hook), name=str(key.data))
            yield Hook(str(key.data), command, where)


def configuration(search: Search, path: str, why: str, use: Use, *, counts: bool) -> Document | None:
    """A configuration, if it is there, counts and can be read."""
    rule = Rule(why, Origin("computed", name=why), use)
    state = search.host.read(path).state
    if state in NOTHING:
        return None
    if state != "file":
        search.draft.candidates.append(rule.failed(path, STATE_SAYS[state]))
        return None
    if not counts:
        search.draft.candidates.append(rule.excluded(path, NOT_TRUSTED, state="untrusted"))
        return None
    document = _document(search, path)
    fault = document.fault("config-invalid") if document is not None else None
    faults = (fault,) if fault is not None else ()
    add = rule.failed(path, "it is not valid JSON", faults=faults) if faults else rule.loaded(path)
    search.draft.candidates.append(add)
    return None if faults else document


def _document(search: Search, path: str) -> Document | None:
    contents = search.host.read(path)
    if contents.state != "file":
        return None
    return parse_json(decode(contents.data, keep_bom=False), comments=True)
