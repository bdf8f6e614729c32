"""``promptls fleet``: what the CI jobs of many repositories wrote, in one table, as JSON or as one page."""

from __future__ import annotations

from promptls.cli.arguments import Options, Parser, absolute
from promptls.cli.output import as_json, show, width, write
from promptls.core.render import Line
from promptls.core.table_text import WIDTH, fitting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.workspace.fleet import Copied, Fleet, Repository

# Rows of the text, sections that stand in several repositories, and results that could not be read.
MOST, MOST_COPIED, MOST_UNREAD = 40, 12, 10
COPIED = 200
LEAST_NAME, LEAST_PROGRAM = 16, 12
HEADS = ("cut", "broken", "budgets", "tokens")
MARK_OVER, UNKNOWN, LEAST, GONE = "!", "?", "+", "x"
# How to know what a mark stands for.
HOW = {
    LEAST: "+ or more: `promptls map` in the repository names the command that finds out the rest.",
    GONE: "x is a budget for a directory that does not exist: mend promptls.toml in the repository.",
    UNKNOWN: "? has no result: `promptls map --format json` writes tokens, `promptls check --format json` problems.",
}


def run(argv: list[str]) -> int:
    """Show what is known of all repositories; results that cannot be read do not change the exit code."""
    from promptls.workspace.fleet import Fleet, results  # noqa: PLC0415 - after the options

    options = _options(argv)
    fleet = Fleet()
    for path, name in results(options.results, absolute):
        fleet.add(path, name)
    if options.html is not None:
        from promptls.cli.write_page import write_page  # noqa: PLC0415 - only for a page
        from promptls.page.fleet import fleet_page  # noqa: PLC0415 - the same

        here = absolute(".")
        write_page(options.html, here, lambda nonce, _: fleet_page(fleet, here, nonce=nonce))
    elif options.format == "json":
        for piece in _json(fleet):
            write(piece)
    else:
        show(_lines(fleet))
    return 0


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls fleet",
        description="Combine what the CI jobs of many repositories wrote with “map --format json” and "
        "“check --format json”.",
    )
    parser.add_argument(
        "results",
        nargs="+",
        metavar="RESULT",
        help="a result, or a folder of results; NAME/map.json and NAME.map.json are for the repository NAME",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--format", choices=("text", "json"), default="text")
    shown.add_argument("--html", metavar="FILE", help="write one page to FILE; - for standard output")
    return parser.parse_args(argv)


def _lines(fleet: Fleet) -> Iterator[Line]:
    totals = fleet.totals()
    if totals.repositories:
        yield Line(f"{_counted(totals.repositories)}: {totals.says}", "title")
        for harness, number, tokens in totals.programs:
            yield Line(
                f"  {harness}: {_counted(number)}, {tokens // number:,} tokens of its own text at a start on average"
            )
        yield Line("")
        shown = list(fleet.repositories(MOST))
        yield from _table(shown, totals.repositories)
        yield from (Line(HOW[mark], "note") for mark in HOW if any(mark in _numbers(each) for each in shown))
        yield from _copied(fleet.copied(MOST_COPIED))
    else:
        yield Line("There is no result to show.")
    if totals.unread:
        yield Line("")
        yield Line(f"{totals.unread:,} result{'' if totals.unread == 1 else 's'} could not be read:", "problem")
        yield from (Line(f"  {path}: {why}", "problem") for path, why in fleet.unread(MOST_UNREAD))
        if totals.unread > MOST_UNREAD:
            yield Line(f"  and {totals.unread - MOST_UNREAD:,} more; --format json has all.", "note")


def _counted(number: int) -> str:
    return f"{number:,} repositor{'y' if number == 1 else 'ies'}"


def _table(rows: list[Repository], number: int) -> Iterator[Line]:
    cells = [(each.name, *_cells(each)) for each in rows]
    columns = [max(len(head), *(len(row[at]) for row in cells)) for at, head in enumerate(HEADS, 1)]
    room = max(width(WIDTH) - sum(columns) - 2 * len(columns) - LEAST_PROGRAM, LEAST_NAME)
    room = min(room, max(len("repository"), *(len(row[0]) for row in cells)))

    def line(name: str, numbers: Iterable[str], rest: str) -> str:
        padded = "".join(f"  {each:>{size}}" for each, size in zip(numbers, columns, strict=True))
        return f"{fitting(name, room):<{room}}{padded}  {rest}".rstrip()

    yield Line(line("repository", HEADS, ""), "title")
    for each, (name, *numbers, rest) in zip(rows, cells, strict=True):
        yield Line(line(name, numbers, rest), "problem" if each.errors or each.over else "text")
    if number > len(rows):
        yield Line(f"{number - len(rows):,} more; --format json and --html have them.", "note")


def _numbers(row: Repository) -> str:
    """The cells that a mark may be in."""
    return " ".join(_cells(row)[:-1])


def _cells(row: Repository) -> tuple[str, str, str, str, str]:
    """What is cut, broken, of budgets and of tokens, and the program that gets these."""
    budgets = f"{row.over} of {len(row.budgets)}{MARK_OVER}" if row.over else str(len(row.budgets) or "-")
    budgets += f" {row.missing}{GONE}" if row.missing else ""
    programs = sorted(row.programs or (), key=lambda each: -each["tokens"])
    more = f" +{len(programs) - 1}" if len(programs) > 1 else ""
    first = f"{programs[0]['harness']}{more}" if programs else ""
    least = LEAST if programs and programs[0]["at_least"] else ""
    tokens = f"{row.tokens:,}{least}" if row.tokens is not None else UNKNOWN
    return number_of(row.cut), number_of(row.errors), budgets, tokens, first


def number_of(value: int | None) -> str:
    """A number, ``-`` for 0 and ``?`` for what no result says."""
    return UNKNOWN if value is None else f"{value:,}" if value else "-"


def _copied(found: list[Copied]) -> Iterator[Line]:
    if found:
        yield Line("")
        yield Line("In several repositories word for word:", "title")
    for each in found:
        yield Line(f"  {each.repositories:>5,} with {each.says}, {each.tokens:,} tokens, as in {each.repository}")


def _json(fleet: Fleet) -> Iterator[str]:
    """The JSON in pieces: there may be more repositories than memory takes."""
    totals = fleet.totals()
    programs = [{"harness": each, "repositories": number, "tokens": tokens} for each, number, tokens in totals.programs]
    counted = {key: getattr(totals, key) for key in ("repositories", "cut", "broken", "over", "unread")}
    yield f'{{\n"totals": {as_json({**counted, "programs": programs})}'
    yield from _listed("repositories", (_repository(each) for each in fleet.repositories()))
    yield from _listed("copied", ({key: getattr(each, key) for key in COPIED_KEYS} for each in fleet.copied(COPIED)))
    yield from _listed("not_read", ({"path": path, "why": why} for path, why in fleet.unread()))
    yield "\n}\n"


COPIED_KEYS = ("repositories", "sections", "tokens", "repository", "path", "title")


def _listed(key: str, values: Iterable[object]) -> Iterator[str]:
    yield f',\n"{key}": ['
    for number, value in enumerate(values):
        yield f"{',' if number else ''}\n{as_json(value)}"
    yield "]"


def _repository(row: Repository) -> dict[str, object]:
    return {
        "name": row.name,
        "programs": row.programs,
        "cut": row.cut,
        "errors": row.errors,
        "warnings": row.warnings,
        "budgets": row.budgets,
    }
