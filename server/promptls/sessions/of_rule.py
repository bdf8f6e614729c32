"""Rules that are for some files only: a file that such a rule is for, so that a session can read it.

How a harness reads a pattern differs. Here it is read in every way that some harness might, and the preview of a
session that reads the file says whether it was right.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, islice

from promptls.core import specs
from promptls.core.formats.header import header, split_patterns
from promptls.core.formats.patterns import alternatives, path_matcher
from promptls.core.lazy import regex
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.paths import is_below, join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from promptls.core.glob_index import Paths
    from promptls.core.host import Host
    from promptls.core.model import Candidate

    Matcher = Callable[[str], bool]

# Directories whose files are not the user's own.
FOREIGN = (".git", "node_modules")
# A walk ends after so many entries.
MOST_ENTRIES = 20_000
# Matches of one pattern that are tried: what one harness takes for a match another does not.
MOST_MATCHES = 4
# A pattern with more of these may take very long.
MAX_LENGTH, MAX_WILD, MAX_ALTERNATIVES = 1000, 20, 100
# Answers that are kept, of a pattern and a path.
KEPT = 1 << 15
_GROUP = regex(r"[*+?@!]\(")
_MAGIC = regex(r"[*?\[{\\]")


@dataclass(frozen=True, slots=True)
class Found:
    """The files that one of ``patterns`` might mean; ``is_cut`` says whether some were not looked at."""

    patterns: tuple[str, ...]
    files: tuple[str, ...] = ()
    is_cut: bool = False

    def says(self) -> str:
        """Why there is no file to read."""
        named = f"“{', '.join(self.patterns)}”"
        return f"no file matches {named}" + (f", of the {MOST_ENTRIES:,} that were looked at" if self.is_cut else "")


def patterns_of(host: Host, rule: Candidate) -> tuple[str, ...]:
    """The patterns of a rule that this session has no use for; () if it has none."""
    if rule.outcome != "unscoped" or rule.path is None or rule.origin.path is None or rule.origin.range is None:
        return ()
    head = header(decode(host.read(rule.path).data, keep_bom=False))
    named = [pattern for key in specs.scope_keys() for pattern in head.patterns(key)]
    own = rule.origin.name or ""
    # The rule may be named by a key of it that holds no pattern.
    if not named and not head.words("description") and head.value(own) is None:
        named = split_patterns(own)
    return tuple(dict.fromkeys(each.strip() for each in named if each.strip()))


def files_for(
    host: Host, root: str, path: str, patterns: tuple[str, ...], files: Paths | None, *, first: Sequence[str] = ()
) -> Found:
    """Files that the rule at ``path`` may be for. ``files`` are all of the folder, sorted; None: look for them.

    Those of ``first``, sorted, come first.
    """
    base = _base(root, path)
    found: list[str] = []
    is_cut = False
    for pattern in patterns:
        readings = _readings(pattern)
        if readings is None:
            is_cut = True
            continue
        # Most patterns begin with a directory: there they match at once, or nowhere.
        begins = _begins(base, pattern)
        matches: list[str] = []
        for directory in dict.fromkeys((begins, base)) if is_below(begins, base) else (base,):
            walk = _Walk(host, directory)
            below = walk if files is None else files.below(directory, *readings.plain)
            sooner = [each for each in first if is_below(each, directory)]
            matches = matches or list(islice(_matching(host, chain(sooner, below), base, readings), MOST_MATCHES))
            is_cut |= walk.is_cut and not matches
        found += matches
    return Found(patterns, tuple(dict.fromkeys(found)), is_cut)


def directories_for(root: str, path: str, patterns: Iterable[str]) -> list[str]:
    """The directories that the patterns of the rule at ``path`` begin with; they need not exist."""
    return [_begins(_base(root, path), each) for each in patterns]


def _begins(base: str, pattern: str) -> str:
    return resolve(base, pattern[: pattern.rfind("/", 0, _wild(pattern)) + 1].strip("/!") or ".")


def _base(root: str, path: str) -> str:
    """The directory that the patterns of the rule at ``path`` are relative to."""
    relative = path[len(root.rstrip("/")) + 1 :] if is_below(path, root) else ""
    found = next(filter(None, (place.match(relative) for place in specs.rule_places())), None)
    return resolve(root, found[1] or ".") if found else root


def _wild(pattern: str) -> int:
    """The place of the first letter that means more than itself."""
    found = _MAGIC.search(pattern)
    return found.start() if found else len(pattern)


@dataclass(frozen=True, slots=True)
class _Readings:
    """A pattern without braces; whether it matches as it is, and in any way that some harness might read it."""

    plain: tuple[str, ...]
    as_it_is: Matcher
    any_way: Matcher


def _readings(pattern: str) -> _Readings | None:
    """The ways to read a pattern; None where that may take forever."""
    bare = pattern.removeprefix("!").removeprefix("./").lstrip("/")
    if len(bare) > MAX_LENGTH or bare.count("*") > MAX_WILD or _GROUP.search(bare):
        return None
    plain = alternatives(f"{bare}**" if bare.endswith("/") else bare)
    if plain is None or len(plain) > MAX_ALTERNATIVES:
        return None
    as_it_is = [path_matcher(each, dot=True) for each in plain]
    return _Readings(
        tuple(plain),
        lambda path: any(each(path) for each in as_it_is),
        lambda path: any(_is_for(each, path) for each in plain),
    )


# The harnesses of a folder have the same rules, and one commit most of the files of the next.
@lru_cache(maxsize=KEPT)
def _is_for(plain: str, path: str) -> bool:
    """Whether some harness might read a pattern without braces so that it matches."""
    return any(path_matcher(each, dot=True, ignore_case=True)(path) for each in (f"**/{plain}", f"**/{plain}/**"))


def _matching(host: Host, paths: Iterable[str], base: str, readings: _Readings) -> Iterator[str]:
    """The files that match; none after the first that does as the pattern is."""
    start = len(base.rstrip("/")) + 1
    for path in paths:
        relative = path[start:]
        if readings.any_way(relative) and host.kind(path) == "file":
            yield path
            if readings.as_it_is(relative):
                return


class _Walk:
    """The files in and below a directory, breadth first, by name; links are not followed. It ends after a limit."""

    def __init__(self, host: Host, directory: str) -> None:
        self._host = host
        self._directory = directory
        self.is_cut = False

    def __iter__(self) -> Iterator[str]:
        level, left = [self._directory], MOST_ENTRIES
        for directory in level:
            for entry in sorted(self._host.entries(directory), key=lambda each: each.name):
                left -= 1
                if not entry.is_directory:
                    yield join(directory, entry.name)
                elif entry.name not in FOREIGN:
                    level.append(join(directory, entry.name))
            if left <= 0:
                self.is_cut = True
                return
