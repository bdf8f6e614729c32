"""Instructions files and rules of Copilot CLI: what their front matter says, and the files that a pattern matches (3).

``*.instructions.md`` and ``.claude/rules`` know the same keys. A file without a pattern is sent whole; one with
patterns is a row of a table, and follows when a matching file is viewed.
"""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.formats.header import split_patterns
from promptls.core.lazy import regex
from promptls.core.model import START, Origin
from promptls.core.text import LineIndex
from promptls.core.values import dataclass
from promptls.harnesses.copilot_cli.search import DIRECTORIES, INSTRUCTIONS, RULES, name_not_read
from promptls.kit import scopes
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import is_below, join, name, native, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.formats.tree import Value
    from promptls.core.model import Range
    from promptls.harnesses.copilot_cli.search import Search
    from promptls.kit.draft import Found

SUFFIX = ".instructions.md"
# Wire: settle-applyto-name-alone, settle-applyto-dot-names.
DIALECT = scopes.Dialect(by_name=True)
# Without applyTo, paths counts; both in both kinds of file.
KEYS = ("applyTo", "paths")
AGENT = "coding-agent"

WHY_WHOLE = "an instructions file without a path pattern is sent whole, with its front matter"
WHY_ROW = "an instructions file with a path pattern is only listed; its text follows when a matching file is viewed"


# -- front matter --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scope:
    """What front matter says. ``range`` is where the patterns are, ``key`` by what name."""

    patterns: tuple[str, ...] = ()
    description: str = ""
    key: str = ""
    range: Range | None = None
    excluded: Range | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the file is for every file: it has no pattern, or none that leaves one out."""
        return scopes.EVERY_FILE.issuperset(self.patterns)


def scope(text: str) -> Scope:
    """Read the front matter of ``text``; what is no YAML gives one line only (wire: settle-front-matter-broken)."""
    matter = front_matter.split(text)
    document = matter.document
    if document is None:
        return Scope()
    from promptls.harnesses.copilot_cli.front_matter import is_strict  # noqa: PLC0415 - only with front matter

    if not is_strict(document):
        return _of_line(text, matter.start, document.text)
    root = document.root
    if root is None:
        return Scope()

    def place(value: Value) -> Range:
        return LineIndex(text).range(matter.start + value.start, matter.start + value.end)

    agents, description = root.get("excludeAgent"), root.get("description")
    excluded = place(agents) if agents is not None and AGENT in _texts(agents) else None
    says = str(description.data) if description is not None and description.kind == "string" else ""
    key = next((each for each in KEYS if root.get(each) is not None), "")
    value = root.get(key)
    if value is None:
        return Scope(description=says, excluded=excluded)
    patterns = _split(str(value.data)) if value.kind == "string" else _texts(value)
    return Scope(patterns, says, key, place(value), excluded)


_LINES = {key: regex(rf"^{key}:([^\r\n]*)", re.MULTILINE) for key in KEYS}
_COMMENT = regex(r"[ \t]#.*")


def _of_line(text: str, start: int, matter: str) -> Scope:
    """The patterns of the first line with a key; description and excludeAgent are lost."""
    for key, line in _LINES.items():
        for found in line.finditer(matter):
            uncommented = _COMMENT.sub("", found[1])
            written = uncommented.strip()
            if written:
                first = start + found.start(1) + len(uncommented) - len(uncommented.lstrip())
                bare = written[1:-1] if _is_quoted(written) else written
                return Scope(_split(bare), key=key, range=LineIndex(text).range(first, first + len(written)))
    return Scope()


def _is_quoted(written: str) -> bool:
    return len(written) > 1 and written[0] == written[-1] and written[0] in "\"'"


def _texts(value: Value) -> tuple[str, ...]:
    """The texts of a list as they are, or the one text."""
    return tuple(str(item.data) for item in (value.items or (value,)) if item.kind == "string")


def _split(text: str) -> tuple[str, ...]:
    return tuple(part for each in split_patterns(text) if (part := each.strip()))


# -- patterns ------------------------------------------------------------------------------------------------------


def first_match(patterns: Iterable[str], path: str, root: str) -> str | None:
    """The first of ``patterns`` that the file at ``path`` matches, held against its path below the git root (6)."""
    return next((pattern for pattern in patterns if is_below(path, root) and _matches(pattern, path, root)), None)


def _matches(pattern: str, path: str, root: str) -> bool:
    negations = len(pattern) - len(pattern.lstrip("!"))
    if negations:
        return _matches(pattern[negations:], path, root) != (negations % 2 == 1)
    pattern = _without_single_braces(pattern.removeprefix("./"))
    if "//" in pattern or pattern.startswith("/"):
        return False
    # A directory's slash after ** changes nothing; after anything else it keeps the pattern from matching.
    pattern = pattern[:-1] if pattern == "**/" or pattern.endswith("/**/") else pattern
    return scopes.first_match([pattern], path, root, DIALECT) is not None


def _without_single_braces(pattern: str) -> str:
    """``pattern`` without braces around one alternative: ``{ts}`` is ``ts``."""
    if "{" not in pattern:
        return pattern
    kept = list(pattern)
    # The open braces, and those after which a comma or two dots stand.
    opened: list[int] = []
    choices: set[int] = set()
    for at, letter in enumerate(pattern):
        if letter == "{":
            opened.append(at)
        elif opened and (letter == "," or pattern.startswith("..", at)):
            choices.add(opened[-1])
        elif opened and letter == "}" and (start := opened.pop()) not in choices:
            kept[start] = kept[at] = ""
    return "".join(kept)


# -- the files -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InstructionsDirectory:
    """A directory of instructions files. ``base`` is what their paths are shown relative to; None: not at all."""

    directory: str
    kind: str
    base: str | None

    def shown(self, path: str) -> str:
        """``path`` as Copilot CLI writes it (4; captured: settle-applyto-base, settle-custom-dirs-same)."""
        return native(path if self.base is None else path[len(self.base) :].lstrip("/"), like=path)


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A file with its front matter; ``shown`` is its path as Copilot CLI writes it."""

    path: str
    shown: str
    scope: Scope
    found: Found

    @property
    def origin(self) -> Origin:
        """What decides over it: the patterns, in their place."""
        return Origin("config", path=self.path, range=self.scope.range, name=", ".join(self.scope.patterns))


