"""Skills and commands of Claude Code: which there are, and what their files say (surfaces, 2, 3 and 7).

A command is a skill of one file. Which of them are listed for the model, and in which words, is in skill_list; what
comes with one that is used, in commands.
"""

from __future__ import annotations

from promptls.core.formats.read_again import FrontMatter, read
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE, START, Fault, Origin
from promptls.core.text import LineIndex, decode, early_range
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.rules import scope_of
from promptls.harnesses.claude_code.listing.places import markdown_files, places
from promptls.harnesses.claude_code.setup import is_yes
from promptls.kit import collation
from promptls.kit.candidates import STATE_SAYS, Rule, own
from promptls.kit.javascript import SPACE, as_string
from promptls.kit.paths import join, name, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from promptls.core.formats.read_again import FrontMatter
    from promptls.core.host import Host
    from promptls.harnesses.claude_code.listing.places import Place, Source
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

    Kind = Literal["skill", "command", "workflow"]


SAYS = {
    "skill": "Claude Code looks for skills here",
    "command": "Claude Code looks for commands here",
    "workflow": "Claude Code looks for workflows here",
}


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill or command. ``name`` is how it is called; ``path`` its file, as it was found, with its ``text``.

    The text of one that is only listed may end with its front matter; ``whole`` has all of it.
    ``base`` is where the patterns of its ``paths`` begin; ``root`` is the directory of its plugin.
    """

    name: str
    kind: Kind
    source: Source
    path: str
    text: str
    front: FrontMatter
    base: str
    root: str | None = None

    @property
    def directory(self) -> str:
        """The directory of its file."""
        return parent(self.path)

    @property
    def given_name(self) -> str | None:
        """The ``name`` of a skill's front matter; that of a command has no effect (case commands-names)."""
        return self.value("name") if self.kind == "skill" else None

    @property
    def shown(self) -> str:
        """Its name as users see it (wire: typed-unknown-names)."""
        return self.given_name or self.name

    @property
    def is_for_users_only(self) -> bool:
        """It is not listed for the model, which cannot call it (cases skills-front-matter, skill-tool-dmi)."""
        return is_yes(self.value("disable-model-invocation") or "")

    @property
    def is_for_users(self) -> bool:
        """Whether it may be typed (case skill-typed-not-user-invocable)."""
        given = self.value("user-invocable")
        return given is None or is_yes(given)

    @property
    def is_forked(self) -> bool:
        """Whether a sub-agent gets its text (cases skill-typed-fork, skill-tool-fork)."""
        return self.value("context") == "fork"

    @property
    def patterns(self) -> tuple[str, ...]:
        """The files that it is for; () for one that is always there (case skills-paths-read)."""
        return scope_of(self.text).patterns if self.front.get("paths") is not None else ()

    def value(self, key: str) -> str | None:
        """A scalar of its front matter as text; None for everything else (captured: skills-yaml-types)."""
        value = self.front.get(key)
        return as_string(value) if value is not None else None

    def whole(self, host: Host) -> Skill:
        """The same with all of its text, as long as it can be read."""
        if self.kind == "workflow":  # a script, which has been read
            return self
        contents = host.read(self.path)
        text = decode(contents.data, keep_bom=False) if contents.state == "file" else self.text
        return replace(self, text=text, front=read(text))

    def origin(self, start: int, end: int) -> Origin:
        """A stretch of its file, by offsets."""
        return Origin("file", path=self.path, range=early_range(self.text, start, end))

    def faults(self) -> tuple[Fault, ...]:
        """Front matter that cannot be read, and so has no effect."""
        if not self.front.unread:
            return ()
        where = LineIndex(self.text).range(self.front.start, self.front.end)
        return (Fault("front-matter-invalid", where, "This is not valid YAML, so Claude Code ignores all of it."),)

    def rule(self, at: str = START) -> Rule:
        """Why Claude Code looks at its file."""
        return rule_of(self.kind, self.path, at)


