"""The table of sizes as text: files by harness, in tokens."""

from __future__ import annotations

from promptls.core.paths import name
from promptls.core.render import Line
from promptls.core.session_line import seen_from
from promptls.core.table import FILES
from promptls.core.tokens import CALIBRATED, ESTIMATE
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.render import Style
    from promptls.core.table import Cell, Column, Row, Table

# Columns of a table on a terminal.
WIDTH = 100
# The narrowest column of names, that of numbers, and what a column has beside its name: with room, and without.
WIDE, TIGHT = (30, 11, 3), (20, 9, 2)
# Rows of files.
MOST_FILES = 20
OF_WINDOW = "of the model's window"


def table_lines(found: Table, root: str, path: str | None, *, width: int, home: str = "") -> Iterator[Line]:
    """The lines of the table of starts in the folder ``root``, or of sessions that read the file at ``path``.

    ``width``: the columns of the terminal; ``home``: what paths far from ``root`` are seen from. Where the harnesses do
    not fit side by side, the table has several blocks.
    """
    # That somebody types something, of which nothing is known, goes without saying.
    rows = [row for row in found.rows if row.kind != "typed" or any(cell and cell.tokens for cell in row.cells)]
    for number, columns in enumerate(_blocks(found.columns, width)):
        if number:
            yield Line("")
        inside = [replace(row, cells=tuple(row.cells[at] for at in columns)) for row in rows]
        yield from _block(tuple(found.columns[at] for at in columns), inside, (root, home), path, width)
    legend = _legend(replace(found, rows=tuple(rows)), is_of_file=path is not None)
    yield from (Line(each, "note") for each in wrapped(legend, " · ", width))
    for column in found.columns:
        if column.stopped:
            says = column.stopped if column.is_fault else f"{column.harness} sends nothing: {column.stopped}"
            yield Line(says, "problem")


def _blocks(columns: tuple[Column, ...], width: int) -> list[range]:
    """The columns of each block."""
    if sum(_widths(columns, WIDE)) <= width - WIDE[0]:
        return [range(len(columns))]
    return blocks(_widths(columns, TIGHT), width - TIGHT[0])


