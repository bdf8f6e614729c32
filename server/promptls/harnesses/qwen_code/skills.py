"""The skills of Qwen Code: where they are, which one of a name counts, and how they are listed.

(source: skill-manager, environmentContext)
"""

from __future__ import annotations

from promptls.core.formats.patterns import alternatives, path_matcher
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE
from promptls.core.values import dataclass, field, replace
from promptls.kit import collation
from promptls.kit.candidates import Rule, own
from promptls.kit.javascript import as_string
from promptls.kit.named import Named, Row, take, text_at
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.segments import elided, escaped, head, tail
from promptls.kit.skill_headers import said_in, skill_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.header import Header
    from promptls.core.model import Call, Segment
    from promptls.harnesses.qwen_code.context import Search
    from promptls.kit.configs import Setting

WHY = "Qwen Code lists the skills of .qwen and .agents, of the working directory and then of the user"
WHY_INTRO = "Qwen Code says how a skill is called"
WHY_TOUCHED = "Qwen Code lists a skill with paths when a tool first touches a file that they match"
WRONG = "it has no name or no description that Qwen Code takes, so it is left out"
BROKEN = "its front matter cannot be read, so it is left out"
HIDDEN = "disable-model-invocation is true, so it is not listed"
SAFE = "--safe-mode leaves it out"
WHY_LEVEL, WHY_OFF = "skills.disabledLevels has {}", "skills.disabled has its name"
FOLDERS = (".qwen", ".agents")
PROJECT, USER, BUNDLED = "project", "user", "bundled"
RULE = own(WHY, use="skill")
_NAME = regex(r"[\w:.-]+")
_INSTALLING = regex(r"\.(?:backup|installing)-\d+-\d+$")


