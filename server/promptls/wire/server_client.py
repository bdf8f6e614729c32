"""Asks an MCP server what it offers, as a program would: enclosed, in bounded time, by lines of JSON on its streams.

Nothing that it prints is trusted: lines are limited, what is no answer is left out, and it is ended at the end.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import time
from collections import deque

from promptls.core.lazy import regex
from promptls.core.paths import is_absolute, is_below, resolve
from promptls.core.secrets import masked
from promptls.core.values import dataclass, field
from promptls.core.visible import visible
from promptls.errors import ServerError
from promptls.net.mcp_http import HttpTalk
from promptls.net.mcp_sse import SseTalk
from promptls.system.processes import end_group
from promptls.wire.enclosing import EncloseError, LocalDisk, Order, give_away, let_git_read, means
from promptls.wire.enclosing import start as start_enclosed
from promptls.wire.enclosure import MOVES
from promptls.wire.error_output import last_error
from promptls.wire.packages import loaded_by_npx
from promptls.wire.run import scratch_home
from promptls.wire.visible_disk import enclosure, homes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from promptls.core.servers import ServerStart
    from promptls.kit.launch import Client
    from promptls.wire.enclosing import EnclosedProgram
    from promptls.wire.visible_disk import Bind

# Seconds until it has to answer to initialize, as long as the program that waits longest by its documents,
# and then to each list.
FIRST, NEXT, SETTLE = 600.0, 20.0, 0.3
# Bytes that it may print in all, and pages of one list.
MOST, MOST_PAGES = 32 * 1024 * 1024, 100
SHOWN = 200
# What npm says last, which says nothing.
LOG = "A complete log of this run"
# How a list is asked for, and where its answer has it.
LISTS = {"tools": "tools/list", "prompts": "prompts/list", "resources": "resources/list"}
CHANGED = "notifications/tools/list_changed"
ASKS = {"sampling/createMessage": "a model", "elicitation/create": "an answer of the user"}
# Programs that load the server themselves, with the variables with which they say at once that they have not.
LOADERS: Mapping[str, Mapping[str, str]] = {
    "npx": {"npm_config_offline": "true", "npm_config_update_notifier": "false"},
    "bunx": {},
    "uvx": {"UV_OFFLINE": "1"},
    "uv": {"UV_OFFLINE": "1"},
    "pipx": {"PIP_NO_INDEX": "1"},
}
_VARIABLE = regex(r"\$\{(?:env:)?(\w+)(?::-([^}$]*))?\}|\{env:(\w+)\}|\$(\w+)")
NEEDS_ENCLOSURE = (
    "This system cannot enclose {}; add --network to start it with your rights, as the program does, if you trust it."
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a server has answered: the lists as it gave them, and what is to be known of how it answered."""

    answer: dict[str, Any]
    server: dict[str, Any]
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """What is started, with the variables that its configuration gives it, and the user's environment."""

    name: str
    command: tuple[str, ...]
    cwd: str
    workspace: str
    env: Mapping[str, str]
    variables: Mapping[str, str]


