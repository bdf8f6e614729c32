"""gptme's lessons and skills: texts that a word of the prompt brings, and the list of those that have a name.

What says "source" was read in the program's package and not seen on the wire.
"""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.core.model import Cut, Origin, Segment
from promptls.core.text import LineIndex, decode, newlines
from promptls.core.values import dataclass
from promptls.kit.candidates import own
from promptls.kit.named import Named, Row
from promptls.kit.paths import home_or, join, name, native, parent, relative, resolve
from promptls.kit.segments import head, tail
from promptls.kit.yaml_values import PYTHON, is_date, python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Turn
    from promptls.harnesses.gptme.config import Project, User
    from promptls.harnesses.gptme.files import Search

WHY = "gptme looks for lessons and skills here"
ITSELF = "its description is a number, a date or yes or no"
WHY_LESSON = "a word of the prompt brings the lesson"
EXTRA = "GPTME_LESSONS_EXTRA_DIRS"
LIMIT = "gptme lists the first {} characters of a description, and no setting raises that"
ROW = Row("gptme", "skill", WHY, before="- **{name}**: ", after="\n  `{place}`\n")
# What a rule of Cursor that holds always is brought by, too [source: lessons/parser.py].
ALWAYS = ("code", "development", "project")
LEFT_OUT = ("readme.md", "todo.md")
DASHES = "---"
# A limit of ours.
MAX_DEPTH = 32
_TITLE = regex(r"^#\s+(.+)$", re.MULTILINE)
_GLOBS = regex(r"^([^\S\n]*+globs:[^\S\n]*+)(\*[^\"'\n]+)$", re.MULTILINE)
_STAR = regex(r"\\\*")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson or a skill. ``start`` and ``end`` are those of its text in the file."""

    path: str
    text: str
    header: Header
    start: int
    end: int
    skill: str = ""
    keywords: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """What is sent of it."""
        return newlines(self.text[self.start : self.end])


def lessons(search: Search, project: Project, user: User) -> list[Lesson]:
    """All of them, in the order of their places and of the disk; of a name the first counts (wire: lessons, skills)."""
    found: list[Lesson] = []
    seen: set[str] = set()
    for place in _places(search, project, user):
        for path in _files(search.host, place):
            _take(search, place, path, found, seen)
    return found


def _places(search: Search, project: Project, user: User) -> list[str]:
    host, cwd = search.host, search.cwd
    configs = dict.fromkeys((_config(host), join(host.home, ".config/gptme")))
    extra = [each.strip() for each in (host.env.get(EXTRA) or "").split(":") if each.strip()]
    given = [*extra, *(each.text for each in user.lessons), *(each.text for each in project.lessons)]
    return [
        *(join(each, "lessons") for each in configs),
        join(host.home, ".agents/lessons"),
        *(join(each, "skills") for each in configs),
        *(join(host.home, each) for each in (".claude/skills", ".agents/skills")),
        *(join(cwd, each) for each in ("lessons", ".gptme/lessons", "skills", ".gptme/skills", ".cursor")),
        *(home_or(host.home, each) or resolve(cwd, each) for each in given),
    ]


def _config(host: Host) -> str:
    """Gptme's directory, which XDG_CONFIG_HOME moves for these [source: dirs.py]."""
    return join(host.env.get("XDG_CONFIG_HOME") or join(host.home, ".config"), "gptme")


def _files(host: Host, place: str) -> Iterator[str]:
    """Markdown, then rules of Cursor; nothing of hidden directories, and no directory that is a link [source]."""
    walked = [*_walk(host, place, 0)]
    for ending in (".md", ".mdc"):
        for path in walked:
            last = name(path).lower()
            is_other = "worktree/" in path or "/.git/" in path
            if path.endswith(ending) and last not in LEFT_OUT and "template" not in last and not is_other:
                yield path


def _walk(host: Host, directory: str, depth: int) -> Iterator[str]:
    entries = host.entries(directory) if depth < MAX_DEPTH else ()
    yield from (join(directory, each.name) for each in entries if each.name.endswith((".md", ".mdc")))
    for each in entries:
        if each.is_directory and not each.name.startswith("."):
            yield from _walk(host, join(directory, each.name), depth + 1)


def _take(search: Search, place: str, path: str, found: list[Lesson], seen: set[str]) -> None:
    """Add a file, unless one of the same name, below another place or by a link, was found before."""
    host, note = search.host, search.writer.draft.candidates.append
    rule = own(WHY, use="skill")
    contents = host.read(path)
    real, below = host.realpath(path), relative(path, place)
    if contents.state != "file":
        return
    if real in seen or below in seen:
        note(rule.shadowed(path, f"{below} of another place comes first"))
        return
    seen |= {real, below}
    lesson = _parsed(path, decode(contents.data, keep_bom=True))
    named = f"skill {lesson.skill.lower()}" if lesson is not None else ""
    if lesson is None:
        note(rule.failed(path, "its front matter is not valid"))
    elif name(path).upper() == "SKILL.MD" and not lesson.skill and lesson.start:
        note(rule.failed(path, "its front matter has no name"))
    elif lesson.skill and name(path).upper() == "SKILL.MD" and named in seen:
        note(rule.shadowed(path, f"another skill is called {lesson.skill}, and comes first"))
    elif (lesson.header.word("status") or "active") != "active":
        note(rule.excluded(path, "its status is not active"))
    else:
        seen |= {named} if lesson.skill else set()
        found.append(lesson)
        if lesson.skill:
            note(rule.loaded(path))
        elif not lesson.keywords:
            note(rule.unscoped(path, "it has no keywords, and nothing else brings it"))


