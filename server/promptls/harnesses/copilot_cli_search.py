"""What every part of Copilot CLI's prompt is looked for with: names, files found so far, and what is not read."""

from __future__ import annotations

from promptls.core.model import START, Candidate, Origin
from promptls.core.values import dataclass, field
from promptls.harnesses.base import elided, look_for_text
from promptls.harnesses.paths import join, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses import scopes
    from promptls.harnesses.base import Draft, Found

AGENTS, CLAUDE, GEMINI = "AGENTS.md", "CLAUDE.md", "GEMINI.md"
COPILOT = ".github/copilot-instructions.md"
INSTRUCTIONS = ".github/instructions"
SUFFIX = ".instructions.md"
DIRECTORIES = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS"
OFF = "--no-custom-instructions"

NOT_SEEN = "was not seen on the wire"


@dataclass(slots=True)
class Search:
    """What every part of the search needs, and what it has found so far."""

    draft: Draft
    host: Host
    cwd: str
    root: str
    is_off: bool
    # Text to the first file that has it: the same text is sent once (wire: identical-content-dedupe, symlink).
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> str:
        """Copilot's own directory; COPILOT_HOME is documented to move it."""
        return self.host.env.get("COPILOT_HOME") or join(self.host.home, ".copilot")

    @property
    def directories(self) -> tuple[str, ...]:
        """The git root and the working directory; one where they are the same (wire: no-git)."""
        return tuple(dict.fromkeys((self.root, self.cwd)))

    @property
    def between(self) -> tuple[str, ...]:
        """The directories between the two, nearest to the working directory first."""
        return tuple(place for place in upwards(self.cwd, self.root) if place not in self.directories)

    def find(self, path: str, why: str, *, at: str = START, once: bool = True) -> Found | None:
        """The file at ``path`` if its text is to be sent; ``once``: not a text that was sent already."""
        origin = Origin("computed", name=why)
        if self.is_off:
            if self.host.kind(path) is not None:
                option = Origin("argument", name=OFF)
                self.draft.candidates.append(Candidate("disabled", f"{OFF} turns it off", option, path=path, at=at))
            return None
        found = look_for_text(self.host, path, why=why, origin=origin, keep_bom=True, at=at)
        first = self.texts.get(found.text) if once and found.text else None
        if first is not None:
            says = f"{why}: {first} has the same text, which is sent once"
            again = Candidate("duplicate", says, origin, path=path, at=at, other=first)
            self.draft.candidates.append(again)
            return None
        self.draft.candidates.append(found.candidate)
        if not found.text:
            return None
        if once:
            self.texts[found.text] = path
        return found

    def note(self, says: str) -> None:
        """Say something about the whole prompt, once."""
        if says not in self.draft.notes:
            self.draft.notes.append(says)


@dataclass(frozen=True, slots=True)
class Scoped:
    """An instructions file with patterns: sent when a matching file is viewed."""

    path: str
    header: scopes.Header
    found: Found

    @property
    def patterns(self) -> tuple[str, ...]:
        """Its patterns."""
        return self.header.patterns("applyTo")

    @property
    def origin(self) -> Origin:
        """What decides over it: the patterns, in their place."""
        name = self.header.word("applyTo")
        return Origin("config", path=self.path, range=self.header.range("applyTo"), name=name)


def name_not_read(search: Search, path: str, why: str, origin: Origin | None = None, *, at: str = START) -> None:
    """Say of the file or directory at ``path``, if there is one, that Copilot CLI does not read it."""
    if search.host.kind(path) is not None:
        origin = origin or Origin("computed", name=why)
        search.draft.candidates.append(Candidate("excluded", why, origin, path=path, at=at))


def relative(search: Search, path: str) -> str:
    """``path`` below the git root, as Copilot CLI names it."""
    return path[len(search.root) :].lstrip("/")


def unknown_path(path: str) -> Segment:
    """A placeholder for a name that is not known."""
    why = f"how Copilot CLI writes the path of a file outside of the repository {NOT_SEEN}"
    return elided("instructions", "Copilot CLI", f"path of {path}", why=why)
