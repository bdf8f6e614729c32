"""Fixes that need a look at the disk: a rule names its own among FIXERS.

Where a check knows the fix by itself, its problems have it already.
"""

from __future__ import annotations

import re
from posixpath import basename, normpath, splitext

from promptls.checks.hidden import AGENTS, COPIED, importers, shared
from promptls.checks.instructions import closings
from promptls.checks.names import MDC
from promptls.checks.rules import rule_of
from promptls.core.formats.patterns import alternatives, path_matcher
from promptls.core.lazy import regex
from promptls.core.model import Edit, Fix, Range
from promptls.core.near import near
from promptls.core.paths import join, parent, relative
from promptls.core.text import LineIndex, decode, lines_of
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from promptls.checks.rules.rule import Fixer
    from promptls.core.files import Kind
    from promptls.core.host import Host
    from promptls.core.model import Problem

# Paths that harnesses and people also read from a directory above: from this many at most.
MOST_ABOVE = 4
LEAST_RAISED = 65_536
# How much a name may differ from the one that was meant.
LIKE = 0.7
# White space between the items of an array is not longer than this.
AROUND = 200
# Patterns that might be meant are not tried if they are longer or have more wild cards than this.
MAX_LENGTH, MAX_WILD = 500, 8
_MAGIC = regex(r"[*?{\[]")
CONFIGS = (".json", ".jsonc", ".toml")


def with_fixes(found: Iterable[Problem], host: Host, listed: Sequence[str] = ()) -> list[Problem]:
    """The problems with every fix that is known, the likeliest first; ``listed``: the files that patterns may mean."""
    lookups = _Lookups(host, listed)
    return [replace(problem, fixes=(*problem.fixes, *_fixes(problem, lookups))) for problem in found]


@dataclass(slots=True)
class _Lookups:
    """The files that were read, and the paths that were looked up."""

    host: Host
    listed: Sequence[str]
    files: dict[str, LineIndex | None] = field(default_factory=dict)
    paths: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def lines(self, path: str) -> LineIndex | None:
        if path not in self.files:
            text = _text(self.host, path)
            self.files[path] = LineIndex(text) if text is not None else None
        return self.files[path]

    def nearest(self, base: str, entry: str) -> str | None:
        if (base, entry) not in self.paths:
            self.paths[base, entry] = _nearest(self.host, base, entry)
        return self.paths[base, entry]


@dataclass(frozen=True, slots=True)
class _ProblemText:
    """The text that a problem is about."""

    problem: Problem
    lookups: _Lookups
    lines: LineIndex
    start: int
    end: int

    @property
    def raw(self) -> str:
        return self.lines.text[self.start : self.end]


def _fixes(problem: Problem, lookups: _Lookups) -> Iterator[Fix]:
    """The fixes of one problem that its check could not know."""
    fixers = rule_of(problem.code).fixers
    part = _problem_text(problem, lookups) if fixers else None
    for name in fixers:
        if name in FIXERS:
            yield from FIXERS[name](problem, lookups.host)
        elif part is not None:
            yield from FIXERS_OF_TEXT[name](part)


def _problem_text(problem: Problem, lookups: _Lookups) -> _ProblemText | None:
    lines = lookups.lines(problem.path) if problem.range != Range() else None
    if lines is None:
        return None
    start = lines.offset(problem.range.start_line, problem.range.start_character)
    end = lines.offset(problem.range.end_line, problem.range.end_character)
    return _ProblemText(problem, lookups, lines, start, end)


def _near_path(part: _ProblemText) -> Iterator[Fix]:
    return _rewritten(part, *_unwrapped(part.raw))


def _near_link(part: _ProblemText) -> Iterator[Fix]:
    """The same, with the heading that the link leads to."""
    before, entry, after = _unwrapped(part.raw)
    if entry.startswith(MDC):
        before, entry = f"{before}{MDC}", entry.removeprefix(MDC)
    entry, sign, anchor = entry.partition("#")
    return _rewritten(part, before, entry, f"{sign}{anchor}{after}")


