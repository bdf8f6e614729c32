"""Gemini CLI's skills: where it looks for them, which it lists, and what activating one adds (surfaces, Skills)."""

from __future__ import annotations

import re

from promptls.core.formats import parse_yaml
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Origin, Segment
from promptls.core.text import decode, early_range
from promptls.core.values import dataclass
from promptls.harnesses.gemini_cli.files.tree import tree
from promptls.harnesses.gemini_cli.spec import SPEC
from promptls.harnesses.installed import npm_directory
from promptls.kit.candidates import own
from promptls.kit.javascript import trimmed
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import join, native, parent
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.extensions import Extension
    from promptls.harnesses.gemini_cli.versions import Facts
    from promptls.kit.candidates import Rule

WHY = "gemini-cli lists every skill with name and description"
WHY_PLACE = "gemini-cli looks for skills in the .gemini and .agents of the home directory and of the working directory"
WHY_EXTENSION = "an extension that is switched on provides it"
# Front matter begins with the first character of the file: a byte order mark is one (parts: skills-front-matter).
_FRONT = regex(r"---\r?\n(.*?)\r?\n---(?:\r?\n(.*))?", re.DOTALL)
_LINE = regex(r"\s*(name|description):\s*(.*)")
_NO_NAME = regex(r'[:\\/<>*?"|]')
_EMPTY_LINES = regex(r"\n{3,}")
ROW = Row(
    "gemini-cli",
    "skill",
    WHY,
    before="  <skill>\n    <name>{name}</name>\n    <description>",
    after="</description>\n    <location>{place}</location>\n  </skill>\n",
    escaped=lambda text: _EMPTY_LINES.sub("\n\n", text) if "\n\n\n" in text else text,
)


@dataclass(frozen=True, slots=True)
class Field:
    """A text of the front matter, and where it is."""

    text: str
    start: int
    end: int


def find(search: Search, extensions: Iterable[Extension], facts: Facts) -> dict[str, Named]:
    """Every skill by name: a later one of a name takes the place of the first (parts: skills-same-name)."""
    if not search.settings.is_true("skills.enabled", default=True):
        return {}
    found = {
        name: Named(name, size=size, place=_place_in_package(search, facts, name))
        for name, size in facts.built_in_skills.items()
    }
    for extension in extensions:
        if extension.is_on:
            _look(search, join(extension.directory, "skills"), f"{WHY_EXTENSION} ({extension.name})", found)
    for directory in (parent(search.directory), search.cwd):
        for folder in (".gemini", ".agents"):
            _look(search, join(directory, folder, "skills"), WHY_PLACE, found)
    off = {each.text.lower() for each in search.settings.all_strings("skills.disabled")}
    for name in [name for name in found if name.lower() in off]:
        skill = found.pop(name)
        if skill.rule is not None:
            search.note(skill.rule.disabled(skill.path, "skills.disabled names it"))
    for skill in found.values():
        if skill.rule is not None:
            search.note(skill.rule.loaded(skill.path))
    return found


def _place_in_package(search: Search, facts: Facts, skill: str) -> str:
    """Where the program has one of its own; "" where it is not installed here."""
    program = search.draft.session.program
    top = npm_directory(search.host, program, SPEC.package) if program is not None else None
    place = join(top, facts.built_in_place.format(skill)) if top is not None else ""
    return native(place) if place and search.host.kind(place) == "file" else ""


def _look(search: Search, directory: str, why: str, found: dict[str, Named]) -> None:
    """The SKILL.md of a directory and of each in it; of several there, gemini-cli usually takes the last name first."""
    names = sorted((entry.name for entry in search.host.entries(directory)), reverse=True)
    places = [directory, *(join(directory, name) for name in names if name[:1] != "." and name != "node_modules")]
    rule = own(why, use="skill")
    for place in places:
        path = join(place, SKILL_FILE)
        skill = _read(search, path, rule) if search.host.kind(path) == "file" else None
        if skill is not None:
            take(found, skill, search.note, is_last=True, says="{} has the same name and takes precedence")


