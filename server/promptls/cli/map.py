"""``promptls map``: what each coding agent gets in each directory, as a table, JSON or one page of HTML."""

from __future__ import annotations

from promptls.cli.arguments import (
    Options,
    Parser,
    absolute,
    current_directory,
    existing,
    only_below,
    takes_mine,
    takes_page,
)
from promptls.cli.faulty import faults_json, tell
from promptls.cli.output import show, width, write_json
from promptls.cli.overview import gravest
from promptls.cli.overview_text import FINDS, NOTHING, step_lines
from promptls.cli.session_lines import session_lines, sessions_json, tell_left_out
from promptls.core import files
from promptls.core.budgets import budget_lines, spent_json
from promptls.core.copied import sections
from promptls.core.map import fullest, total
from promptls.core.map_json import map_json
from promptls.core.model import OF_TEXTS, USED
from promptls.core.paths import is_below, name, relative
from promptls.core.phrases import limit_text
from promptls.core.render import Line
from promptls.core.table_text import blocks, fitting, wrapped
from promptls.core.text import decode
from promptls.git.listing import Listing
from promptls.workspace.folder_map import map_of
from promptls.workspace.folder_prompts import budgets_of, folder_prompts
from promptls.workspace.request import NO_URLS, look_at, project_of, repository_of, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.budgets import Spent
    from promptls.core.map import Directory, Map, Place
    from promptls.core.prompt_json import Json
    from promptls.core.sizes import Size
    from promptls.workspace.folder_map import FolderMap
    from promptls.workspace.folder_prompts import FolderPrompts

# The shape of the JSON, for who collects that of many repositories.
SCHEMA = "urn:promptls:schema:1:map"
# Columns of the table, and the narrowest column of names.
WIDTH, NAMES, GAP = 110, 24, 2
# Directories that the text shows, and of what only a start there brings.
MOST_DIRECTORIES, MOST_STARTS = 40, 12


def run(argv: list[str]) -> int:
    """Show the map; problems do not change the exit code."""
    options = _options(argv)
    here = current_directory() if options.path is None else existing(absolute(options.path), "directory")
    root = files.realpath(here if options.path is not None else repository_of(here) or here)
    sources = sources_of(with_habits=options.with_habits)
    with Listing(root) as listing:
        looked = folder_prompts(root, listing, sources, settings=NO_URLS, only=options.harness)
    found = map_of(root, looked, current_directory("/"))
    if options.html is not None:
        _write_page(options.html, looked, found, is_shared=options.redact)
        return tell(looked.prompts, options.harness)
    sessions = sessions_json(found.prompts, looked.here, options.harness)
    if options.format == "json":
        budgets = [spent_json(each, root) for each in budgets_of(looked)]
        rest = {"sessions": sessions, "budgets": budgets, "rules": _rules(looked, root)}
        write_json({"schema": SCHEMA, **map_json(found.map), **rest, "faults": faults_json(looked.prompts)})
    else:
        show((*session_lines(sessions), *_lines(found, budgets_of(looked))))
        if not options.with_habits and not options.harness:
            tell_left_out(look_at(root, root), found.map.harnesses, "mapped", "map it")
    return tell(looked.prompts, options.harness)


def _rules(looked: FolderPrompts, root: str) -> list[Json]:
    """The sections of the files that some program sends, without their text."""
    found = {
        each.path: None
        for prompt in looked.prompts
        for each in prompt.candidates
        if each.path is not None and each.outcome in USED and each.use in OF_TEXTS and is_below(each.path, root)
    }
    texts = ((path, looked.host.read(path)) for path in found)
    return [
        {
            "path": relative(path, root),
            "line": each.line,
            "title": each.title,
            "digest": each.digest,
            "tokens": each.tokens,
        }
        for path, contents in texts
        if contents.state == "file"
        for each in sections(decode(contents.data, keep_bom=False))
    ]


def _write_page(file: str, looked: FolderPrompts, found: FolderMap, *, is_shared: bool) -> None:
    from promptls.cli.write_page import write_page  # noqa: PLC0415 - only for a page
    from promptls.page import page  # noqa: PLC0415 - the same
    from promptls.workspace.folder_check import problems_below  # noqa: PLC0415 - the same

    root = found.map.root
    project = project_of(root, only_below())
    with Listing(project) as listing:
        problems = gravest(problems_below(root, looked, project, listing)[0])
    rest = found, problems, budgets_of(looked)
    write_page(file, root, lambda nonce, base: page(*rest, nonce=nonce, base=base, is_shared=is_shared))


