"""What ``promptls find`` says to people: the lines that have the text, then what each harness gets of them."""

from __future__ import annotations

from promptls.cli.arguments import current_directory
from promptls.cli.explain_lines import why_not
from promptls.cli.output import WIDEST, width
from promptls.core.how import ALL, OF_OTHERS, open_ones
from promptls.core.lines import PASSED_OVER
from promptls.core.model import START
from promptls.core.paths import is_absolute, with_relative
from promptls.core.render import Line
from promptls.core.session_line import seen_from
from promptls.core.values import dataclass
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.find import Found, Hits, Place, Source
    from promptls.core.how import Open
    from promptls.core.lines import LeftOut
    from promptls.core.prompt_json import Json
    from promptls.core.render import Style

    # The lines of each file, which is known by all its names, or of something else, which has a title.
    Files = dict[tuple[tuple[str, ...], str], list[Source]]

# Rows of one harness, files that have the text, names in a row, and letters of a line, also on a narrow terminal.
MOST_ROWS, MOST_FILES, FEW, MOST_LETTERS, FEWEST_LETTERS = 8, 12, 4, 80, 24
# Of a harness with no place of the text: in any session, and in those that read a file.
NEVER, NOT_HERE = (
    "never     it loads none of these files",
    "not here  another start, or another file that is read, may bring it",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found of ``text`` in the folder ``root``, or in the prompts for the file at ``path`` in it.

    ``sessions`` say which ones the prompts are of. ``meant`` is a line that is like the text, where no line has it.
    """

    text: str
    root: str
    path: str | None
    found: Found
    meant: Source | None
    sessions: tuple[Json, ...] = ()


def lines(answer: Answer) -> Iterator[Line]:
    """The answer, without colours."""
    yield from _found(answer)
    for each in unsearched(answer):
        yield Line(f"{each.text}, so it is not searched. To know it: {each.how.text}", "note")


def unsearched(answer: Answer) -> list[Open]:
    """What may have the text, and is not known; the texts of programs only where nothing else has it."""
    kinds = OF_OTHERS if answer.found.sources else ALL
    return open_ones((each.prompt for each in answer.found.hits), current_directory("/"), kinds)


def _found(answer: Answer) -> Iterator[Line]:
    said = f"“{_short(answer.text)}”"
    if not answer.found.sources:
        yield Line(f"{said} is in no instruction file, and in no prompt, of {answer.root}.")
        if answer.meant is not None:
            where = _lines_of([answer.meant])
            yield Line(f"Did you mean {where}: {_short(answer.meant.line)}")
        return
    by_harness: dict[str, list[Hits]] = {}
    for hits in answer.found.hits:
        by_harness.setdefault(hits.prompt.session.harness, []).append(hits)
    placed = {each.source for hits in answer.found.hits for each in hits.places}
    known = placed | {source for hits in answer.found.hits for source, p in hits.left_out if p.reason != "unknown"}
    ordered = sorted(answer.found.sources, key=lambda each: (each not in placed, each not in known))
    yield from _files(said, ordered)
    yield Line("")
    column = max((len(each) for each in by_harness), default=0)
    for harness, found in by_harness.items():
        for number, (text, style) in enumerate(_rows(found, answer)):
            yield Line(f"{'' if number else harness:<{column}}  {text}", style)
    unknown = [each for each in answer.found.sources if each not in known]
    yield from _sums(by_harness, unknown, "" if answer.path is None else " with this file")


def _files(said: str, sources: Sequence[Source]) -> Iterator[Line]:
    """A row for each file: the numbers of its lines, and the first of them."""
    by_file = _by_file(sources)
    number, files = len(sources), len(by_file)
    of_files = f" of {files} files" if files > 1 else ""
    yield Line(f"{said} is in {number} line{'' if number == 1 else 's'}{of_files}:", "title")
    rows = [(_lines_of(each), each[0].line) for each in by_file.values()][:MOST_FILES]
    column = max(len(name) for name, _ in rows)
    room = max(width(WIDEST) - column - 7, FEWEST_LETTERS)
    for name, text in rows:
        yield Line(f"    {name:<{column}}  {_short(text, min(room, MOST_LETTERS))}")
    if files > MOST_FILES:
        yield Line(f"    … and {files - MOST_FILES} more files", "note")


def _rows(found: list[Hits], answer: Answer) -> Iterator[tuple[str, Style]]:
    """Of one harness: each place once, at start or when something is read, then what takes the other lines away."""
    seen: set[tuple[Source, bool]] = set()
    rows: list[tuple[str, Style]] = []
    for hits in found:
        new = [each for each in hits.places if (each.source, _is_at_start(hits, each)) not in seen]
        seen.update((each.source, _is_at_start(hits, each)) for each in new)
        rows += [(text, "text") for text in _places(hits, new, answer)]
    placed = {source for source, _ in seen}
    gone: dict[Source, LeftOut] = {}
    for source, piece in (each for hits in found for each in hits.left_out):
        if source not in placed and piece.reason != "unknown" and _tells_more(piece, gone.get(source)):
            gone[source] = piece
    rows += [(text, "note") for text in _gone(gone, answer)]
    nothing = NEVER if answer.path is None else NOT_HERE
    yield from rows[:MOST_ROWS] or [(nothing, "note")]
    if len(rows) > MOST_ROWS:
        yield f"… and {len(rows) - MOST_ROWS} more", "note"


def _is_at_start(hits: Hits, place: Place) -> bool:
    return hits.prompt.messages[place.message].at == START


def _tells_more(piece: LeftOut, than: LeftOut | None) -> bool:
    return than is None or (than.reason in PASSED_OVER and piece.reason not in PASSED_OVER)


def _places(hits: Hits, places: Iterable[Place], answer: Answer) -> Iterator[str]:
    """A row for each file in a message."""
    together: dict[tuple[int, tuple[str, ...], str], list[Place]] = {}
    for each in places:
        together.setdefault((each.message, each.source.names, each.source.title), []).append(each)
    for (message, _, _), found in together.items():
        numbers = _numbers(dict.fromkeys(each.line + 1 for each in found))
        of = f" · {_title(found[0].source)}" if len(_by_file(answer.found.sources)) > 1 else ""
        yield f"{_when(hits, message)}, {numbers}{_where(hits, message, answer)}{of}"


def _when(hits: Hits, number: int) -> str:
    message = hits.prompt.messages[number]
    when = {START: "at start", "read": "on read", "turn": "in a turn"}.get(message.at.partition(":")[0], "on a call")
    return f"{when:<8}  message {number + 1} ({message.role})"


def _where(hits: Hits, number: int, answer: Answer) -> str:
    """What must happen for the message to be there, unless it is asked for."""
    prompt, here = hits.prompt, current_directory("/")
    if answer.path is not None:
        return ""
    kind, _, what = prompt.messages[number].at.partition(":")
    attached = [each for turn in prompt.session.turns for each in turn.attached]
    text = f", when {seen_from(here, what, home())} is read" if kind == "read" else ""
    if kind == START and attached:
        text += f", with {seen_from(here, attached[0], home()) if len(attached) == 1 else 'some file'} attached"
    return text + (
        f", if started in {seen_from(here, prompt.session.cwd, home())}" if prompt.session.cwd != answer.root else ""
    )


def _gone(gone: dict[Source, LeftOut], answer: Answer) -> Iterator[str]:
    """A row for each reason."""
    here = current_directory("/")
    together: dict[str, dict[str, None]] = {}
    for source, piece in gone.items():
        when, why = why_not(piece)
        together.setdefault(f"{when:<8}  {with_relative(why, here, home())}", {})[_title(source)] = None
    for says, titles in together.items():
        yield f"{says} · {_few(list(titles))}" if len(_by_file(answer.found.sources)) > 1 else says


def _sums(by_harness: dict[str, list[Hits]], unknown: Sequence[Source], when: str) -> Iterator[Line]:
    """Who gets the same line more than once in one prompt, and the files that nobody loads; ``when`` ends that."""
    sums = [
        f"{harness} gets the same line {'twice' if most == 2 else f'{most} times'} in one prompt."  # noqa: PLR2004 - a word
        for harness, found in by_harness.items()
        if (most := max(map(_most_equal, found))) > 1
    ]
    names = [_title(each[0]) for each in _by_file(unknown).values()]
    if names:
        sums.append(f"No coding agent in use loads {_few(names)}{when}.")
    if sums:
        yield Line("")
        yield from map(Line, sums)


def _most_equal(hits: Hits) -> int:
    found: dict[str, int] = {}
    for each in hits.places:
        found[each.source.line] = found.get(each.source.line, 0) + 1
    return max(found.values(), default=0)


def _by_file(sources: Iterable[Source]) -> Files:
    found: Files = {}
    for each in sources:
        found.setdefault((each.names, each.title), []).append(each)
    return found


def _title(source: Source) -> str:
    name, links = _names(source)
    return f"{name}{links}"


def _lines_of(sources: Sequence[Source]) -> str:
    """``AGENTS.md:3, 4, 7 and 2 more (CLAUDE.md)``, of lines of one file; of something else its title."""
    name, links = _names(sources[0])
    numbers = [f"{each.range.start_line + 1}" for each in sources]
    return f"{name}:{_few(numbers)}{links}" if sources[0].names else name


def _names(source: Source) -> tuple[str, str]:
    """The shortest name, and the others in brackets."""
    here = current_directory("/")
    if not source.names:
        return seen_from(here, source.title, home()) if is_absolute(source.title, here) else source.title, ""
    first, *links = sorted((seen_from(here, each, home()) for each in source.names), key=lambda each: (len(each), each))
    return first, f" ({', '.join(links)})" if links else ""


def _numbers(numbers: Iterable[int]) -> str:
    known = [f"{each:,}" for each in numbers]
    return f"line{'' if len(known) == 1 else 's'} {_few(known)}"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{more}"


def _short(text: str, most: int = MOST_LETTERS) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
