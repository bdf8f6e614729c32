"""A configuration text of opencode with {env:} and {file:} filled in, and the way back to the original's places."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

from promptls.core.formats.tree import Value
from promptls.core.model import Fault, Origin
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.harnesses.opencode.flags import Flags
from promptls.harnesses.shared.paths import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Range

_ENV = re.compile(r"\{env:([^}]+)\}")
_FILE = re.compile(r"\{file:([^}]+)\}")
_COMMENT = re.compile(r"[^\S\n]*//")
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
class FilledText:
    """A configuration text with {env:} and {file:} filled in, and the way back to the original's places."""

    text: str
    original: str
    # Start and end in the text, start and end in the original, and the file that was inserted.
    inserted: tuple[tuple[int, int, int, int, str | None], ...] = ()
    fault: Fault | None = None

    def range(self, start: int, end: int) -> Range:
        """The range in the original of two offsets in the text."""
        return _lines_of(self.original).range(self._back(start), self._back(end, at_end=True))

    def file(self, value: Value) -> str | None:
        """The file whose text is the whole of a string, if it is."""
        for start, end, _, _, path in self.inserted:
            if path is not None and (start, end) == (value.start + 1, value.end - 1):
                return path
        return None

    def _back(self, offset: int, *, at_end: bool = False) -> int:
        first = max(bisect_left(self.inserted, offset, key=lambda insertion: insertion[0]) - 1, 0)
        shift = self.inserted[first - 1][3] - self.inserted[first - 1][1] if first else 0
        for start, end, old_start, old_end, _ in self.inserted[first:]:
            if offset < start or (offset == start and not at_end):
                break
            if offset < end or (offset == end and at_end):
                return old_end if at_end else old_start
            shift = old_end - end
        return offset + shift


@lru_cache(maxsize=8)
def _lines_of(text: str) -> LineIndex:
    return LineIndex(text)


class TooMuchError(Exception):
    """A configuration grows too large when it is filled in."""


def fill_in(host: Host, flag: Flags, source: Source) -> FilledText:
    """``{env:NAME}`` over the whole text, then ``{file:path}`` except behind a line's ``//`` (section 4.8).

    Raises:
        TooMuchError: a limit of ours is reached.
    """
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
        text = decode(contents.data, keep_bom=False).strip()
        return json.dumps(text, ensure_ascii=False)[1:-1], path

    with_files = _replace(with_env.text, _FILE, file_text)
    inserted = _compose(with_env, with_files)
    fault = None
    if missing:
        where = LineIndex(source.text).range(*_span_back(with_env, missing[0]))
        says = f"the file that {missing[0][0]} names cannot be read"
        fault = Fault("config-invalid", where, says)
    return FilledText(with_files.text, source.text, inserted, fault)


def _span_back(text: FilledText, found: re.Match[str]) -> tuple[int, int]:
    return text._back(found.start()), text._back(found.end(), at_end=True)  # noqa: SLF001 - its own module


def _replace(text: str, pattern: re.Pattern[str], fill: object) -> FilledText:
    pieces: list[str] = []
    inserted: list[tuple[int, int, int, int, str | None]] = []
    at = length = added = 0
    # Not behind the last bracket: the pattern would look for one from every place on.
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
        inserted.append((length, length + len(value), found.start(), found.end(), path))
        length += len(value)
        at = found.end()
    return FilledText("".join([*pieces, text[at:]]), text, tuple(inserted))


def _compose(first: FilledText, second: FilledText) -> tuple[tuple[int, int, int, int, str | None], ...]:
    """The insertions of two rounds as one: from the final text back to the original."""
    if not first.inserted:
        return second.inserted
    moved = [(s, e, first._back(a), first._back(b, at_end=True), path) for s, e, a, b, path in second.inserted]  # noqa: SLF001 - its own module
    begins, ends = [each[2] for each in moved], [each[3] for each in second.inserted]
    covering = tuple(moved)
    for start, end, old_start, old_end, path in first.inserted:
        over = bisect_right(begins, old_start) - 1
        if over >= 0 and old_end <= covering[over][3]:
            continue
        before = bisect_right(ends, start) - 1
        shift = second.inserted[before][1] - ends[before] if before >= 0 else 0
        moved.append((start + shift, end + shift, old_start, old_end, path))
    return tuple(sorted(moved, key=lambda insertion: insertion[0]))


def origin_of(source: Source, text: FilledText, value: Value) -> Origin:
    """The place of a value in the file as it is."""
    data = str(value.data)
    if source.path is None:
        return Origin("argument", name=data)
    return Origin("config", path=source.path, range=text.range(value.start, value.end), name=data)
