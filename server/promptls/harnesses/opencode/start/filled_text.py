"""A configuration text of opencode with {env:} and {file:} filled in, and the way back to the original's places."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

from promptls.core.formats.tree import Value
from promptls.core.lazy import regex
from promptls.core.model import Fault, Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.opencode.start.variables import Flags
from promptls.kit.paths import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Range

_ENV = regex(r"\{env:([^}]+)\}")
_FILE = regex(r"\{file:([^}]+)\}")
_COMMENT = regex(r"[^\S\n]*//")
# What {env:} and {file:} may add to a configuration: characters, and times.
MAX_FILLED = 4 * 1024 * 1024
MAX_TIMES_FILLED = 1000
FILLED_LIMIT = "promptls leaves out a configuration that {env:} and {file:} make larger than 4 MiB"


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration text: ``path`` is None for the one in the environment; ``base`` is where {file:} looks."""

    path: str | None
    base: str
    text: str


@dataclass(frozen=True, slots=True)
class Insertion:
    """What replaced one {env:} or {file:}: its place in the text, that of the name in the original, and the file."""

    start: int
    end: int
    old_start: int
    old_end: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class FilledText:
    """A configuration text with {env:} and {file:} filled in, and the way back to the original's places."""

    text: str
    original: str
    # In order.
    inserted: tuple[Insertion, ...] = ()
    fault: Fault | None = None

    def range(self, start: int, end: int) -> Range:
        """The range in the original of two offsets in the text."""
        return _lines_of(self.original).range(*self.back(start, end))

    def file(self, value: Value) -> str | None:
        """The file whose text is the whole of a string, if it is."""
        for each in self.inserted:
            if each.path is not None and (each.start, each.end) == (value.start + 1, value.end - 1):
                return each.path
        return None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Two offsets in the text as offsets in the original; inside an insertion, as the ends of its name."""
        return self._back(start), self._back(end, at_end=True)

    def _back(self, offset: int, *, at_end: bool = False) -> int:
        first = max(bisect_left(self.inserted, offset, key=lambda insertion: insertion.start) - 1, 0)
        before: Insertion | None = None
        for each in self.inserted[first:]:
            if offset <= each.start:
                break
            if offset < each.end or (offset == each.end and at_end):
                return each.old_end if at_end else each.old_start
            before = each
        return offset + before.old_end - before.end if before else offset


@lru_cache(maxsize=8)
def _lines_of(text: str) -> LineIndex:
    return LineIndex(text)


class TooMuchError(Exception):
    """A configuration grows too large when it is filled in."""


def fill_in(host: Host, flag: Flags, source: Source) -> FilledText:
    """``{env:NAME}`` over the whole text, then ``{file:path}`` except after a line's ``//`` (section 4.8).

    Raises:
        TooMuchError: a limit of ours is reached.
    """
    if "{env:" not in source.text and "{file:" not in source.text:
        return FilledText(source.text, source.text)
    with_env = _replace(source.text, _ENV, lambda found: (host.env.get(found[1], ""), None))
    missing: list[re.Match[str]] = []
    line = 0

    def file_text(found: re.Match[str]) -> tuple[str, str | None] | None:
        nonlocal line
        line = max(line, with_env.text.rfind("\n", line, found.start()) + 1)
        comment = _COMMENT.match(with_env.text, line)
        if comment and comment.end() <= found.start():
            return None
        named = found[1]
        path = resolve(flag.real_home, named[2:]) if named.startswith("~/") else resolve(source.base, named)
        contents = host.read(path)
        if contents.state != "file":
            missing.append(found)
            return None
        if contents.is_cut:
            raise TooMuchError
        import json  # noqa: PLC0415 - only where a file is named

        text = decode(contents.data, keep_bom=False).strip()
        return json.dumps(text, ensure_ascii=False)[1:-1], path

    with_files = _replace(with_env.text, _FILE, file_text)
    inserted = _from_original(with_env, with_files)
    fault = None
    if missing:
        where = with_env.range(*missing[0].span())
        says = f"the file that {missing[0][0]} names cannot be read"
        fault = Fault("config-invalid", where, says)
    return FilledText(with_files.text, source.text, inserted, fault)


def _replace(text: str, pattern: re.Pattern[str], fill: object) -> FilledText:
    pieces: list[str] = []
    inserted: list[Insertion] = []
    at = length = added = 0
    # Not after the last bracket: the pattern would look for one from every place on.
    for found in pattern.finditer(text, 0, text.rfind("}") + 1):
        filled = fill(found)  # type: ignore[operator] # one of the two functions above
        if filled is None:
            continue
        value, path = filled
        added += len(value)
        if added > MAX_FILLED or len(inserted) == MAX_TIMES_FILLED:
            raise TooMuchError
        pieces += [text[at : found.start()], value]
        length += found.start() - at
        inserted.append(Insertion(length, length + len(value), found.start(), found.end(), path))
        length += len(value)
        at = found.end()
    return FilledText("".join([*pieces, text[at:]]), text, tuple(inserted))


def _from_original(with_env: FilledText, with_files: FilledText) -> tuple[Insertion, ...]:
    """The insertions of both rounds, from the text with files back to the original.

    A variable that is part of the name of a file is gone with it. The files before any other variable have moved it.
    """
    files = with_files.inserted
    found = [Insertion(each.start, each.end, *with_env.back(each.old_start, each.old_end), each.path) for each in files]
    ends = [each.old_end for each in files]
    for variable in with_env.inserted:
        files_before = bisect_right(ends, variable.start)
        if files_before < len(files) and files[files_before].old_start < variable.end:
            continue
        moved = files[files_before - 1].end - ends[files_before - 1] if files_before else 0
        found.append(replace(variable, start=variable.start + moved, end=variable.end + moved))
    return tuple(sorted(found, key=lambda insertion: (insertion.start, insertion.end)))


def origin_of(source: Source, text: FilledText, value: Value) -> Origin:
    """The place of a value in the file as it is."""
    data = str(value.data)
    if source.path is None:
        return Origin("argument", name=data)
    return Origin("config", path=source.path, range=text.range(value.start, value.end), name=data)
