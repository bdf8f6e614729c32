"""The user's own agents of OpenHands: a file each, which the description of the tool task names.

[source] is the packages of that version.
"""

from __future__ import annotations

from itertools import groupby

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.model import Origin, Segment
from promptls.core.values import dataclass
from promptls.kit.base import json_size
from promptls.kit.candidates import own
from promptls.kit.named import take, text_at
from promptls.kit.paths import join
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.harnesses.openhands.skills import Search
    from promptls.kit.candidates import Rule

WHY = "it is in the description of the tool task: an agent of .agents/agents or .openhands/agents"
WHY_BROUGHT = "OpenHands brings an agent of this name, which comes first"
PLACES = (".agents/agents", ".openhands/agents")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: what is said of it, and where. ``after``: what is said of its tools."""

    name: str
    path: str
    rule: Rule
    words: str
    origin: Origin
    after: str

    def row(self) -> Iterator[Segment]:
        """Its line."""
        yield head(f"- **{self.name}**: ", "tools", path=self.path)
        yield Segment("tools", f"agent {self.name}", self.words, self.origin, WHY)
        yield tail(self.after, "tools")

    @property
    def size(self) -> int:
        """The characters of the line in the definition of the tool."""
        return sum(json_size(each.text) for each in self.row())


def agents(search: Search) -> list[Agent]:
    """Those of the working directory, then of the home directory; of a name the first counts (seen by verify)."""
    host, note = search.host, search.draft.candidates.append
    found: dict[str, Agent] = {}
    for place in [join(top, each) for top in (search.cwd, host.home) for each in PLACES]:
        for entry in sorted(host.entries(place), key=lambda each: each.name):
            path = join(place, entry.name)
            is_one = entry.name.lower().endswith(".md") and entry.name not in ("README.md", "readme.md")
            agent = _agent(search, path, entry.name) if is_one and host.kind(path) == "file" else None
            if agent is not None and agent.name in search.facts.agents:
                note(agent.rule.excluded(path, WHY_BROUGHT))
            elif agent is not None:
                take(found, agent, note)
    for each in found.values():
        note(each.rule.loaded(each.path))
    return [*found.values()]


def definition(search: Search, found: Sequence[Agent]) -> Iterator[Segment]:
    """What the tool task says: all agents by name (seen by verify)."""
    yield elided("tools", "openhands", "description of the tool task", why=WHY)
    known = {each.name: each for each in found}
    for is_own, names in groupby(sorted({*known, *search.facts.agents}), key=known.__contains__):
        if is_own:
            for each in names:
                yield from known[each].row()
        else:
            yield elided("tools", "openhands", "agents that it brings", why=WHY)
    yield elided("tools", "openhands", "rest of the description of the tool task", why=WHY)


def _agent(search: Search, path: str, name: str) -> Agent | None:
    """A file without a name is called as itself; one without a description is listed, too [source: schema.py]."""
    rule = own(WHY, use="agent")
    text = text_at(search.host, path, rule, search.draft.candidates.append)
    if text is None:
        return None
    matter = front_matter.split(text)
    front = Header(text, matter.start, matter.document, matter.body)
    said = front.value("description")
    words = said.data if said is not None and isinstance(said.data, str) else ""
    tools = ", ".join(front.words("tools"))
    origin = Origin("file", path=path, range=front.range("description"))
    called = front.word("name") or name.rpartition(".")[0]
    return Agent(called, path, rule, words, origin, f" (tools: {tools})\n" if tools else "\n")
