"""The answer of ``promptls`` alone as text: the table, the worst problems, and what to type next."""

from __future__ import annotations

from promptls.cli.arguments import current_directory
from promptls.cli.output import width
from promptls.cli.session_lines import session_lines
from promptls.core import specs
from promptls.core.map_json import table_of
from promptls.core.paths import is_in_hidden, name, relative, with_relative
from promptls.core.phrases import and_list
from promptls.core.render import Line
from promptls.core.session_line import seen_from
from promptls.core.table_text import WIDTH, table_lines, wrapped
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.prompt_json import Json
    from promptls.core.render import Style
    from promptls.core.table import Table

# What names of texts for a model end in.
PROSE = (".md", ".mdc")
# What a command finds out of which a total has only a +.
FINDS = {
    "capture": "the rest of its own texts and tools, behind the +",
    "servers": "what MCP servers offer, which is not known here",
    "hooks": "what hooks say, which is not known here",
    "fetch": "what URLs answer, which is not known here",
    "probe": "what the program sends of its own",
}
FIRST = "; start {} here and trust the folder first"
NOTHING = (
    "No coding agent is set up here: there is no AGENTS.md, CLAUDE.md or the like. "
    "“promptls harnesses” lists the supported ones; “promptls --harness NAME” shows one of them anyway."
)


def overview_lines(found: Json, only: Sequence[str] = (), *, is_verbose: bool = False) -> Iterator[Line]:
    """The lines of an answer, which is the JSON that ``promptls --format json`` prints.

    ``only``: the harnesses that were asked for, as they were. ``is_verbose``: with what the session that is shown was
    taken from.
    """
    table = table_of(found)
    if not table.columns:
        yield Line(NOTHING)
        return
    yield from session_lines(found["sessions"], is_verbose=is_verbose)
    yield from _unread(found["path"], table)
    yield from table_lines(table, found["root"], found["path"], width=width(WIDTH), home=home())
    if found.get("not_shown"):
        titles = ", ".join(specs.of(each).title for each in found["not_shown"])
        says = f"Not shown: {titles}, which read AGENTS.md too. “promptls --harness NAME” shows one."
        yield from (Line(each, "note") for each in wrapped(says, " ", width(WIDTH)))
    yield from _elsewhere(found)
    yield Line("")
    yield from _problems(found)
    yield Line("")
    yield from _next(found, table, only)


def _unread(path: str | None, table: Table) -> Iterator[Line]:
    """That the program that is shown does not load this instruction file, and which ones do."""
    if path is None or not path.endswith(PROSE) or not any(place.search(path) for place in specs.text_places()):
        return
    row = next((row for row in table.rows if row.kind == "file" and path in row.names), None)
    cells = row.cells if row is not None else (None,) * len(table.columns)
    titles = [specs.of(each.harness).title for each in table.columns]
    others = [title for title, cell in zip(titles, cells, strict=True) if cell is not None]
    spec = specs.of(table.columns[0].harness)
    # It comes when another file near it is read.
    is_nested = spec.is_nested_on_read and name(path) in spec.nested
    if cells[0] is None and others and not is_nested:
        verb = "does" if len(others) == 1 else "do"
        says = f"{titles[0]} does not load this file; {' and '.join(others)} {verb}. “promptls explain” says why."
        yield Line(says, "problem")


SIDES = ("hidden_in", "listed_in")
FIELD_SIDES = ("followed_in", "ignored_in")


def _elsewhere(found: Json) -> Iterator[Line]:
    """What is hidden in some programs and not in others."""
    for each in found.get("hidden_skills", ()):
        hidden, listed = (and_list(specs.of(name).title for name in each[side]) for side in SIDES)
        skills = "1 skill is" if each["skills"] == 1 else f"{each['skills']} skills are"
        says = f"{skills} hidden in {hidden}, but listed in {listed}."
        yield from (Line(line, "problem") for line in wrapped(says, " ", width(WIDTH)))
    for each in found.get("ignored_fields", ()):
        followed, ignored = (and_list(specs.of(name).title for name in each[side]) for side in FIELD_SIDES)
        skills = "1 skill" if each["skills"] == 1 else f"{each['skills']} skills"
        says = f"“{each['field']}” of {skills} has an effect in {followed}, but not in {ignored}."
        yield from (Line(line, "problem") for line in wrapped(says, " ", width(WIDTH)))


