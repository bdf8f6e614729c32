"""Skills of Claude Code that a file makes known: those near it, and those whose paths it matches (surfaces, 6)."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code import skill_list
from promptls.harnesses.claude_code.alphabet import alphabet
from promptls.harnesses.claude_code.places import Place
from promptls.harnesses.claude_code.rules import applies
from promptls.harnesses.claude_code.skills import Reader
from promptls.harnesses.shared.paths import is_below, join, parent, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.harnesses.claude_code.blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.skill_list import Entry
    from promptls.harnesses.claude_code.skills import Skill, Skills
    from promptls.harnesses.draft import Draft

WHY = "a file below this directory is read, written or mentioned"
# The tools whose files count; a command does not (case skills-nested-bash).
TOOLS = ("Read", "Edit", "Write")


@dataclass(slots=True)
class Discovery:
    """What becomes known at once: a section for each directory, and lines of the list."""

    notes: list[Block] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    def sections(self) -> list[Block]:
        """All of it as sections of one message (case skills-nested-one-read)."""
        return [*self.notes, *([skill_list.section(self.entries)] if self.entries else [])]


@dataclass(slots=True)
class NestedSkills:
    """The skills that a session has made known so far: each once (captured: skills-nested-many)."""

    draft: Draft
    setup: Setup
    skills: Skills
    visited: set[str] = field(default_factory=set)

    def discover(self, files: Sequence[str], at: str = START) -> Discovery:
        """What the ``files`` that are touched at once make known, at the event ``at``."""
        found = Discovery()
        for path in reversed(files):
            for directory in upwards(parent(path), self.setup.cwd) if is_below(path, self.setup.cwd) else ():
                if directory != self.setup.cwd and directory not in self.visited:
                    self.visited.add(directory)
                    self._near(found, directory, at)
        found.entries += self._conditional(files, at)
        found.entries.sort(key=lambda entry: alphabet(entry.name))
        return found

    def _near(self, found: Discovery, directory: str, at: str) -> None:
        """The skills of one directory, their names in the order of the disk (cases skills-nested-read, -same)."""
        place = Place("nested", join(directory, ".claude", "skills"), directory)
        known = {skill.name: skill for skill in Reader(self.draft, self.setup.host, at).skills(place)}
        below = directory.removeprefix(self.setup.cwd).strip("/")
        names = []
        for entry in self.setup.host.entries(place.directory):
            skill = known.get(entry.name)
            if skill is None:
                continue
            line = skill_list.scoped_entry(self.setup, skill, below, is_taken=self._is_taken(skill.name))
            names.append(line.name)
            self.skills.nested[line.name] = replace(skill, name=line.name)
            if skill.is_for_users_only:
                reason = "disable-model-invocation keeps it from the model"
                self.draft.candidates.append(skill.rule(at).excluded(skill.path, reason))
            elif not skill.patterns:
                found.entries.append(line)
                self._loaded(skill, at)
        if names:
            text = f"New skills discovered in {below}/.claude/skills, now available via the Skill tool:"
            listed = "".join(f"\n- {name}" for name in names)
            origin = Origin("computed", path=place.directory)
            found.notes.append([Segment("tools", f"skills of {below}", f"{text}{listed}", origin, WHY)])

    def _is_taken(self, name: str) -> bool:
        facts = self.setup.facts
        return self.skills.typed(name) is not None or name in {
            each.name for each in (*facts.built_in_skills, *facts.late_skills)
        }

    def _conditional(self, files: Iterable[str], at: str) -> Iterator[Entry]:
        """Skills whose ``paths`` mean one of the files (case skills-paths-read)."""
        touched = list(files)
        for name, skill in (*self.skills.known.items(), *self.skills.nested.items()):
            if not skill.patterns or name in self.skills.active or skill.is_for_users_only:
                continue
            if any(applies(skill.patterns, skill.base, path) for path in touched):
                self.skills.active.add(name)
                self._loaded(skill, at)
                yield skill_list.own_entry(self.setup, skill, skill_list.shown_name(self.setup, self.skills, skill))

    def _loaded(self, skill: Skill, at: str) -> None:
        """At start, the list says what becomes of it."""
        if at != START:
            self.draft.candidates.append(replace(skill.rule(at).loaded(skill.path), faults=skill.faults()))
