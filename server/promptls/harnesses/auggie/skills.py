"""The skills of Auggie, and its commands."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.harnesses.auggie.files import header_of, text_value
from promptls.kit.candidates import Rule, own
from promptls.kit.named import Named, Row, take
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.auggie.versions import Facts
    from promptls.kit.writer import Writer

WHY = "Auggie lists the skills of .augment, .claude and .agents, of each those of the home directory first"
WHY_COMMAND = "the prompt calls the command, whose text takes its place"
PLACES = (
    *((".augment", "user", True), (".augment", "workspace", False), (".claude", ".claude", True)),
    *((".claude", ".claude", False), (".agents", ".agents", True), (".agents", ".agents", False)),
)
# A limit of ours.
MAX_DEPTH = 32
_NAME = regex(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLACE = regex(r"\$(ARGUMENTS|[1-9])")


def skills(writer: Writer, facts: Facts, root: str) -> list[Segment]:
    """The field of skills: of a name the first counts (wire: skills, skill-long)."""
    host, note, found = writer.host, writer.draft.candidates.append, dict[str, Named]()
    rule = own(WHY, use="skill")
    for folder, source, is_home in PLACES:
        for path in _files(host, join(host.home if is_home else root, folder, "skills"), 0):
            text = decode(host.read(path).data, keep_bom=True)
            header = header_of(text)
            # Without white space around it (wire: skill-block).
            name, words = text_value(header, "name"), text_value(header, "description")
            if not header.is_valid or not name or not words:
                says = "it has no front matter that is valid, with a name and a description"
                note(rule.failed(path, f"{says}, so it is left out without a word"))
            elif _NAME.fullmatch(name) is None or len(name) > facts.name:
                says = f"its name may have small letters, digits and single dashes only, and {facts.name} of them"
                note(rule.failed(path, f"{says}, so it is left out without a word"))
            elif len(words) > facts.description:
                says = f"its description is longer than {facts.description} characters, so it is left out"
                note(rule.failed(path, f"{says} without a word"))
            else:
                note(rule.loaded(path))
                origin = Origin("file", path=path, range=header.range("description"))
                take(found, Named(name, words, path, origin, rule, group=source), note)
    parts: list[Segment] = []
    for each in found.values():
        row = Row(
            "Auggie", "skill", WHY, before=f"skill name={{name}} source={each.group} location={{place}}\n", after="\n"
        )
        parts += row.segments(each)
    return parts


def _files(host: Host, place: str, depth: int) -> Iterator[str]:
    """SKILL.md in any depth; a link right below a folder of skills leads into its directory (seen by verify)."""
    for entry in sorted(host.entries(place), key=lambda each: each.name) if depth < MAX_DEPTH else ():
        path = join(place, entry.name)
        if entry.name == SKILL_FILE and host.kind(path) == "file":
            yield path
        elif entry.is_directory or (entry.is_link and not depth and host.kind(path) == "directory"):
            yield from _files(host, path, depth + 1)


def command(writer: Writer, root: str, prompt: str) -> list[Segment] | None:
    """What takes the place of a prompt that calls a command; None if it calls none (wire: agents, commands)."""
    name, _, given = prompt.removeprefix("/").partition(" ")
    if not prompt.startswith("/") or "/" in name or not name:
        return None
    for base in (root, writer.host.home):
        path = join(base, ".augment/commands", f"{name}.md")
        if writer.host.kind(path) == "file":
            rule = Rule(WHY_COMMAND, Origin("argument", name="prompt"), "command")
            writer.draft.candidates.append(rule.loaded(path))
            text = decode(writer.host.read(path).data, keep_bom=True)
            return _filled(path, text, header_of(text).body, given)
    return None


def _filled(path: str, text: str, begin: int, given: str) -> list[Segment]:
    lines, parts, at = LineIndex(text), list[Segment](), begin
    words = given.split()

    def piece(start: int, end: int, text_value: str) -> Segment:
        origin = Origin("file", path=path, range=lines.range(start, end), again=start > begin)
        return Segment("runtime", path, text_value, origin, WHY_COMMAND)

    for place in _PLACE.finditer(text, begin):
        parts.append(piece(at, place.start(), text[at : place.start()]))
        number = int(place[1]) if place[1].isdigit() else 0
        text_value = given if not number else words[number - 1] if number <= len(words) else ""
        parts.append(Segment("runtime", "prompt", text_value, Origin("argument", name="prompt"), WHY_COMMAND))
        at = place.end()
    return [*parts, piece(at, len(text), text[at:])]


def numbered(text: str) -> str:
    """A text as the tool for viewing shows it."""
    return "".join(f"{number:6}\t{line}\n" for number, line in enumerate(re.split(r"\r\n|\n", text.rstrip("\n")), 1))