def blocks(widths: list[int], room: int) -> list[range]:
    """The columns of each block: as few blocks as possible, of about as many columns each where they fit so."""
    filled = _filled(widths, room)
    for number in range(1, len(filled) + 1):
        size = -(-len(widths) // number)
        found = [range(at, min(at + size, len(widths))) for at in range(0, len(widths), size)]
        if all(sum(widths[at] for at in block) <= room for block in found):
            return found
    return filled


def _filled(widths: list[int], room: int) -> list[range]:
    """Blocks that take each column that still fits; one alone has to."""
    found: list[range] = []
    for at in range(len(widths)):
        first = found[-1].start if found else at
        if found and sum(widths[first : at + 1]) <= room:
            found[-1] = range(first, at + 1)
        else:
            found.append(range(at, at + 1))
    return found


def _widths(columns: tuple[Column, ...], least: tuple[int, int, int]) -> list[int]:
    _, numbers, beside = least
    return [max(len(each.harness) + beside, numbers, len(_total(each)) + 1) for each in columns]


def _block(
    columns: tuple[Column, ...], given: list[Row], seen: tuple[str, str], path: str | None, width: int
) -> Iterator[Line]:
    """The lines of a block: what its harnesses take of each row that one of them takes, and of all.

    ``seen``: the folder and the home directory that paths are seen from.
    """
    root = seen[0]
    widths = _widths(columns, WIDE)
    widths = widths if sum(widths) <= width - WIDE[0] else _widths(columns, TIGHT)
    rows = [row for row in given if any(row.cells)]
    hidden = {row.names for row in [row for row in rows if row.kind in FILES][MOST_FILES:]}
    rows = [row for row in rows if row.names not in hidden]
    names = [_name(row, *seen) for row in rows]
    title = seen_from(root, path, seen[1]) if path else f"started in {name(root) or root}"
    room = min(max(map(len, (title, *names, OF_WINDOW))), max(width - sum(widths), 1))
    title = title if len(title) <= room else title.removeprefix("started in ")
    names = [each if len(each) <= room else _first_name(each, room) for each in names]

    def line(first: str, cells: Iterable[str], style: Style = "text") -> Line:
        padded = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        return Line(f"{fitting(first, room):<{room}}{''.join(padded)}".rstrip(), style)

    yield line(title, (f"{each.harness} " for each in columns), "title")
    last = max((at for at, row in enumerate(rows) if row.kind in FILES), default=0)
    for at, (shown, row) in enumerate(zip(names, rows, strict=True)):
        yield line(shown, map(_cell, row.cells))
        if hidden and at == last:
            yield line(f"{len(hidden)} more files", ("… " for _ in columns), "note")
    totals = map(_total, columns)
    yield line("all", totals, "message")
    if any(each.window for each in columns):
        shares = (
            f"{each.tokens / each.window:.1%} " if each.window and not each.is_fault else "? " for each in columns
        )
        yield line(OF_WINDOW, shares)


def _name(row: Row, root: str, home: str) -> str:
    if row.kind == "file":
        return ", ".join(
            sorted((seen_from(root, each, home) for each in row.names), key=lambda each: (len(each), each))
        )
    return f"{row.names[0]} ({row.files})" if row.files and row.kind not in FILES else row.names[0]


def _first_name(names: str, room: int) -> str:
    """The first of several names, and how many there are more; a name alone as it is."""
    first, *others = names.split(", ")
    more = f" +{len(others)}" if others else ""
    return f"{fitting(first, room - len(more))}{more}"


def wrapped(text: str, between: str, room: int) -> Iterator[str]:
    """The text in lines of ``room`` columns, broken where ``between`` stands."""
    line, end = "", between.rstrip()
    *parts, last = text.split(between)
    for part, after in (*((each, end) for each in parts), (last, "")):
        longer = f"{line}{between}{part}" if line else part
        if line and len(longer) + len(after) > room:
            yield f"{line}{end}"
            longer = f"  {part}"
        line = longer
    yield line


def fitting(text: str, room: int) -> str:
    """``text`` shortened from the left: the end of a path says more."""
    return text if len(text) <= room else f"…{text[1 - room :]}"


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "- "
    if _is_unknown(cell):
        return "? "
    number = _tokens(cell.tokens, is_at_least=cell.is_at_least)
    mark = "!" if cell.is_cut else ">" if cell.is_elsewhere else "*" if cell.is_on_read else ""
    return number[:-1] + mark if mark and not cell.is_at_least else number.rstrip() + mark


def _is_unknown(cell: Cell) -> bool:
    """Whether not even a part of it is known."""
    return cell.is_unknown or (cell.is_at_least and not cell.tokens)


def _total(column: Column) -> str:
    if column.is_fault:
        return "? "
    return f"{column.tokens:,} own" if column.is_own_only else _tokens(column.tokens, is_at_least=column.is_at_least)


def _tokens(tokens: int, *, is_at_least: bool) -> str:
    return f"{tokens:,}{'+' if is_at_least else ' '}"


def _estimated(found: Table) -> str:
    about = [each for each in found.columns if each.method in (ESTIMATE, CALIBRATED)]
    errors = sorted({each.error for each in about})
    how = "calibrated" if all(each.method == CALIBRATED for each in about) else "estimated"
    return f", {how} ±{' to ±'.join(map(str, dict.fromkeys((errors[0], errors[-1]))))} %" if errors else ""


def _legend(found: Table, *, is_of_file: bool) -> str:
    """What the signs that occur in the table mean."""
    cells = [cell for row in found.rows for cell in row.cells]
    later = "when this file is read" if is_of_file else "on reading a file near it"
    signs = [
        (True, f"tokens{_estimated(found)}"),
        (any(cell is None for cell in cells), "- never"),
        (any(cell is not None and cell.is_on_read for cell in cells), f"* {later}"),
        (any(cell is not None and cell.is_elsewhere for cell in cells), "> only if started near it"),
        (any(cell is not None and cell.is_cut for cell in cells), "! cut by a limit"),
        (any(each.is_at_least and not each.is_own_only for each in found.columns), "+ at least"),
        (any(map(_is_unknown, filter(None, cells))), "? not known"),
        (any(each.is_own_only for each in found.columns), "own: your own text only"),
    ]
    return " · ".join(text for occurs, text in signs if occurs)