@dataclass(slots=True)
class _Talk:
    """A conversation with a server."""

    name: str
    stdin: int
    stdout: int
    stderr: int
    capabilities: Mapping[str, object]
    workspace: str
    is_enclosed: bool = False
    loader: str = ""
    # Variables of its configuration that the program does not give it.
    dropped: tuple[str, ...] = ()
    # What it has printed: lines, and the pieces of one that is not at its end.
    lines: deque[bytes] = field(default_factory=deque)
    pieces: list[bytes] = field(default_factory=list)
    said: bytes = b""
    # Whether its standard error is open.
    complains: bool = True
    size: int = 0
    number: int = 0
    has_changed: bool = False
    asked_for: dict[str, None] = field(default_factory=dict)

    def request(self, method: str, params: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            ServerError: it does not come in time, or is an error.
        """
        self.number += 1
        number = self.number
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        until = time.monotonic() + seconds
        for message in self._messages(until, method):
            if message.get("id") == number and "method" not in message:
                if isinstance(result := message.get("result"), dict):
                    return result
                error = message.get("error")
                says = error.get("message", "") if isinstance(error, dict) else ""
                raise ServerError(
                    f"{self.name} answers to {method} with an error: {_short(str(says)) or 'it says no more'}."
                )
        raise ServerError(
            f"{self.name} did not answer to {method} within {seconds:.0f} seconds{self._last_line()}.{self._advice}"
        )

    def settle(self) -> bool:
        """Whether it has said by now that its list has changed."""
        for _ in self._messages(time.monotonic() + SETTLE, "", is_optional=True):
            pass
        changed, self.has_changed = self.has_changed, False
        return changed

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; one that is not read is no fault of this one."""
        with contextlib.suppress(OSError):
            os.write(self.stdin, json.dumps(message).encode() + b"\n")

    def _messages(self, until: float, method: str, *, is_optional: bool = False) -> Iterator[dict[str, Any]]:
        """What it says until then; requests of its own are answered."""
        while (left := until - time.monotonic()) > 0:
            while self.lines:
                message = _parsed(self.lines.popleft())
                if message is not None:
                    self._heed(message)
                    yield message
            ready = select.select([self.stdout, *([self.stderr] if self.complains else [])], [], [], left)[0]
            if self.stderr in ready:
                said = os.read(self.stderr, 65536)
                self.complains = bool(said)
                self.said = (self.said + said)[-4096:]
            if self.stdout not in ready:
                continue
            data = os.read(self.stdout, 1 << 20)
            self.size += len(data)
            if self.size > MOST:
                raise ServerError(f"{self.name} printed more than {MOST >> 20} MiB, and was ended.")
            if not data:
                if is_optional:
                    return
                raise ServerError(f"{self.name} ended before it answered to {method}{self._last_line()}.{self._advice}")
            self._take(data)

    def _take(self, data: bytes) -> None:
        self.pieces.append(data)
        if b"\n" in data:
            *lines, rest = b"".join(self.pieces).split(b"\n")
            self.lines.extend(lines)
            self.pieces = [rest]

    def _heed(self, message: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if method == CHANGED:
            self.has_changed = True
        if not isinstance(method, str) or number is None:
            return
        if method == "ping":
            self.send({"jsonrpc": "2.0", "id": number, "result": {}})
        elif method == "roots/list" and "roots" in self.capabilities:
            root = {"uri": f"file://{self.workspace}", "name": self.workspace.rpartition("/")[2]}
            self.send({"jsonrpc": "2.0", "id": number, "result": {"roots": [root]}})
        else:
            self.asked_for[ASKS.get(method, method)] = None
            error = {"code": -32601, "message": "Nobody is here to do that."}
            self.send({"jsonrpc": "2.0", "id": number, "error": error})

    @property
    def _advice(self) -> str:
        if self.dropped:
            return f" The program starts it so, too: it gives no server {' or '.join(self.dropped)}."
        if not self.is_enclosed:
            return ""
        if self.loader:
            return f" It had no network, so {self.loader} could not load it; --network lets it."
        return " It ran enclosed and without a network; --network starts it as the program does."

    def _last_line(self) -> str:
        """The last line that it wrote to its standard error."""
        lines = [each for each in self.said.decode("utf-8", "replace").splitlines() if LOG not in each]
        last = last_error("\n".join(lines))
        return f"; it said last: {_short(last).rstrip('.')}" if last else ""


def _short(text: str) -> str:
    return visible(masked(text.strip()))[:SHOWN]


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def ask(
    start: ServerStart,
    client: Client,
    version: str,
    *,
    cwd: str,
    workspace: str,
    env: Mapping[str, str],
    given: Mapping[str, str],
    network: bool,
) -> Told:
    """What a server answers to a program, which has started it in ``cwd``.

    ``env`` is the user's environment, ``given`` the variables or headers of the configuration, with their secrets.
    ``network``: it is started as the program does it, and not enclosed.

    Raises:
        ServerError: it cannot be started, or does not answer.
    """
    if start.url:
        return _at_address(start, client, version, env, given, network=network)
    command = [expanded(each, env) for each in start.command]
    # Some programs pass what loads code on to no server, which then may not start.
    variables = {name: expanded(value, env) for name, value in given.items() if name.upper() not in client.drops}
    place = resolve(cwd, expanded(start.cwd, env)) if start.cwd else cwd
    found = shutil.which(command[0], path=variables.get("PATH") or env.get("PATH"))
    if "/" in command[0]:
        found = resolve(place, command[0]) if os.path.isfile(resolve(place, command[0])) else None
    if found is None:
        raise ServerError(f"{start.name} cannot be started: there is no program {_short(command[0])} here; install it.")
    began = time.monotonic()
    started = (found, *command[1:])
    if not network:
        # What npx has loaded once, it needs no network for; but it would write to its cache.
        started = loaded_by_npx(started, env.get("HOME") or "") or started
    run = _Run(start.name, started, place, workspace, env, variables)
    with _running(run, network=network) as streams:
        talk = _Talk(start.name, *streams, client.capabilities, workspace, is_enclosed=not network)
        talk.loader = loader if (loader := os.path.basename(started[0])) in LOADERS else ""
        talk.dropped = tuple(name for name in given if name not in variables)
        answer, server, notes = _asked(talk, client, version, FIRST)
    return Told(answer, server, time.monotonic() - began, tuple(notes))


def _at_address(
    start: ServerStart,
    client: Client,
    version: str,
    env: Mapping[str, str],
    given: Mapping[str, str],
    *,
    network: bool,
) -> Told:
    if not network:
        raise ServerError(f"{start.name} is at an address; add --network to ask it.")
    began = time.monotonic()
    headers = {name: expanded(value, env) for name, value in given.items()}
    talks = SseTalk if start.kind == "sse" else HttpTalk
    with talks(start.name, expanded(start.url, env), headers) as talk:
        answer, server, notes = _asked(talk, client, version, FIRST)
    return Told(answer, server, time.monotonic() - began, tuple(notes))


def expanded(text: str, env: Mapping[str, str]) -> str:
    """A text of a configuration with the variables that it names, as programs write them; others stay."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[3] or found[4]
        return env.get(name, found[2] if found[2] is not None else "" if found[3] else found[0])

    return _VARIABLE.sub(value, text)


def _asked(
    talk: _Talk | HttpTalk | SseTalk, client: Client, version: str, seconds: float
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    info = {"name": client.name, "version": version, **client.further}
    told = {"protocolVersion": client.protocol, "capabilities": dict(client.capabilities), "clientInfo": info}
    hello = talk.request("initialize", told, seconds)
    talk.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    can = hello.get("capabilities")
    can = can if isinstance(can, dict) else {}
    answer: dict[str, Any] = {"instructions": hello.get("instructions")}
    notes = []
    for name, method in LISTS.items():
        if name == "tools" or name in can:
            try:
                listed, page = _listed(talk, name, method)
            except ServerError as error:
                if name == "tools":
                    raise
                notes.append(str(error))
                continue
            answer |= {name: listed} | ({"page": page} if name == "tools" and page else {})
    if talk.settle():
        later, _ = _listed(talk, "tools", LISTS["tools"])
        again = " and again" if talk.settle() else ""
        # Some say so whatever they did before they were asked.
        if later != answer["tools"]:
            counts = "first" if client.takes_first else "last"
            notes.append(f"{talk.name} changed its list of tools while it was asked{again}; the {counts} one counts.")
            answer["tools"] = answer["tools"] if client.takes_first else later
    if talk.asked_for:
        notes.append(f"{talk.name} asked for {' and '.join(talk.asked_for)}, and got none.")
    server = hello.get("serverInfo")
    return answer, server if isinstance(server, dict) else {}, notes


def _listed(talk: _Talk | HttpTalk | SseTalk, name: str, method: str) -> tuple[list[Any], int]:
    """All of a list, and how many are on a page of it; 0 for one page."""
    found: list[Any] = []
    page, seen = 0, set[str]()
    params: dict[str, Any] = {}
    while True:
        result = talk.request(method, params, NEXT)
        listed, cursor = result.get(name), result.get("nextCursor")
        found += listed if isinstance(listed, list) else []
        if not isinstance(cursor, str) or cursor in seen or len(seen) >= MOST_PAGES:
            return found, page
        page = page or len(found)
        seen.add(cursor)
        params = {"cursor": cursor}


@contextlib.contextmanager
def _running(run: _Run, *, network: bool) -> Iterator[tuple[int, int, int]]:
    """The streams of a server while it runs: what is written to it, what it prints, and its errors."""
    if not network and means() not in MOVES:
        raise ServerError(NEEDS_ENCLOSURE.format(run.name))
    (takes, stdin), (stdout, prints), (stderr, fails) = os.pipe(), os.pipe(), os.pipe()
    theirs = [takes, prints, fails]
    try:
        with contextlib.ExitStack() as held:
            if network:
                held.callback(_end, _start_server(run, takes, prints, fails))
            else:
                enclosed = _enclosed(run, held.enter_context(scratch_home()), takes, prints, fails)
                held.callback(enclosed.end)
                held.callback(enclosed.listener.close)
            while theirs:
                os.close(theirs.pop())
            # One that does not read what it is told must not hold this up.
            os.set_blocking(stdin, False)
            yield stdin, stdout, stderr
    except EncloseError as error:
        raise ServerError(f"{run.name} was not started. {error}") from None
    except OSError as error:
        raise ServerError(f"{run.name} cannot be started: {error.strerror}.") from None
    finally:
        for each in (stdin, stdout, stderr, *theirs):
            os.close(each)


def _start_server(run: _Run, stdin: int, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
    """A server as a program starts it."""
    return subprocess.Popen(
        run.command,
        cwd=run.cwd,
        env={**run.env, **run.variables},
        start_new_session=True,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        end_group(process)
    process.wait()


def _enclosed(run: _Run, scratch: str, stdin: int, stdout: int, stderr: int) -> EnclosedProgram:
    """A server that sees the system, its own package and the folder, which it cannot write, and an empty home."""
    home, workspace = run.env.get("HOME") or "/", run.workspace
    search = run.variables.get("PATH") or run.env.get("PATH") or "/usr/bin:/bin"
    os.makedirs(f"{scratch}/home", exist_ok=True)
    let_git_read(f"{scratch}/home")
    give_away(scratch)
    paths = [each for each in run.command[1:] if is_absolute(each, home) and not is_below(each, workspace)]
    shown: list[Bind] = [] if is_below(home, workspace) else [(workspace, workspace, False)]
    shown.append((f"{scratch}/home", home, True))
    # A folder that it is told of is there, and empty.
    shown += [("", each, True) for each in paths if os.path.isdir(each) and not is_below(workspace, each)]
    told = LOADERS.get(os.path.basename(run.command[0]), {})
    programs = [run.command[0], *(each for each in paths if os.path.isfile(each))]
    seen = enclosure(
        LocalDisk(),
        [each for each in programs if not is_below(each, workspace)],
        [each for each in search.split(os.pathsep) if os.path.isabs(each) and not is_below(each, workspace)],
        workspace="/nowhere",
        homes=(home, *homes_of(LocalDisk().text("/etc/passwd"))),
        shown=shown,
    )
    given = {**told, "PATH": search, "HOME": home, "LANG": run.env.get("LANG", "C.UTF-8"), "TMPDIR": "/tmp"}  # noqa: S108 - its own
    return start_enclosed(means(), seen, Order(run.command, run.cwd, {**given, **run.variables}, stdout, stderr, stdin))
