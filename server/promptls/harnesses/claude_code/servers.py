"""MCP servers of Claude Code: which are started, and where what they say is sent. None is asked (surfaces, 13)."""

from __future__ import annotations

import re

from promptls.core.formats import parse_json
from promptls.core.model import Cut, Elided, Fault, Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.listing.places import has_layer
from promptls.harnesses.claude_code.settings import read_json
from promptls.harnesses.claude_code.setup import is_no
from promptls.harnesses.claude_code.spec import SPEC
from promptls.kit import collation
from promptls.kit.base import with_consequence
from promptls.kit.candidates import Rule
from promptls.kit.paths import join, resolve, upwards
from promptls.kit.segments import elided, head, tail, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.core.servers import ServerAnswer
    from promptls.harnesses.claude_code.settings import Setting
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

FILE = ".mcp.json"
WHY = "Claude Code starts the MCP servers that are named here"
CONSEQUENCE = "Claude Code does not start this server until it is fixed"
LOCAL = "stdio"
TRUNCATED = "… [truncated]"
NONBLOCKING, CONNECT_TIMEOUT, TIMEOUT = "MCP_CONNECTION_NONBLOCKING", "MCP_CONNECT_TIMEOUT_MS", "MCP_TIMEOUT"
# How a server fails, as the program names it, and what it says then; the rest is the server's own.
ERRORS = {"start": "CONNECTION_CLOSED", "init": "-32000"}
MESSAGES = {"CONNECTION_CLOSED": "Connection closed"}
WHY_LATE = "it is still connecting when the first request is sent; what it offers comes with a later one"
WHY_UNLISTED = "it answers, but not when it is asked for its tools"
SLOW = (
    "The MCP server {} took {:.1f} s to answer when it was asked, and Claude Code waits {:g} s: the first request may "
    "name it as still connecting, without its tools."
)
HEADER = (
    "# MCP Server Instructions\n\n"
    "The following MCP servers have provided instructions for how to use their tools and resources:"
)


def safe(name: str) -> str:
    """The name of a server or a tool as the model sees it (captured: names-nosearch)."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


@dataclass(frozen=True, slots=True)
class Server:
    """A server by the name under which its instructions are announced; ``origin`` is where it is configured."""

    name: str
    origin: Origin
    is_always_loaded: bool
    answer: ServerAnswer | None = None

    def is_ready(self, setup: Setup) -> bool:
        """Whether it has answered when the first request is sent; a server is waited for that is always loaded.

        (captured: slow-fine, slow-blocking, slow-always-load)
        """
        return (
            self.answer is not None
            and not self.fails(setup)
            and (self.is_always_loaded or _is_in_time(self.answer, setup))
        )

    def is_late(self, setup: Setup) -> bool:
        """Whether it is still connecting then."""
        return self.answer is not None and not self.fails(setup) and not self.is_ready(setup)

    def fails(self, setup: Setup) -> str | None:
        """The code of the error with which it is named, if it cannot be connected to (captured: fail, slow-timeout)."""
        if self.answer is None:
            return None
        limit = _milliseconds(setup, TIMEOUT)
        if limit is not None and self.answer.delay > limit:
            return "CONNECT_TIMEOUT"
        return ERRORS.get(self.answer.failure)

    @property
    def prefix(self) -> str:
        """How the names of its tools begin (captured: mcp-names)."""
        return f"mcp__{safe(self.name)}__"

    def tools(self) -> Segment:
        """The place of the names of its tools."""
        text = f"⟪{self.prefix}…: the tools of the server {self.name}, which only it knows⟫"
        why = (
            "the server names its tools when it is started; where it cannot be, Claude Code says so here, and neither "
            "its tools nor its instructions are sent"
        )
        title = f"tools of {self.name}"
        return Segment("runtime", title, text, self.origin, why, elided=Elided(title))

    def instructions(self, limit: int) -> list[Segment]:
        """The place of what it says of itself (cases mcp-limits, mcp-flag)."""
        text = f"⟪instructions of the server {self.name}, if it has any⟫"
        why = f"the server may send instructions when it is started; at most {limit} characters of them count"
        title = f"instructions of {self.name}"
        says = Segment("runtime", title, text, self.origin, why, elided=Elided(title))
        if self.answer is not None and self.answer.instructions:
            given = self.answer.instructions
            cut = (
                Cut(limit, len(given), "characters", f"at most {limit} characters count")
                if len(given) > limit
                else None
            )
            why = "the server has answered with it"
            kept = Segment("runtime", title, given[:limit], self.origin, why, cut=cut)
            end = [tail(TRUNCATED, "tools")] if cut else []
            return [head(f"## {self.name}\n", "tools"), *without_secrets(kept), *end]
        return [head(f"## {self.name}\n", "tools"), says]

    def says(self, setup: Setup) -> bool:
        """Whether it has a place among the instructions at start (captured: fail, instr-limits)."""
        return self.answer is None or (self.is_ready(setup) and bool(self.answer.instructions))


def instructions(servers: Iterable[Server], setup: Setup, *, are_late: bool = False) -> list[Segment]:
    """The section with what the servers say that are ready; ``are_late``: with what the others say later."""
    limit = setup.facts.server_instructions
    in_order = [
        server
        for server in sorted(servers, key=lambda server: collation.key(server.name))
        if (server.is_late(setup) if are_late else server.says(setup))
    ]
    parts = [piece for server in in_order for piece in (tail("\n\n", "tools"), *server.instructions(limit))]
    return [head(HEADER, "tools"), *parts] if parts else []


def servers(draft: Draft, setup: Setup) -> list[Server]:
    """Every server once: local, then .mcp.json upwards, then the user's, then those of plugins (section 13)."""
    if not has_layer(setup, "plugin") or not setup.facts.built_in_skills:
        return []
    disabled = set(_disabled(setup))
    found: dict[str, Server] = {}
    for origin, entries, document in _configurations(draft, setup):
        for key, value in entries.members:
            name = f"{origin.name}{key.data}"
            where = Origin("config", origin.path, range=document.range(value), name=name)
            rule = Rule(WHY, where, "server")
            if name in found:
                reason = f"another server {name} comes first"
                draft.candidates.append(rule.shadowed(origin.path, reason, by=found[name].origin.path))
            elif name in disabled and (origin.path or "").endswith(FILE):
                # (case mcp-disabled)
                draft.candidates.append(rule.disabled(origin.path, "disabledMcpjsonServers turns it off"))
            elif (wrong := _wrong(value)) is not None:
                fault = with_consequence(Fault("config-type", document.range(value), wrong), CONSEQUENCE)
                draft.candidates.append(rule.failed(origin.path, wrong, faults=(fault,) if origin.path else ()))
            else:
                always = value.get("alwaysLoad")
                found[name] = Server(
                    name, where, always is not None and always.kind == "true", _answer(setup, name, value, where)
                )
                draft.candidates.append(rule.loaded(origin.path))
    limit = _patience(setup)
    for each in found.values():
        if each.answer is not None and each.answer.seconds >= limit and not each.is_always_loaded:
            draft.notes.append(SLOW.format(each.name, each.answer.seconds, limit))
    return list(found.values())