def places_at_start(search: Search) -> Iterator[InstructionsDirectory]:
    """Home, root, cwd, then the custom directories: their two places, and last all that is below them (1, 5)."""
    yield InstructionsDirectory(join(search.home, "instructions"), INSTRUCTIONS, None)
    for directory in search.directories:
        yield from places_in(directory, directory)
    custom = custom_directories(search)
    bases = {directory: directory if directory == search.root else None for directory in custom}
    for directory in custom:
        yield from places_in(directory, bases[directory])
    for directory in custom:
        yield InstructionsDirectory(directory, DIRECTORIES, bases[directory])


def places_in(directory: str, base: str | None) -> Iterator[InstructionsDirectory]:
    """The two places of a directory."""
    yield InstructionsDirectory(join(directory, INSTRUCTIONS), INSTRUCTIONS, base)
    yield InstructionsDirectory(join(directory, RULES), RULES, base)


def custom_directories(search: Search) -> list[str]:
    """The directories of the variable, each once."""
    named = search.host.env.get(DIRECTORIES, "").split(",")
    return list(dict.fromkeys(resolve(search.cwd, each.strip()) for each in named if each.strip()))


def files_of(search: Search, place: InstructionsDirectory, *, at: str = START) -> list[str]:
    """The files that are read at or below a place, by path; others that look like them are named as not read."""
    if search.host.kind(place.directory) != "directory":
        if at == START:
            why = f"Copilot CLI looks for {'*.md' if place.kind == RULES else f'*{SUFFIX}'} here"
            search.draft.candidates.append(own(why).missing(place.directory))
        return []
    ending = ".md" if place.kind == RULES else SUFFIX
    found: list[str] = []
    for path in search.files_below(place.directory, hidden=place.kind != DIRECTORIES):
        lower = name(path).lower()
        if lower.endswith(ending):
            found.append(path)
        elif place.kind != DIRECTORIES and lower.endswith((".md", ".mdc")):
            name_not_read(search, path, f"only names that end in {ending} are read here", at=at)
    return [path for path in found if search.host.kind(path) == "file"]


def read(
    search: Search, path: str, place: InstructionsDirectory, why: str, *, at: str = START
) -> InstructionFile | None:
    """The file at ``path``; None if there is nothing to send of it: excludeAgent may say so."""
    found = search.look(path, why, at=at)
    if found is None:
        return None
    # A link is named by where it leads (parts: rule-is-a-link).
    real = search.host.realpath(path)
    shown = place.shown(path)
    if real != path and place.base is not None and is_below(real, place.base):
        shown = place.shown(real)
    scoped = InstructionFile(path, shown, scope(found.text), found)
    # code-review is another agent's name (wire: applyto-forms).
    if scoped.scope.excluded is not None:
        origin = Origin("config", path=path, range=scoped.scope.excluded, name="excludeAgent")
        says = f"excludeAgent names {AGENT}, which Copilot CLI is"
        search.draft.candidates[-1] = Rule(says, origin, at=at).excluded(path)
        return None
    return scoped
