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
from promptls.kit.segments import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from promptls.core.host import Host
    from promptls.harnesses.auggie.versions import Facts
    from promptls.kit.writer import Writer

WHY = "Auggie lists the skills of .augment, .claude and .agents, of each those of the home directory first"
WHY_COMMAND = "the prompt calls the command, whose text takes its place"
WHY_SKILL = "the prompt calls the skill, whose text takes its place"
TYPED = Origin("argument", name="prompt")
FOLDERS = (".augment", ".claude", ".agents")
PLACES = (
    *((".augment", "user", True), (".augment", "workspace", False), (".claude", ".claude", True)),
    *((".claude", ".claude", False), (".agents", ".agents", True), (".agents", ".agents", False)),
)
# A limit of ours.
MAX_DEPTH = 32
_NAME = regex(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLACE = regex(r"\$([1-9][0-9]*)|\$ARGUMENTS|\{\{[^}]+\}\}|\{[a-z_][a-z0-9_]*\}", re.IGNORECASE)
_WORD = regex(r"""(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^ \t"'])+""")
_QUOTED = regex(r"""(?s)"([^"]*)(?:"|$)|'([^']*)(?:'|$)""")


def skills(writer: Writer, facts: Facts, root: str) -> dict[str, Named]:
    """The skills by their names, of which the first counts (wire: skills, skill-long)."""
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
    return found


def listed(found: Iterable[Named]) -> list[Segment]:
    """The field of skills."""
    parts: list[Segment] = []
    for each in found:
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


def called(writer: Writer, root: str, prompt: str, skills: Mapping[str, Named]) -> list[Segment] | None:
    """What takes the place of a prompt that calls a command or a skill; None if it calls none.

    (wire: agents, commands) A name is compared in small letters; a command comes before a skill (seen by verify).
    """
    start, _, given = prompt.strip().partition(" ")
    if not start.startswith("/") or "/" in start[1:]:
        return None
    name = start[1:].lower()
    path, rule = _command(writer.host, root, name), Rule(WHY_COMMAND, TYPED, "command")
    if path is None and name in skills:
        path, rule = skills[name].path, Rule(WHY_SKILL, TYPED, "skill")
    if path is None:
        return None
    writer.draft.candidates.append(rule.loaded(path))
    text = decode(writer.host.read(path).data, keep_bom=True)
    return _filled(path, text, header_of(text).body, given.strip(), rule.why)


def _command(host: Host, root: str, name: str) -> str | None:
    """The file of a command: a colon leads into a directory, and the home directory comes first (seen by verify)."""
    bases = [join(base, folder, "commands") for folder in FOLDERS for base in (host.home, root)]
    paths = [join(base, name.replace(":", "/") + end) for base in bases for end in (".md", ".txt")] if name else []
    return next((each for each in paths if host.kind(each) == "file"), None)


def _filled(path: str, text: str, begin: int, given: str, why: str) -> list[Segment]:
    """Its text with what was typed in its places, or behind it where it has none; a line feed ends it.

    Where nothing was typed, places stay as they are (seen by verify) [source: argumentHint].
    """
    lines, parts, at = LineIndex(text), list[Segment](), begin
    words = _words(given)

    def piece(start: int, end: int) -> Segment:
        origin = Origin("file", path=path, range=lines.range(start, end), again=start > begin)
        return Segment("runtime", path, text[start:end], origin, why)

    def typed(value: str) -> Segment:
        return Segment("runtime", "prompt", value, TYPED, why)

    places = [*_PLACE.finditer(text, begin)] if given else []
    for place in places:
        number = int(place[1] or 0)
        value = given if not number else words[number - 1] if number <= len(words) else ""
        parts += [piece(at, place.start()), typed(value)]
        at = place.end()
    behind = [tail("\n\n", "runtime"), typed(given)] if given and not places else []
    return [*parts, piece(at, len(text)), *behind, tail("\n", "runtime")]


def _words(given: str) -> list[str]:
    """What was typed by its blanks, but not within quotation marks [source: argumentHint]."""
    pieces = [each[0] for each in _WORD.finditer(given)]
    return [word for word in (_QUOTED.sub(lambda each: each[1] or each[2] or "", piece) for piece in pieces) if word]


def numbered(text: str) -> str:
    """A text as the tool for viewing shows it."""
    return "".join(f"{number:6}\t{line}\n" for number, line in enumerate(re.split(r"\r\n|\n", text.rstrip("\n")), 1))
