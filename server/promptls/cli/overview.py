"""``promptls`` alone, or with a path: what each harness in use is sent, what is wrong there, and what to do next."""

from __future__ import annotations

import os

from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.cli.output import show, write_json
from promptls.core import files
from promptls.core.map_json import table_json
from promptls.core.paths import relative, with_relative
from promptls.core.prompt_json import problem_json
from promptls.core.render import Line
from promptls.core.settings import Settings
from promptls.core.table import table
from promptls.core.table_text import table_lines
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
    from promptls.core.table import Table

# Problems that are shown.
MOST_PROBLEMS = 3
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
    yield from table_lines(found.table, found.root, found.path)
    yield Line("")
    yield from _problems(found)
    yield Line("")
    yield from _next(found)


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
