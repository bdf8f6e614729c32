"""Skills that Grok Build lists later: those whose ``paths`` mean a file that is touched, and those on the way to it.

Which files are touched: those that a tool reads or changes; not those that it lists, searches or that a command names.
"""

from __future__ import annotations

from functools import lru_cache

from promptls.core.formats.patterns import ignoring
from promptls.core.model import Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.harnesses.grok_build.listing import OPENING, WHY, Skill, commands, files, rows, skill_at
from promptls.kit.candidates import own
from promptls.kit.named import take
from promptls.kit.paths import is_below, join, parent, relative, resolve, upwards
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Call
    from promptls.harnesses.grok_build.files import Search
    from promptls.harnesses.grok_build.versions import Facts

# Of these programs are skills and commands below the working directory (seen by a capture).
NESTED = ("grok", "agents", "claude")
TOUCHING = {"read_file": "target_file", "search_replace": "file_path", "write": "file_path"}


@dataclass(slots=True)
class Skills:
    """The skills of a session by name; ``listed``: names that the model has been told."""

    search: Search
    facts: Facts
    known: dict[str, Skill]
    listed: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def at_start(self) -> list[Skill]:
        """Those that are for all files."""
        return self._listed([each for each in self.known.values() if not each.patterns])

    def callable(self) -> list[Skill]:
        """Those that can be typed: that of another name is text (seen by a capture)."""
        return [each for each in self.known.values() if each.name in self.listed]

    def brought(self, step: tuple[Call, ...]) -> list[Segment]:
        """The message that follows the results of a step; nothing where nothing new is listed (seen by a capture)."""
        touched = {path: call.at for call in step if (path := self._touched(call)) is not None}
        found = [each for each in self.known.values() if each.name not in self.listed and self._is_for(each, touched)]
        found += [each for path, at in touched.items() for each in self._on_the_way(path, at)]
        if not found:
            return []
        return [head(OPENING, "tools"), *rows(self._listed(found)), tail("</system-reminder>", "tools")]

    def _listed(self, found: list[Skill]) -> list[Skill]:
        self.listed.update(each.name for each in found)
        return found

    def _touched(self, call: Call) -> str | None:
        host = self.search.writer.host
        path = call.read or resolve(self.search.writer.cwd, text(call, TOUCHING.get(call.tool, "")) or ".")
        if call.tool == "write":
            return path
        contents = host.read(path)
        if contents.state != "file":
            return None
        is_there = call.tool != "search_replace" or text(call, "old_string") in decode(contents.data, keep_bom=False)
        return path if is_there else None

    def _is_for(self, skill: Skill, touched: dict[str, str]) -> bool:
        cwd = self.search.writer.cwd
        at = next((at for path, at in touched.items() if is_for(skill.patterns, path, cwd)), None)
        if at is not None:
            self.search.writer.draft.candidates.append(own(WHY, use="skill", at=at).loaded(skill.path))
        return at is not None

    def _on_the_way(self, path: str, at: str) -> Iterator[Skill]:
        """New ones of the directories of a file, the nearest first; those with ``paths`` wait for the next file."""
        search, top = self.search, self.search.root or self.search.writer.cwd
        ways = upwards(parent(path), top) if is_below(path, top) else ()
        for directory in (each for each in ways if each not in {*search.places, *self.seen}):
            self.seen.add(directory)
            places = [join(directory, f".{each}") for each in NESTED if each == "grok" or _is_on(search, each)]
            found = [each for place in places for each in files(search, join(place, "skills"))]
            found += [each for place in places for each in commands(search, join(place, "commands"))]
            for skill in (skill_at(search, self.facts, each, at) for each in found):
                if skill is not None:
                    take(self.known, skill, search.writer.draft.candidates.append)
                    yield from [skill] if self.known[skill.name] is skill and not skill.patterns else []


def _is_on(search: Search, program: str) -> bool:
    return program == "agents" or search.is_on(program, "skills")


def is_for(patterns: tuple[str, ...], path: str, cwd: str) -> bool:
    """Whether patterns as in .gitignore, from the working directory on, mean a file below it."""
    return bool(patterns) and is_below(path, cwd) and bool(_spec(patterns).match_file(relative(path, cwd)))


@lru_cache(maxsize=256)
def _spec(patterns: tuple[str, ...]):  # type: ignore[no-untyped-def] # noqa: ANN202 - imported late
    return ignoring(patterns)
