"""The skills of Letta Code: where they are, which one of a name counts, and how they are listed.

[source] is the program's package, or its public source.
"""

from __future__ import annotations

from itertools import groupby

from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.harnesses.letta_code.header import lines
from promptls.kit import collation
from promptls.kit.candidates import own
from promptls.kit.javascript import SPACE, trimmed
from promptls.kit.named import Named, Row, take
from promptls.kit.paths import join, name, parent, resolve
from promptls.kit.segments import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.letta_code.versions import Facts
    from promptls.kit.writer import Writer

WHY = "Letta Code lists the skills of .agents/skills and .skills of the working directory, and of ~/.letta/skills"
WHY_FLAG = "--skills adds this directory"
WHY_BUILT_IN = "skills that Letta Code brings stand among the others by their names"
NAMES = ("SKILL.md", "skill.md")
ROW = Row("Letta Code", "skill", WHY, before="- `{name}`: ", after="\n")
# A limit of ours: links may make directories endless.
MAX_DEPTH = 32
_LINE_ENDS = regex(r"\r\n|\r|\n")
_PARAGRAPHS = regex(r"(?:\r\n|\r|\n){2}")


@dataclass(frozen=True, slots=True)
class Found:
    """The skills of a session by name; ``has_own``: those that the program brings are among them."""

    skills: dict[str, Named]
    has_own: bool


def find(writer: Writer) -> Found | None:
    """The skills; None where there is no list (wire: no-skills, skill-sources, skills-flag)."""
    command, host = writer.command, writer.host
    if "--no-skills" in command.switches:
        return None
    given = command.last("--skill-sources")
    asked = {each.strip() for each in given.split(",")} if given is not None else None
    places: list[str] = []
    if asked is None or asked & {"project", "all"}:
        places += [join(writer.cwd, ".agents/skills"), join(writer.cwd, ".skills")]
    if asked is None or asked & {"global", "all"}:
        places += [join(host.home, ".letta/skills")]
    places += [resolve(writer.session.cwd, each) for each in command.values.get("--skills", ())]
    found: dict[str, Named] = {}
    for place in places:
        for path in _files(host, place, 0):
            _take(writer, path, found)
    for each in found.values():
        writer.draft.candidates.append(own(WHY, use="skill").loaded(each.path))
    has_own = "--no-bundled-skills" not in command.switches and (asked is None or bool(asked & {"bundled", "all"}))
    return Found(found, has_own)


def _files(host: Host, place: str, depth: int) -> Iterator[str]:
    """Files of the name at any depth, in no hidden directory [source]."""
    entries = host.entries(place) if depth < MAX_DEPTH else ()
    for entry in sorted(entries, key=lambda each: each.name):
        path = join(place, entry.name)
        if entry.name in NAMES and host.kind(path) == "file":
            yield path
        elif host.kind(path) == "directory":
            yield from _files(host, path, depth + 1)


def _take(writer: Writer, path: str, found: dict[str, Named]) -> None:
    """A skill, whose name counts and not its folder; of several lines only the first is listed (wire: skills)."""
    rule, note = own(WHY, use="skill"), writer.draft.candidates.append
    contents = writer.host.read(path)
    text = decode(contents.data, keep_bom=False)
    front = lines(text)
    if front.word("disable-model-invocation").lower() == "true":
        note(rule.excluded(path, "disable-model-invocation is true"))
        return
    where = front.range("description")
    said = front.word("description")
    if not said:
        start, end = trimmed(text, front.body)
        said = _PARAGRAPHS.split(text[start:end], maxsplit=1)[0] or "No description available"
        where = LineIndex(text).range(start, end)
    when = front.word("when_to_use")
    words = _LINE_ENDS.split(said.strip(SPACE) or (f"When to use: {when}" if when else ""), maxsplit=1)[0]
    origin = Origin("file", path=writer.host.realpath(path), range=where)
    take(found, Named(front.word("name") or name(parent(path)), words, path, origin, rule), note)


def rows(writer: Writer, facts: Facts, found: Found) -> Iterator[Segment]:
    """The list, by name as JavaScript compares them (wire: skills) [source]."""
    brought = set(facts.built_in) if found.has_own else set[str]()
    names = sorted(brought | found.skills.keys(), key=collation.key)
    for is_own, group in groupby(names, key=lambda each: each not in found.skills):
        if is_own:
            yield writer.own("skills that it brings", why=WHY_BUILT_IN, layer="tools")
            yield tail("\n", "tools")
        else:
            for each in group:
                yield from ROW.segments(found.skills[each])