def of_agent(draft: Draft, setup: Setup, servers: list[Server], given: Setting | None) -> list[Server]:
    """Those of the session with an agent's own: they are started in a trusted folder (captured: subagent-mcp-inline-*).

    An entry that is a name means one of the session's.
    """
    found = {each.name: each for each in servers}
    if given is None:
        return servers
    for key, value in (pair for item in given.value.items for pair in item.members):
        name, always = str(key.data), value.get("alwaysLoad")
        where = replace(given.origin, name=name)
        rule = Rule("the agent brings this MCP server", where, "server")
        wrong = _wrong(value)
        if not setup.is_trusted:
            draft.candidates.append(rule.excluded(where.path, "the folder is not trusted, so it is not started"))
        elif wrong is not None:
            draft.candidates.append(rule.failed(where.path, wrong))
        else:
            answer = _answer(setup, name, value, where)
            found[name] = Server(name, where, always is not None and always.kind == "true", answer)
            draft.candidates.append(rule.loaded(where.path))
    return list(found.values())


def _is_in_time(answer: ServerAnswer, setup: Setup) -> bool:
    return answer.delay + answer.list_delay < _patience(setup)


def _patience(setup: Setup) -> float:
    """Seconds that the first request waits for servers."""
    is_blocking = is_no(setup.variables.get(NONBLOCKING, ("",))[0])
    blocking = _milliseconds(setup, CONNECT_TIMEOUT) or setup.facts.server_wait_blocking
    return blocking if is_blocking else setup.facts.server_wait


def _milliseconds(setup: Setup, variable: str) -> float | None:
    """What a variable says, in seconds."""
    given = setup.variables.get(variable, ("",))[0].strip()
    return int(given) / 10**3 if given.isascii() and given.isdigit() else None


def unready(servers: Iterable[Server], setup: Setup) -> list[Segment]:
    """What is said of servers that are late or do not work (captured: slow-fine, fail, mcp-dead)."""
    in_order = sorted(servers, key=lambda server: collation.key(server.name))
    late = [each for each in in_order if each.is_late(setup)]
    failed = [(each, code) for each in in_order if (code := each.fails(setup)) is not None]
    unlisted = [each for each in in_order if each.answer is not None and each.answer.failure == "list"]
    found: list[Segment] = []
    if late:
        before, after = setup.facts.late_servers
        found += [tail("\n\n", "tools"), _sentence("servers that are still connecting", before)]
        found += [Segment("tools", each.name, f"\n{each.name}", each.origin, WHY_LATE) for each in late]
        found += [tail("\n\n", "tools"), _sentence("what to do about them", after)]
    if failed:
        found += [tail("\n\n", "tools"), _sentence("servers that failed", setup.facts.failed_servers)]
        for each, code in failed:
            why = "the program names a server that it cannot connect to, and the error"
            found += [Segment("tools", each.name, f"\n{each.name} ({code}): ", each.origin, why)]
            said = MESSAGES.get(code)
            found += [tail(f'"{said}"', "tools")] if said else [_sentence(f"error of {each.name}", None)]
        found += [tail("\n\n", "tools"), _sentence("what to do about servers that failed", None)]
    if unlisted:
        found += [tail("\n\n", "tools"), _sentence("servers whose tools are not known", None)]
        found += [Segment("tools", each.name, f"\n{each.name}", each.origin, WHY_UNLISTED) for each in unlisted]
        found += [tail("\n\n", "tools"), _sentence("what to do about those", None)]
    return found