def _rewritten(part: _ProblemText, before: str, entry: str, after: str) -> Iterator[Fix]:
    problem, lookups = part.problem, part.lookups
    bases = _bases(lookups.host, problem) if entry else ()
    right = next((found for base in bases if (found := lookups.nearest(base, entry))), None)
    if right:
        yield Fix(f"Write {right}", (Edit(problem.path, problem.range, f"{before}{right}{after}"),))


def _removed(part: _ProblemText) -> Iterator[Fix]:
    """Safe where to remove it changes nothing that is sent, and nothing that anybody meant to send."""
    problem = part.problem
    if splitext(problem.path)[1] not in CONFIGS:
        return
    edge = _with_comma(part.lines.text, part.start, part.end)
    if edge is not None:
        is_safe = rule_of(problem.code).fix == "safe"
        yield Fix("Remove the entry", (Edit(problem.path, part.lines.range(*edge)),), is_safe=is_safe)


def _created(part: _ProblemText) -> Iterator[Fix]:
    problem, host, entry = part.problem, part.lookups.host, _unwrapped(part.raw)[1]
    path = problem.missing or normpath(join(parent(problem.path), entry))
    # A configuration in a folder of its own is read from elsewhere: which place is meant is not known here.
    is_plain = entry.endswith(".md") and not entry.startswith(("/", "~", "../")) and not _is_hidden(problem.path)
    if is_plain and host.kind(path) is None:
        title = basename(entry).removesuffix(".md").replace("-", " ").capitalize()
        yield Fix(f"Create {entry}", (Edit(path, Range(), f"# {title}\n"),))


