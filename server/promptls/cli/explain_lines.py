"""``promptls explain FILE:LINE``: who gets these lines, and where in the prompt, or what takes them away."""

from __future__ import annotations

import os
import re

from promptls.cli.arguments import absolute, current_directory, existing
from promptls.core import files
from promptls.core.lazy import regex
from promptls.core.paths import parent, with_relative
from promptls.core.phrases import cut_says
from promptls.core.secrets import masked_file
from promptls.core.session_line import seen_from
from promptls.core.text import LineIndex, decode
from promptls.core.uses import WORDS
from promptls.core.values import dataclass
from promptls.errors import UsageError
from promptls.workspace.machine import home
from promptls.workspace.request import repository_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.lines import LeftOut
    from promptls.sessions.explanation import Explanation, Use

# FILE:LINE, FILE:LINE:COLUMN, FILE:LINE-LINE, and the same as GitHub writes it.
_LINES = regex(r"(?P<path>.+?)(?::|#L)(?P<first>\d+)(?:-L?(?P<last>\d+)|:\d+)?", re.DOTALL)
# Lines of the file that are shown, and letters of each.
MOST_LINES, MOST_LETTERS = 10, 100


@dataclass(frozen=True, slots=True)
class Asked:
    """A file, and the lines of it that are asked for, from 0; None where the whole file is."""

    path: str
    lines: tuple[int, int] | None = None


def asked(argument: str) -> Asked:
    """What an argument asks for.

    Raises:
        UsageError: there is no such file, or it has no such line.
    """
    found = _LINES.fullmatch(argument) if not os.path.lexists(absolute(argument)) else None
    if found is None:
        return Asked(existing(absolute(argument), "file"))
    path = existing(absolute(found["path"]), "file")
    lines = sorted((int(found["first"]) - 1, int(found["last"] or found["first"]) - 1))
    number = len(_lines(path))
    if lines[0] < 0 or lines[1] >= number:
        has = f"{number:,} line{'' if number == 1 else 's'}"
        raise UsageError(f"{found['path']} has {has}; choose one of them.")
    return Asked(path, (lines[0], lines[1]))


def head(file: Asked) -> Iterator[str]:
    """The file, and the lines of it that are asked for."""
    here = current_directory()
    if file.lines is None:
        yield seen_from(here, file.path, home())
        return
    first, last = file.lines
    yield f"{seen_from(here, file.path, home())}:{first + 1}{f'-{last + 1}' if last > first else ''}"
    shown = _lines(file.path)[first : last + 1]
    yield from (f"    {line[:MOST_LETTERS]}{'…' if len(line) > MOST_LETTERS else ''}" for line in shown[:MOST_LINES])
    if len(shown) > MOST_LINES:
        yield f"    … {len(shown) - MOST_LINES:,} more"


def says(file: Asked, found: Sequence[Explanation]) -> Iterator[str]:
    """A row for each harness and session; those of harnesses that are not in use last."""
    here = current_directory()
    width = max((len(each.harness) for each in found), default=0)
    for is_found in (True, False):
        rows = [(each.harness, row) for each in found if each.is_found == is_found for row in _rows(each, file)]
        if rows:
            yield ""
        if rows and not is_found and any(each.is_found for each in found):
            yield "Not in use here:"
        before = ""
        for harness, (when, where) in rows:
            yield f"{harness if harness != before else '':<{width}}  {when:<8}  {with_relative(where, here, home())}"
            before = harness


def why_not(piece: LeftOut) -> tuple[str, str]:
    """``never`` or ``later``, and the reason."""
    why = f"beyond a limit: {cut_says(piece.cut)}" if piece.cut is not None else piece.why
    return "later" if piece.reason in ("later", "import") else "never", why


def _lines(path: str) -> list[str]:
    """The lines of a file as an editor counts them, without what ends them, and with stars for secrets.

    Raises:
        UsageError: it cannot be read.
    """
    contents = files.read(path)
    if contents.state != "file":
        raise UsageError(f"{path} is not a file that can be read; choose a file.")
    text = masked_file(path, decode(contents.data, keep_bom=False))
    index = LineIndex(text)
    last = index.position(len(text))[0]
    starts = [index.offset(line, 0) for line in range(last + 1)]
    found = [text[start:end].rstrip("\r\n") for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return found[:-1] if found[-1] == "" else found


def _rows(each: Explanation, file: Asked) -> Iterator[tuple[str, str]]:
    """When and where, or why not."""
    sent = [use for use in each.uses if use.lines]
    root = repository_of(parent(file.path)) or parent(file.path)
    for use in sent:
        yield ("at start" if use.at == "start" else "on read"), _place(use, root)
    for piece in each.left_out:
        yield _left_out(piece, file, is_part=bool(sent) or len(each.left_out) > 1)
    words = WORDS.get(each.used_as)
    if each.is_fault:
        yield "?", each.reason
    elif not each.uses:
        if each.is_read:
            yield "later", f"{f'{words.offered}; {words.later}' if words else each.why}"
        else:
            yield "never", each.reason or each.rule
    elif not sent and not each.left_out:
        yield "never", "it is blank"


def _place(use: Use, root: str) -> str:
    """Where a use is in the prompt; of a start elsewhere than in the folder ``root``, also where that is."""
    lines = [
        f"line {first + 1:,}" if first == last else f"lines {first + 1:,}-{last + 1:,}" for first, last in use.lines
    ]
    place = f"message {use.message + 1} ({use.role}), {' and again '.join(lines)}"
    if use.scope:
        place += f", for {use.scope}"
    if use.cwd != root:
        place += f", if started in {use.cwd}"
    return f"{place}, {use.by}" if use.by else place


def _left_out(piece: LeftOut, file: Asked, *, is_part: bool) -> tuple[str, str]:
    first, last = file.lines or (0, 0)
    start, end = max(piece.range.start_line, first) + 1, min(piece.range.end_line, last) + 1
    where = (f"line {start:,}: " if start == end else f"lines {start:,}-{end:,}: ") if is_part else ""
    when, why = why_not(piece)
    return when, f"{where}{why}"
