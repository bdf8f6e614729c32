"""The skills and commands that Grok Build lists, and what a prompt brings that calls one."""

from __future__ import annotations

import re

from promptls.core.formats import markdown, parse_yaml
from promptls.core.formats.header import Header, split_patterns
from promptls.core.formats.patterns import alternatives
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, START, Cut, Origin, Segment
from promptls.core.text import LineIndex
from promptls.core.values import dataclass
from promptls.kit.candidates import own
from promptls.kit.configs import strings
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import home_or, is_below, join, name, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.harnesses.grok_build.files import Search
    from promptls.harnesses.grok_build.versions import Facts

WHY = "Grok Build lists skills of .grok, .agents, .claude and .cursor, up to the git root and at home"
WHY_LATER = "it is listed once a file is touched that its paths mean ({})"
WHY_CALL = "the prompt calls this skill"
WHY_WORKFLOWS = "Grok Build's own workflows follow the skills"
OPENING = "<system-reminder>\nThe following skills are available for use:\n\n"
ROW = Row("Grok Build", "skill", WHY, before="- {name}: ")
_FENCED = regex(r"\s*---[^\S\n]*\n(.*?)\n---(?:[^\S\n]*(?:\n|\Z))?", re.DOTALL)
_INDENTED_DASHES = regex(r"^[ \t]+---", re.MULTILINE)
# Braces with one thing in them, which are left out.
_ONE = regex(r"\{([^{},]*)\}")
_OTHER = regex(r"[^a-z0-9]+")
# Behind these words of a description it says when to use the skill; they may be the end of a longer one. They are left
# out with what parts them from it, unless they go on as a word or nothing follows. (seen by a capture of odd forms)
_PHRASES = (
    *("use this skill when", "use when", "called when", "triggers on", "trigger on", "must trigger when"),
    *("auto-invoke when", "must invoke when", "must be invoked when", "invoke when"),
)
_USE_WHEN = regex("|".join(_PHRASES), re.IGNORECASE)
_PARTS = " \t\n:,"
PROGRAMS = ("grok", "agents", "claude", "cursor")


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill with its row, and its text from ``start`` on; ``patterns``: of its files, () for all."""

    row: Named
    text: str
    start: int
    patterns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How it is called."""
        return self.row.name

    @property
    def path(self) -> str | None:
        """Its file."""
        return self.row.path

    @property
    def rule(self):  # type: ignore[no-untyped-def] # noqa: ANN201 - that of its row
        """Why its file is read."""
        return self.row.rule


def skills(search: Search, facts: Facts, *, with_project: bool) -> dict[str, Skill]:
    """Those of folder and user; of a name the first counts (wire: skills-config; captured: skills, skills-chain)."""
    found: dict[str, Skill] = {}
    note = search.writer.draft.candidates.append
    home = search.writer.host.home
    near = search.places[::-1] if with_project else []
    places = [(program, join(each, f".{program}")) for each in near for program in PROGRAMS]
    places += [(each, search.home if each == "grok" else join(home, f".{each}")) for each in PROGRAMS]
    for program, place in places:
        if program in ("grok", "agents") or search.is_on(program, "skills"):
            for path in (*files(search, join(place, "skills")), *commands(search, join(place, "commands"))):
                skill = skill_at(search, facts, path)
                if skill is not None:
                    take(found, skill, note)
    named = [each for path in _paths(search, "paths") for each in _skills_at_path(search, facts, path)]
    for skill in sorted(named, key=lambda each: each.name):
        take(found, skill, note)
    return found


def _paths(search: Search, key: str) -> list[str]:
    document, home = search.settings, search.writer.host.home
    if document is None:
        return []
    found = strings(join(search.home, "config.toml"), document, search.setting("skills", key))
    return [home_or(home, each.text) or each.text for each in found]


def _skills_at_path(search: Search, facts: Facts, path: str) -> Iterator[Skill]:
    paths = [path] if name(path) == SKILL_FILE else files(search, path)
    yield from (each for file in paths if (each := skill_at(search, facts, file)) is not None)