ROW = Row(
    "Qwen Code",
    "skill",
    "",
    before="<skill>\n<name>\n{name}\n</name>\n<description>\n",
    after=" ({place})\n</description>\n<location>\n{place}\n</location>\n</skill>",
    escaped=escaped,
    between="\n",
)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill. ``named.place`` is its level. ``short`` are its words where there are too many of all."""

    named: Named
    short: str
    patterns: tuple[str, ...] = ()
    is_hidden: bool = False

    @property
    def name(self) -> str:
        """How it is called."""
        return self.named.name

    @property
    def path(self) -> str | None:
        """Its file; None where the program brings it."""
        return self.named.path

    @property
    def rule(self) -> Rule | None:
        """Why its file is read."""
        return self.named.rule


@dataclass(slots=True)
class Skills:
    """Those that are listed, and those with paths that no tool has touched yet."""

    search: Search
    listed: list[Named]
    waiting: list[Skill] = field(default_factory=list)

    def list_segments(self) -> list[Segment]:
        """The list that begins the first message (captured: skills)."""
        intro = elided(
            "tools", "Qwen Code", "introduction of skills", why=WHY_INTRO, size=self.search.facts.skills_intro
        )
        before, after = head("<system-reminder>\n", "tools"), "\n</available_skills>\n</system-reminder>"
        rows = ROW.rows(self.listed)
        return [before, intro, tail("\n\n<available_skills>\n", "tools"), *rows, tail(after, "tools")]

    def reminder(self, touched: str | None, call: Call) -> list[Segment]:
        """What a call adds to its result (captured: skills-on-read)."""
        found = [each for each in self.waiting if touched is not None and self._matches(each, touched)]
        self.waiting = [each for each in self.waiting if each not in found]
        for each in found:
            self.search.draft.candidates.append(Rule(WHY_TOUCHED, RULE.origin, "skill", at=call.at).loaded(each.path))
        if not found:
            return []
        why, size = WHY_TOUCHED, self.search.facts.skills_on_read
        intro = elided("tools", "Qwen Code", "introduction of skills", why=why, size=size)
        rows = ROW.rows([each.named for each in _in_order(found)])
        return [intro, tail("\n<available_skills>\n", "tools"), *rows, tail("\n</available_skills>", "tools")]

    def name_rest(self) -> None:
        """The skills that no message has."""
        for each in self.waiting:
            self.search.draft.candidates.append(own(WHY_TOUCHED, use="skill").unscoped(each.path))

    def _matches(self, skill: Skill, path: str) -> bool:
        if not is_below(path, self.search.cwd):
            return False
        subject = path[len(self.search.cwd) :].lstrip("/")
        every = (each for pattern in skill.patterns for each in alternatives(pattern) or ())
        return any(path_matcher(each, dot=True)(subject) for each in every)


def find(search: Search, *, is_safe: bool) -> Skills:
    """All skills, of a name the first: of the project, of the user, then what Qwen Code brings (captured: skills)."""
    by_name: dict[str, Skill] = {}
    levels = {each.text for each in search.setup.settings.all_strings("skills.disabledLevels")}
    for level, directory in _places(search):
        for skill in filter(None, (_skill(search, path, level) for path in _files(search, directory))):
            if is_safe or level in levels:
                search.draft.candidates.append(RULE.disabled(skill.path, SAFE if is_safe else WHY_LEVEL.format(level)))
            else:
                take(by_name, skill, search.draft.candidates.append)
    if is_safe or BUNDLED not in levels:
        brought = (Named(name, size=size, place=BUNDLED) for name, size in search.facts.built_in_skills.items())
        by_name = {each.name: Skill(each, "") for each in brought} | by_name
    off = [] if is_safe else search.setup.settings.all_strings("skills.disabled")
    usual = _in_order([each for each in by_name.values() if _is_listed(search, each, off)])
    always = [each for each in usual if not each.patterns]
    return Skills(search, _fitting(search, always), [each for each in usual if each.patterns])


def _is_listed(search: Search, skill: Skill, off: list[Setting]) -> bool:
    """Whether it is listed at once or later; that is noted."""
    is_off = skill.name.lower() in {each.text.strip().lower() for each in off}
    if skill.path is not None and is_off:
        search.draft.candidates.append(RULE.disabled(skill.path, WHY_OFF))
    elif skill.path is not None and skill.is_hidden:
        search.draft.candidates.append(RULE.excluded(skill.path, HIDDEN))
    elif skill.path is not None and not skill.patterns:
        search.draft.candidates.append(RULE.loaded(skill.path))
    return not is_off and not skill.is_hidden


def _fitting(search: Search, found: list[Skill]) -> list[Named]:
    """All of them; where that is too much, those that it does not bring with the first line of their descriptions."""
    rows = [each.named for each in found]
    if sum(map(ROW.size, rows)) + len(rows) - 1 <= search.facts.skills_room:
        return rows
    return [each.named if each.path is None else replace(each.named, words=each.short) for each in found]


def _in_order(found: list[Skill]) -> list[Skill]:
    return sorted(found, key=lambda each: collation.key(each.name))


def _places(search: Search) -> Iterator[tuple[str, str]]:
    """The folders, also of a project that is not trusted (captured: skills-not-trusted)."""
    if search.cwd != search.host.home:
        yield from ((PROJECT, join(search.cwd, each, "skills")) for each in FOLDERS)
    yield USER, join(search.setup.directory, "skills")
    yield USER, join(search.host.home, FOLDERS[1], "skills")
    for each in search.setup.settings.all_strings("skills.directories"):
        home = search.host.home + each.text[1:] if each.text.startswith("~") else each.text
        yield USER, resolve(search.cwd, home)


def _files(search: Search, directory: str) -> Iterator[str]:
    for entry in sorted(search.host.entries(directory), key=lambda each: each.name):
        path = join(directory, entry.name, SKILL_FILE)
        if not _INSTALLING.search(entry.name) and search.host.kind(path) == "file":
            yield path


def _skill(search: Search, path: str, level: str) -> Skill | None:
    """A skill; None without a name and a description (captured: skills)."""
    note = search.draft.candidates.append
    text = text_at(search.host, path, RULE, note)
    if text is None:
        return None
    header = skill_header(text, mends=True)
    if header is None:
        note(RULE.failed(path, BROKEN))
        return None
    name, said = _word(header, "name"), _word(header, "description")
    if not _NAME.fullmatch(name) or not said.strip():
        note(RULE.failed(path, WRONG))
        return None
    later = header.value("when_to_use")
    words = f"{said} — {later.data}" if later is not None and isinstance(later.data, str) and later.data else said
    paths = header.value("paths")
    patterns = tuple(filter(None, map(str.strip, header.words("paths")))) if paths is not None else ()
    is_hidden = _word(header, "disable-model-invocation") == "true"
    named = Named(name, words, path, said_in(path, header, "description"), RULE, place=level)
    return Skill(named, said.split("\n")[0].strip(), patterns, is_hidden)


def _word(header: Header, key: str) -> str:
    value = header.value(key)
    return as_string(value) or "" if value is not None else ""
