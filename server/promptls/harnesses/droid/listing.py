"""What Droid tells the model of skills and custom droids.

[source] is the JavaScript in the program of that version.
"""

from __future__ import annotations

import re

from promptls.core.formats import parse_json
from promptls.core.formats.tree import Value
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Cut, Origin
from promptls.core.text import decode, units
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.droid.files import PLACES
from promptls.harnesses.droid.header import fields, header_of
from promptls.harnesses.droid.versions import SETTINGS_NOT_MODELLED
from promptls.kit.candidates import Rule, own
from promptls.kit.chain import Reading
from promptls.kit.configs import ConfigReader, strings
from promptls.kit.javascript import head as first
from promptls.kit.javascript import trimmed
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import is_link, join, name, native, upwards
from promptls.kit.segments import elided, head, tail
from promptls.kit.tool_calls import text as given_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.formats.tree import Document
    from promptls.core.model import Call, Segment
    from promptls.harnesses.droid.files import Search

# To the letter (wire: skills-places).
OPENING = "<system-reminder>\nAvailable skills (invoke by exact name when its description matches the request):\n"
WHY_SKILL = (
    "Droid lists the skills of .factory/skills, .agents/skills and .agent/skills, up to the git root and at home"
)
TOOL_SEARCH = "ToolSearch"
WHY_TASK = "the text of the droid is in the system message of a sub-agent"
WHY_DROID = "Droid lists the custom droids of .factory/droids, of the project and at home"
WHY_SETTINGS = "Droid reads its settings here"
WHY_CALLED = "the model calls this skill"
NO_DESCRIPTION = "No description provided"
ROW = Row("Droid", "skill", WHY_SKILL, before="{name}: ", between="\n")
DROID_ROW = Row("Droid", "droid", WHY_DROID, before="- {name}: ", after=" (location: {place})\n")
BARE_ROW = replace(DROID_ROW, before="- {name}:")
NESTED_ROW = Row(
    "Droid", "skill", "reading a file adds the skills on the way to it", before="- {name}: ", after=" (project)"
)
SETTINGS = ConfigReader(
    WHY_SETTINGS,
    parse=lambda text: parse_json(text, comments=True),
    reason="it is not valid JSON, so Droid does not use it",
    not_modelled=SETTINGS_NOT_MODELLED,
)
# What a value of another type makes useless [source].
KINDS = {
    "name": str,
    "description": str,
    "enabled": bool,
    "user-invocable": bool,
    "disable-model-invocation": bool,
    "license": str,
    "compatibility": str,
    "metadata": Value,
}


def _body(text: str) -> Iterator[tuple[int, int]]:
    """What stands behind the front matter, without white space around it."""
    start, end = trimmed(text[header_of(text).body :])
    if end > start:
        at = header_of(text).body
        yield at + start, at + end


