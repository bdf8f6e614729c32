"""What a check of a whole folder looks at: its files, and the prompts of every session that matters."""

from __future__ import annotations

from posixpath import splitext

from promptls.core import specs
from promptls.core.model import OF_TEXTS, USED
from promptls.core.paths import LONGEST, join, relative
from promptls.core.text import decode
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pathspec import GitIgnoreSpec

    from promptls.core.glob_index import Paths
    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder under check.

    ``files`` are the absolute paths of its files, without what git ignores; ``prompts`` those of every session
    that matters, for each harness in use; ``host`` is what they were made with, and answers further looks.
    """

    root: str
    files: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    host: Host
    # The repository that holds the folder; "" where it is the folder itself.
    workspace: str = ""
    # The directories that rules are for, by the path of the rule, where a budget asks for them.
    scopes: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False, repr=False)
    # Each is filled when it is first asked for.
    _by_lower: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _prose: list[str] = field(default_factory=list, compare=False, repr=False)
    _loaded: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _ignored: list[Ignored] = field(default_factory=list, compare=False, repr=False)
    _indexed: list[Paths] = field(default_factory=list, compare=False, repr=False)
    _names: list[tuple[frozenset[str], frozenset[str]]] = field(default_factory=list, compare=False, repr=False)

    def near(self, *patterns: str) -> Sequence[str]:
        """The files that may match one of ``patterns`` without braces, in order."""
        if not self._indexed:
            from promptls.core.glob_index import Paths  # noqa: PLC0415 - few folders have rules for some files only

            self._indexed.append(Paths(self.files))
        return self._indexed[0].near(*patterns)

    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names of the directories, and the endings of the files."""
        if not self._names:
            relatives = list(map(self.relative, self.files))
            directories = frozenset(part for path in relatives for part in path.split("/")[:-1])
            self._names.append((directories, frozenset(splitext(path)[1] for path in relatives)))
        return self._names[0]

    def is_ignored(self, path: str) -> bool:
        """Whether git leaves ``path`` out, so that it need not be there for everybody."""
        if not self._ignored:
            self._ignored.append(Ignored(self.host, self.workspace or self.root))
        return self._ignored[0].holds(path)

    def prose(self) -> list[str]:
        """The files that may be instruction files by the end of their name, in any case: few of a large tree."""
        if not self._prose:
            endings = specs.endings()
            # Of a hundred thousand files, most are told by their last letter.
            last = {letter for ending in endings for letter in (ending[-1], ending[-1].upper())}
            self._prose.extend([path for path in self.files if path[-1] in last and path.lower().endswith(endings)])
        return self._prose

    def other_spelling(self, path: str) -> str | None:
        """A file that is named as ``path`` but for upper and lower case."""
        if not self.files:
            return self._spelled_on_disk(path)
        if not self._by_lower:
            for file in self.files:
                self._by_lower.setdefault(file.lower(), file)
        found = self._by_lower.get(path.lower())
        return found if found != path else None

    def _spelled_on_disk(self, path: str) -> str | None:
        """The same where the files are not known: part by part, below the folder."""
        if not self.holds(path):
            return None
        place = self.root
        for part in self.relative(path).split("/"):
            names = [each.name for each in self.host.entries(place) if each.name.lower() == part.lower()]
            if not names:
                return None
            place = join(place, part if part in names else min(names))
        return place if place != path else None

    def holds(self, path: str) -> bool:
        """Whether ``path`` is the folder or below it."""
        return _is_below(path, self.root)

    def shares(self, path: str) -> bool:
        """Whether everybody who has the folder has ``path`` as well."""
        return _is_below(path, self.workspace or self.root)

    def relative(self, path: str) -> str:
        """``path`` below the folder."""
        return path[len(self.root.rstrip("/")) + 1 :] if self.holds(path) else relative(path, self.root)

    def text(self, path: str) -> str | None:
        """The text of the file at ``path`` as editors show it; None if it is none."""
        contents = self.host.read(path)
        return decode(contents.data, keep_bom=False) if contents.state == "file" else None

    def candidates(self) -> Iterator[tuple[str, Candidate]]:
        """Each candidate of each prompt, with the name of the harness."""
        for prompt in self.prompts:
            for candidate in prompt.candidates:
                yield prompt.session.harness, candidate

    def loaded(self) -> dict[str, str]:
        """The texts below the folder that some harness sends or offers, with its name: instructions, skills ..."""
        if not self._loaded:
            for harness, candidate in self.candidates():
                path, is_text = candidate.path, candidate.use in OF_TEXTS
                if candidate.outcome in USED and is_text and path is not None and self.holds(path):
                    self._loaded.setdefault(path, harness)
        return self._loaded


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


@dataclass(slots=True)
class Ignored:
    """The patterns of a repository; ``root`` is its top."""

    host: Host
    root: str
    _specs: dict[str, GitIgnoreSpec | None] = field(default_factory=dict)

    def holds(self, path: str) -> bool:
        """Whether git would leave ``path`` out: the nearest .gitignore that mentions it decides."""
        head = self.root.rstrip("/") + "/"
        # Nothing is at a longer path, and each directory on the way to it would be looked at.
        if not path.startswith(head) or len(path) > LONGEST:
            return False
        # From the top down: what is in a directory that is left out is left out as well, whatever else is said.
        place, specs, is_there = head[:-1], [], True
        for part in path[len(head) :].split("/"):
            is_there = is_there and (place == head[:-1] or self.host.kind(place) == "directory")
            spec = self._spec(place or "/") if is_there else None
            if spec is not None:
                specs.append((place, spec))
            place = f"{place}/{part}"
            if specs and _leaves_out(specs, place, is_directory=place != path):
                return True
        return False

    def _spec(self, directory: str) -> GitIgnoreSpec | None:
        if directory not in self._specs:
            contents = self.host.read(join(directory, ".gitignore"))
            lines = decode(contents.data, keep_bom=False).split("\n") if contents.state == "file" else []
            self._specs[directory] = _ignoring(lines) if lines else None
        return self._specs[directory]


def _ignoring(lines: list[str]) -> GitIgnoreSpec:
    from promptls.core.formats.patterns import ignoring  # noqa: PLC0415 - a preview reads no .gitignore

    return ignoring(lines, posix_classes=True)


def _leaves_out(specs: list[tuple[str, GitIgnoreSpec]], path: str, *, is_directory: bool) -> bool:
    for base, spec in reversed(specs):
        says = spec.check_file(path[len(base) + 1 :] + ("/" if is_directory else "")).include
        if says is not None:
            return says
    return False