def _options(argv: list[str]) -> Options:
    parser = Parser(prog="promptls map", description="Show what each coding agent gets in each directory.")
    parser.add_argument("path", nargs="?", metavar="DIR", help="a folder (default: the git repository)")
    takes_mine(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only this coding agent; repeatable"
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--format", choices=("text", "json"), default="text")
    takes_page(parser, shown)
    return parser.parse_args(argv)


def _lines(found: FolderMap, budgets: Sequence[Spent]) -> Iterator[Line]:
    shown = found.map
    if not shown.harnesses:
        yield Line(NOTHING)
        return
    faults = [each.is_fault for each in found.prompts]
    cells = [
        ["? " + " " * 8 if is_fault else _cell(place) for place, is_fault in zip(each.places, faults, strict=True)]
        for each in shown.directories
    ]
    yield from _table(shown, cells, width(WIDTH))
    yield from _starts(shown)
    yield Line("")
    yield from _limits(shown)
    yield from budget_lines(budgets, shown.root)
    yield from _next(shown)


def _table(shown: Map, cells: list[list[str]], columns: int) -> Iterator[Line]:
    """The table, in several blocks where the harnesses do not fit side by side."""
    columns_of = zip(shown.harnesses, zip(*cells, strict=True), strict=True)
    widths = [GAP + max(len(harness) + 1, *map(len, column)) for harness, column in columns_of]
    for number, block in enumerate(blocks(widths, columns - NAMES)):
        if number:
            yield Line("")
        yield from _block(shown, cells, {at: widths[at] for at in block}, columns)
    if len(cells) > MOST_DIRECTORIES:
        yield Line(f"{len(cells) - MOST_DIRECTORIES} more directories; --format json has all.", "note")
    yield from _legend(cells, name(shown.root) or shown.root)


def _block(shown: Map, cells: list[list[str]], widths: dict[int, int], columns: int) -> Iterator[Line]:
    """The columns of some harnesses; ``widths`` are by their numbers."""
    names = [_name(each, shown) for each in shown.directories][:MOST_DIRECTORIES]
    title = f"started in {name(shown.root) or shown.root}"
    room = min(max(map(len, (title, *names))), max(columns - sum(widths.values()), 1))
    title = title if len(title) <= room else title.removeprefix("started in ")

    def line(first: str, row: Sequence[str]) -> str:
        padded = (f"{row[at]:>{width}}" for at, width in widths.items())
        return f"{fitting(first, room):<{room}}{''.join(padded)}".rstrip()

    yield Line(line(title, [f"{each} " for each in shown.harnesses]), "title")
    yield from (Line(line(each, row)) for each, row in zip(names, cells, strict=False))


def _name(directory: Directory, shown: Map) -> str:
    return relative(directory.path, shown.root) if directory.path != shown.root else "."


def _cell(place: Place) -> str:
    """The tokens at a start, and those that reading adds; the marks follow the numbers that they are about."""
    read = total(place.on_read)
    over = any(each.used > each.most for each in place.limits)
    mark = "!" if over else "^" if place.only_at_start else " "
    return _number(place.at_start) + mark + (f"{f'+{read:,}':>8}" if read else " " * 8)


def _number(found: Sequence[Size]) -> str:
    """The tokens of files, with what is not known of them, such as a URL that has no answer yet."""
    tokens, is_at_least = total(found), any(each.is_at_least for each in found)
    if not tokens:
        return "?" if is_at_least else "-"
    return f"{tokens:,} and ?" if is_at_least else f"{tokens:,}"


def _legend(cells: list[list[str]], top: str) -> Iterator[Line]:
    yield Line("tokens of your own files at a start there", "note")
    yield Line(f"+ what reading a file there adds to a start in {top}", "note")
    every = "".join(cell for row in cells for cell in row)
    if "^" in every:
        yield Line("^ some of them only by a start there", "note")
    if "?" in every:
        yield Line("? not known", "note")
    if "!" in every:
        yield Line("! over a limit", "note")


def _starts(shown: Map) -> Iterator[Line]:
    """What only a start in its directory brings: each file once, with the harnesses."""
    found: dict[str, dict[str, None]] = {}
    for directory in shown.directories:
        for harness, place in zip(shown.harnesses, directory.places, strict=True):
            for size in place.only_at_start:
                found.setdefault(size.name, {})[harness] = None
    if found:
        yield Line("")
        yield Line("Only a start there, or below, brings:", "title")
    names = [relative(each, shown.root) if each.startswith("/") else each for each in found]
    shown_names = names[:MOST_STARTS]
    columns = width(WIDTH)
    room = min(max(map(len, shown_names), default=0), columns - NAMES)
    for each, harnesses in zip(shown_names, found.values(), strict=False):
        yield from map(Line, wrapped(f"  {fitting(each, room):<{room}}  {', '.join(harnesses)}", ", ", columns))
    if len(names) > MOST_STARTS:
        yield Line(f"  {len(names) - MOST_STARTS} more; --format json has all.", "note")


def _limits(shown: Map) -> Iterator[Line]:
    """How much room is left below each limit, where it is least."""
    found = fullest(shown)
    for harness, path, limit in found:
        place = "" if path == shown.root else f", in {relative(path, shown.root)}"
        yield Line(f"{harness}: {limit_text(limit)}{place}", "problem" if limit.used > limit.most else "note")
    if found:
        yield Line("")


def _next(shown: Map) -> Iterator[Line]:
    """The commands that lead on from here."""
    deepest = next((each for each in shown.directories if each.path != shown.root), None)
    steps = [("map --html FILE", "a page with a picture of where the tokens come from")]
    steps += [(how.text.removeprefix("promptls "), FINDS[how.kind]) for how in shown.ways()]
    if deepest is not None:
        there = relative(deepest.path, current_directory("/"))
        steps.append((f"preview --cwd {there} --harness {shown.harnesses[0]}", "the whole prompt of a start there"))
    yield from step_lines(steps, WIDTH)