BODY = Reading(parts=_body, layer="tools")
_NAME = regex(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_SPACE = regex(r"\s+")
_OTHER = regex(r"[^a-z0-9-]+|-{2,}")


@dataclass(slots=True)
class Skills:
    """The skills of a session. ``disabled`` are names that a setting turns off, each with where it says so."""

    search: Search
    disabled: dict[str, Origin]
    known: dict[str, Named] = field(default_factory=dict)

    def called(self, call: Call) -> list[Segment]:
        """What the tool Skill answers: the text of the skill as it is (wire: skill-call) [source: skillExecutor]."""
        skill = self.known.get(given_text(call, "skill")) if call.tool == "Skill" else None
        if skill is None or skill.path is None:
            return []
        rule = own(WHY_CALLED, use="skill", at=call.at)
        file = BODY.file(self.search.host, skill.path, rule)
        self.search.writer.draft.candidates.append(file.candidate)
        begin = f'Skill "{skill.name}" is now active.\n\n<skill name="{skill.name}" filePath="{native(skill.path)}">\n'
        return [head(begin, "tools", path=skill.path), *file.segments, tail("\n</skill>", "tools")]

    def at_start(self) -> list[Named]:
        """Those that are listed at start; of a name the first counts (wire: skills-places, skills-forms)."""
        found: dict[str, Named] = {}
        note = self.search.writer.draft.candidates.append
        for place in skill_places(self.search):
            for skill in self._of(place, "start"):
                take(found, skill, note)
        self.known.update(found)
        return [*found.values()]

    def of_directories(self, directories: Iterable[str], seen: set[str], at: str) -> list[Named]:
        """Those of directories that a read leads through, each once (wire: nested-read)."""
        found: list[Named] = []
        known = {*skill_places(self.search), *seen}
        for place in (join(each, base, "skills") for each in directories for base in PLACES):
            if place not in known and not is_link(self.search.host, place):
                seen.add(place)
                found += self._of(place, at)
        for each in found:
            self.known.setdefault(each.name, each)
        return found

    def _of(self, place: str, at: str) -> Iterator[Named]:
        for path in _skill_files(self.search, place):
            rule = own(WHY_SKILL, use="skill", at=at)
            found = self._skill(path, rule)
            if isinstance(found, str):
                self.search.writer.draft.candidates.append(rule.failed(path, found))
            elif found is not None:
                self.search.writer.draft.candidates.append(rule.loaded(path))
                yield found

    def _skill(self, path: str, rule: Rule) -> Named | str | None:
        """A skill; or why it is left out, unless that has been noted (wire: skills-forms, folder-settings)."""
        note = self.search.writer.draft.candidates.append
        text = text_at(self.search.host, path, rule, note, keep_bom=True, is_whole=True)
        if text is None:
            return None
        front = header_of(text)
        if front.document is None:
            return "it has no front matter, so Droid leaves it out without a word"
        said = fields(front)
        wrong = [key for key, kind in KINDS.items() if key in said and not isinstance(said[key], kind)]
        missing = [key for key in ("name", "description") if key not in said]
        if wrong or missing:
            what = f"{wrong[0]} has a value of another type" if wrong else f"it has no {missing[0]}"
            return f"{what}, so Droid leaves it out without a word"
        called = str(said["name"])
        if _NAME.fullmatch(called) is None:
            return "its name may have small letters, digits and dashes only, so Droid leaves it out without a word"
        if not text[front.body :].strip():
            return "it has no text, so Droid leaves it out without a word"
        if said.get("enabled") is False:
            return "enabled is false"
        if said.get("disable-model-invocation") is True:
            return "disable-model-invocation keeps it from the model"
        if called in self.disabled:
            note(Rule(WHY_SKILL, self.disabled[called], "skill", rule.at).disabled(path, "disabledSkills names it"))
            return None
        words = _SPACE.sub(" ", str(said["description"])).strip() or NO_DESCRIPTION
        most, cut = self.search.facts.description, None
        if units(words) > most:
            limit = f"Droid lists {most} characters of a skill's description"
            cut = Cut(most - 1, len(words), "characters", limit, is_fixed=True)
            words = f"{words[: first(words, most - 1)]}…"
        origin = Origin("file", path=self.search.host.realpath(path), range=front.range("description"))
        return Named(called, words, path, origin, rule, cut=cut)


def skill_places(search: Search) -> list[str]:
    """Where skills are looked for, the nearest first, those at home last (wire: skills-places)."""
    near = [
        join(each, base) for each in upwards(search.writer.cwd, search.root or search.writer.cwd) for base in PLACES
    ]
    return [join(each, "skills") for each in dict.fromkeys((*near, *search.own_places()))]


def _skill_files(search: Search, place: str) -> Iterator[str]:
    """The files of skills at any depth; nothing is looked for below a skill, and links are followed [source]."""
    host, seen = search.host, set[str]()
    waiting = [place]
    while waiting:
        path = waiting.pop(0)
        if name(path) == SKILL_FILE:
            yield path
            continue
        real = host.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        below = [join(path, each.name) for each in sorted(host.entries(path), key=lambda each: each.name)]
        folders = [each for each in below if host.kind(each) == "directory"]
        skills = (join(each, SKILL_FILE) for each in folders)
        found = [skill if host.kind(skill) is not None else each for skill, each in zip(skills, folders, strict=True)]
        waiting = [*found, *waiting]


def listed(skills: list[Named], *, has_built_in: bool) -> list[Segment]:
    """The list, Droid's own skills last (wire: skills-places, skills-forms); nothing where there are none."""
    if not skills and not has_built_in:
        return []
    why = "Droid lists its own skills last; --disable-builtin-skills leaves them out"
    return [
        head(OPENING, "tools"),
        *ROW.rows(skills),
        *([tail("\n", "tools")] if skills and has_built_in else []),
        *([elided("tools", "Droid", "built-in skills", why=why)] if has_built_in else []),
        tail("\n</system-reminder>", "tools"),
    ]


# -- settings ----------------------------------------------------------------------------------------------------------


def settings(search: Search) -> list[tuple[str, Document]]:
    """The settings of the directories up to the git root, and of the home directory (wire: folder-settings)."""
    near = [*upwards(search.writer.cwd, search.root or search.writer.cwd)]
    places = dict.fromkeys(join(each, ".factory") for each in (*near, search.home))
    paths = [join(each, base) for each in places for base in ("settings.json", "settings.local.json")]
    read = ((path, SETTINGS.read(search.writer.draft, search.host, path)) for path in paths)
    return [(path, document) for path, document in read if document is not None]


def disabled_skills(documents: list[tuple[str, Document]]) -> dict[str, Origin]:
    """The names that disabledSkills holds, as Droid compares them [source]."""
    found: dict[str, Origin] = {}
    for path, document in documents:
        named = document.root.get("disabledSkills") if document.root is not None else None
        for each in strings(path, document, named):
            found.setdefault(re.sub(_OTHER.pattern, "-", each.text.lower()).strip("-"), each.origin)
    return found


# -- droids ------------------------------------------------------------------------------------------------------------


def droids(search: Search) -> dict[str, Named]:
    """The custom droids by name, those of the project first (captured: droids) (wire: task)."""
    host, note = search.host, search.writer.draft.candidates.append
    own_place = join(search.home, ".factory")
    near = (join(each, ".factory") for each in upwards(search.writer.cwd, search.root or search.writer.cwd))
    project = next((each for each in near if each != own_place and host.kind(each) == "directory"), None)
    found: dict[str, Named] = {}
    for directory, place in ((project, "project"), (own_place, "personal")):
        for entry in host.entries(join(directory, "droids")) if directory else ():
            path, rule = join(directory or "", "droids", entry.name), own(WHY_DROID, use="agent")
            if not entry.name.endswith(".md") or (text := text_at(host, path, rule, note, keep_bom=True)) is None:
                continue
            front = header_of(text)
            said = fields(front)
            # A value of another type makes all of them useless (captured: front-forms).
            is_usable = all(isinstance(said.get(key, ""), str) for key in ("name", "description"))
            called, words = (str(said.get(key, "")) if is_usable else "" for key in ("name", "description"))
            origin = Origin("file", path=path, range=front.range("description"))
            note(rule.loaded(path))
            take(found, Named(called or entry.name.removesuffix(".md"), words, path, origin, rule, place=place), note)
    return found


def droid_rows(found: Iterable[Named]) -> list[Segment]:
    """A row for each; without a description there is no blank before the place (captured: front-forms)."""
    return [part for each in found for part in (DROID_ROW if each.words else BARE_ROW).segments(each)]


def of_droid(search: Search, droid: Named) -> tuple[list[Segment], bool]:
    """The text of a droid, in the system message of a sub-agent, and whether it can search for further tools.

    One that says which tools it has must name that one (captured: subagent-helper, subagent-few).
    """
    path = droid.path or ""
    file = replace(BODY, layer="instructions").file(search.host, path, own(WHY_TASK, use="agent"))
    front = header_of(decode(search.host.read(path).data, keep_bom=True))
    return [*file.segments], front.value("tools") is None or TOOL_SEARCH in front.words("tools")
