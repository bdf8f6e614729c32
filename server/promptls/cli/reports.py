"""The problems that a check has found, as text for people."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from promptls.core.model import Range
from promptls.core.paths import from_home, is_below, relative, with_relative
from promptls.core.render import Line
from promptls.core.secrets import masked_file
from promptls.core.table_text import wrapped
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.how import Open
    from promptls.core.model import Problem, Prompt, Severity
    from promptls.core.prompt_json import Json
    from promptls.core.render import Style

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information", "hint")
# Of a longer line, only the part around the problem is shown.
WIDTH = 100
BEFORE = 30
# Characters that join others or change how they look; other zero-width characters are shown as a sign.
JOINER, JOINERS, EMOJI_STYLE = "\u200d", "\u200c\u200d", "\ufe0f"
SKINS = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
SIGN = "\ufffd"


@dataclass(frozen=True, slots=True)
class Report:
    """The problems of the folder ``root``, sorted by file and place; ``host`` has read the files.

    ``repository`` contains the folder: CI services name files relative to it.
    """

    root: str
    problems: tuple[Problem, ...]
    host: Host
    repository: str
    # Those that could not be made say which harnesses the problems are not of.
    prompts: tuple[Prompt, ...] = ()
    # Which sessions the problems are of, as JSON.
    sessions: tuple[Json, ...] = ()
    # What is used of budgets, as JSON.
    budgets: tuple[Json, ...] = ()
    # What is not known, and may have problems.
    unknown: tuple[Open, ...] = ()

    def relative(self, path: str) -> str:
        """``path`` relative to the folder; from the home directory where it is there and not in the folder."""
        own = from_home(path, home())
        return own if own != path and not is_below(path, self.root) else relative(path, self.root)

    def says(self, message: str) -> str:
        """A message with its paths relative to the folder, else from the home directory."""
        return with_relative(message, self.root, home())

    def named(self, path: str) -> str:
        """``path`` relative to the repository."""
        return relative(path, self.repository)


def text(report: Report) -> Iterator[Line]:
    """The problems by file, each with its line and a caret, and their number."""
    alike = _alike(report.problems)
    for path, problems in groupby((each[0] for each in alike.values()), key=lambda problem: problem.path):
        yield Line(report.relative(path), "title")
        contents = report.host.read(path)
        source = masked_file(path, decode(contents.data, keep_bom=False)) if contents.state == "file" else ""
        index = LineIndex(source)
        for problem in problems:
            place = f"{problem.range.start_line + 1}:{problem.range.start_character + 1}"
            whose = f" [{', '.join(problem.harnesses)}]" if problem.harnesses else ""
            style: Style = "problem" if problem.severity == "error" else "text"
            yield Line(f"  {place} {problem.severity} {problem.code}{whose}: {report.says(problem.message)}", style)
            yield from (Line(f"    | {line}", "source") for line in _excerpt(index, problem.range))
            for related in problem.related:
                where = f"{report.relative(related.path)}:{related.range.start_line + 1}"
                yield Line(f"    {where}: {report.says(related.message)}", "note")
            yield from (Line(line, "note") for line in _others(alike[_cause(problem)][1:], report))
        yield Line("")
    if report.problems:
        yield Line(_total(report.problems))


def _cause(problem: Problem) -> tuple[object, ...]:
    """What several files have in common of which the same is said; what is said of a place in a text is that alone."""
    is_of_file = problem.range == Range() and problem.related
    said = problem.code, problem.severity, problem.message, problem.harnesses, problem.related
    return said if is_of_file else (*said, problem.path, problem.range)


def _alike(problems: Iterable[Problem]) -> dict[tuple[object, ...], list[Problem]]:
    """The problems by their cause, in their order."""
    found: dict[tuple[object, ...], list[Problem]] = {}
    for each in problems:
        found.setdefault(_cause(each), []).append(each)
    return found


def _others(problems: Sequence[Problem], report: Report) -> Iterator[str]:
    """The other files with the same cause."""
    if problems:
        names = ", ".join(report.relative(each.path) for each in problems)
        yield from wrapped(f"    The same is so of {names}.", ", ", WIDTH)


def _total(problems: tuple[Problem, ...]) -> str:
    counts = Counter(problem.severity for problem in problems)
    files = len({problem.path for problem in problems})
    plural = {"error": "errors", "warning": "warnings", "information": "information", "hint": "hints"}
    parts = [f"{counts[each]} {each if counts[each] == 1 else plural[each]}" for each in SEVERITIES if counts[each]]
    return f"{', '.join(parts)} in {files} file{'s' if files > 1 else ''}"


def _excerpt(index: LineIndex, where: Range) -> Iterator[str]:
    """The line where a range starts, and a caret below it; nothing for an empty line."""
    start, end = index.offset(where.start_line, 0), index.offset(where.start_line, 1 << 30)
    first = index.offset(where.start_line, where.start_character)
    last = index.offset(where.end_line, where.end_character) if where.end_line == where.start_line else end
    # Of a long line, use only the part that is shown: it may have ten thousand problems.
    crop = max(first - BEFORE, start) if end - start > WIDTH else start
    shown = _with_signs(index.text[crop : min(crop + WIDTH, end)])
    if not shown.strip():
        return
    first, last = first - crop, last - crop
    ahead, marked = shown[:first], shown[first : max(last, first + 1)]
    yield f"{'…' if crop > start else ''}{shown}{'…' if crop + WIDTH < end else ''}"
    yield f"{' ' if crop > start else ''}{_blank(ahead)}{'^' * max(len(_blank(marked).expandtabs(1)), 1)}"


def _blank(piece: str) -> str:
    """White space as wide as ``piece`` on a terminal."""
    if piece.isascii():
        return "".join("\t" if letter == "\t" else " " for letter in piece)
    from unicodedata import category, east_asian_width  # noqa: PLC0415 - most lines are ASCII

    blanks, before = [], ""
    for letter in piece:
        if letter == "\t":
            blanks.append(letter)
        elif letter == EMOJI_STYLE:  # shown wide, whatever stood there
            blanks.append(" " if before and east_asian_width(before) not in "WF" else "")
        elif before != JOINER and category(letter) not in ("Mn", "Me", "Cf") and letter not in SKINS:
            blanks.append("  " if east_asian_width(letter) in "WF" else " ")
        before = letter
    return "".join(blanks)


def _with_signs(line: str) -> str:
    """``line`` with a sign for each letter that is invisible or reverses the terminal's text."""
    if line.isascii():
        return line
    from unicodedata import category  # noqa: PLC0415 - most lines are ASCII

    return "".join(SIGN if category(letter) == "Cf" and letter not in JOINERS else letter for letter in line)