def _problems(found: Json) -> Iterator[Line]:
    number, worst = found["problems"], found["worst"]
    if not number:
        yield from map(Line, wrapped(_no_problems(found), " ", width(WIDTH)))
        return
    told = sum(1 + each["alike"] for each in worst)
    rest = f"; the worst {told}" if number > told else ""
    yield Line(f"{number} problem{'' if number == 1 else 's'}{rest}:", "title")
    for each in worst:
        place = f"{relative(each['path'], found['root'])}:{each['range']['start']['line'] + 1}"
        style: Style = "problem" if each["severity"] == "error" else "text"
        message = with_relative(each["message"], found["root"], home())
        times = f" ({1 + each['alike']} times)" if each["alike"] else ""
        yield Line(f"  {place} {each['severity']} {each['code']}{times}: {message}", style)


def _no_problems(found: Json) -> str:
    root, top = found["root"], found["repository"]
    if found["path"] is not None:
        return "No problems were found in these prompts."
    if top is not None and is_in_hidden(root, top):
        # As a check has it, which takes nobody to start there; but the table shows such a start.
        outside = f"No problems were found for sessions that start outside {name(root)}."
        return f"{outside} “promptls preview” shows those of a start in it."
    return "No problems were found."


def _next(found: Json, table: Table, only: Sequence[str]) -> Iterator[Line]:
    """The commands that lead on from here; a version that was asked for is asked for again."""
    here, columns = current_directory("/"), table.columns
    versions = {name: f"{name}@{version}" for name, version in map(_parted, only) if version}
    same = "".join(f" --harness {each}" for each in versions.values())
    first = versions.get(columns[0].harness, columns[0].harness)
    named = found["path"] or (found["root"] if found["root"] != here else None)
    shown = [_typed(named, here)] if named else []
    steps = [(" ".join(("preview", *shown, "--harness", first)), "the whole prompt, part by part")]
    path = _questionable(found, table)
    if path is not None:
        steps.append((f"explain {_typed(path, here)}{same}", "who loads this file, and why"))
    steps += _ways(found)
    if found["path"] is None and any(cell is not None and cell.is_on_read for row in table.rows for cell in row.cells):
        steps.append((f"map{same}", "what each directory adds"))
    if found["problems"]:
        steps.append((f"check{same}", "every problem, with its place"))
    if found["undecided"]:
        own = [each.harness for each in columns if each.harness not in found["undecided"]]
        names = ",".join(own or found["undecided"][:2])
        steps.append((f"harnesses --use {names}", "choose the coding agents that you use"))
    if found["last_start"]:
        steps.append((_typed(found["last_start"], here), "a start where you last started a program"))
    above = found["repository"]
    if above is not None and above != found["root"] and found["path"] is None:
        steps.append((_typed(above, here), "a start at the root of the repository"))
    yield from step_lines(steps)


def _parted(asked: str) -> tuple[str, str]:
    name, _, version = specs.canonical(asked).partition("@")
    return name, version


def _ways(found: Json) -> Iterator[tuple[str, str]]:
    """The commands that find out what a + stands for: of each kind, that of the harness that is shown first with it."""
    from shlex import join  # noqa: PLC0415 - only for these lines

    firsts: dict[str, Json] = {}
    for each in found.get("how", []):
        firsts.setdefault(each["kind"], each)
    for kind, each in firsts.items():
        trust = FIRST.format(specs.of(each["harness"]).title) if each.get("once_trusted") else ""
        yield join(each["command"][1:]), f"{FINDS[kind]}{trust}"


def step_lines(steps: Iterable[tuple[str, str]], otherwise: int = WIDTH) -> Iterator[Line]:
    """Commands, and what each shows: beside it, or below where that does not fit."""
    lines = {f"promptls {command}": what for command, what in steps}
    room = max(map(len, lines)) + 3
    is_beside = max(room + len(what) for what in lines.values()) <= width(otherwise)
    for command, what in lines.items():
        yield Line(f"{command:<{room}}{what}" if is_beside else command, "note")
        if not is_beside:
            yield Line(f"    {what}", "note")


def _typed(path: str, here: str) -> str:
    """A path as somebody would type it."""
    from shlex import quote  # noqa: PLC0415 - only for these lines

    seen = seen_from(here, path, home())
    return f"~/{quote(seen[2:])}" if seen.startswith("~/") else quote(seen)


def _questionable(found: Json, table: Table) -> str | None:
    """The file to ask about: that of the worst problem, else the one that most harnesses take, the largest of these."""
    if found["worst"]:
        path: str = found["worst"][0]["path"]
        return path
    rows = [row for row in table.rows if row.kind == "file"]
    return max(rows, key=lambda row: sum(cell is not None for cell in row.cells)).names[0] if rows else None
