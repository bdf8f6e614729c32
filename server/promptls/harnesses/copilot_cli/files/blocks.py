"""The instruction files in Copilot CLI's system message: whole in a wrapper, whole, or a row of a table."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.harnesses.copilot_cli.files.imports import Expansion, as_sent
from promptls.harnesses.copilot_cli.files.instruction_files import (
    WHY_ROW,
    WHY_WHOLE,
    InstructionFile,
    custom_directories,
    files_of,
    places_at_start,
    read,
)
from promptls.harnesses.copilot_cli.search import (
    AGENTS,
    CLAUDE,
    COPILOT,
    DIRECTORIES,
    DOT_CLAUDE,
    GEMINI,
    NESTED,
    Search,
    name_not_read,
    written,
)
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import join, parent
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.harnesses.copilot_cli.versions import Facts

# Names that one might expect in other directories, and that are not read there (1).
NOT_READ_IN_CUSTOM = ("copilot-instructions.md", COPILOT, CLAUDE, DOT_CLAUDE, GEMINI)

WHY_HOME = "Copilot CLI begins with copilot-instructions.md of its home directory"


WHY_COPILOT = "Copilot CLI reads .github/copilot-instructions.md at the git root, then in the working directory"


WHY_KINDS = "Copilot CLI reads AGENTS.md, CLAUDE.md and GEMINI.md at the git root, then in the working directory"


WHY_BETWEEN = "Copilot CLI reads the directories between the git root and the working directory last, the nearest first"


WHY_NESTED_ROW = f"AGENTS.md of a directory in {DIRECTORIES} is only listed in a table of nested files"


WHY_DOT_CLAUDE = (
    "Copilot CLI reads .claude/CLAUDE.md of other directories, not of the git root and the working directory"
)


def file_blocks(search: Search, facts: Facts) -> tuple[list[list[Segment]], list[InstructionFile]]:
    """The custom instructions in order, and the files with patterns."""
    at_start: set[str] = set()
    wrapped = list(_wrapped(search, at_start))
    whole, scoped = _instructions_files(search)
    nested, tables = [*_nested_table(search, at_start, facts)], [*_table(scoped, facts)]
    # Without a file in a wrapper, nothing ends with a blank line (parts: table-only; wire: instructions-alone).
    if not wrapped and tables:
        tables[0].pop()
    tables = [*nested, *tables]
    if wrapped and whole and not tables:
        whole[-1] = [*whole[-1], tail("\n")]  # (wire: instructions-last)
    return [*wrapped, *whole, *tables], scoped


# -- 1: files in a wrapper ---------------------------------------------------------------------------------------------


def _wrapped(search: Search, at_start: set[str]) -> Iterator[list[Segment]]:
    """Home, .github of root and cwd, then root, cwd, and what is between: not by depth (captured: chain-cwd-in-subdir).

    Empty files are sent, too; the same text is sent once (wire: settle-same-text-forms).
    ``at_start`` takes their paths.
    """
    texts: dict[str, str] = {}
    for named, why in _places(search):
        path = search.spelled(named)
        found = search.look(path, why)
        if found is None:
            continue
        at_start.add(path)
        first = texts.setdefault(found.text, path)
        if first != path:
            reason = f"{first} has the same text, which is sent once"
            search.draft.candidates[-1] = own(why).duplicate(path, reason, of=first)
            continue
        inside = search.host.realpath(search.home) if why == WHY_HOME else search.root
        expansion = Expansion(search.draft, search.host, inside, parent(path), imports=not named.endswith(GEMINI))
        opening, closing = "<custom_instruction>\n", "\n</custom_instruction>"
        if found.text:
            text = expansion.segments(path, found, why)
            yield [head(opening, path=found.origin.path), *text, tail(closing)]
        else:
            yield [Segment("instructions", path, opening + closing, found.origin, f"{why}: empty, in its wrapper")]


def _places(search: Search) -> Iterator[tuple[str, str]]:
    yield join(search.home, "copilot-instructions.md"), WHY_HOME
    yield from ((join(place, COPILOT), WHY_COPILOT) for place in search.directories)
    yield from ((join(place, kind), WHY_KINDS) for place in search.directories for kind in (AGENTS, CLAUDE, GEMINI))
    yield from ((join(place, kind), WHY_BETWEEN) for place in search.between for kind in NESTED)


def joined(blocks: Iterable[list[Segment]]) -> Iterator[Segment]:
    """The blocks, with blank lines between them."""
    for at, block in enumerate(blocks):
        yield tail("\n\n" if at else "")
        yield from block


# -- 2 to 5: instructions files and rules, and the two tables ----------------------------------------------------------


def _instructions_files(search: Search) -> tuple[list[list[Segment]], list[InstructionFile]]:
    """Those that are sent whole and those with patterns; the same text twice (wire: settle-instructions-same-text)."""
    whole: list[list[Segment]] = []
    scoped: list[InstructionFile] = []
    seen: set[str] = set()
    for place in places_at_start(search):
        for path in files_of(search, place):
            if path in seen:
                continue
            seen.add(path)
            each = read(search, path, place, WHY_WHOLE)
            if each is None or not each.found.text:
                continue
            if each.scope.is_whole:
                found = each.found
                text = as_sent(found.text)
                whole.append([Segment("instructions", path, text, found.origin, WHY_WHOLE, cut=found.cut)])
            else:
                scoped.append(each)
                search.draft.candidates[-1] = Rule(WHY_ROW, each.origin).unscoped(path)
    return whole, scoped


def _table(scoped: list[InstructionFile], facts: Facts) -> Iterator[list[Segment]]:
    """A row for each file with patterns (4; wire: applyto-forms, settle-applyto-front-matter)."""
    rows = [
        _row(
            f"\n| {_cell(', '.join(each.scope.patterns))} | '{each.shown}' | {_description(each)} |", each.path, WHY_ROW
        )
        for each in scoped
    ]
    if rows:
        columns = "\n| Pattern | File Path | Description |\n| ------- | --------- | ----------- |"
        yield [
            *_paragraph("Here is a list of instruction files ", columns, WHY_ROW, facts.table_intro),
            *rows,
            tail("\n"),
        ]


def _nested_table(search: Search, at_start: set[str], facts: Facts) -> Iterator[list[Segment]]:
    """A row for AGENTS.md of each custom directory, in exactly this spelling; nothing else of them (5)."""
    rows: list[Segment] = []
    origin = Origin("argument", name=DIRECTORIES)
    for place in custom_directories(search):
        path = join(place, AGENTS)
        if search.host.kind(path) == "file" and path not in at_start and not search.is_off:
            search.draft.candidates.append(Rule(WHY_NESTED_ROW, origin).unscoped(path))
            shown = written(place, search.root)
            text = f"\n| {shown}/ | '{shown}/{AGENTS}' | Agent instructions for {shown}/**/* |"
            rows.append(_row(text, path, WHY_NESTED_ROW))
        if place not in (*search.directories, *search.between):
            for kind in NOT_READ_IN_CUSTOM:
                name_not_read(search, join(place, kind), f"of a directory in {DIRECTORIES} it is not read", origin)
    if rows:
        columns = "\n| Directory | File Path | Description |\n| --------- | --------- | ----------- |"
        first = "Here is a list of nested AGENTS.md files "
        yield [*_paragraph(first, columns, WHY_NESTED_ROW, facts.nested_intro), *rows]


def _paragraph(first_words: str, columns: str, why: str, size: int) -> list[Segment]:
    """The first words are all that the captured sessions keep of the paragraph; ``size`` is that of the rest."""
    rest = elided("instructions", "Copilot CLI", "paragraph before the table", why=why, size=size)
    return [head(first_words), rest, tail(columns)]


def _row(text: str, path: str, why: str) -> Segment:
    return Segment("instructions", f"row for {path}", text, Origin("computed", name=path), why)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\r\n", " ").replace("\n", " ")


def _description(scoped: InstructionFile) -> str:
    return _cell(scoped.scope.description.strip())
