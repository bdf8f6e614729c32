"""Fixes that need a look at the disk: the nearest path, an entry taken out, a file made, a budget raised.

Where a check knows the way out by itself, its problems have their fixes already.
"""

from __future__ import annotations

import re
from posixpath import basename, dirname, join, normpath, splitext

from promptls.checks.near import near
from promptls.core.model import Edit, Fix, Range
from promptls.core.text import LineIndex, decode
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Problem

NEAREST = ("instruction-missing", "symlink-broken", "import-missing", "link-dead", "path-dead")
REMOVABLE = ("instruction-missing", "symlink-broken", "not-a-file", "glob-empty", "duplicate-source", "tool-conflict")
# To take these out changes nothing that is sent, and nothing that anybody meant to send.
SAFE = ("duplicate-source",)
CREATABLE = ("instruction-missing", "import-missing")
RAISABLE = ("cut", "dropped")
LEAST_RAISED = 65_536
# How much a name may differ from the one that was meant.
LIKE = 0.7
CONFIGS = (".json", ".jsonc", ".toml")


def with_fixes(found: Iterable[Problem], host: Host) -> list[Problem]:
    """The problems with every fix that is known, the likeliest first."""
    return [replace(problem, fixes=(*problem.fixes, *fixes(problem, host))) for problem in found]


def fixes(problem: Problem, host: Host) -> Iterator[Fix]:
    """The fixes of one problem that its check could not know."""
    if problem.code in RAISABLE:
        yield from _raised(problem, host)
        return
    text = _text(host, problem.path)
    if text is None or problem.range == Range():
        return
    lines = LineIndex(text)
    start = lines.offset(problem.range.start_line, problem.range.start_character)
    end = lines.offset(problem.range.end_line, problem.range.end_character)
    raw = text[start:end]
    before, entry, after = _unwrapped(raw)
    if problem.code == "link-dead" and "#" in entry:
        entry, sign, anchor = entry.partition("#")
        after = f"{sign}{anchor}{after}"
    if problem.code in NEAREST and entry:
        right = next((near_ for base in _bases(problem.path) if (near_ := _nearest(host, base, entry))), None)
        if right:
            yield Fix(f"Write {right}", (Edit(problem.path, problem.range, f"{before}{right}{after}"),))
    if problem.code in REMOVABLE and splitext(problem.path)[1] in CONFIGS:
        edge = _with_comma(text, start, end)
        if edge is not None:
            where = lines.range(*edge)
            yield Fix("Remove the entry", (Edit(problem.path, where),), is_safe=problem.code in SAFE)
    if problem.code in CREATABLE and entry.endswith(".md") and not entry.startswith(("/", "~")):
        path = normpath(join(dirname(problem.path), entry))
        # A configuration in a folder of its own is read from elsewhere: which place is meant is not known here.
        if host.kind(path) is None and not basename(dirname(problem.path)).startswith("."):
            title = basename(entry).removesuffix(".md").replace("-", " ").capitalize()
            yield Fix(f"Create {entry}", (Edit(path, Range(), f"# {title}\n"),))


def _text(host: Host, path: str) -> str | None:
    contents = host.read(path)
    return decode(contents.data, keep_bom=False) if contents.state == "file" else None


def _unwrapped(raw: str) -> tuple[str, str, str]:
    """A quote or @ before, the path, and what closes it."""
    found = re.fullmatch(r"""(["'@<]?)(.*?)(["'>]?)""", raw, re.DOTALL)
    return (found[1], found[2], found[3]) if found else ("", raw, "")


def _bases(path: str) -> Iterator[str]:
    """The directories that a path in the file may be relative to: its own, then those above, a few."""
    directory = dirname(path)
    for _ in range(4):
        yield directory
        directory = dirname(directory)


def _nearest(host: Host, base: str, entry: str) -> str | None:
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
        if right is None:
            return None
        parts.append(right)
        place = normpath(join(place, right))
    found = "/".join(parts)
    return found if found != entry and host.kind(place) == "file" else None


def _with_comma(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The stretch of an array's item with one comma beside it; None where it stands in no array."""
    behind = re.compile(r"[ \t]*,[ \t]*").match(text, end)
    ahead = re.search(r",\s*$", text[:start])
    opens = re.search(r"\[\s*$", text[:start])
    closes = re.compile(r"\s*\]").match(text, end)
    if behind and (opens or ahead):
        # A line of its own goes with its line end.
        line = re.compile(r"\r?\n[ \t]*").match(text, behind.end())
        return start, line.end() if line else behind.end()
    if closes and (ahead or opens):
        return ahead.start() if ahead else start, end
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
