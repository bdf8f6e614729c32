"""What every part of Copilot CLI's prompt is looked for with: names, files found so far, and what is not read."""

from __future__ import annotations

from promptls.core.model import START, Origin
from promptls.core.values import dataclass, field, replace
from promptls.kit.candidates import Rule, own
from promptls.kit.draft import look_for_text
from promptls.kit.globs import MAX_DEPTH
from promptls.kit.paths import is_below, join, name, native, parent, relative, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.kit.draft import Draft, Found

AGENTS, CLAUDE, GEMINI = "AGENTS.md", "CLAUDE.md", "GEMINI.md"
COPILOT = ".github/copilot-instructions.md"
DOT_CLAUDE = ".claude/CLAUDE.md"
# Of each directory between root and cwd and of each that a view passes, in this order (1d, 6).
NESTED = (COPILOT, AGENTS, CLAUDE, DOT_CLAUDE, GEMINI)
INSTRUCTIONS, RULES = ".github/instructions", ".claude/rules"
DIRECTORIES = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS"
OFF = "--no-custom-instructions"
PLUGINS = "--plugin-dir"

# What is there, with or without a text.
FOUND = ("loaded", "cut", "empty")


@dataclass(slots=True)
class Search:
    """What every part of the search needs, and what it has found so far. All paths of ``cwd`` and ``root`` are real."""

    draft: Draft
    host: Host
    cwd: str
    root: str
    is_off: bool
    is_repository: bool
    # Directory to its names by their lower-case spelling, and what came of the paths that were asked for.
    names: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    spellings: dict[str, str] = field(default_factory=dict)
    # Directory to the files below it.
    listed: dict[tuple[str, bool, bool], list[str]] = field(default_factory=dict)

    @property
    def home(self) -> str:
        """Copilot's own directory; COPILOT_HOME moves it (wire: settle-copilot-home)."""
        own = self.host.env.get("COPILOT_HOME")
        return join(self.cwd, own) if own else join(self.host.home, ".copilot")

    @property
    def directories(self) -> tuple[str, ...]:
        """The git root and the working directory; one where they are the same (wire: no-git)."""
        return tuple(dict.fromkeys((self.root, self.cwd)))

    @property
    def between(self) -> tuple[str, ...]:
        """The directories between the two, nearest to the working directory first."""
        return tuple(place for place in upwards(self.cwd, self.root) if place not in self.directories)

    def spelled(self, path: str) -> str:
        """``path`` as its file is spelled: letter case does not count, the exact name wins.

        (wire: settle-names; captured: settle-names-both)
        """
        if path not in self.spellings:
            found = self._spellings(path)
            self.spellings[path] = found[0] if found else path
            for other in found[1:]:
                why = f"Copilot CLI loads one spelling of {name(path)} in a directory: {found[0]}"
                self.draft.candidates.append(own(why).shadowed(other, by=found[0]))
            if len(found) > 1 and found[0] != path:
                self.draft.note(
                    f"Of several spellings of {path}, Copilot CLI loads the one that the disk lists first, "
                    "which may differ on another machine; here it is the first by name."
                )
        return self.spellings[path]

    def _spellings(self, path: str) -> list[str]:
        """The files of a directory that go by the name of ``path``, the one that counts first."""
        directory, wanted = parent(path), name(path)
        known = self.names.get(directory)
        if known is None:
            known = self.names[directory] = {}
            for entry in self.host.entries(directory):
                known.setdefault(entry.name.lower(), []).append(entry.name)
        same = known.get(wanted.lower(), [])
        inexact = [join(directory, each) for each in sorted(same) if each != wanted]
        inexact = [each for each in inexact if self.host.kind(each) == "file"]
        if self.host.kind(path) in (None, "directory"):
            return inexact
        # It is not listed if it is open and not saved, or if the disk itself takes no account of case.
        return [path, *(inexact if wanted in same else [])]

    def look(self, path: str, why: str, *, at: str = START) -> Found | None:
        """The file at ``path``, empty or not; None if there is none to send."""
        if self.is_off:
            if self.host.kind(path) is not None:
                off = Rule(f"{OFF} turns it off", Origin("argument", name=OFF), at=at)
                self.draft.candidates.append(off.disabled(path))
            return None
        origin = Origin("computed", name=why)
        found = look_for_text(self.host, path, why=why, origin=origin, keep_bom=False, at=at)
        self.draft.candidates.append(found.candidate)
        if found.candidate.outcome not in FOUND:
            return None
        return replace(found, origin=replace(found.origin, path=self.host.realpath(path)))

    def files_below(self, place: str, *, hidden: bool, links: bool = False) -> list[str]:
        """The files at or below ``place`` by path.

        ``hidden``: directories whose names begin with a dot are searched, too. ``links``: so are directories that links
        in ``place`` itself lead to; no others are (wire: settle-rules), (parts: linked-skill).
        """
        key = place, hidden, links
        if key not in self.listed:
            self.listed[key] = sorted(self._walk(place, hidden=hidden, links=links), key=code_units)
        return self.listed[key]

    def _walk(self, place: str, *, hidden: bool, links: bool) -> list[str]:
        files: list[str] = []
        waiting = [(place, 0)]
        steps = self.draft.steps
        while waiting:
            directory, depth = waiting.pop()
            if steps.is_spent or depth > MAX_DEPTH:
                self.draft.note(f"{place} was not searched to its end: it has too many directories.")
                break
            entries = self.host.entries(directory)
            steps.spend(entries)
            for entry in entries:
                path = join(directory, entry.name)
                is_followed = links and depth == 0 and entry.is_link and self.host.kind(path) == "directory"
                if not entry.is_directory and not is_followed:
                    files.append(path)
                elif hidden or not entry.name.startswith("."):
                    waiting.append((path, depth + 1))
        return files


def code_units(text: str) -> bytes:
    """A key by which texts are in the order of their UTF-16 units, as JavaScript sorts them."""
    return text.encode("utf-16-be", "surrogatepass")


def name_not_read(search: Search, path: str, why: str, origin: Origin | None = None, *, at: str = START) -> None:
    """Say of the file or directory at ``path``, if there is one, that Copilot CLI does not read it."""
    if search.host.kind(path) is not None:
        rule = Rule(why, origin, at=at) if origin else own(why, at=at)
        search.draft.candidates.append(rule.excluded(path))


def written(path: str, base: str) -> str:
    """``path.relative(base, path)``, with ``..`` for what is outside."""
    below = path[len(base) :].lstrip("/") if is_below(path, base) else relative(path, base)
    return native(below, like=base)
