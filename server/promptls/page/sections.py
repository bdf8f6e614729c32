"""The tables of a page: files by harness, directories by harness, and the problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptls.core.budgets import says
from promptls.core.how import of_sizes
from promptls.core.map import fullest, total
from promptls.core.paths import name, with_relative
from promptls.core.phrases import limit_text
from promptls.core.table import FILES
from promptls.core.values import replace
from promptls.page.elements import element, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from xml.etree.ElementTree import Element

    from promptls.core.budgets import Spent
    from promptls.core.map import Place
    from promptls.core.model import Limit, Problem
    from promptls.core.table import Cell, Column, Row
    from promptls.page.elements import Child, Links
    from promptls.workspace.folder_map import FolderMap

# How dark a cell may be.
SHADES = 5


def sizes(found: FolderMap, links: Links) -> Element:
    """What each harness takes of each file, and of all else."""
    columns, rows = found.table.columns, found.table.rows
    largest = max((cell.tokens for row in rows if row.kind in FILES for cell in row.cells if cell), default=0)
    body = [_row(_named(row, links), (_cell(cell, row, largest) for cell in row.cells)) for row in rows]
    totals = _row("all at a start", (element("td", _total(each)) for each in columns))
    shares = _row("of the model's window", (element("td", _share(each)) for each in columns))
    return element(
        "section",
        element("h2", "What each coding agent takes of each file"),
        element(
            "p",
            "In tokens. ",
            element("i", "Slanted"),
            ": on reading a file near it. ",
            element("b", "start"),
            ": only by a start near it. ",
            element("b", "cut", class_="cut"),
            ": a limit removes some of it. +: at least. -: never. ?: not known.",
        ),
        _table("Tokens by file and coding agent", [each.harness for each in columns], body, [totals, shares]),
        # Commands name directories, and arguments of the user's.
        *(_ways(found) if not links.is_shared else ()),
        id="files",
    )


def _ways(found: FolderMap) -> Iterator[Element]:
    """The commands that find out what a + or a ? stands for."""
    ways = dict.fromkeys(how for each in found.prompts for how in of_sizes(each))
    kinds = {each.kind for each in ways}
    ways |= dict.fromkeys(each for each in found.map.ways() if each.kind not in kinds)
    if ways:
        yield element("p", "These commands find out what a + or a ? stands for:")
        yield element("ul", *(element("li", element("code", each.text)) for each in ways), class_="ways")


def _named(row: Row, links: Links) -> Child:
    if row.kind == "file":
        first, *others = sorted(row.names, key=lambda each: (len(each), each))
        return element("span", links.link(first), *(f", {links.name(each)}" for each in others))
    named = links.shown(row.names[0])
    return f"{named} ({row.files})" if row.files and row.kind not in FILES else named


def _cell(cell: Cell | None, row: Row, largest: int) -> Element:
    if cell is None:
        return element("td", "-")
    if cell.is_unknown or (cell.is_at_least and not cell.tokens):
        return element("td", "?")
    text = _tokens(cell.tokens, cell.is_at_least)
    shade = f"s{-(-cell.tokens * SHADES // largest)}" if row.kind in FILES and cell.tokens else None
    marked = element("i", text) if cell.is_on_read else text
    marks = [*([element("b", "start")] if cell.is_elsewhere else ())]
    marks += [element("b", "cut", class_="cut")] if cell.is_cut else []
    return element("td", marked, *(part for mark in marks for part in (" ", mark)), class_=shade)


def _tokens(tokens: int, is_at_least: bool) -> str:
    return f"{tokens:,}{'+' if is_at_least else ''}"


def _total(column: Column) -> str:
    own = " of your own text" if column.is_own_only else ""
    return f"{column.tokens:,}{own}" if own else _tokens(column.tokens, column.is_at_least)


def _share(column: Column) -> str:
    return f"{column.tokens / column.window:.1%}" if column.window else "?"


def directories(found: FolderMap, links: Links) -> Element:
    """What each harness gets in each directory, and the room that is left below its limits."""
    top = "the folder" if links.is_shared else name(found.map.root) or found.map.root
    rows = [
        _row(links.name(each.path), (_place(place, links) for place in each.places)) for each in found.map.directories
    ]
    legend = f"Tokens of your own files at a start there, and what reading a file there adds to a start in {top}. "
    return element(
        "section",
        element("h2", "What each coding agent gets in each directory"),
        element("p", legend, element("b", "start"), ": some of them only by a start there, or below."),
        _table("Tokens by directory and coding agent", found.map.harnesses, rows),
        *_limits(found, links),
        id="directories",
    )


def _place(place: Place, links: Links) -> Element:
    start, read = total(place.at_start), total(place.on_read)
    is_open = any(each.is_at_least for each in place.at_start)
    known = f"{start:,} and ?" if is_open else f"{start:,}"
    parts: list[Child] = [known if start else "?" if is_open else "-"]
    if place.only_at_start:
        only = ", ".join(links.shown(each.name) for each in place.only_at_start)
        parts += [" ", element("b", "start", title=f"only by a start there: {only}")]
    if read:
        brought = ", ".join(links.shown(each.name) for each in place.on_read)
        parts += [" ", element("i", f"+{read:,}", title=f"on read: {brought}")]
    over = [limit_text(each) for each in place.limits if each.used > each.most]
    return element("td", *parts, class_="over" if over else None, title="; ".join(over) or None)


def _limits(found: FolderMap, links: Links) -> Iterator[Element]:
    rows = list(fullest(found.map))
    if not rows:
        return
    yield element("h3", "Room left below each limit, where it is least")
    yield element("ul", *(_limit(harness, links.name(path), limit) for harness, path, limit in rows), class_="limits")


def _limit(harness: str, where: str, limit: Limit) -> Element:
    place = "" if where == "." else f", in {where}"
    text = f"{harness}: {limit_text(limit)}{place}"
    meter = element("meter", value=str(min(limit.used, limit.most)), max=str(limit.most), high=str(limit.most - 1))
    return element("li", meter, f" {text}", class_="over" if limit.used > limit.most else None)


def problems(reported: Sequence[Problem], links: Links) -> Element:
    """The problems, in the order in which they come."""
    rows = [
        element(
            "li",
            links.link(each.path, f"{links.name(each.path)}:{each.range.start_line + 1}", each.range.start_line),
            " ",
            element("span", f"{each.severity} {each.code}", class_=each.severity),
            *([] if links.is_shared else [element("p", with_relative(each.message, links.root))]),
        )
        for each in reported
    ]
    number = f"{len(rows)} problem{'' if len(rows) == 1 else 's'}" if rows else "No problems were found"
    return element("section", element("h2", number), *([element("ol", *rows)] if rows else []), id="problems")


def _table(caption: str, heads: Iterable[str], body: Iterable[Element], foot: Iterable[Element] = ()) -> Element:
    """A table of harnesses."""
    head = element("tr", element("td"), *(element("th", each, scope="col") for each in heads))
    return table(caption, head, element("tbody", *body), element("tfoot", *foot))


def _row(head: Child, cells: Iterable[Element]) -> Element:
    return element("tr", element("th", head, scope="row"), *cells)


def budgets(spent: Sequence[Spent], root: str, links: Links) -> Element:
    """What is used of each budget of the user's own text."""
    # Who owns a budget is a name.
    shown = [replace(each, owners=()) if links.is_shared else each for each in spent]
    texts = [element("b", says(each, root), class_="cut") if each.is_over else says(each, root) for each in shown]
    rows = [element("li", each) for each in texts]
    return element("section", element("h2", "Budgets of your own text"), element("ul", *rows), id="budgets")