def files(search: Search, place: str) -> Iterator[str]:
    """SKILL.md of folders at any depth."""
    host, waiting, seen = search.writer.host, [place], set[str]()
    while waiting:
        path = waiting.pop(0)
        real = host.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        if path != place and host.kind(join(path, SKILL_FILE)) == "file":
            yield join(path, SKILL_FILE)
        names = sorted(each.name for each in host.entries(path))
        waiting = [*(join(path, each) for each in names if host.kind(join(path, each)) == "directory"), *waiting]


def commands(search: Search, place: str) -> list[str]:
    """The commands of a directory, which are listed as skills (captured: command-call)."""
    names = sorted(each.name for each in search.writer.host.entries(place) if each.name.endswith(".md"))
    return [join(place, each) for each in names if search.writer.host.kind(join(place, each)) == "file"]


def skill_at(search: Search, facts: Facts, path: str, at: str = START) -> Skill | None:
    """A skill; without front matter its folder's name and its first paragraph (captured: skills).

    One that is not UTF-8 is left out (seen by verify).
    """
    rule, note = own(WHY, use="skill", at=at), search.writer.draft.candidates.append
    if any(is_below(path, each) for each in _paths(search, "ignore")):
        note(rule.disabled(path, "[skills] ignore names it"))
        return None
    text = text_at(search.writer.host, path, rule, note, keep_bom=True, is_whole=True, only_utf_8=True)
    if text is None:
        return None
    front = _front(text)
    plain = path.split("/")[-2] if name(path) == SKILL_FILE else name(path).removesuffix(".md")
    called = _name(facts, _word(front, "name")) or plain
    if _is_off(front) or called in _paths(search, "disabled"):
        note(rule.disabled(path, "it is switched off for the model"))
        return None
    patterns = _patterns(front.words("paths"))
    note(rule.unscoped(path, WHY_LATER.format(", ".join(patterns))) if patterns else rule.loaded(path))
    words = _word(front, "description") or markdown.first_words(text[front.body :].strip()) or called
    shown, when, cut = _shared(facts, words, front.word("when-to-use") or front.word("when_to_use"))
    place = f"\n  Use when: {when}" if when else ""
    origin = Origin("file", path=path, range=front.range("description"))
    return Skill(Named(called, shown, path, origin, rule, place=place, cut=cut), text, front.body, patterns)


def _front(text: str) -> Header:
    """The front matter, before which may be blank lines (captured: skill-forms).

    White space around it is left out, so that an indent of its first line is none of the others. A line inside of it
    that is indented and begins with dashes makes it none (seen by a capture of odd forms).
    """
    found = _FENCED.match(text)
    if found is None or _INDENTED_DASHES.search(found[1]):
        return Header(text, 0, None, 0)
    start, end = found.span(1)
    start += len(found[1]) - len(found[1].lstrip())
    return Header(text, start, parse_yaml(text[start:end].rstrip()), found.end())


def _patterns(said: Iterable[str]) -> tuple[str, ...]:
    """What a skill says of the files that it is for; () for all of them (seen by a capture of odd forms)."""
    parts = [part.strip() for each in said for part in split_patterns(each)]
    expanded = [_ONE.sub(r"\1", each) for part in parts for each in alternatives(part, keep_escapes=True) or (part,)]
    found = [each for pattern in expanded if (each := pattern.removesuffix("/**"))]
    return () if all(each == "**" for each in found) else tuple(found)


def _is_off(front: Header) -> bool:
    return front.is_true("disable-model-invocation") or front.scalar("disable-model-invocation") == "true"


def _name(facts: Facts, said: str) -> str:
    """A name in small letters and dashes in the place of all else; "" if it cannot be one (captured: skill-forms)."""
    if said.startswith("-") or "/" in said or ":" in said:
        return ""
    slug = _OTHER.sub("-", said.lower()).strip("-")
    return slug if len(slug) <= facts.name else ""


def _word(front: Header, key: str) -> str:
    """A value; of front matter that is no YAML, or no mapping, what stands in its line (captured: skill-forms)."""
    is_mapping = front.is_valid and front.document is not None and front.document.root is not None
    return (front.scalar(key) if is_mapping else front.line(key) or "").strip()