def _sentence(title: str, size: int | None) -> Segment:
    return elided(
        "tools", "Claude Code", title, why="it hangs on how long the servers take, and whether they work", size=size
    )


def _wrong(value: Value) -> str | None:
    """Why a server is not started, if it is not; 2.1.330 was started with each kind, beside one that it starts."""
    kind = value.text("type") or LOCAL
    args, env = value.get("args"), value.get("env")
    if value.kind != "object":
        return "a server must be an object"
    if kind != LOCAL or (value.text("url") and not value.text("command")):
        return None if value.text("url") else f"a server of type {kind} must have a url"
    if not value.text("command"):
        return "a server must have a command"
    if args is not None and (args.kind != "array" or any(each.kind != "string" for each in args.items)):
        return "the args of a server must be a list of strings"
    if env is not None and (env.kind != "object" or any(each.kind != "string" for _, each in env.members)):
        return "the env of a server must be an object with strings"
    return None


def unfit(setup: Setup) -> str | None:
    """Why Claude Code ends for what --mcp-config names, if it does; 2.1.330 was started with each kind."""
    for given in setup.command.values.get("mcp-config", ()):
        document = _inline(given) or read_json(setup.host, resolve(setup.cwd, given))
        value = document.root.get("mcpServers") if document is not None and document.root else None
        if value is None or value.kind != "object":
            return "Claude Code ends, because --mcp-config names no JSON with an object “mcpServers”. Fix it."
    return None


def _answer(setup: Setup, name: str, value: Value, origin: Origin) -> ServerAnswer | None:
    args = value.get("args")
    words = [each.data for each in args.items if isinstance(each.data, str)] if args is not None else []
    is_asked = setup.is_trusted or not (origin.path or "").endswith(FILE)
    return setup.host.answer_of(name, words, SPEC.name, origin, is_started=is_asked)


def _disabled(setup: Setup) -> Iterator[str]:
    for setting in setup.settings.every("disabledMcpjsonServers"):
        items = setting.value.items or (setting.value,)
        yield from (each.data for each in items if isinstance(each.data, str))


def _configurations(draft: Draft, setup: Setup) -> Iterator[tuple[Origin, Value, Document]]:
    """Where servers are named, strongest first; the name of the origin is put before theirs."""
    for given in setup.command.values.get("mcp-config", ()):
        document = _inline(given)
        if document is None:
            yield from _file(draft, setup, resolve(setup.cwd, given))
        else:
            yield from _named(Origin("argument", name=""), document.root, document)
    if "--strict-mcp-config" in setup.command.switches:
        return
    state = _read(draft, setup, setup.state_file)
    projects = state.root.get("projects") if state is not None and state.root else None
    local = projects.get(setup.cwd) if projects is not None else None
    if state is not None and local is not None and "local" in setup.sources:
        yield from _named(Origin("config", setup.state_file, name=""), local, state)
    if "project" in setup.sources:
        for directory in upwards(setup.cwd):
            yield from _file(draft, setup, join(directory, FILE))
    if state is not None and "user" in setup.sources:
        yield from _named(Origin("config", setup.state_file, name=""), state.root, state)
    for plugin in setup.plugins:
        yield from _file(draft, setup, join(plugin.root, FILE), f"plugin:{plugin.name}:")


def _inline(given: str) -> Document | None:
    """The JSON that --mcp-config is; None where it is the path of a file."""
    document = parse_json(given, comments=False)
    return None if document.flaw else document


def _file(draft: Draft, setup: Setup, path: str, before: str = "") -> Iterator[tuple[Origin, Value, Document]]:
    document = _read(draft, setup, path)
    if document is not None:
        yield from _named(Origin("config", path, name=before), document.root, document)


def _read(draft: Draft, setup: Setup, path: str) -> Document | None:
    contents = setup.host.read(path)
    if contents.state != "file":
        return None
    document = parse_json(decode(contents.data, keep_bom=False), comments=False)
    fault = document.fault("config-invalid")
    if fault is not None:
        rule = Rule(WHY, Origin("config", path), "server")
        draft.candidates.append(rule.failed(path, "it is not valid JSON", faults=(fault,)))
        return None
    return document


def _named(origin: Origin, root: Value | None, document: Document) -> Iterator[tuple[Origin, Value, Document]]:
    entries = root.get("mcpServers") if root is not None else None
    if entries is not None:
        yield origin, entries, document
