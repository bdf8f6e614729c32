"""``promptls`` alone, or with a path: what each harness in use is sent, what is wrong there, and what to do next."""

from __future__ import annotations

import os

from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.cli.output import show, write_json
from promptls.core import files
from promptls.core.map_json import table_json
from promptls.core.paths import name, relative, with_relative
from promptls.core.prompt_json import problem_json
from promptls.core.render import Line
from promptls.core.settings import Settings
from promptls.core.table import FILES, Cell, table
from promptls.core.tokens import ESTIMATE
from promptls.core.values import dataclass
from promptls.harnesses.detect import is_by_agents, is_undecided
from promptls.harnesses.shared.paths import first_above
from promptls.harnesses.start import named
from promptls.local import load_harnesses, local_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator
    from typing import Any

    from promptls.core.model import Problem
    from promptls.core.render import Style
    from promptls.core.table import Column, Row, Table

# Columns of a table on a terminal, and the narrowest column of names; further harnesses follow in a sentence.
WIDTH, NAMES, NUMBERS = 100, 30, 11
# Rows of files on a terminal, and problems that are shown.
MOST_FILES, MOST_PROBLEMS = 20, 3
OF_WINDOW = "of the model's window"
SEVERITIES = ("error", "warning", "information", "hint")
NOTHING = (
    "No coding agent is set up here: there is no AGENTS.md, CLAUDE.md or the like. "
    "“promptls harnesses” lists the supported ones; “promptls --harness NAME” shows one of them anyway."
)


@dataclass(frozen=True, slots=True)
class Overview:
    """The table of the folder ``root``, or of the file at ``path`` in it, and the problems, the gravest first.

    ``undecided`` are the harnesses that only AGENTS.md speaks for, where the user has not chosen any.
    """

    root: str
    path: str | None
    table: Table
    problems: tuple[Problem, ...]
    undecided: tuple[str, ...] = ()

    def relative(self, path: str) -> str:
        """``path`` relative to the folder."""
        return relative(path, self.root)


def is_in_repository() -> bool:
    """Whether the current directory is in a git repository."""
    return first_above(local_host(), current_directory("/"), ".git") is not None


def run(argv: list[str]) -> int:
    """Show the table; problems do not change the exit code."""
    options = _options(argv)
    path = existing(absolute(options.path), "file or directory") if options.path is not None else None
    load_harnesses()
    found = _of_folder(options, path) if path is None or os.path.isdir(path) else _of_file(options, path)
    if options.format == "json":
        write_json(_json(found))
    else:
        show(_lines(found))
    return 0


def _options(argv: list[str]) -> Namespace:
    parser = Parser(
        prog="promptls", description="Show the size of what each coding agent gets, and the worst problems."
    )
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a file that is read, or a folder (default: the git repository)"
    )
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser.parse_args(argv)


def _of_folder(options: Namespace, path: str | None) -> Overview:
    """Of a start in a folder: the prompts and problems of a check, without URLs."""
    from promptls.folder_check import problems_of  # noqa: PLC0415 - not for a file
    from promptls.folder_prompts import folder_prompts  # noqa: PLC0415 - the same
    from promptls.listing import Listing  # noqa: PLC0415 - the same

    here = current_directory() if path is None else path
    root = files.realpath(path or first_above(local_host(), here, ".git") or here)
    with Listing(root) as listing:
        looked = folder_prompts(root, listing, settings=Settings(urls_enabled=False), only=options.harness)
    made = table(looked.by_harness(), looked.host.realpath)
    below = [each for each in problems_of(root, looked) if each.path.startswith(f"{root.rstrip('/')}/")]
    return Overview(root, None, made, gravest(below), looked.by_agents)


def _of_file(options: Namespace, path: str) -> Overview:
    """Of a session that reads a file: one prompt for each harness, with the problems that its preview shows."""
    from promptls.checks import prompt_problems  # noqa: PLC0415 - not for a folder
    from promptls.checks.folder import apply_settings  # noqa: PLC0415 - the same
    from promptls.checks.merge import merge  # noqa: PLC0415 - the same
    from promptls.file_prompts import file_prompts  # noqa: PLC0415 - the same

    looked = file_prompts(path, here=current_directory("/"), only=options.harness)
    host, settings, found, prompts = looked.host, looked.settings, looked.found, looked.prompts
    own = named(settings, found)
    problems = merge(
        (each.session.harness, apply_settings(prompt_problems(each, own), own, host, each.session.cwd))
        for each in prompts
    )
    undecided = [each.name for each in found if is_by_agents(each)] if is_undecided(found, settings) else []
    made = table([[each] for each in prompts], host.realpath)
    return Overview(looked.place.workspace, path, made, gravest(problems), () if options.harness else tuple(undecided))


