"""The user's own agents of Deep Agents Code: a folder each, whose AGENTS.md is the whole system message of a sub-agent.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.harnesses.deepagents_code.files import AGENTS
from promptls.kit.base import built_in, json_size
from promptls.kit.candidates import own
from promptls.kit.chain import Reading, without_space
from promptls.kit.named import Named, Row, take
from promptls.kit.paths import join
from promptls.kit.segments import tail
from promptls.kit.yaml_values import SLOW_PYTHON, is_date, python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from promptls.core.model import Segment, Tool
    from promptls.harnesses.deepagents_code.files import Places
    from promptls.harnesses.deepagents_code.versions import Facts
    from promptls.kit.candidates import Rule
    from promptls.kit.writer import Writer

WHY = "it is in the description of the tool task: an agent with a folder of its own"
WHY_NAME = "it has no description, or a name that is no text, so it is left out with a line in a log"
TOOL = "task"
BROUGHT = "general-purpose"
NOT_FIRST = "{} has the same name, and comes first"


ENDS = (
    "Deep Agents Code ends with an error at {}: no provider is known for its model {!r}. Write it as provider:model, "
    "or leave the line out."
)
ROW = Row("Deep Agents Code", "agent", WHY, before="\n- {name}: ")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: how it is listed, what is sent of its file, and the model that it asks for; "" for that of the user."""

    named: Named
    text: tuple[Segment, ...]
    model: str

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


def agents(writer: Writer, facts: Facts, places: Places) -> dict[str, Agent]:
    """All of them, by name: those of the project come before those of the home directory (wire: subagents).

    A model that no provider is known for ends the program (captured: agent-model). Of two folders with one name, the
    one that the disk lists last comes first [source: subagents.py].
    """
    found: dict[str, Agent] = {}
    note = writer.draft.candidates.append
    for base in (places.agent, *([join(places.root, ".deepagents")] if places.root is not None else [])):
        for each in _of(writer, join(base, "agents")):
            take(found, each, note, is_last=True, says=NOT_FIRST)
    for each in found.values():
        rule = own(WHY, use="agent")
        if each.path is not None and not _is_known(each.model, facts):
            writer.stop(ENDS.format(each.path, each.model), each.path)
            note(rule.failed(each.path, f"no provider is known for its model {each.model}"))
        else:
            note(rule.loaded(each.path))
    return found


def _is_known(model: str, facts: Facts) -> bool:
    """Whether a model names its provider, or begins as those of one do [source: langchain/chat_models/base.py]."""
    provider, colon, _ = model.partition(":")
    return not model or (bool(colon) and provider in facts.providers) or model.lower().startswith(facts.models)


def definition(writer: Writer, found: Mapping[str, Agent]) -> list[Segment]:
    """What the tool task says: the user's own stand before the one that Deep Agents Code brings (seen by verify)."""
    rows = [segment for each in found.values() for segment in ROW.segments(each.named)]
    begin = writer.own("description of the tool task", why=WHY, layer="tools")
    return [begin, *rows, tail("\n", "tools"), writer.own("rest of the description of the tool task", why=WHY)]


def tools(facts: Facts, found: Mapping[str, Agent]) -> tuple[Tool, ...] | None:
    """The tools with their sizes; None where an agent stands in the place of the one that is brought."""
    if BROUGHT in found:
        return None
    more = sum(json_size(f"\n- {each.name}: {each.named.words}") for each in found.values())
    return built_in({**facts.tools, TOOL: facts.tools[TOOL] + more})


def _of(writer: Writer, place: str) -> Iterator[Agent]:
    """Those of a directory; a file without a folder of its own is none (wire: subagents)."""
    rule, note = own(WHY, use="agent"), writer.draft.candidates.append
    for entry in writer.host.entries(place):
        path = join(place, entry.name, AGENTS)
        if writer.host.kind(path) == "file":
            found = _agent(writer, path, entry.name, rule)
            if found is not None:
                yield found
        elif entry.name.endswith(".md"):
            note(rule.excluded(join(place, entry.name), "an agent is a folder with an AGENTS.md"))


def _agent(writer: Writer, path: str, folder: str, rule: Rule) -> Agent | None:
    """The agent of a file; without a name in it, that of the folder is used (captured: subagent-folder).

    A file that is not UTF-8 ends the program (captured: agent-latin1).
    """
    file = READING.file(writer.host, path, rule)
    if file.ends:
        writer.stop(f"Deep Agents Code ends with an error at {path}: {file.ends}. {READING.advice}", path)
        writer.draft.candidates.append(file.candidate)
        return None
    text = _ALONE.sub("\n", decode(writer.host.read(path).data, keep_bom=True))
    matter = front_matter.fenced(text, CLOSING)
    front = Header(text, matter.start, matter.document, matter.body)
    fields = {key: python(front, value) for key in KEYS if (value := front.value(key)) is not None}
    name, said, model = (fields.get(key) for key in KEYS)
    name = name if "name" in fields else folder
    is_wrong = model is not None and not isinstance(model, str)
    if (
        is_wrong
        or not front.is_taken(*SLOW_PYTHON)
        or not all(isinstance(each, str) and each.strip() for each in (name, said))
        or any(is_date(front, front.value(key)) for key in KEYS)
    ):
        writer.draft.candidates.append(rule.failed(path, WHY_NAME))
        return None
    origin = Origin("file", path=path, range=front.range("description"))
    return Agent(Named(str(name).strip(), str(said).strip(), path, origin, rule), file.segments, str(model or ""))


def _body(text: str) -> Iterator[tuple[int, int]]:
    """What stands behind the front matter, without white space around it."""
    at = front_matter.fenced(_ALONE.sub("\n", text), CLOSING).body
    return ((at + start, at + end) for start, end in without_space(text[at:]))


# [source: _parse_subagent_file]
_ALONE = regex(r"\r(?!\n)")
CLOSING = regex(r"\n---(?:\s*\n)?")
KEYS = ("name", "description", "model")
READING = Reading(parts=_body, has_unix_lines=True, ends_if=("not UTF-8",))
