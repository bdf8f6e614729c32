"""What viewing a file adds to Copilot CLI's prompt: a user message after the tool's result (6)."""

from __future__ import annotations

from functools import lru_cache

from promptls.core.formats import front_matter
from promptls.core.lazy import regex
from promptls.core.model import Segment
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_cli.files.imports import Expansion, as_sent
from promptls.harnesses.copilot_cli.files.instruction_files import (
    InstructionFile,
    files_of,
    first_match,
    places_in,
    read,
)
from promptls.harnesses.copilot_cli.search import GEMINI, NESTED, Search, written
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import is_below, join, name, parent, upwards
from promptls.kit.segments import escaped, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.glob_index import Rules
    from promptls.harnesses.copilot_cli.files.instruction_files import InstructionsDirectory
    from promptls.kit.draft import Found

# What looks like a token, a password or one in a URL, and what is sent instead (captured: texts with each).
_SECRET = regex(
    r"""\bBearer\s+[^\s;"']+|\b(?i:password|pwd)=(?:"[^"]+"|[^\s;"']+)"""
    r"""|\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[A-Za-z0-9_.~!$&'()*+,;=%-]{1,256}:[A-Za-z0-9_.~!$&'()*+,;=%:-]{0,256}@"""
)
HIDDEN = "******"
WHY_MATCH = "viewing a file that a path pattern matches adds the text of that instructions file"
WHY_NESTED = "viewing a file adds the instruction files in its directory and above it, up to those loaded at start"


def viewed(
    search: Search, scoped: list[InstructionFile], likely: Rules | None, path: str, sent: set[str]
) -> list[Segment]:
    """The user message that a view adds: what is new; nothing where all instructions are off.

    ``likely`` are the numbers in ``scoped`` by path, None where there are none; ``sent`` are the real paths of what
    views have added so far.
    """
    # A link counts where it is itself, and a directory as what its parent holds.
    place = search.host.realpath(parent(path))
    real = join(place, name(path))
    blocks: list[list[Segment]] = []
    is_seen = search.host.kind(real) in ("file", "directory") and is_below(real, search.root)
    if is_seen and not search.is_off:
        view = View(search, sent, real, f"read:{path}")
        blocks = [*view.matching(map(scoped.__getitem__, likely.near(real) if likely else ())), *view.above(place)]
    return [
        replace(segment, text=without_secrets(segment.text)) for block in blocks for segment in (head("\n"), *block)
    ]


@lru_cache(maxsize=256)
def without_secrets(text: str) -> str:
    """A result of a tool, or a reminder, as Copilot CLI sends it (parts: secret-in-reminder)."""
    return _SECRET.sub(HIDDEN, text)


@dataclass(frozen=True, slots=True)
class View:
    """One view of ``path``. ``sent`` holds the real paths of what views have brought so far: each file once."""

    search: Search
    sent: set[str]
    path: str
    at: str

    def matching(self, scoped: Iterable[InstructionFile]) -> Iterator[list[Segment]]:
        """The rows of the table that match, in its order."""
        for each in scoped:
            real = self.search.host.realpath(each.path)
            pattern = None if real in self.sent else first_match(each.scope.patterns, self.path, self.search.root)
            if pattern is not None:
                self.sent.add(real)
                why = f"{WHY_MATCH}: {pattern}"
                rule = Rule(WHY_MATCH, each.origin, at=self.at)
                self.search.draft.candidates.append(rule.loaded(each.path, pattern))
                yield self._reminder(each.shown, self._escaped(each.path, each.found, why))

    def above(self, directory: str) -> Iterator[list[Segment]]:
        """From the file's directory up, ending before what was looked at at start."""
        search = self.search
        at_start = (*search.directories, *search.between)
        for place in upwards(directory, search.root):
            if place in at_start:
                return
            for kind in NESTED:
                yield from self._wrapped_kind(search.spelled(join(place, kind)), imports=kind != GEMINI)
            for each in places_in(place, None):
                for path in files_of(search, each, at=self.at):
                    yield from self._instructions_file(path, each)

    def _wrapped_kind(self, path: str, *, imports: bool) -> Iterator[list[Segment]]:
        """A file of a kind that has a wrapper at start: with its imports, and not if it is blank."""
        search = self.search
        if self._was_sent(path):
            return
        found = search.look(path, WHY_NESTED, at=self.at)
        if found is None:
            return
        if not found.text.strip():
            search.draft.candidates[-1] = replace(search.draft.candidates[-1], outcome="empty", reason="it is empty")
            return
        real = search.host.realpath(path)
        if not is_below(real, search.root):
            reason = "it is a link that leads out of the repository"
            search.draft.candidates[-1] = own(WHY_NESTED, at=self.at).outside(path, reason)
            return
        self.sent.add(real)
        base = parent(real)
        expansion = Expansion(search.draft, search.host, search.root, base, self.at, is_escaped=True, imports=imports)
        text = expansion.segments(path, found, WHY_NESTED)
        yield self._reminder(written(real, search.root), text)

    def _instructions_file(self, path: str, place: InstructionsDirectory) -> Iterator[list[Segment]]:
        """A file of .github/instructions or .claude/rules: if it matches, or is for every file."""
        search = self.search
        if self._was_sent(path):
            return
        scoped = read(search, path, place, WHY_NESTED, at=self.at)
        if scoped is None:
            return
        if not scoped.scope.is_whole and first_match(scoped.scope.patterns, self.path, search.root) is None:
            reason = "no pattern of it matches the file that is viewed"
            search.draft.candidates[-1] = Rule(WHY_NESTED, scoped.origin, at=self.at).unscoped(path, reason)
            return
        self.sent.add(search.host.realpath(path))
        yield self._reminder(self._shown(path), self._escaped(path, scoped.found, WHY_NESTED))

    def _was_sent(self, path: str) -> bool:
        """Whether a view has brought the file already, by whatever link."""
        real = self.search.host.realpath(path)
        if real not in self.sent:
            return False
        rule = own(WHY_NESTED, at=self.at)
        self.search.draft.candidates.append(rule.duplicate(path, "it was sent already", of=real))
        return True

    def _shown(self, path: str) -> str:
        """The real path below the git root (wire: settle-view-links)."""
        return written(self.search.host.realpath(path), self.search.root)

    def _escaped(self, path: str, found: Found, why: str) -> list[Segment]:
        # Of a file without a text of its own, nothing comes but its name and its front matter.
        is_bare = not found.text[front_matter.split(found.text).body :].strip()
        origin = replace(found.origin, again=is_bare)
        return [Segment("instructions", path, escaped(as_sent(found.text)), origin, why, cache="turn", cut=found.cut)]

    def _reminder(self, shown: str, text: list[Segment]) -> list[Segment]:
        return [
            head("<system_reminder>\nCustom instructions from "),
            head(shown, path=text[0].origin.path),
            head(". Apply these to any code you write here:\n\n"),
            *text,
            tail("\n</system_reminder>"),
        ]