def _shared(facts: Facts, words: str, when: str) -> tuple[str, str, Cut | None]:
    """The description and when to use the skill, as they are listed: together within a limit, each by its size."""
    lead = 0
    if not when:
        words, when, lead = _parted(words, facts.looked_at)
    size, more = len(words.encode()), len(when.encode()) + lead
    if size + more <= facts.description:
        return words, when, None
    share = max(facts.least, facts.description * size // (size + more))
    limit = f"Grok Build lists {facts.description} bytes of a skill's description and of when to use it"
    cut = Cut(share, size, "bytes", limit, is_fixed=True) if size > share else None
    return _first(words, share), _first(when, facts.description - share), cut


def _first(text: str, most: int) -> str:
    """So many bytes, the mark at the end included."""
    data, mark = text.encode(), "…"
    return text if len(data) <= most else data[: most - len(mark.encode())].decode("utf-8", "ignore") + mark


def _parted(words: str, most: int) -> tuple[str, str, int]:
    """A description, and when to use the skill, which it may say itself after some other words.

    Also how many letters introduce that. (seen by verify in two public repositories)
    """
    first = words.encode()[:most].decode("utf-8", "ignore")
    at = _USE_WHEN.search(first)
    before = first[: at.start()].rstrip().removesuffix(".") if at is not None else ""
    if at is None or not before:
        return words, "", 0
    rest = first[at.end() :]
    said = ("" if rest[:1].isalnum() else rest.lstrip(_PARTS)) or first[at.start() :]
    return before, said, len(first) - at.start() - len(said)


def listed(found: Iterable[Skill]) -> list[Segment]:
    """The list, with the program's own workflows after it (wire: skill-long, skills-many)."""
    shown = rows(found)
    own_ones = elided("tools", "Grok Build", "workflows", why=WHY_WORKFLOWS)
    if not shown:
        return [head("<system-reminder>\n", "tools"), own_ones, tail("\n</system-reminder>", "tools")]
    opening = tail("\nThe following workflows are available:\n\n", "tools")
    return [head(OPENING, "tools"), *shown, opening, own_ones, tail("\n</system-reminder>", "tools")]


def rows(found: Iterable[Skill]) -> list[Segment]:
    """A row for each skill, which ends with the path of its file."""
    parts: list[Segment] = []
    for each in found:
        place = f"{each.row.place}\n  Absolute path: {native(each.row.path or '')}\n"
        parts += [*ROW.segments(each.row), tail(place, "tools")]
    return parts


def called(found: Iterable[Skill], typed: str) -> list[Segment]:
    """What a prompt brings that begins with the name of a skill (wire: skill-call)."""
    word, _, given = typed.partition(" ")
    skill = next((each for each in found if word == f"/{each.name}"), None)
    if skill is None or skill.path is None:
        return []
    given = given.strip()
    opening = (
        f'\n<skill_information>\n<skills_referenced>\n<skill name="{skill.name}" path="{native(skill.path)}"/>\n'
        f'</skills_referenced>\n<skill name="{skill.name}" args="{given}">\n'
    )
    parts: list[Segment] = [head(opening, "runtime", path=skill.path)]
    index, at = LineIndex(skill.text), skill.start
    place = skill.text.find("$ARGUMENTS", skill.start)
    while place >= 0:
        parts += [_stretch(skill, index, at, place), tail(given, "runtime")]
        at = place + len("$ARGUMENTS")
        place = skill.text.find("$ARGUMENTS", at)
    parts.append(_stretch(skill, index, at, len(skill.text)))
    if at == skill.start and given:
        parts.append(tail(f"\n\n**ARGUMENTS:** {given}", "runtime"))
    return [*parts, tail("\n</skill>\n</skill_information>", "runtime")]


def _stretch(skill: Skill, index: LineIndex, start: int, end: int) -> Segment:
    origin = Origin("file", path=skill.path, range=index.range(start, end), again=start > skill.start)
    return Segment("tools", skill.path or "", skill.text[start:end], origin, WHY_CALL, cache="turn")
