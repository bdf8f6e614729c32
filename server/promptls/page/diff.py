"""What differs between two prompts as one page: each change with who gets it, whole prompts, and budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptls.core.values import replace
from promptls.page.elements import element, heads, table
from promptls.page.frame import framed
from promptls.workspace.diff_rows import (
    STYLES,
    budget_says,
    doubled_says,
    name_of,
    remarks,
    rows_of,
    sizes_of,
    summed,
    totals_of,
    who_gets,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from promptls.core.compare import Change, Group
    from promptls.page.elements import Links
    from promptls.workspace.diff_rows import Answer

SECTIONS = ("changes", "Changes"), ("prompts", "Prompts"), ("budgets", "Budgets")
# Rows; a browser takes no more.
MOST = 1000
# The width of a bar in its own units, and its height.
WIDTH, HEIGHT = 100, 10


def diff_page(answer: Answer, links: Links, *, nonce: str) -> str:
    """The page; ``nonce`` as for a map."""
    groups = rows_of(answer)
    parts = _changes(answer, groups, links), _prompts(answer), _budgets(answer, links)
    title = "What a change does to prompts" if links.is_shared else f"Prompts: {answer.title}"
    return framed(title, SECTIONS, parts, nonce=nonce, name="diff")


def _changes(answer: Answer, groups: list[Group], links: Links) -> Element:
    most = max((abs(_by(each)) for each in groups), default=0)
    rows = [_row(each, answer, links, most) for each in groups[:MOST]]
    says = summed(answer, groups)
    more = [element("p", f"{len(groups) - MOST} more changes are not shown.")] if len(groups) > MOST else []
    head = heads("", "tokens", "", "who gets it")
    shown = [table("Changes", head, element("tbody", *rows))] if rows else []
    title = element("h2", f"{says[:1].upper()}{says[1:]}")
    return element("section", title, *shown, *more, id="changes")


def _by(group: Group) -> int:
    before, after = group.change.tokens
    return after - before


def _row(group: Group, answer: Answer, links: Links, most: int) -> Element:
    change = group.change
    named = links.shown(change.name)
    said = _without_names(change) if links.is_shared else remarks(change, answer)
    marks = [element("li", each) for each in said]
    name = links.link(change.name, named) if named == name_of(change, answer) else element("span", named)
    cells = (
        element("td", sizes_of(change, answer)),
        element("td", _bar(_by(group), most), class_="bar"),
        element("td", who_gets(group, answer), class_="text"),
    )
    head = element("th", name, *([element("ul", *marks, class_="over")] if marks else []), scope="row")
    return element("tr", head, *cells, class_=STYLES.get(change.status))


def _without_names(change: Change) -> Iterator[str]:
    """What is lost, cut or doubled, in numbers: a limit may name a setting, and a reason a file elsewhere."""
    if change.status == "lost":
        yield "lost"
    if change.cut is not None:
        yield f"cut: {change.cut.kept:,} of {change.cut.total:,} {change.cut.unit}"
    if change.doubled:
        yield doubled_says(change)


def _bar(by: int, most: int) -> Element:
    """A bar to the right of the middle for what is added, to the left for what goes."""
    middle = WIDTH / 2
    width = middle * abs(by) / most if most else 0
    bar = element(
        "rect",
        x=f"{middle if by > 0 else middle - width:.2f}",
        y="1",
        width=f"{width:.2f}",
        height=str(HEIGHT - 2),
        class_="more" if by > 0 else "less",
    )
    line = element("line", x1=str(middle), x2=str(middle), y1="0", y2=str(HEIGHT))
    return element("svg", line, bar, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=f"{by:+,} tokens")


def _prompts(answer: Answer) -> Element:
    rows = [
        element("tr", element("th", harness, scope="row"), element("td", tokens), element("td", cache, class_="text"))
        for harness, tokens, cache in totals_of(answer)
    ]
    head = heads("at a start", "tokens", "cached prompt")
    shown = [table("Prompts", head, element("tbody", *rows))] if rows else []
    none = [] if rows else [element("p", "No prompt of a start changes.")]
    return element("section", element("h2", "Whole prompts"), *none, *shown, id="prompts")


def _budgets(answer: Answer, links: Links) -> Element:
    # Who owns a budget is a name.
    budgets = [
        replace(each, after=replace(each.after, owners=())) if links.is_shared else each for each in answer.budgets
    ]
    rows = [
        element("li", budget_says(each, answer.root), class_="over" if each.after.is_over else None) for each in budgets
    ]
    none = [] if rows else [element("p", "There is none.")]
    return element("section", element("h2", "Budgets of your own text"), *none, element("ul", *rows), id="budgets")
