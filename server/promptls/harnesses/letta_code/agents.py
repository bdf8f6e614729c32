"""The agents of Letta Code: files in .letta/agents, listed in the definition of the tool Agent.

[source] is the program's package.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, replace
from promptls.harnesses.letta_code.header import Lines, lines
from promptls.kit.base import built_in, json_size
from promptls.kit.candidates import Rule, own
from promptls.kit.javascript import trimmed
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import join
from promptls.kit.segments import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.model import Tool
    from promptls.harnesses.letta_code.versions import Facts
    from promptls.kit.writer import Writer

PLACE = ".letta/agents"
TOOL = "Agent"
WHY = "it is in the description of the tool Agent"
WHY_BODY = "the text of an agent of the user's is the system message of the sub-agent"
# [source: parseSubagentContent]
BAD_NAME = "its name is missing, or is not one of lower-case letters, digits and dashes that begins with a letter"
NO_DESCRIPTION = "it has no description in one text"
IS_LINK = "it is a symbolic link, which Letta Code does not follow here"
NO_TEXT = "it has no text, and there is no other agent of its name whose text it could take"
_NAME = regex(r"[a-z][a-z0-9-]*")
ROW = Row(
    "Letta Code", "agent", WHY, before="\n\n### {name}\n- **Purpose**: ", after="\n- **Recommended model**: {place}"
)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: how it is listed, and its text, of which it may have none. Its model is what the list says."""

    named: Named
    text: tuple[Segment, ...]

    @property
    def name(self) -> str:
        """How it is called."""
        return self.named.name

    @property
    def path(self) -> str | None:
        """Its file."""
        return self.named.path

    @property
    def rule(self) -> Rule | None:
        """Why its file is read."""
        return self.named.rule


def agents(writer: Writer, facts: Facts) -> dict[str, Agent]:
    """The user's own by name: those of the home directory, then those of the working directory, which come first.

    One without a text changes what is said of another one, which may be one that the program brings
    [source: applySubagentOverlay].
    """
    found: dict[str, Agent] = {}
    host, note = writer.host, writer.draft.candidates.append
    for place in (join(host.home, PLACE), join(writer.cwd, PLACE)):
        for entry in sorted(host.entries(place), key=lambda each: each.name):
            path, rule = join(place, entry.name), own(WHY, use="agent")
            if not entry.name.endswith(".md") or host.kind(path) != "file":
                continue
            each = (
                IS_LINK
                if entry.is_link
                else _agent(path, text_at(host, path, rule, note, is_whole=True) or "", rule, found, facts)
            )
            if isinstance(each, str):
                note(rule.failed(path, each))
            else:
                take(found, each, note, is_last=True)
    for known in found.values():
        note(own(WHY, use="agent").loaded(known.path))
    return found


def _agent(path: str, text: str, rule: Rule, before: Mapping[str, Agent], facts: Facts) -> Agent | str:
    """The agent of a file, or why it is none."""
    front = lines(text)
    called = _field(front, "name")
    if not _NAME.fullmatch(called):
        return BAD_NAME
    said, model = _field(front, "description"), _field(front, "model")
    start, end = trimmed(text, front.body)
    origin = Origin("file", path=path, range=front.range("description"))
    named = Named(called, said, path, origin, rule, place=model or "inherit")
    if end > start:
        own_text = Origin("file", path=path, range=LineIndex(text).range(start, end))
        body = (Segment("instructions", path, text[start:end], own_text, WHY_BODY),)
        return Agent(named, body) if said else NO_DESCRIPTION
    if called in before:
        other = before[called]
        place = named.place if "model" in front.fields else other.named.place
        kept = named if said else replace(other.named, path=path, rule=rule)
        return Agent(replace(kept, place=place), other.text)
    # What it does not describe is described by Letta Code's own agent of the name.
    return Agent(named if said else replace(named, origin=None), ()) if called in facts.agents else NO_TEXT


def _field(front: Lines, key: str) -> str:
    """A field as it is written, with its quotes (captured: agent-forms)."""
    return front.fields.get(key, ("", 0, 0))[0]


def definition(writer: Writer, facts: Facts, found: Mapping[str, Agent]) -> list[Segment]:
    """What the tool Agent says: the user's own stand after those that Letta Code brings, or in their places."""
    parts = [writer.own("description of the tool Agent", why=WHY, layer="tools")]
    for name in facts.agents:
        if name in found:
            parts += [*ROW.segments(found[name].named), writer.own("agents that it brings", why=WHY, layer="tools")]
    for each in found.values():
        parts += ROW.segments(each.named) if each.name not in facts.agents else []
    return [*parts, tail("\n\n", "tools"), writer.own("rest of the description of the tool Agent", why=WHY)]


def tools(facts: Facts, found: Mapping[str, Agent]) -> tuple[Tool, ...] | None:
    """The tools with their sizes; None where an agent stands in the place of one that Letta Code brings."""
    if not found.keys().isdisjoint(facts.agents):
        return None
    more = sum(json_size("".join(map(_shown, ROW.segments(each.named)))) for each in found.values())
    return built_in({**facts.tools, TOOL: facts.tools[TOOL] + more})


def _shown(segment: Segment) -> str:
    return segment.text


def body(found: Mapping[str, Agent], name: str) -> list[Segment]:
    """The system message of a sub-agent (wire: subagent-call)."""
    text = found[name].text if name in found else ()
    return [*text, tail("\n")] if text else []