def _parsed(path: str, text: str) -> Lesson | None:
    """A file; None where its front matter is no YAML. It ends at the next three dashes, wherever these are [source]."""
    end = text.find(DASHES, len(DASHES)) if text.startswith(DASHES) else -1
    if end < 0:
        return Lesson(path, text, Header(text), 0, len(text))
    begin = end + len(DASHES)
    # Patterns without quotes are no aliases [source: _fix_unquoted_globs].
    masked = _GLOBS.sub(lambda found: found[1] + "x" * len(found[2]), text[:end])
    matter = front_matter.between(masked, len(DASHES), end, begin)
    header = Header(text, matter.start, matter.document, begin)
    matched = header.value("match")
    if not header.is_taken(*PYTHON) or (matched is not None and matched.kind != "object"):
        return None
    body = text[begin:].strip()
    start = text.index(body, begin)
    is_rule = path.endswith(".mdc") or header.value("globs") is not None
    listed = matched.get("keywords") if matched is not None and not is_rule else None
    items = () if listed is None else listed.items if listed.kind == "array" else (listed,)
    words = tuple(str(each.data) for each in items if isinstance(each.data, str) and each.data.strip())
    words = ALWAYS if is_rule and header.is_true("alwaysApply") else words
    return Lesson(path, text, header, start, start + len(body), _name(header), words)


def _name(header: Header) -> str:
    """A scalar as Python writes it [source: _frontmatter_name]."""
    value = header.value("name")
    return "" if value is None or value.kind in ("object", "array", "null") else str(python(header, value))


# -- the list ----------------------------------------------------------------------------------------------------------


def list_fails(search: Search, found: Iterable[Lesson]) -> bool:
    """Whether a description has no length: gptme then lists no skill at all (captured: front-forms) [source]."""
    first = next((each for each in listed(found) if _has_no_length(each)), None)
    for each in listed(found) if first is not None else ():
        rule = own(WHY, use="skill")
        says = f"the description of {first.path} is no text" if first is not None and each is not first else ITSELF
        search.writer.draft.candidates.append(rule.failed(each.path, f"{says}, so gptme lists no skill at all"))
    return first is not None


def _has_no_length(skill: Lesson) -> bool:
    value = skill.header.value("description")
    said = python(skill.header, value) if value is not None else None
    return bool(said) and (isinstance(said, int | float) or is_date(skill.header, value))


def listed(found: Iterable[Lesson]) -> list[Lesson]:
    """Those that have a name, sorted by it."""
    return sorted((each for each in found if each.skill), key=lambda each: each.skill)


def rows(search: Search, found: Iterable[Lesson]) -> Iterator[Segment]:
    """The list, with the beginning of a description (wire: skill-long)."""
    most = search.facts.description
    for each in listed(found):
        value = each.header.value("description")
        said = str(python(each.header, value) or "") if value is not None else ""
        kept = most - 3
        words = said if len(said) <= most else f"{said[:kept]}..."
        cut = Cut(kept, len(said), "characters", LIMIT.format(most)) if len(said) > most else None
        origin = Origin("file", path=each.path, range=each.header.range("description"))
        yield from ROW.segments(Named(each.skill, words, each.path, origin, own(WHY, use="skill"), cut=cut))


# -- what a prompt brings ----------------------------------------------------------------------------------------------


def brought(search: Search, found: Iterable[Lesson], turn: Turn, sent: set[str]) -> list[Segment]:
    """The lessons of which a word is in the prompt, those with most of them first (wire: lessons, skill-named)."""
    said = (turn.prompt or "").lower()
    scored = [(_score(each, said), each) for each in found if each.path not in sent]
    chosen = sorted((each for each in scored if each[0]), key=lambda each: -each[0])
    chosen = chosen[: search.facts.lessons - len(sent)]
    parts: list[Segment] = []
    for score, each in chosen:
        sent.add(each.path)
        title = _TITLE.search(each.body)
        about = f"\n## {title[1].strip() if title else 'Untitled'}\n\n*Path: {native(each.path)}*\n"
        about += f"\n*Category: {name(parent(each.path))}*\n\n*Matched by: {int(score)} keyword(s)*\n\n"
        where = Origin("file", path=each.path, range=LineIndex(each.text).range(each.start, each.end))
        parts += [head(about, path=each.path), Segment("instructions", each.path, each.body, where, WHY_LESSON)]
        parts += [tail("\n")]
    for _, each in scored:
        if each.keywords and not each.skill and each.path not in sent:
            rule = own(WHY_LESSON, use="skill")
            search.writer.draft.candidates.append(rule.unscoped(each.path, "none of its keywords is in the prompt"))
    for _, each in chosen:
        search.writer.draft.candidates.append(own(WHY_LESSON, use="skill").loaded(each.path))
    return [head("# Relevant Lessons\n"), *parts] if parts else []


def _score(lesson: Lesson, said: str) -> float:
    """One for each keyword, more for a name; a word may be a part of another one [source: lessons/matcher.py]."""
    score = sum(1.0 for each in lesson.keywords if _has(each.lower().strip(), said))
    skill = lesson.skill.lower()
    named = (skill, skill.replace("-", " "), skill.replace("-", ""))
    return score + (1.5 if skill and any(each in said for each in named) else 0)


def _has(keyword: str, said: str) -> bool:
    if "*" not in keyword or not keyword.strip("*"):
        return bool(keyword.strip("*")) and keyword in said
    return re.search(_STAR.sub(r"\\w*", re.escape(keyword)), said) is not None
