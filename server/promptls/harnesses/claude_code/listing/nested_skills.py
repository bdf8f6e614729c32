"""Skills of Claude Code that a file makes known: those near it, and those whose paths it matches (surfaces, 6)."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.rules import applies
from promptls.harnesses.claude_code.listing import skill_list
from promptls.harnesses.claude_code.listing.places import Place
from promptls.harnesses.claude_code.listing.skills import Reader
from promptls.kit import collation
from promptls.kit.paths import is_below, join, parent, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.harnesses.claude_code.listing.skill_list import Entry
    from promptls.harnesses.claude_code.listing.skills import Skill, Skills
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

WHY = "a file below this directory is read, written or mentioned"
# The tools whose files count; a command does not (case skills-nested-bash).
TOOLS = ("Read", "Edit", "Write")


@dataclass(slots=True)
class Discovery:
    """What becomes known at once: a section for each directory, and lines of the list."""

    notes: list[Block] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    def sections(self, setup: Setup) -> list[Block]:
        """All of it as sections of one message; the limit of the list is this one's, too.

        (case skills-nested-one-read; captured: nested-of-one-name)
        """
        entries = skill_list.within_budget(setup, self.entries)
        return [*self.notes, *([skill_list.section(entries)] if entries else [])]


@dataclass(frozen=True, slots=True)
class _Near:
    """A skill below the working directory: ``below`` is where, relative to that; ``shown`` is its name so far."""

    skill: Skill
    below: str
    shown: str


@dataclass(slots=True)
class NestedSkills:
    """The skills that a session has made known so far: each once (captured: skills-nested-many)."""

    draft: Draft
    setup: Setup
    skills: Skills
    visited: set[str] = field(default_factory=set)
    # Directories whose skills are listed already; another process names them once more (requests: resume-again).
    listed: set[str] = field(default_factory=set)
    # By the names of their directories.
    near: dict[str, list[_Near]] = field(default_factory=dict)
    # The lines of all that the running process has found.
    lines: list[Entry] = field(default_factory=list)

    def known_before(self) -> Discovery:
        """The lines of all skills that were found so far, as a sub-agent is told at start.

        It knows nothing of what an earlier process has found (captured: compact-then-subagent).
        """
        paths = {line.skill.path for line in self.lines if line.skill is not None}
        self.near = {name: [each for each in some if each.skill.path in paths] for name, some in self.near.items()}
        places = {parent(parent(each.skill.path)) for some in self.near.values() for each in some}
        self.listed &= places
        known = {line.skill.path: line for line in self.lines if line.skill is not None}
        # What an earlier process has found is new to it (captured: compact-then-subagent).
        gone = {near.skill.path for some in self.near.values() for near in some} - known.keys()
        self.near = {name: [near for near in some if near.skill.path not in gone] for name, some in self.near.items()}
        self.listed -= {parent(parent(path)) for path in gone}
        return Discovery(
            entries=sorted(known.values(), key=lambda line: (collation.key(line.name), collation.key(line.shown)))
        )

    def discover(self, files: Sequence[str], at: str = START) -> Discovery:
        """What the ``files`` that are touched at once make known, at the event ``at``.

        The program looks for all of them at once, so that the order of the directories may differ.
        """
        found = Discovery()
        places: list[tuple[Place, str, list[Skill]]] = []
        for path in files:
            for directory in upwards(parent(path), self.setup.cwd) if is_below(path, self.setup.cwd) else ():
                if directory != self.setup.cwd and directory not in self.visited:
                    self.visited.add(directory)
                    places += self._read(directory, at)
        for place, below, skills in places:
            is_new = place.directory not in self.listed
            self.listed.add(place.directory)
            for skill in skills if is_new else ():
                self.near.setdefault(skill.name, []).append(_Near(skill, below, ""))
        for place, below, skills in places:
            found.notes.append(_note(place, below, [self._name(skill.name, below) for skill in skills]))
        lines = [
            ((collation.key(name), collation.key(below)), line)
            for name in self.near
            for below, line in self._lines(name, at)
        ]
        lines += [((collation.key(line.name), collation.key("")), line) for line in self._conditional(files, at)]
        found.entries = [line for _, line in sorted(lines, key=lambda each: each[0])]
        self.lines += found.entries
        return found

    def again(self, files: Sequence[str], *, is_typed: bool) -> list[Entry]:
        """The lines that the list has of them after a compaction, which sends ``files`` again.

        Those of directories that the running process has looked at, and those near these files (captured: compact-*);
        where it is typed, it then knows these, too (seen by verify).
        """
        lines = []
        for near in (each for name in self.near for each in self.near[name] if each.shown):
            directory, skill = join(self.setup.cwd, near.below), near.skill
            is_here = directory in self.visited or any(is_below(path, directory) for path in files)
            if is_here and is_typed:
                self.visited.add(directory)
            if is_here and not skill.is_for_users_only and not skill.patterns:
                is_taken = self._is_taken(skill.name)
                line = skill_list.scoped_entry(self.setup, skill, near.below, near.shown, is_taken=is_taken)
                lines.append(((collation.key(skill.name), collation.key(near.below)), line))
        for name in self.skills.active:
            own = self.skills.known.get(name) or self.skills.nested.get(name)
            if own is not None and any(applies(own.patterns, own.base, path) for path in files):
                line = skill_list.own_entry(self.setup, own, skill_list.shown_name(self.setup, self.skills, own))
                lines.append(((collation.key(name), collation.key("")), line))
        return [line for _, line in sorted(lines, key=lambda each: each[0])]

    def _read(self, directory: str, at: str) -> Iterator[tuple[Place, str, list[Skill]]]:
        """The skills of one directory in the order of the disk (cases skills-nested-read, -same)."""
        place = Place("nested", join(directory, ".claude", "skills"), directory)
        known = {skill.name: skill for skill in Reader(self.draft, self.setup.host, at).skills(place)}
        skills = [known[entry.name] for entry in self.setup.host.entries(place.directory) if entry.name in known]
        if skills:
            yield place, directory.removeprefix(self.setup.cwd).strip("/"), skills

    def _name(self, name: str, below: str) -> str:
        """Its name, with its directory where another skill has it (captured: nested-of-one-name)."""
        return f"{below}:{name}" if self._is_taken(name) or len(self.near[name]) > 1 else name

    def _lines(self, name: str, at: str) -> Iterator[tuple[str, Entry]]:
        """Where the skills of a name are that are new, or have another name now, and their lines."""
        for number, near in enumerate(self.near[name]):
            skill, shown = near.skill, self._name(name, near.below)
            if near.shown == shown:
                continue
            self.near[name][number] = replace(near, shown=shown)
            self.skills.nested.pop(near.shown, None)
            self.skills.nested[shown] = replace(skill, name=shown)
            if skill.is_for_users_only:
                reason = "disable-model-invocation keeps it from the model"
                self.draft.candidates.append(skill.rule(at).excluded(skill.path, reason))
            elif not skill.patterns:
                is_taken = self._is_taken(name)
                yield near.below, skill_list.scoped_entry(self.setup, skill, near.below, shown, is_taken=is_taken)
                if not near.shown:
                    self._loaded(skill, at)

    def _is_taken(self, name: str) -> bool:
        own = self.skills.known.get(name)
        return (own is not None and (not own.patterns or name in self.skills.active)) or name in {
            each.name for each in self.setup.own_skills
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


def _note(place: Place, below: str, names: Iterable[str]) -> Block:
    """What names the skills of one directory."""
    text = f"New skills discovered in {below}/.claude/skills, now available via the Skill tool:"
    listed = "".join(f"\n- {name}" for name in names)
    return [Segment("tools", f"skills of {below}", f"{text}{listed}", Origin("computed", path=place.directory), WHY)]
