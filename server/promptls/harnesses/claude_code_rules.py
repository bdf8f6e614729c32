"""Rules of Claude Code, ``.claude/rules/**/*.md``: in which order, and for which files (specification, 4)."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from promptls.core.formats import front_matter, yaml
from promptls.core.text import LineIndex
from promptls.core.values import dataclass
from promptls.harnesses.paths import is_below, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.model import Range

# A limit of ours, against links that lead in circles.
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Place:
    """A rule file: where it is, and whether it was reached through a link; ``path`` is then where that leads."""

    path: str
    is_link: bool


def rule_files(host: Host, directory: str) -> Iterator[Place]:
    """The ``.md`` files below ``directory`` in the order the disk gives them, links shown as where they lead."""
    yield from _walk(host, directory, is_link=False, above=())


def _walk(host: Host, directory: str, *, is_link: bool, above: tuple[str, ...]) -> Iterator[Place]:
    real = host.realpath(directory)
    if real in above or len(above) > MAX_DEPTH:
        return
    for entry in host.entries(directory):
        path = join(directory, entry.name)
        through_link = is_link or entry.is_link
        if entry.is_link:
            path = host.realpath(path)
        kind = host.kind(path)
        if kind == "directory":
            yield from _walk(host, path, is_link=through_link, above=(*above, real))
        elif entry.name.endswith(".md"):
            yield Place(path, through_link)


@dataclass(frozen=True, slots=True)
class Scope:
    """What the front matter of a rule says. ``patterns`` is () for a rule that always holds.

    ``flaw`` is where front matter stands that cannot be read; such a rule is never loaded.
    """

    patterns: tuple[str, ...] = ()
    text: str = ""
    where: Range | None = None
    flaw: Range | None = None


def scope_of(text: str) -> Scope:
    """The scope of a rule with this text. Only the key ``paths`` counts (wire: paths-keys)."""
    front = front_matter.split(text)
    document = front.document
    if document is None:
        return Scope()
    index = LineIndex(text)
    value = document.root.get("paths") if document.root else None
    where = index.range(front.start + value.start, front.start + value.end) if value else None
    if document.flaw is not None:
        # The program tries again with values in quotes.
        again = yaml.parse(_QUOTABLE.sub(_quoted, document.text))
        value = again.root.get("paths") if again.root else None
        where = index.range(front.start, front.start + len(document.text))
        if again.flaw is not None or (value is not None and str(value.data).startswith("[")):
            return Scope(flaw=where)
    given = list(_strings(value)) if value is not None else []
    patterns = tuple(_without_tail(pattern) for entry in given for pattern in split(entry))
    if all(pattern == "**" for pattern in patterns):
        return Scope()
    return Scope(tuple(filter(None, patterns)), ", ".join(given), where)


# A pattern with more alternatives is not expanded, and so matches nothing.
MAX_ALTERNATIVES = 1000
_QUOTABLE = re.compile(r"^([\w-]+:[ \t]+)([^\"'\s].*?)(?<![ \t\r])[ \t\r]*$", re.MULTILINE)


def _quoted(line: re.Match[str]) -> str:
    needs_quotes = re.search(r"[{}\[\]*&#!|>%@`]|: ", line[2])
    return line[1] + json.dumps(line[2]) if needs_quotes else line[0]


def _strings(value: Value) -> Iterator[str]:
    for item in value.items if value.kind == "array" else (value,):
        if isinstance(item.data, str):
            yield item.data


def split(entry: str) -> Iterator[str]:
    """The patterns of a string: commas outside of braces part them, and braces are expanded."""
    import bracex  # noqa: PLC0415 - most rules have no globs

    for part in filter(None, map(str.strip, _parts(entry))):
        try:
            yield from bracex.expand(part, limit=MAX_ALTERNATIVES, keep_escapes=True)
        except (bracex.ExpansionLimitException, RecursionError):
            yield part


def _parts(entry: str) -> Iterator[str]:
    """``entry`` without the commas that part it: those whose next brace, if any, is not a closing one."""
    start = 0
    pieces = re.split(r"([{}])", entry)
    at = 0
    for piece, brace in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        for comma in re.finditer(",", piece) if brace != "}" else ():
            yield entry[start : at + comma.start()]
            start = at + comma.end()
        at += len(piece) + len(brace)
    yield entry[start:]


def _without_tail(pattern: str) -> str:
    """``s/**`` is ``s`` before it is matched, and so means any directory of that name."""
    return pattern.removesuffix("/**")


def applies(patterns: tuple[str, ...], base: str, path: str) -> bool:
    """Whether ``path`` is meant by ``patterns`` of a rule whose globs start at ``base``: gitignore, any case."""
    if path == base or not is_below(path, base):
        return False
    spec = _spec(tuple(pattern.lower() for pattern in patterns))
    parts = path[len(base.rstrip("/")) + 1 :].lower().split("/")
    directories = ("/".join(parts[:end]) + "/" for end in range(1, len(parts)))
    # Nothing below a directory that matched is asked again (a negated pattern there has no effect).
    return any(spec.match_file(place) for place in (*directories, "/".join(parts)))


@lru_cache(maxsize=256)
def _spec(patterns: tuple[str, ...]):  # type: ignore[no-untyped-def] # noqa: ANN202 - imported late
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - most rules have no globs

    def is_valid(pattern: str) -> bool:
        try:
            GitIgnoreSpec.from_lines([pattern])
        except ValueError:
            return False
        return True

    return GitIgnoreSpec.from_lines([pattern for pattern in patterns if is_valid(pattern)])
