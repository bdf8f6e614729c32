"""The answer of ``promptls`` alone as text: the table, the worst problems, and what to type next."""

from __future__ import annotations

from promptls.cli.arguments import current_directory
from promptls.cli.output import width
from promptls.core.map_json import table_of
from promptls.core.paths import relative, with_relative
from promptls.core.render import Line
from promptls.core.table_text import WIDTH, table_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.prompt_json import Json
    from promptls.core.render import Style
    from promptls.core.table import Table

NOTHING = (
    "No coding agent is set up here: there is no AGENTS.md, CLAUDE.md or the like. "
    "“promptls harnesses” lists the supported ones; “promptls --harness NAME” shows one of them anyway."
)


def overview_lines(found: Json) -> Iterator[Line]:
    """The lines of an answer, which is the JSON that ``promptls --format json`` prints."""
    table = table_of(found)
    if not table.columns:
        yield Line(NOTHING)
        return
    yield from table_lines(table, found["root"], found["path"], width=width(WIDTH))
    yield Line("")
    yield from _problems(found)
    yield Line("")
    yield from _next(found, table)


def _problems(found: Json) -> Iterator[Line]:
    number, worst = found["problems"], found["worst"]
    if not number:
        yield Line("No problems were found." if found["path"] is None else "No problems were found in these prompts.")
        return
    told = sum(1 + each["alike"] for each in worst)
    rest = f"; the worst {told}" if number > told else ""
    yield Line(f"{number} problem{'' if number == 1 else 's'}{rest}:", "title")
    for each in worst:
        place = f"{relative(each['path'], found['root'])}:{each['range']['start']['line'] + 1}"
        style: Style = "problem" if each["severity"] == "error" else "text"
        message = with_relative(each["message"], found["root"])
        times = f" ({1 + each['alike']} times)" if each["alike"] else ""
        yield Line(f"  {place} {each['severity']} {each['code']}{times}: {message}", style)


def _next(found: Json, table: Table) -> Iterator[Line]:
    """The commands that lead on from here."""
    from shlex import quote  # noqa: PLC0415 - only for these lines

    here, columns = current_directory("/"), table.columns
    shown = [quote(relative(found["path"], here))] if found["path"] else []
    steps = [(" ".join(("preview", *shown, "--harness", columns[0].harness)), "the whole prompt, part by part")]
    path = _questionable(found, table)
    if path is not None:
        steps.append((f"explain {quote(relative(path, here))}", "who loads this file, and why"))
    if found["path"] is None and any(cell is not None and cell.is_on_read for row in table.rows for cell in row.cells):
        steps.append(("map", "what each directory adds"))
    if found["problems"]:
        steps.append(("check", "every problem, with its place"))
    if found["undecided"]:
        own = [each.harness for each in columns if each.harness not in found["undecided"]]
        names = ",".join(own or found["undecided"][:2])
        steps.append((f"harnesses --use {names}", "choose the coding agents that you use"))
    room = max(len(command) for command, _ in steps)
    yield from (Line(f"promptls {command:<{room}}   {what}", "note") for command, what in steps)


def _questionable(found: Json, table: Table) -> str | None:
    """The file to ask about: that of the worst problem, else the one that most harnesses take, the largest of these."""
    if found["worst"]:
        path: str = found["worst"][0]["path"]
        return path
    rows = [row for row in table.rows if row.kind == "file"]
    return max(rows, key=lambda row: sum(cell is not None for cell in row.cells)).names[0] if rows else None
