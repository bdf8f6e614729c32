"""Globs over a host, in the dialect of npm's ``glob``: braces, classes, extended patterns and ``**``.

``**`` does not walk into links; where something precedes it in the pattern, the directory that a link points to is
still searched itself.
"""

from __future__ import annotations

from promptls.core.formats.patterns import alternatives, is_hard, name_matcher
from promptls.core.host import StepBudget
from promptls.core.lazy import regex
from promptls.core.values import dataclass, field
from promptls.kit.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from promptls.core.files import DirectoryEntry
    from promptls.core.host import Host

# A limit of ours: a search that would lead deeper is given up, and the preview says so.
MAX_DEPTH = 100

_MAGIC = regex(r"[*?\[\]{}]|[+@!]\(")


@dataclass(slots=True)
class Matches:
    """Files in the order the disk gives them, and whether the limit of ours ended the search."""

    paths: list[str] = field(default_factory=list)
    is_cut: bool = False


def is_magic(pattern: str) -> bool:
    """Whether ``pattern`` is more than a plain path."""
    return _MAGIC.search(pattern) is not None


def match(
    host: Host,
    pattern: str,
    base: str,
    *,
    dot: bool,
    backwards: bool = False,
    steps: StepBudget | None = None,
) -> Matches:
    """The files that ``pattern`` matches below ``base``, in the order of the disk.

    ``dot``: wild cards match hidden names too; ``backwards``: each directory is walked from its last name to its first.
    """
    if not is_magic(pattern):
        path = resolve(base, pattern)
        return Matches([path] if host.kind(path) == "file" else [])
    expanded = alternatives(pattern)
    if expanded is None:
        return Matches(is_cut=True)

    def matcher(part: str) -> Callable[[str], bool]:
        return name_matcher(part, dot=dot, groups=True) or (lambda _: False)

    found = Matches()
    steps = steps or StepBudget()
    for alternative in expanded:
        parts = _parts(alternative)
        if len(parts) > MAX_DEPTH or any(map(is_hard, parts)):
            found.is_cut = True
            continue
        walk = _Walk(host, parts, matcher, steps, dot=dot, backwards=backwards)
        found.paths += walk.files(base, 0, 0)
        found.is_cut |= walk.is_cut
    found.paths = list(dict.fromkeys(found.paths))
    return found


def _parts(pattern: str) -> list[str]:
    """The pattern's parts; ``**`` after ``**`` adds nothing, and at the end it means the files."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    parts = [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]
    return [*parts, "*"] if parts[-1:] == ["**"] else parts


class _Walk:
    """The search for one list of parts. A place is searched for the same part once only, however it is reached."""

    def __init__(
        self,
        host: Host,
        parts: list[str],
        matcher: Callable[[str], Callable[[str], bool]],
        steps: StepBudget,
        *,
        dot: bool,
        backwards: bool,
    ) -> None:
        self._host = host
        self._backwards = backwards
        self._parts = parts
        self._matchers = [matcher(part) if is_magic(part) and part != "**" else None for part in parts]
        self._steps = steps
        self._dot = dot
        self._visited: set[tuple[str, int, bool]] = set()
        self.is_cut = False

    def files(self, directory: str, at: int, depth: int) -> Iterator[str]:
        """The files that the parts from ``at`` on match below ``directory``."""
        if at == len(self._parts) or self._was_here(directory, at, depth):
            return
        part, matches, is_last = self._parts[at], self._matchers[at], at + 1 == len(self._parts)
        if part == "**":
            yield from self._any_depth(directory, at, depth)
        elif matches is None:
            path = resolve(directory, part)
            if not is_last:
                yield from self.files(path, at + 1, depth + 1)
            elif self._host.kind(path) == "file":
                yield path
        else:
            for entry in self._entries(directory):
                if not matches(entry.name):
                    continue
                path = join(directory, entry.name)
                if is_last and not entry.is_directory and self._host.kind(path) == "file":
                    yield path
                elif not is_last and (entry.is_directory or entry.is_link):
                    yield from self.files(path, at + 1, depth + 1)

    def _any_depth(self, directory: str, at: int, depth: int) -> Iterator[str]:
        """The same for ``**`` at ``at``: here and in every directory below."""
        if self._was_here(directory, at, depth, below=True):
            return
        yield from self.files(directory, at + 1, depth)
        for entry in self._entries(directory):
            if entry.name.startswith(".") and not self._dot:
                continue
            path = join(directory, entry.name)
            if entry.is_directory:
                yield from self._any_depth(path, at, depth + 1)
            elif at > 0 and entry.is_link and self._host.kind(path) == "directory":
                # Not any deeper: this keeps a loop of links from being walked for ever.
                yield from self.files(path, at + 1, depth)

    def _was_here(self, directory: str, at: int, depth: int, *, below: bool = False) -> bool:
        """Whether there is nothing to do: it was done, or a limit is reached."""
        if (directory, at, below) in self._visited:
            return True
        self._visited.add((directory, at, below))
        is_over = depth > MAX_DEPTH or self._steps.is_spent
        self.is_cut |= is_over
        return is_over

    def _entries(self, directory: str) -> tuple[DirectoryEntry, ...]:
        entries = self._host.entries(directory)
        self._steps.spend(entries)
        return entries[::-1] if self._backwards else entries
