"""Fixes that need a look at the disk: the nearest path, an entry taken out, a file made, a budget raised.

Where a check knows the way out by itself, its problems have their fixes already.
"""

from __future__ import annotations

import re
from posixpath import basename, dirname, join, normpath, splitext

from promptls.checks.instructions import closings
from promptls.checks.near import near
from promptls.core.model import Edit, Fix, Range
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.files import Kind
    from promptls.core.host import Host
    from promptls.core.model import Problem

NEAREST = ("instruction-missing", "symlink-broken", "import-missing", "link-dead", "path-dead")
# Entries and paths that harnesses and people also read from a directory above.
CLIMBS, MOST_ABOVE = ("instruction-missing", "symlink-broken", "path-dead", "glob-empty", "glob-invalid"), 4
REMOVABLE = (
    *("instruction-missing", "symlink-broken", "not-a-file", "glob-empty", "glob-invalid"),
    *("duplicate-source", "tool-conflict"),
)
# To take these out changes nothing that is sent, and nothing that anybody meant to send.
SAFE = ("duplicate-source",)
CREATABLE = ("instruction-missing", "import-missing")
PATTERNS = ("glob-empty", "glob-invalid")
ON_TEXT = (*NEAREST, *REMOVABLE, *CREATABLE, *PATTERNS, "import-unrecognised")
RAISABLE = ("cut", "dropped")
LEAST_RAISED = 65_536
# How much a name may differ from the one that was meant.
LIKE = 0.7
# White space between the items of an array is not longer than this.
AROUND = 200
# Patterns that might be meant are not tried if they are longer or have more wild cards than this.
MAX_LENGTH, MAX_WILD, MAX_ALTERNATIVES = 500, 8, 1000
_MAGIC = re.compile(r"[*?{\[]")
CONFIGS = (".json", ".jsonc", ".toml")


def with_fixes(found: Iterable[Problem], host: Host, listed: Sequence[str] = ()) -> list[Problem]:
    """The problems with every fix that is known, the likeliest first; ``listed``: the files that patterns may mean."""
    desk = _Desk(host, listed)
    return [replace(problem, fixes=(*problem.fixes, *_fixes(problem, desk))) for problem in found]


@dataclass(slots=True)
class _Desk:
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


def _fixes(problem: Problem, desk: _Desk) -> Iterator[Fix]:
    """The fixes of one problem that its check could not know."""
    if problem.code in RAISABLE:
        yield from _raised(problem, desk.host)
    if problem.code not in ON_TEXT or problem.range == Range():
        return
    lines = desk.lines(problem.path)
    if lines is None:
        return
    start = lines.offset(problem.range.start_line, problem.range.start_character)
    end = lines.offset(problem.range.end_line, problem.range.end_character)
    if problem.code in NEAREST:
        yield from _rewritten(problem, desk, lines.text[start:end])
    if problem.code in PATTERNS:
        yield from _matching(problem, desk, lines.text[start:end])
    if problem.code in REMOVABLE and splitext(problem.path)[1] in CONFIGS:
        edge = _with_comma(lines.text, start, end)
        if edge is not None:
            where = lines.range(*edge)
            yield Fix("Remove the entry", (Edit(problem.path, where),), is_safe=problem.code in SAFE)
    if problem.code in CREATABLE:
        yield from _created(problem, desk.host, lines.text[start:end])
    if problem.code == "import-unrecognised":
        yield _set_apart(problem, lines, start, end)


def _rewritten(problem: Problem, desk: _Desk, raw: str) -> Iterator[Fix]:
    before, entry, after = _unwrapped(raw)
    if problem.code == "link-dead" and "#" in entry:
        entry, sign, anchor = entry.partition("#")
        after = f"{sign}{anchor}{after}"
    bases = _bases(desk.host, problem) if entry else ()
    right = next((found for base in bases if (found := desk.nearest(base, entry))), None)
    if right:
        yield Fix(f"Write {right}", (Edit(problem.path, problem.range, f"{before}{right}{after}"),))


def _created(problem: Problem, host: Host, raw: str) -> Iterator[Fix]:
    entry = _unwrapped(raw)[1]
    path = normpath(join(dirname(problem.path), entry))
    # A configuration in a folder of its own is read from elsewhere: which place is meant is not known here.
    is_plain = entry.endswith(".md") and not entry.startswith(("/", "~", "../")) and not _is_hidden(problem.path)
    if is_plain and host.kind(path) is None:
        title = basename(entry).removesuffix(".md").replace("-", " ").capitalize()
        yield Fix(f"Create {entry}", (Edit(path, Range(), f"# {title}\n"),))