@dataclass(slots=True)
class Skills:
    """All skills and commands that count, a name once, in the order of the list (surfaces, 2).

    ``scoped`` are those of --add-dir whose name is taken: the list has them under another name. ``displays`` are the
    names of front matter that the list shows. ``nested`` are those that files have made known since; ``active`` names
    those whose ``paths`` mean a file that was touched. ``behind`` are those that are listed for the model, where the
    one of their name is for users only (wire: skill-of-one-name); ``order`` has these and the known ones in order.
    ``typable`` has each file once, those whose name is taken, too: what is said of an unknown command names them all.
    ``used`` names those that were typed, once for each time.
    """

    known: dict[str, Skill] = field(default_factory=dict)
    scoped: list[Skill] = field(default_factory=list)
    displays: set[str] = field(default_factory=set)
    nested: dict[str, Skill] = field(default_factory=dict)
    active: set[str] = field(default_factory=set)
    behind: dict[str, Skill] = field(default_factory=dict)
    order: list[Skill] = field(default_factory=list)
    typable: list[Skill] = field(default_factory=list)
    used: list[str] = field(default_factory=list)

    def counts(self, skill: Skill) -> bool:
        """Whether a skill is typed or listed by its name."""
        return self.known.get(skill.name) is skill or self.behind.get(skill.name) is skill

    def called(self, name: str) -> Skill | None:
        """The skill or command of a name."""
        return self.known.get(name) or self.nested.get(name)

    def typed(self, name: str) -> Skill | None:
        """The one that is typed by a name; one with ``paths`` is known only once a file of theirs was touched."""
        found = self.find(name)
        return None if found is not None and found.patterns and found.name not in self.active else found

    def find(self, wanted: str) -> Skill | None:
        """The skill that goes by a name, or by the ``name`` of its front matter (case skill-tool-display-name)."""
        named = (skill for skill in self.known.values() if skill.given_name == wanted)
        return self.called(wanted) or next(named, None)


def rule_of(kind: Kind, path: str, at: str = START) -> Rule:
    """Why Claude Code looks at a file."""
    return Rule(SAYS[kind], Origin("file", path=path), "command" if kind == "command" else "skill", at)


def find_skills(draft: Draft, setup: Setup, others: Iterable[Skill] = ()) -> Skills:
    """Skills by their places, then all commands in one alphabet, then ``others`` (case skills-source-order)."""
    found = Skills()
    files = SameFiles(setup.host)
    reader = Reader(draft, setup.host)
    skills = [skill for place in places(setup, "skills") for skill in reader.skills(place)]
    commands = [command for place in places(setup, "commands") for command in reader.commands(place)]
    # Of one name that of the stronger place comes first.
    commands.sort(key=lambda command: collation.key(command.name))
    for skill in (*skills, *commands, *others):
        taken = found.known.get(skill.name)
        same = files.find(skill.path)
        if same is not None:
            # (case skills-symlinks)
            draft.candidates.append(skill.rule().duplicate(skill.path, "it is the same file", of=same))
            continue
        found.typable.append(skill)
        if taken is None:
            found.known[skill.name] = skill
            files.add(skill.path)
        elif taken.patterns and not skill.patterns:
            # One that is for some files takes no name (wire: skill-of-one-name).
            del found.known[skill.name]
            found.known[skill.name] = skill
            files.add(skill.path)
            draft.candidates.append(taken.rule().shadowed(taken.path, _comes_first(skill), by=skill.path))
        elif taken.is_for_users_only and not skill.is_for_users_only and skill.name not in found.behind:
            found.behind[skill.name] = skill
            files.add(skill.path)
        elif skill.source == "add-dir" and skill.kind == "skill":
            found.scoped.append(skill)
            files.add(skill.path)
        else:
            # (cases skills-nearest, commands-clash-builtin; captured: skills-clash, skills-managed)
            draft.candidates.append(skill.rule().shadowed(skill.path, _comes_first(taken), by=taken.path))
    found.order = [skill for skill in (*skills, *commands, *others) if found.counts(skill)]
    return found


