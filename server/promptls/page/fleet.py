"""The results of many repositories as one page: a table of them, the programs, and what is said in several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptls.core.paths import is_below, relative
from promptls.page.elements import element, heads, table
from promptls.page.frame import framed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any
    from xml.etree.ElementTree import Element

    from promptls.page.elements import Child
    from promptls.workspace.fleet import Copied, Fleet, Repository, Totals

# Rows of the page, programs and sections in it; a browser takes no more.
MOST, MOST_PROGRAMS, MOST_COPIED, MOST_UNREAD = 2000, 12, 200, 200
SECTIONS = (
    ("repositories", "Repositories"),
    ("programs", "Programs"),
    ("copied", "Copied rules"),
    ("unread", "Not read"),
)
SHADES = 5


def fleet_page(fleet: Fleet, here: str, *, nonce: str) -> str:
    """The page; ``nonce`` as for a map. It links to nothing: the repositories are elsewhere.

    Results that were not read are named from the directory ``here``, as the page is for others.
    """
    totals = fleet.totals()
    programs = totals.programs[:MOST_PROGRAMS]
    parts = (
        _repositories(fleet, totals, [each for each, _, _ in programs]),
        _programs(programs),
        _copied(fleet.copied(MOST_COPIED)),
        _unread([(_named(path, here), why) for path, why in fleet.unread(MOST_UNREAD)], totals.unread),
    )
    return framed(f"Prompts of {totals.repositories:,} repositories", SECTIONS, parts, nonce=nonce, name="fleet")


def _repositories(fleet: Fleet, totals: Totals, programs: list[str]) -> Element:
    says = f"{totals.says}. Tokens of one's own text at a start. +: at least. -: none. ?: no result says it."
    rows = list(fleet.repositories(MOST))
    more = totals.repositories - len(rows)
    most = max((each["tokens"] for row in rows for each in row.programs or ()), default=0)
    head = heads("repository", "errors", "warnings", "cut", "budgets", *programs)
    body = element("tbody", *(_row(each, programs, most) for each in rows))
    return element(
        "section",
        element("h2", "Repositories"),
        element("p", says),
        element("input", id="find", type="search", placeholder="Find a repository", aria_label="Find a repository"),
        table("Repositories", head, body),
        *([element("p", f"{more:,} more are not shown.")] if more else []),
        id="repositories",
    )


def _row(row: Repository, programs: list[str], most: int) -> Element:
    tokens = {each["harness"]: each for each in row.programs or ()}
    cells = [_number(row.errors, "error"), _number(row.warnings), _number(row.cut, "over"), _budgets(row)]
    cells += [_tokens(tokens.get(each), most, is_known=row.programs is not None) for each in programs]
    return element("tr", element("th", row.name, scope="row"), *cells)


def _number(value: int | None, bad: str | None = None) -> Element:
    if value is None:
        return element("td", "?")
    return element("td", f"{value:,}", class_=bad) if value else element("td", "-")


def _budgets(row: Repository) -> Element:
    if not row.budgets:
        return element("td", "-")
    number, gone = len(row.budgets), row.missing
    text = f"{row.over} of {number} over" if row.over else f"{number - gone} kept" if number > gone else ""
    text = ", ".join(filter(None, (text, f"{gone} gone" if gone else "")))
    return element(
        "td", text, title="; ".join(map(_budget_says, row.budgets)), class_="over" if row.over or gone else None
    )


def _budget_says(budget: dict[str, Any]) -> str:
    if budget["missing"]:
        return f"{budget['path']}: there is no such directory"
    tokens = budget["tokens"]
    return f"{budget['path']}: {'?' if tokens is None else format(tokens, ',')} of {budget['budget']:,}"


def _tokens(found: dict[str, object] | None, most: int, *, is_known: bool) -> Element:
    if found is None:
        return element("td", "-" if is_known else "?")
    tokens = int(str(found["tokens"]))
    shade = f"s{-(-tokens * SHADES // most)}" if tokens else None
    return element("td", f"{tokens:,}{'+' if found['at_least'] else ''}", class_=shade)


def _programs(found: Iterable[tuple[str, int, int]]) -> Element:
    rows = [
        element(
            "tr", element("th", name, scope="row"), element("td", f"{number:,}"), element("td", f"{tokens // number:,}")
        )
        for name, number, tokens in found
    ]
    return element(
        "section",
        element("h2", "Programs"),
        table("Programs", heads("program", "repositories", "tokens on average"), element("tbody", *rows)),
        id="programs",
    )


def _copied(found: list[Copied]) -> Element:
    def cells(each: Copied) -> Iterator[Child]:
        yield element("th", each.says, scope="row")
        yield element("td", f"{each.repositories:,}")
        yield element("td", f"{each.tokens:,}")
        yield element("td", each.repository, class_="text")

    rows = [element("tr", *cells(each)) for each in found]
    says = "Sections of instruction files that several repositories have word for word: one source would do."
    head = heads("section", "repositories", "tokens each", "as in")
    shown = [table("Copied rules", head, element("tbody", *rows))] if rows else []
    return element(
        "section", element("h2", "Copied rules"), element("p", says if rows else "None."), *shown, id="copied"
    )


def _named(path: str, here: str) -> str:
    return relative(path, here) if is_below(path, here) else path.rpartition("/")[2]


def _unread(found: list[tuple[str, str]], number: int) -> Element:
    rows = [element("li", f"{path}: {why}") for path, why in found]
    more = [element("p", f"{number - len(rows):,} more.")] if number > len(rows) else []
    none = [] if rows else [element("p", "Every result was read.")]
    return element("section", element("h2", "Not read"), element("ul", *rows), *none, *more, id="unread")