def _matching(part: _ProblemText) -> Iterator[Fix]:
    """A pattern like this one that matches something: with its bracket closed, or below a directory that is there."""
    problem, lookups = part.problem, part.lookups
    before, pattern, after = _unwrapped(part.raw)
    for base in _bases(lookups.host, problem):
        parts = pattern.split("/")
        fixed = next((at for at, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
        right = _nearest(lookups.host, base, "/".join(parts[:fixed]), "directory") if fixed else None
        tries = [*closings(pattern), *(["/".join([right, *parts[fixed:]])] if right else [])]
        found = next((each for each in tries if _matches(lookups.listed, each, base)), None)
        if found:
            yield Fix(f"Write {found}", (Edit(problem.path, problem.range, f"{before}{found}{after}"),))
            return


def _matches(files: Sequence[str], pattern: str, base: str) -> bool:
    """Whether the pattern, read from ``base``, matches one of the files."""
    if len(pattern) > MAX_LENGTH or pattern.count("*") > MAX_WILD:
        return False
    matchers = [path_matcher(each, dot=True) for each in alternatives(pattern) or ()]
    head = base.rstrip("/") + "/"
    return any(path.startswith(head) and any(each(path[len(head) :]) for each in matchers) for path in files)


def _imported(problem: Problem, host: Host) -> Iterator[Fix]:
    """An import of the AGENTS.md that a harness passes over, in what it reads of that directory."""
    places = next((found for each in problem.harnesses if (found := importers(each, problem.path))), [])
    if not places or basename(problem.path) != AGENTS:
        return
    beside = next((place for place in places if host.kind(place) is not None), places[0])
    line = f"@{relative(problem.path, parent(beside))}"
    text = _text(host, beside)
    # Most of it would be sent twice.
    if shared(_text(host, problem.path) or "", text or "") > COPIED:
        return
    if host.kind(beside) is None:
        yield Fix(f"Create {basename(beside)} that imports it", (Edit(beside, Range(), f"{line}\n"),))
    elif text is not None and host.realpath(beside) == join(host.realpath(parent(beside)), basename(beside)):
        # Front matter has to come first.
        at = len(text) if text.startswith("---") else 0
        ahead = "\n" if text[at - 1 : at] not in ("", "\n") else ""
        written = f"{line}\n\n" if at == 0 else f"{ahead}{line}\n"
        where = LineIndex(text).range(at, at)
        yield Fix(f"Write {line} into {basename(beside)}", (Edit(beside, where, written),))


def _set_apart(part: _ProblemText) -> Iterator[Fix]:
    """An import with white space around it, and out of code."""
    text, start, end, name = part.lines.text, part.start, part.end, part.raw
    # One that is set apart already is not an import for another reason.
    if not text[start - 1 : start].strip():
        return
    while text[start - 1 : start] == "`" and text[end : end + 1] == "`":
        start, end = start - 1, end + 1
    ahead = " " if text[start - 1 : start].strip() and start else ""
    after = " " if text[end : end + 1].strip() else ""
    edit = Edit(part.problem.path, part.lines.range(start, end), f"{ahead}{name}{after}")
    yield Fix(f"Write {name} with white space around it", (edit,))


def _is_hidden(path: str) -> bool:
    return basename(parent(path)).startswith(".")


def _text(host: Host, path: str) -> str | None:
    contents = host.read(path)
    return decode(contents.data, keep_bom=False) if contents.state == "file" else None


def _unwrapped(raw: str) -> tuple[str, str, str]:
    """A quote or @ before, the path, and what closes it."""
    found = re.fullmatch(r"""(["'@<]?)(.*?)(["'>]?)""", raw, re.DOTALL)
    return (found[1], found[2], found[3]) if found else ("", raw, "")


def _bases(host: Host, problem: Problem) -> Iterator[str]:
    """The directories that a path in the file may be relative to: its own, of entries also those above, a few.

    Not above a repository: what is there does not belong to this folder.
    """
    directory = parent(problem.path)
    for _ in range(MOST_ABOVE if rule_of(problem.code).climbs else 1):
        yield directory
        if host.kind(join(directory, ".git")) is not None:
            return
        directory = parent(directory)


def _nearest(host: Host, base: str, entry: str, kind: Kind = "file") -> str | None:
    """``entry`` with each part that does not exist as the most alike that does; None where there is none."""
    if entry.startswith(("/", "~")) or any(letter in entry for letter in "*?{["):
        return None
    parts: list[str] = []
    place = base
    for part in entry.rstrip(".,;:!?)").split("/"):
        if part in ("", ".", "..") or host.kind(join(place, part)) is not None:
            right: str | None = part
        else:
            right = near(part, (each.name for each in host.entries(place)), LIKE)
        # That two names end alike is not enough: a.md is not b.md.
        if right is None or (right != part and near(splitext(part)[0], [splitext(right)[0]], LIKE) is None):
            return None
        parts.append(right)
        place = normpath(join(place, right))
    found = "/".join(parts)
    return found if found != entry and host.kind(place) == kind else None


def _with_comma(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The stretch of an array's item with one comma beside it; None where it is in no array."""
    after = re.compile(r"[ \t]*,[ \t]*").match(text, end)
    ahead = re.search(r",\s*$", text[max(start - AROUND, 0) : start])
    opens = re.search(r"\[\s*$", text[max(start - AROUND, 0) : start])
    closes = re.compile(r"\s*\]").match(text, end)
    if after and (opens or ahead):
        # A line of its own goes with its line end.
        line = re.compile(r"\r?\n[ \t]*").match(text, after.end())
        return start, line.end() if line else after.end()
    if closes and (ahead or opens):
        return max(start - AROUND, 0) + ahead.start() if ahead else start, end
    return None


def _raised(problem: Problem, host: Host) -> Iterator[Fix]:
    """The setting of the limit with a higher number, where it is set in a file."""
    for setting in problem.related:
        text = _text(host, setting.path)
        if text is None:
            continue
        lines = lines_of(text)
        start = lines.offset(setting.range.start_line, setting.range.start_character)
        raw = text[start : lines.offset(setting.range.end_line, setting.range.end_character)]
        if raw.isdecimal():
            number = max(LEAST_RAISED, 2 * int(raw))
            yield Fix(f"Raise the limit to {number}", (Edit(setting.path, setting.range, str(number)),))


FIXERS: dict[Fixer, Callable[[Problem, Host], Iterator[Fix]]] = {"raise-limit": _raised, "import-it": _imported}
# These need the text that the problem is about.
FIXERS_OF_TEXT: dict[Fixer, Callable[[_ProblemText], Iterator[Fix]]] = {
    "nearest-path": _near_path,
    "nearest-link": _near_link,
    "matching-pattern": _matching,
    "remove-entry": _removed,
    "create-file": _created,
    "set-apart": _set_apart,
}