def _comes_first(skill: Skill) -> str:
    return f"the {skill.kind} {skill.name} of {skill.path} comes first"


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads skills and commands; what is none, it names in the draft. ``at`` is the event that makes it look."""

    draft: Draft
    host: Host
    at: str = START

    def skills(self, place: Place) -> list[Skill]:
        """The skills of one directory, in alphabetical order: each is a directory with a SKILL.md (surfaces, 2)."""
        found: list[Skill] = []
        for entry in self.host.entries(place.directory):
            path = join(place.directory, entry.name)
            if entry.is_directory or (entry.is_link and self.host.kind(path) == "directory"):
                found += self.file("skill", place, entry.name, join(path, SKILL_FILE))
            elif entry.name.endswith(".md"):
                rule = self._rule("skill", path)
                self.draft.candidates.append(rule.failed(path, f"a skill is a directory with {SKILL_FILE}"))
        return sorted(found, key=lambda skill: collation.key(skill.name))

    def commands(self, place: Place) -> Iterator[Skill]:
        """The commands of one directory: ``a/b.md`` is ``a:b``, ``foo/SKILL.md`` is ``foo`` (case commands-names)."""
        files = list(markdown_files(self.host, place.directory))
        skills = {below for below, path in files if below and name(path) == SKILL_FILE}
        for below, path in files:
            if below not in skills:
                words = (*below, name(path).removesuffix(".md"))
                yield from self.file("command", place, ":".join(words), path)
            elif name(path) == SKILL_FILE:
                yield from self.file("command", place, ":".join(below), path)
            else:
                rule = self._rule("command", path)
                self.draft.candidates.append(rule.excluded(path, f"{SKILL_FILE} beside it is the only command here"))

    def file(self, kind: Kind, place: Place, called: str, path: str) -> Iterator[Skill]:
        """The skill of one file, if that can be read."""
        contents = self.host.head(path)
        if contents.state == "file":
            text = decode(contents.data, keep_bom=False)
            skill = Skill(called, kind, place.source, path, text, read(text), place.base)
            # Without a description its body has one.
            yield skill if (skill.value("description") or "").strip(SPACE) else skill.whole(self.host)
        elif contents.state != "missing":
            rule = self._rule(kind, path)
            self.draft.candidates.append(rule.failed(path, STATE_SAYS[contents.state], state=contents.state))

    def _rule(self, kind: Kind, path: str) -> Rule:
        return rule_of(kind, path, self.at)


# -- workflows: scripts whose meta the list of skills has; none is run (surfaces, 2) -----------------------------------

_META = regex(r"\bmeta\s*=\s*\{")
# A key with a plain string in quotes.
_PAIR = regex(r"""\b(name|description)["']?\s*:\s*(["'`])((?:(?!\2)[^\\\n])*)\2""")


def workflows(draft: Draft, setup: Setup) -> list[Skill]:
    """``.claude/workflows/*.js``, by the ``name`` and ``description`` of their ``meta`` (case all-surfaces)."""
    found: list[Skill] = []
    for place in places(setup, "workflows"):
        for entry in setup.host.entries(place.directory):
            path = join(place.directory, entry.name)
            contents = setup.host.read(path) if entry.name.endswith(".js") else None
            if contents is None or contents.state != "file":
                continue
            text = decode(contents.data, keep_bom=False)
            values = replace(EMPTY, members=tuple(meta(text)))
            called = values.text("name")
            if called:
                front = FrontMatter(Document(text, values, None), body=len(text))
                found.append(Skill(called, "workflow", place.source, path, text, front, place.base))
            else:
                rule = own("Claude Code looks for workflows here", use="skill")
                draft.candidates.append(rule.failed(path, "promptls finds no name in its meta"))
    return sorted(found, key=lambda skill: collation.key(skill.name))


def meta(text: str) -> Iterator[tuple[Value, Value]]:
    """The name and description of a script, with their places."""
    begins = _META.search(text)
    # Where it does not end, nothing is looked at.
    for pair in _PAIR.finditer(text, begins.end(), text.find("}", begins.end())) if begins else ():
        yield (
            Value("string", pair.start(1), pair.end(1), pair[1]),
            Value("string", pair.start(3), pair.end(3), pair[3]),
        )


class SameFiles:
    """Paths, to find the one that leads, by links, to the same file as another: links are resolved only in doubt."""

    __slots__ = ("_by_place", "_host")

    def __init__(self, host: Host) -> None:
        """Without any path yet."""
        self._host = host
        self._by_place: dict[object, list[str]] = {}

    def add(self, path: str) -> None:
        """Add a path, of a file that is there."""
        self._by_place.setdefault(self._host.place(path), []).append(path)

    def find(self, path: str) -> str | None:
        """The path that was added first of those to the same file; None if there is none."""
        others = self._by_place.get(self._host.place(path), ())
        return next((other for other in others if self._host.is_same(other, path)), None)
