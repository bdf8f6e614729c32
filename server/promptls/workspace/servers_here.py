"""The MCP servers and hooks that a folder and the home configure, for each program: where, how started, what is known.

None is started here, and only the program's own records say whether its user trusts the folder.
"""

from __future__ import annotations

from promptls.core import servers, specs
from promptls.core.model import USED
from promptls.core.secrets import masked
from promptls.core.sizes import sizes
from promptls.core.totals import counter_of, offered_tokens, server_tools
from promptls.core.values import dataclass, replace
from promptls.sessions.start import Overrides
from promptls.workspace.request import NO_URLS, answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Origin, Prompt
    from promptls.core.servers import KeptAnswer, ServerStart
    from promptls.workspace.request import Here

    # Known: it has been asked. Open: it can be. Waits: the user has to trust the folder first.
    # Off: the program does not start it. Apart: no file says how, or what it answers is of no use to the preview.
    State = Literal["known", "open", "waits", "off", "apart"]

WAITS = "the folder is not trusted: start the program in it and trust it first"
UNTIL = "it counts until you trust the folder"
APART = "promptls does not know what becomes of its answer"


@dataclass(frozen=True, slots=True)
class Listed:
    """A server or a hook of a program: where it is configured, how it is started, and what is kept of its answer."""

    harness: str
    version: str
    name: str
    origin: Origin
    state: State
    why: str = ""
    start: ServerStart | None = None
    kept: KeptAnswer | None = None

    @property
    def title(self) -> str:
        """The program, for people."""
        return specs.of(self.harness).title


@dataclass(frozen=True, slots=True)
class Costs:
    """What the tools of servers cost a program at start: the tokens of each that is sent, the heaviest first.

    ``named``: how many are there whose definition is not sent; ``told``: the tokens of all else that servers add.
    """

    harness: str
    sent: tuple[tuple[str, str, int], ...]
    named: int
    told: int

    @property
    def tokens(self) -> int:
        """The tokens of all of it."""
        return sum(each[2] for each in self.sent) + self.told


@dataclass(frozen=True, slots=True)
class Configured:
    """The servers and hooks of the programs, and what the tools of servers cost each that has any."""

    servers: tuple[Listed, ...]
    hooks: tuple[Listed, ...]
    costs: tuple[Costs, ...]


def configured(here: Here, only: Iterable[str] = ()) -> Configured:
    """What is configured for each program in use here, or for those that are named."""
    servers: list[Listed] = []
    hooks: list[Listed] = []
    costs: list[Costs] = []
    for harness in tuple(only) or tuple(here.names()):
        prompt, host, until, before = _previews(here, harness)
        servers += _servers(prompt, host, until, before)
        hooks += _hooks(prompt)
        costs += _costs(prompt)
    return Configured(tuple(servers), tuple(hooks), tuple(costs))


def _previews(here: Here, harness: str) -> tuple[Prompt, Host, Prompt, Host]:
    """A preview as if the folder were trusted with its host, and one as the program's records have it with its own."""
    asked = Overrides(harness=harness)
    host, before = here.sources.host(NO_URLS), here.sources.host(NO_URLS)
    prompt = answered(here, asked, host).prompt
    return prompt, host, answered(here, replace(asked, is_trusted=False), before).prompt, before


def _hooks(prompt: Prompt) -> Iterator[Listed]:
    for each in prompt.candidates:
        if each.use == "hook" and each.origin.kind == "config":
            yield _listed(prompt, each, "open" if each.outcome in USED else "off")


def _costs(prompt: Prompt) -> Iterator[Costs]:
    """What servers cost a program that has any tool of one."""
    tools = [each for each in server_tools(prompt) if each.size is not None]
    if tools:
        count = counter_of(prompt)
        sent = [(each.name, each.origin.name or "", offered_tokens(each, count)) for each in tools if each.size]
        row = next((each for each in sizes(prompt) if each.kind == "servers"), None)
        told = max((row.tokens if row is not None else 0) - sum(each[2] for each in sent), 0)
        ordered = tuple(sorted(sent, key=lambda each: (-each[2], each[0])))
        yield Costs(prompt.session.harness, ordered, len(tools) - len(sent), told)


def _servers(prompt: Prompt, host: Host, until: Prompt, before: Host) -> Iterator[Listed]:
    off = {
        (each.origin.path, each.origin.name): each
        for each in prompt.candidates
        if each.use == "server" and each.origin.kind == "config" and each.outcome not in USED
    }
    shown = set()
    for name, origin in host.asked_servers:
        if (candidate := off.get((origin.path, origin.name))) is not None:
            yield _listed(prompt, candidate, "off")
        else:
            yield _listed_as_started(prompt, host, name, origin, waits=(name, origin) not in before.asked_servers)
        shown.add((origin.path, origin.name))
    for name, origin in before.asked_servers if until.stopped is None else ():
        if (name, origin) not in host.asked_servers:
            found = _listed_as_started(prompt, before, name, origin, waits=False)
            yield replace(found, why=UNTIL) if found.state == "open" else found
            shown.add((origin.path, origin.name))
    for each in prompt.candidates:
        place = (each.origin.path, each.origin.name)
        if each.use == "server" and each.origin.kind == "config" and each.origin.name and place not in shown:
            yield _listed(prompt, each, "apart" if each.outcome in USED else "off")
            shown.add(place)


def _listed(prompt: Prompt, candidate: Candidate, state: State) -> Listed:
    why = APART if state == "apart" else candidate.reason or candidate.rule if state == "off" else ""
    session, origin = prompt.session, candidate.origin
    name = masked(origin.name or "")
    return Listed(session.harness, session.version, name, origin, state, masked(why))


def _listed_as_started(prompt: Prompt, host: Host, name: str, origin: Origin, *, waits: bool) -> Listed:
    session = prompt.session
    start = servers.start_at(host.read, session.harness, name, origin)
    found = Listed(session.harness, session.version, name, origin, "open", start=start)
    if start is None:
        return replace(found, state="apart", why="no file says how it is started")
    kept = servers.kept_of(host.read, host.known_texts, start) if host.known_texts else None
    if kept is not None:
        return replace(found, state="known", kept=kept)
    return replace(found, state="waits", why=WAITS) if waits else found
