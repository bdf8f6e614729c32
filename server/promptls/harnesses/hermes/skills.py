"""The list of Hermes' skills: of its home and of folders that its settings name, by category.

[source] is the program's package: agent/prompt_builder.py and agent/skill_utils.py.
"""

from __future__ import annotations

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, Cut, Origin
from promptls.kit.candidates import Rule, own
from promptls.kit.configs import strings
from promptls.kit.named import Named, Row, text_at
from promptls.kit.paths import home_or, join, name, parent, relative, resolve
from promptls.kit.segments import head, tail
from promptls.kit.yaml_values import PYTHON, python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Segment
    from promptls.harnesses.hermes.files import Search
    from promptls.kit.configs import Setting

WHY_SKILL = "Hermes lists the skills of ~/.hermes/skills and of skills.external_dirs"
WHY_CATEGORY = "Hermes lists the description of a folder of skills"
WHY_WORDS = "Hermes' own sentences around the list of skills"
DESCRIPTION = "DESCRIPTION.md"
ROW = Row("Hermes", "skill", WHY_SKILL, before="    - {name}: ", after="\n")
LEFT_OUT = {
    *(".git", ".github", ".hub", ".archive", ".venv", "venv", "node_modules", "site-packages", "__pycache__"),
    *(".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
}
DASHES = "---"
_CLOSING = regex(r"[\r\n]---\s*[\r\n]")
SUPPORT = ("references", "templates", "assets", "scripts")
PLATFORMS = {"macos": "darwin", "linux": "linux", "windows": "win32"}
ENVIRONMENTS = ("kanban", "docker", "s6")


def listed(search: Search) -> list[Segment]:
    """The list with its frame; nothing without a skill (wire: skills-places)."""
    skills, words = _found(search)
    if not skills:
        return []
    parts: list[Segment] = []
    for category in sorted(skills):
        about = words.get(category)
        if about is not None:
            parts += [head(f"  {category}: ", "tools", path=about.path), *_words(about), tail("\n", "tools")]
        else:
            parts.append(head(f"  {category}:\n", "tools"))
        seen = set[str]()
        for each in sorted(skills[category], key=lambda skill: skill.name):
            if each.name not in seen:
                seen.add(each.name)
                parts += _row(each)
    own_words = search.writer.own
    return [
        tail("\n\n", "tools"),
        own_words("sentences about skills", why=WHY_WORDS, size=search.facts.about_skills, layer="tools"),
        tail("\n\n<available_skills>\n", "tools"),
        *parts,
        tail("</available_skills>\n\n", "tools"),
        own_words("sentence after the skills", why=WHY_WORDS, size=search.facts.after_skills, layer="tools"),
    ]


def _row(skill: Named) -> list[Segment]:
    return ROW.segments(skill) if skill.words else [head(f"    - {skill.name}\n", "tools", path=skill.path)]


def _words(about: Named) -> list[Segment]:
    row = Row("Hermes", "category", WHY_CATEGORY, before="")
    return [each for each in row.segments(about) if each.text]


def _found(search: Search) -> tuple[dict[str, list[Named]], dict[str, Named]]:
    """The skills of each category, and what is said of it; of a name, those of the home win."""
    skills: dict[str, list[Named]] = {}
    words: dict[str, Named] = {}
    known = set[str]()
    disabled = {each.text: each.origin for each in _strings(search, "disabled")}
    for number, place in enumerate(_places(search)):
        for path in _files(search, place, SKILL_FILE):
            skill = _skill(search, path, disabled)
            if skill is not None and number and skill.name in known:
                says = f"another skill is called {skill.name}"
                search.writer.draft.candidates.append(own(WHY_SKILL, use="skill").shadowed(path, says))
            elif skill is not None:
                parts = relative(path, place).split("/")
                category = "/".join(parts[:-2]) if len(parts) > 2 else parts[0]  # noqa: PLR2004 - folder and file
                skills.setdefault(category, []).append(skill)
                known.add(skill.name)
        for path in _files(search, place, DESCRIPTION):
            about = _about(search, path)
            if about is not None:
                words.setdefault(relative(parent(path), place) if parent(path) != place else "general", about)
    return skills, words


def _places(search: Search) -> Iterator[str]:
    """The folder of the home, and those of skills.external_dirs, relative to the home [source]."""
    host = search.writer.host
    own_place = join(search.home, "skills")
    seen = {host.realpath(own_place)}
    yield own_place
    for each in _strings(search, "external_dirs"):
        place = host.realpath(home_or(host.home, each.text.strip()) or resolve(search.home, each.text.strip()))
        if each.text.strip() and place not in seen and host.kind(place) == "directory":
            seen.add(place)
            yield place


def _strings(search: Search, key: str) -> list[Setting]:
    value = search.setting("skills", key)
    path = join(search.home, "config.yaml")
    return [*strings(path, search.settings, value)] if search.settings is not None else []


def _files(search: Search, place: str, base: str) -> list[str]:
    """The files of this name at any depth, by path; links are followed [source]."""
    host, waiting, found, seen = search.writer.host, [place], list[str](), set[str]()
    while waiting:
        path = waiting.pop()
        real = host.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        names = [each.name for each in host.entries(path)]
        skips = SUPPORT if SKILL_FILE in names else ()
        found += [join(path, base)] if base in names else []
        waiting += [
            join(path, each)
            for each in names
            if each not in LEFT_OUT and each not in skips and host.kind(join(path, each)) == "directory"
        ]
    return sorted(found)


def header_of(text: str) -> Header:
    """The front matter [source: parse_frontmatter]."""
    closing = _CLOSING.search(text, len(DASHES)) if text.startswith(DASHES) else None
    if closing is None:
        return Header(text)
    matter = front_matter.between(text, len(DASHES), closing.start(), closing.end())
    return Header(text, matter.start, matter.document, matter.body)


def fields(front: Header) -> dict[str, object]:
    """The values as Python has them; of what is no YAML, those of its lines (captured: front-forms) [source]."""
    root = front.document.root if front.document is not None else None
    if front.document is None:
        return {}
    if front.is_taken(*PYTHON):
        members = root.members if root is not None else ()
        return {str(key.data): python(front, value) for key, value in members}
    lines = (each.partition(":") for each in front.document.text.strip().split("\n"))
    return {key.strip(): value.strip() for key, colon, value in lines if colon}


def _words_of(said: dict[str, object]) -> str:
    """A description [source: extract_skill_description]."""
    words = said.get("description")
    return str(words).strip().strip("'\"") if words else ""


def _about(search: Search, path: str) -> Named | None:
    rule, note = own(WHY_CATEGORY, use="skill"), search.writer.draft.candidates.append
    text = text_at(search.writer.host, path, rule, note)
    front = header_of(text or "")
    words = _words_of(fields(front))
    if not words:
        return None
    note(rule.loaded(path))
    return Named(name(parent(path)), words, path, Origin("file", path=path, range=front.range("description")), rule)


def _skill(search: Search, path: str, disabled: dict[str, Origin]) -> Named | None:
    """A skill; one for another system or one that is off is left out (wire: skills-places)."""
    rule, note = own(WHY_SKILL, use="skill"), search.writer.draft.candidates.append
    text = text_at(search.writer.host, path, rule, note)
    if text is None:
        return None
    front, folder = header_of(text), name(parent(path))
    said = fields(front)
    called = str(said.get("name", folder))
    off = next((each for each in (called, folder) if each in disabled), None)
    if off is not None:
        note(Rule(WHY_SKILL, disabled[off], "skill").disabled(path, "skills.disabled names it"))
        return None
    if not _is_for_here(search, front):
        note(rule.unscoped(path, "it is for another system"))
        return None
    note(rule.loaded(path))
    words, most, cut = _words_of(said), search.facts.description, None
    if len(words) > most:
        cut = Cut(most - 3, len(words), "characters", f"Hermes lists {most} characters of a description", is_fixed=True)
        words = f"{words[: most - 3]}..."
    origin = Origin("file", path=path, range=front.range("description"))
    return Named(called, words, path, origin, rule, cut=cut)


def _is_for_here(search: Search, front: Header) -> bool:
    """What platforms and environments say; whether a container is used is not known here [source]."""
    platforms = [PLATFORMS.get(each.lower().strip(), each.lower().strip()) for each in front.words("platforms")]
    is_here = not platforms or any(search.writer.host.platform.startswith(each) for each in platforms)
    wanted = [each.lower().strip() for each in front.words("environments") if each.strip()]
    return is_here and (not wanted or any(each not in ENVIRONMENTS for each in wanted))