def gravest(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems, the gravest first."""
    return tuple(sorted(problems, key=lambda each: SEVERITIES.index(each.severity)))


# -- JSON ------------------------------------------------------------------------------------------------------


def _json(found: Overview) -> dict[str, Any]:
    return {
        "root": found.root,
        "path": found.path,
        **table_json(found.table),
        "problems": len(found.problems),
        "worst": [problem_json(each) for each in found.problems[:MOST_PROBLEMS]],
        "undecided": list(found.undecided),
    }


# -- for people ------------------------------------------------------------------------------------------------


def _lines(found: Overview) -> Iterator[Line]:
    if not found.table.columns:
        yield Line(NOTHING)
        return
    yield from _table(found)
    yield Line("")
    yield from _problems(found)
    yield Line("")
    yield from _next(found)


def _table(found: Overview) -> Iterator[Line]:
    widths = _widths(found.table.columns)
    columns, left = found.table.columns[: len(widths)], found.table.columns[len(widths) :]
    rows = [row for row in found.table.rows if any(row.cells[: len(widths)])]
    hidden = {row.names for row in [row for row in rows if row.kind in FILES][MOST_FILES:]}
    rows = [row for row in rows if row.names not in hidden]
    names = [_name(row, found) for row in rows]
    title = found.relative(found.path) if found.path else f"started in {name(found.root) or found.root}"
    room = min(max(map(len, (title, *names, OF_WINDOW))), WIDTH - sum(widths))

    def line(first: str, cells: Iterable[str], style: Style = "text") -> Line:
        padded = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=False))
        return Line(f"{fitting(first, room):<{room}}{''.join(padded)}".rstrip(), style)

    yield line(title, (f"{each.harness} " for each in columns), "title")
    for shown, row in zip(names, rows, strict=True):
        yield line(shown, map(_cell, row.cells))
    if hidden:
        yield line(f"{len(hidden)} more files", ("… " for _ in columns), "note")
    yield line("all", (_tokens(each.tokens, is_at_least=each.is_at_least) for each in columns), "message")
    if any(each.window for each in columns):
        yield line(OF_WINDOW, (f"{each.tokens / each.window:.1%} " if each.window else "? " for each in columns))
    yield Line(_legend(found), "note")
    for column in columns:
        if column.stopped:
            yield Line(f"{column.harness} sends nothing: {column.stopped}", "problem")
    if left:
        others = ", ".join(f"{each.harness} ({each.tokens:,})" for each in left)
        yield Line(f"Not shown: {others}; --harness NAME shows one alone, --format json all.", "note")


def _widths(columns: tuple[Column, ...]) -> list[int]:
    """The widths of the columns that fit on a line, one at least."""
    widths = [max(len(each.harness) + 3, NUMBERS) for each in columns]
    while len(widths) > 1 and sum(widths) > WIDTH - NAMES:
        widths.pop()
    return widths


def _name(row: Row, found: Overview) -> str:
    if row.kind == "file":
        return ", ".join(sorted(map(found.relative, row.names), key=lambda each: (len(each), each)))
    return f"{row.names[0]} ({row.files})" if row.files and row.kind not in FILES else row.names[0]


def fitting(text: str, room: int) -> str:
    """``text`` shortened from the left: the end of a path says more."""
    return text if len(text) <= room else f"…{text[1 - room :]}"


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "- "
    number = _tokens(cell.tokens, is_at_least=cell.is_at_least)
    mark = "!" if cell.is_cut else "*" if cell.is_on_read else ""
    return number[:-1] + mark if mark and not cell.is_at_least else number.rstrip() + mark


def _tokens(tokens: int, *, is_at_least: bool) -> str:
    return f"{tokens:,}{'+' if is_at_least else ' '}"


def _legend(found: Overview) -> str:
    """What the signs that occur in the table mean."""
    cells = [cell for row in found.table.rows for cell in row.cells]
    estimated = any(each.method == ESTIMATE for each in found.table.columns)
    later = "when this file is read" if found.path else "only when a file near it is read, or started beside it"
    signs = [
        (True, "tokens, estimated" if estimated else "tokens"),
        (any(cell is None for cell in cells), "- never"),
        (any(cell is not None and cell.is_on_read for cell in cells), f"* {later}"),
        (any(cell is not None and cell.is_cut for cell in cells), "! cut by a limit"),
        (any(each.is_at_least for each in found.table.columns), "+ at least"),
    ]
    return " · ".join(text for occurs, text in signs if occurs)


def _problems(found: Overview) -> Iterator[Line]:
    number = len(found.problems)
    if not number:
        yield Line("No problems were found." if found.path is None else "No problems were found in these prompts.")
        return
    worst = f"; the worst {MOST_PROBLEMS}" if number > MOST_PROBLEMS else ""
    yield Line(f"{number} problem{'' if number == 1 else 's'}{worst}:", "title")
    for each in found.problems[:MOST_PROBLEMS]:
        place = f"{found.relative(each.path)}:{each.range.start_line + 1}"
        style: Style = "problem" if each.severity == "error" else "text"
        yield Line(f"  {place} {each.severity} {each.code}: {with_relative(each.message, found.root)}", style)


def _next(found: Overview) -> Iterator[Line]:
    """The commands that lead on from here."""
    from shlex import quote  # noqa: PLC0415 - only for these lines

    here, columns = current_directory("/"), found.table.columns
    shown = [quote(relative(found.path, here))] if found.path else []
    steps = [(" ".join(("preview", *shown, "--harness", columns[0].harness)), "the whole prompt, part by part")]
    path = _questionable(found)
    if path is not None:
        steps.append((f"explain {quote(relative(path, here))}", "who loads this file, and why"))
    if found.path is None and any(
        cell is not None and cell.is_on_read for row in found.table.rows for cell in row.cells
    ):
        steps.append(("map", "what each directory adds"))
    if found.problems:
        steps.append(("check", "every problem, with its place"))
    if found.undecided:
        own = [each.harness for each in columns if each.harness not in found.undecided]
        names = ",".join(own or found.undecided[:2])
        steps.append((f"harnesses --use {names}", "choose the coding agents that you use"))
    room = max(len(command) for command, _ in steps)
    yield from (Line(f"promptls {command:<{room}}   {what}", "note") for command, what in steps)


def _questionable(found: Overview) -> str | None:
    """The file to ask about: that of the worst problem, else the one that most harnesses take, the largest of these."""
    if found.problems:
        return found.problems[0].path
    rows = [row for row in found.table.rows if row.kind == "file"]
    return max(rows, key=lambda row: sum(cell is not None for cell in row.cells)).names[0] if rows else None