def _read(search: Search, path: str, rule: Rule) -> Named | None:
    text = text_at(search.host, path, rule, search.note, keep_bom=True)
    if text is None:
        return None
    front = _FRONT.match(text)
    if front is None:
        search.note(rule.failed(path, "it does not begin with front matter, so it is left out"))
        return None
    fields = name_and_description(front[1])
    if "name" not in fields or "description" not in fields:
        search.note(rule.failed(path, "its front matter has no name and description, so it is left out"))
        return None
    described = fields["description"]
    end = front.start(1) + described.end
    where = early_range(text, front.start(1) + described.start, end)
    name = _NO_NAME.sub("-", fields["name"].text)
    return Named(name, described.text, path, Origin("file", path=path, range=where), rule)


def name_and_description(front: str) -> Mapping[str, Field]:
    """Name and description; where they are no texts of valid YAML, by a simpler reading, line by line."""
    document = parse_yaml(front)
    root = document.root if document.flaw is None else None
    values = {key: root.get(key) for key in ("name", "description")} if root is not None else {}
    found = {
        key: Field(str(value.data), value.start, value.end)
        for key, value in values.items()
        if value is not None and value.kind == "string"
    }
    return found if len(found) == len(KEYS) else _simple(front)


KEYS = ("name", "description")


def _simple(front: str) -> Mapping[str, Field]:
    """Line by line; a description goes on in the lines right after it that are indented (source: skillLoader.ts)."""
    found: dict[str, Field] = {}
    is_described = False
    at = 0
    for line in front.split("\n"):
        said = _LINE.match(line)
        text = line.strip()
        if is_described and text and line[0] in " \t":
            before = found["description"]
            found["description"] = Field(f"{before.text} {text}".strip(), before.start, before.end)
        else:
            is_described = said is not None and said[1] == "description"
            if said is not None:
                start, end = trimmed(said[2])
                place = at + said.start(2)
                found[said[1]] = Field(said[2][start:end], place + start, place + end)
        at += len(line) + len("\n")
    return found


# -- the list ------------------------------------------------------------------------------------------------------


def section(skills: Mapping[str, Named], intro: int) -> Iterator[Segment]:
    """The section of the system instruction, whose introduction has ``intro`` characters; nothing without a skill.

    (parts: skills-directories, skills-off)
    """
    if not skills:
        return
    yield elided("tools", "gemini-cli", "introduction of skills", why=WHY, size=intro)
    yield tail("\n<available_skills>\n", "tools")
    for skill in skills.values():
        yield from _row(skill)
    yield tail("</available_skills>", "tools")


def _row(skill: Named) -> list[Segment]:
    if skill.path is not None or skill.place:
        return ROW.segments(skill)
    *row, _ = ROW.segments(skill)
    place = elided("tools", "gemini-cli", f"place of skill {skill.name}", why="it lies where gemini-cli is installed")
    return [*row, tail("</description>\n    <location>", "tools"), place, tail("</location>\n  </skill>\n", "tools")]


# -- activating one --------------------------------------------------------------------------------------------------


def tool_result(search: Search, skill: Named | None, name: str, facts: Facts) -> list[Segment]:
    """What the tool activate_skill answers (parts: skill-activated)."""
    why = "the session activates this skill"
    if skill is None or skill.path is None:
        return [elided("runtime", "gemini-cli", f"answer for skill {name}", why=why)]
    front = _FRONT.match(decode(search.host.read(skill.path).data, keep_bom=True))
    body = front[2] if front is not None and front[2] else ""
    start, stop = trimmed(body)
    shown = tree(search.host, parent(skill.path), facts.tree_items).text
    return [
        head(f'<activated_skill name="{skill.name}">\n  <instructions>\n    ', "runtime", path=skill.path),
        Segment("runtime", f"skill {skill.name}", body[start:stop], Origin("file", path=skill.path), why),
        tail(f"\n  </instructions>\n\n  <available_resources>\n    {shown}", "runtime"),
        tail("\n  </available_resources>\n</activated_skill>", "runtime"),
    ]