def _matching(problem: Problem, desk: _Desk, raw: str) -> Iterator[Fix]:
    """A pattern like this one that matches something: with its bracket closed, or below a directory that is there."""
    before, pattern, after = _unwrapped(raw)
    for base in _bases(desk.host, problem):
        parts = pattern.split("/")
        fixed = next((at for at, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
        right = _nearest(desk.host, base, "/".join(parts[:fixed]), "directory") if fixed else None
        tries = [*closings(pattern), *(["/".join([right, *parts[fixed:]])] if right else [])]
        found = next((each for each in tries if _matches(desk.listed, each, base)), None)
        if found:
            yield Fix(f"Write {found}", (Edit(problem.path, problem.range, f"{before}{found}{after}"),))
            return


def _matches(files: Sequence[str], pattern: str, base: str) -> bool:
    """Whether the pattern, read from ``base``, matches one of the files."""
    import bracex  # noqa: PLC0415 - only where a pattern is wrong
    from wcmatch import glob  # noqa: PLC0415 - the same

    if len(pattern) > MAX_LENGTH or pattern.count("*") > MAX_WILD:
        return False
    try:
        alternatives = bracex.expand(pattern, limit=MAX_ALTERNATIVES)
    except bracex.ExpansionLimitException:
        return False
    include, _ = glob.translate(alternatives, flags=glob.GLOBSTAR | glob.FORCEUNIX)
    regexes, head = [re.compile(regex) for regex in include], base.rstrip("/") + "/"
    return any(path.startswith(head) and any(each.match(path[len(head) :]) for each in regexes) for path in files)


def _set_apart(problem: Problem, lines: LineIndex, start: int, end: int) -> Fix:
    """An import with white space around it, and out of code."""
    text, name = lines.text, lines.text[start:end]
    while text[start - 1 : start] == "`" and text[end : end + 1] == "`":
        start, end = start - 1, end + 1
    ahead = " " if text[start - 1 : start].strip() and start else ""
    behind = " " if text[end : end + 1].strip() else ""
    where = lines.range(start, end)
    return Fix(f"Write {name} with white space around it", (Edit(problem.path, where, f"{ahead}{name}{behind}"),))


def _is_hidden(path: str) -> bool:
    return basename(dirname(path)).startswith(".")


def _text(host: Host, path: str) -> str | None:
    contents = host.read(path)
    return decode(contents.data, keep_bom=False) if contents.state == "file" else None


def _unwrapped(raw: str) -> tuple[str, str, str]:
    """A quote or @ before, the path, and what closes it."""
    found = re.fullmatch(r"""(["'@<]?)(.*?)(["'>]?)""", raw, re.DOTALL)
    return (found[1], found[2], found[3]) if found else ("", raw, "")


def _bases(host: Host, problem: Problem) -> Iterator[str]:
    """The directories that a path in the file may be relative to: its own, of entries also those above, a few.

    Not above a repository: what stands there is nobody's here.
    """
    directory = dirname(problem.path)
    for _ in range(MOST_ABOVE if problem.code in CLIMBS else 1):
        yield directory
        if host.kind(join(directory, ".git")) is not None:
            return
        directory = dirname(directory)


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
    """The stretch of an array's item with one comma beside it; None where it stands in no array."""
    behind = re.compile(r"[ \t]*,[ \t]*").match(text, end)
    ahead = re.search(r",\s*$", text[max(start - AROUND, 0) : start])
    opens = re.search(r"\[\s*$", text[max(start - AROUND, 0) : start])
    closes = re.compile(r"\s*\]").match(text, end)
    if behind and (opens or ahead):
        # A line of its own goes with its line end.
        line = re.compile(r"\r?\n[ \t]*").match(text, behind.end())
        return start, line.end() if line else behind.end()
    if closes and (ahead or opens):
        return max(start - AROUND, 0) + ahead.start() if ahead else start, end
    return None


def _raised(problem: Problem, host: Host) -> Iterator[Fix]:
    """The setting of the limit with a higher number, where it is set in a file."""
    for setting in problem.related:
        text = _text(host, setting.path)
        if text is None:
            continue
        lines = LineIndex(text)
        start = lines.offset(setting.range.start_line, setting.range.start_character)
        raw = text[start : lines.offset(setting.range.end_line, setting.range.end_character)]
        if raw.isdecimal():
            number = max(LEAST_RAISED, 2 * int(raw))
            yield Fix(f"Raise the limit to {number}", (Edit(setting.path, setting.range, str(number)),))
