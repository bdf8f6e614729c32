"""What several harnesses are sent, side by side: a row for each file and part, a column for each harness."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.model import START, USED
from promptls.core.sizes import NAMES, Size, kind_of, name_of, sizes, uses_of
from promptls.core.totals import is_at_least, is_own_only, prompt_tokens, total_counter, window_of
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.model import Prompt
    from promptls.core.sizes import Kind

    _Rows = dict[tuple[Kind, str], "_Found"]

# The rows of files; of those of a harness, there is one for all columns.
FILES: tuple[Kind, ...] = ("file", "url")
OWN: tuple[Kind, ...] = ("tools", "harness")
OWN_NAME = "the program itself"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a harness takes of a row, in tokens.

    ``is_on_read``: not at start, only when a file is read. ``is_elsewhere``: in no session of this start, only in one
    that is started elsewhere. ``is_cut``: a limit removed some of it, or all. ``is_at_least``: there is more, of
    unknown size. ``is_unknown``: nobody knows what there is.
    """

    tokens: int
    is_on_read: bool = False
    is_cut: bool = False
    is_at_least: bool = False
    is_elsewhere: bool = False
    is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A file or part: ``names`` are its path and the links to it, or the name of the part.

    ``cells`` are one a column, None where the harness never gets it. ``files``: how many files it comes from.
    """

    names: tuple[str, ...]
    kind: Kind
    cells: tuple[Cell | None, ...]
    files: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """A harness: the tokens of its prompt, and the context window of its model, None if that is not known.

    ``method`` and ``error`` say how the tokens were counted, as in ``core/tokens.py``.
    """

    harness: str
    version: str
    model: str | None
    tokens: int
    method: str
    error: int
    is_at_least: bool
    window: int | None
    stopped: str | None = None
    # promptls failed to make it, so its tokens are not known.
    is_fault: bool = False
    # Nobody has seen what the harness itself sends: the tokens are those of the user's own text.
    is_own_only: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and columns: the user's files first, largest first, then lists, then what belongs to the harnesses."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


@dataclass(slots=True)
class _Found:
    """A row while it is put together: its names, its cells by column, and its files in the column with the most."""

    kind: Kind
    names: dict[str, None] = field(default_factory=dict)
    cells: dict[int, Cell] = field(default_factory=dict)
    files: int = 0


def table(prompts: Sequence[Sequence[Prompt]], target: Callable[[str], str] = str) -> Table:
    """The table of ``prompts``, those of one harness in each entry.

    The first prompt of an entry is the session that is shown. The others tell which further files are loaded when
    something is read, or by a start elsewhere. ``target`` resolves links: a file and the links to it are one row.
    """
    found: _Rows = {}
    for at, (shown, *others) in enumerate(prompts):
        first = {_key(size, target) for size in _starting(shown)}
        for size in sizes(shown):
            _add(found, at, size, target, is_on_read=_key(size, target) not in first)
        _mark_cuts(found, at, shown, target, is_shown=True)
        # A session of the same start says more than one that is started elsewhere.
        for prompt in sorted(others, key=lambda each: each.session.cwd != shown.session.cwd):
            known = {key for key, row in found.items() if at in row.cells}
            for size in sizes(prompt):
                if size.kind in FILES and _key(size, target) not in known:
                    is_elsewhere = prompt.session.cwd != shown.session.cwd
                    _add(found, at, size, target, is_on_read=not is_elsewhere, is_elsewhere=is_elsewhere)
            _mark_cuts(found, at, prompt, target, is_shown=False)
        _add_links(found, (shown, *others), target)
    for at, (shown, *_) in enumerate(prompts):
        if is_own_only(shown):
            _mark_unknown(found, at)
    rows = [
        Row(tuple(row.names), row.kind, tuple(row.cells.get(at) for at in range(len(prompts))), row.files)
        for row in found.values()
    ]
    return Table(tuple(_column(shown) for shown, *_ in prompts), tuple(sorted(rows, key=_order)))


def _starting(prompt: Prompt) -> list[Size]:
    return sizes(replace(prompt, messages=tuple(each for each in prompt.messages if each.at == START)))


def _key(size: Size, target: Callable[[str], str]) -> tuple[Kind, str]:
    if size.kind == "file":
        return size.kind, target(size.name)
    return size.kind, size.name if size.kind not in OWN else OWN_NAME


def _add(
    found: _Rows,
    at: int,
    size: Size,
    target: Callable[[str], str],
    *,
    is_on_read: bool,
    is_elsewhere: bool = False,
) -> None:
    """Put a cell into its row; what a column has twice, by two names, counts twice."""
    key = _key(size, target)
    row = found.setdefault(key, _Found(size.kind))
    row.names[OWN_NAME if size.kind == "harness" else size.name] = None
    row.files = max(row.files, size.files)
    before = row.cells.get(at, Cell(0, is_on_read=True, is_elsewhere=True))
    row.cells[at] = Cell(
        before.tokens + size.tokens,
        is_on_read=before.is_on_read and is_on_read,
        is_at_least=before.is_at_least or size.is_at_least,
        is_elsewhere=before.is_elsewhere and is_elsewhere,
    )


def _mark_cuts(found: _Rows, at: int, prompt: Prompt, target: Callable[[str], str], *, is_shown: bool) -> None:
    """Mark what a limit removed of the user's; a file of which nothing is left gets a cell without tokens.

    Of a prompt that is not shown, only files have cells.
    """
    uses, harness = uses_of(prompt), specs.of(prompt.session.harness).title
    for message in prompt.messages:
        for segment in message.segments:
            if segment.cut is not None and not segment.cut.is_ours:
                kind = kind_of(segment, uses, is_tool=message.role == "tools")
                row = found.get(_key(Size(name_of(kind, segment, harness), kind, 0), target))
                if row is not None and kind not in OWN and (is_shown or kind in FILES):
                    row.cells[at] = replace(row.cells[at], is_cut=True)
    for each in prompt.candidates:
        if each.outcome == "dropped" and each.use == "instruction" and each.path is not None:
            row = found.setdefault(("file", target(each.path)), _Found("file", {each.path: None}))
            row.cells[at] = replace(row.cells.get(at, Cell(0)), is_cut=True)


def _add_links(found: _Rows, prompts: Sequence[Prompt], target: Callable[[str], str]) -> None:
    """Name the links through which files were loaded: a text is said to be of the file itself."""
    for each in (each for prompt in prompts for each in prompt.candidates):
        if each.path is not None and each.outcome in USED and ("file", target(each.path)) in found:
            found["file", target(each.path)].names[each.path] = None


def _mark_unknown(found: _Rows, at: int) -> None:
    """Mark what may be there of a harness that nobody has seen: all but files, of which the documentation tells."""
    for kind in OWN:
        found.setdefault((kind, OWN_NAME), _Found(kind, {NAMES.get(kind, OWN_NAME): None}))
    for (kind, _), row in found.items():
        cell = row.cells.get(at)
        if kind in OWN or (kind not in FILES and (cell is None or not cell.tokens)):
            row.cells[at] = Cell(0, is_unknown=True)


def _order(row: Row) -> tuple[bool, int, str]:
    return row.kind in OWN, -max(cell.tokens for cell in row.cells if cell is not None), row.names[0]


def _column(prompt: Prompt) -> Column:
    session, count = prompt.session, total_counter(prompt)
    return Column(
        harness=session.harness,
        version=session.version,
        model=prompt.model,
        tokens=prompt_tokens(prompt, count),
        method=count.method,
        error=count.whole_error,
        is_at_least=is_at_least(prompt),
        window=window_of(prompt),
        stopped=prompt.stopped,
        is_fault=prompt.is_fault,
        is_own_only=is_own_only(prompt),
    )
