"""What ``promptls diff`` says to people: a row for each change and who gets it, then whole prompts and their cache."""

from __future__ import annotations

from promptls.cli.arguments import current_directory
from promptls.cli.output import WIDEST, width
from promptls.cli.session_lines import session_lines
from promptls.core.how import of_sizes
from promptls.core.render import Line
from promptls.core.table_text import fitting
from promptls.core.visible import cell, code, unlinked
from promptls.workspace.diff_rows import (
    STYLES,
    UNKNOWN,
    budget_says,
    name_of,
    remarks,
    rows_of,
    sizes_of,
    summed,
    totals_of,
    who_gets,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.compare import Group
    from promptls.core.model import Prompt
    from promptls.workspace.diff_rows import Answer

# Rows of changes.
MOST_ROWS = 30
# Columns that a name has in any case, and those that are left for who gets it.
LEAST_NAME, LEAST_WHO = 24, 16


def lines(answer: Answer) -> Iterator[Line]:
    """The answer, without colours."""
    groups = rows_of(answer)
    yield from session_lines(list(answer.sessions))
    yield Line(f"{answer.title}: {summed(answer, groups)}", "title")
    if groups:
        yield Line("")
    rows = [
        (name_of(each.change, answer), sizes_of(each.change, answer), who_gets(each, answer), each) for each in groups
    ]
    rows = rows[:MOST_ROWS]
    widths = [max((len(name) for name, *_ in rows), default=0), max((len(sizes) for _, sizes, *_ in rows), default=0)]
    room = min(widths[0], max(width(WIDEST) - widths[1] - LEAST_WHO, LEAST_NAME))
    for name, sizes, who, group in rows:
        style = STYLES.get(group.change.status, "text")
        yield Line(f"{fitting(name, room):<{room}}  {sizes:<{widths[1]}}  {who}".rstrip(), style)
        yield from (Line(f"    {each}", "problem") for each in remarks(group.change, answer))
    if len(groups) > MOST_ROWS:
        yield Line(f"… and {len(groups) - MOST_ROWS} more changes; --format json has all.", "note")
    totals = list(totals_of(answer))
    if totals:
        yield Line("")
        columns = [max(len(row[column]) for row in totals) for column in range(2)]
        for harness, tokens, cache in totals:
            yield Line(f"{harness:<{columns[0]}}  {tokens:<{columns[1]}}  {cache}".rstrip())
    if answer.budgets:
        yield Line("")
    for used in answer.budgets:
        yield Line(budget_says(used, answer.root), "problem" if used.after.is_over else "text")
    here = current_directory("/")
    ways = dict.fromkeys(how.text for each in _unknown_in(groups, answer) for how in of_sizes(each, here))
    yield from (Line(f"To know a ?: {each}", "note") for each in ways)


def markdown(answer: Answer) -> Iterator[Line]:
    """The same for a pull request."""
    groups = rows_of(answer)
    yield Line(f"### Prompts: {unlinked(answer.title)}")
    yield Line("")
    total = summed(answer, groups)
    yield Line(unlinked(f"{total[:1].upper()}{total[1:]}"))
    if groups:
        yield from _markdown_tables(answer, groups)
    if answer.budgets:
        yield from (Line(""), Line("Budgets of your own text, in tokens:"), Line(""))
    for used in answer.budgets:
        yield Line(f"- {unlinked(budget_says(used, answer.root))}")
    # Whoever reads this stands in another directory than the one where it was made.
    prompts = _unknown_in(groups, answer)
    ways = dict.fromkeys(how.text for each in prompts for how in of_sizes(each, each.session.cwd))
    if ways:
        yield from (Line(""), *(Line(f"To know a ?: {code(each)}") for each in ways))


def _unknown_in(groups: list[Group], answer: Answer) -> Iterator[Prompt]:
    """The prompts of the rows that have no size."""
    for group in groups[:MOST_ROWS]:
        if UNKNOWN in sizes_of(group.change, answer):
            yield from (comparison.prompt for comparison, _, _ in group.among)


def _markdown_tables(answer: Answer, groups: list[Group]) -> Iterator[Line]:
    yield from (Line(""), _row("", "tokens", "who gets it"), Line("| --- | --- | --- |"))
    for each in groups[:MOST_ROWS]:
        marks = "".join(f"<br>{unlinked(remark)}" for remark in remarks(each.change, answer))
        name = code(name_of(each.change, answer))
        yield _row(f"{name}{marks}", unlinked(sizes_of(each.change, answer)), unlinked(who_gets(each, answer)))
    if len(groups) > MOST_ROWS:
        yield _row(f"and {len(groups) - MOST_ROWS} more", "", "")
    totals = list(totals_of(answer))
    if totals:
        yield from (Line(""), _row("at start", "tokens", "cached prompt"), Line("| --- | --- | --- |"))
        yield from (_row(*map(unlinked, (harness, tokens, cache or "unchanged"))) for harness, tokens, cache in totals)


def _row(*cells: str) -> Line:
    return Line(f"| {' | '.join(map(cell, cells))} |")
