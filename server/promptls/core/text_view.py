"""A prompt as text for a terminal: the summary, the problems, and what is sent, all of it or some."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.blocks import parts
from promptls.core.how import how_lines
from promptls.core.paths import from_home, with_relative
from promptls.core.phrases import summary, tokens_text
from promptls.core.render import (
    Line,
    left_out_lines,
    lines,
    message_title,
    missing_lines,
    one_line,
    part_title,
    problem_lines,
    session_lines,
    size_lines,
    tool_lines,
)
from promptls.core.sizes import kind_of, sizes, uses_of
from promptls.core.totals import counter_of
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from promptls.core.blocks import Block
    from promptls.core.model import Message, Problem, Prompt, Use
    from promptls.core.sizes import Kind, Size

# Columns of the longest name and the longest bar.
WIDE = (60, 30)
MARKS = ("━━ ", "   ")
OWN: tuple[Kind, ...] = ("tools", "harness")
SUMMARY, PROBLEMS, TOOLS = "summary", "problems", "tools"
# Other words for kinds of parts.
ALIASES = {"mcp": "servers", "own": "harness"}


@dataclass(frozen=True, slots=True)
class Shown:
    """What of a prompt is shown.

    ``has_own``: the parts of the harness, and not only their size. ``has_missing``: where something was looked for and
    is not. ``only``: names of parts; everything where there is none. ``first``: lines that say which session it is.
    ``home``: the user's home directory, which is written ~ in what is said of the text. ``here``: the directory in
    which a command needs no naming of it.
    """

    has_own: bool = True
    has_missing: bool = True
    only: tuple[str, ...] = ()
    first: tuple[Line, ...] = ()
    home: str = ""
    here: str = ""


EVERYTHING = Shown()


def to_text(prompt: Prompt, problems: Sequence[Problem] = (), shown: Shown = EVERYTHING) -> Iterator[Line]:
    """The prompt for a terminal: one header line per part, then its text as it is sent."""
    found = _only(prompt, problems, shown) if shown.only else _text(prompt, problems, shown)
    return (line if line.segment is not None else one_line(_from_home(line, shown.home)) for line in found)


def _from_home(line: Line, home: str) -> Line:
    return replace(line, text=from_home(line.text, home)) if home and home in line.text else line


def part_names(prompt: Prompt) -> list[str]:
    """The words that name parts of this prompt, but for names of files."""
    uses = uses_of(prompt)
    kinds = [_kind(part, message, uses) for message in prompt.messages for part in parts(message)]
    words = [
        SUMMARY,
        PROBLEMS,
        *(message.role for message in prompt.messages),
        *kinds,
        *([TOOLS] if prompt.tools else []),
    ]
    return list(dict.fromkeys(words))


def has_part(prompt: Prompt, name: str) -> bool:
    """Whether a part of the prompt is called ``name``: by the path of its file, its role or its kind."""
    if ALIASES.get(name, name) in part_names(prompt):
        return True
    return any(_is_of_file(part, name) for message in prompt.messages for part in parts(message))


def _text(prompt: Prompt, problems: Sequence[Problem], shown: Shown) -> Iterator[Line]:
    rows = sizes(prompt)
    yield from shown.first
    yield from _head(prompt, rows, shown.home)
    yield from problem_lines(prompt, problems, *MARKS)
    uses = uses_of(prompt)

    def is_wanted(part: Sequence[Block], message: Message) -> bool:
        return shown.has_own or _kind(part, message, uses) not in OWN

    yield from _messages(prompt, is_wanted)
    yield from tool_lines(prompt, *MARKS) if shown.has_own else _folded(prompt, rows)
    yield from left_out_lines(prompt, *MARKS)
    yield from missing_lines(prompt, *MARKS) if shown.has_missing else _unlisted(prompt)
    yield from _ways(prompt, shown.here)


def _ways(prompt: Prompt, here: str) -> Iterator[Line]:
    """The commands that find out what is not known."""
    ways = [Line(each, "note") for each in how_lines(prompt, here)]
    yield from (Line(""), *ways) if ways else ()


def _only(prompt: Prompt, problems: Sequence[Problem], shown: Shown) -> Iterator[Line]:
    """The parts that are called so, and nothing else but the session that they are of."""
    names = [ALIASES.get(each, each) for each in shown.only]
    yield from shown.first
    if SUMMARY in names:
        yield from _head(prompt, sizes(prompt), shown.home)
        yield from _ways(prompt, shown.here)
    if PROBLEMS in names:
        yield from problem_lines(prompt, problems, *MARKS)
    uses = uses_of(prompt)

    def is_wanted(part: Sequence[Block], message: Message) -> bool:
        words = (message.role, _kind(part, message, uses))
        return any(each in words or _is_of_file(part, each) for each in names)

    yield from _messages(prompt, is_wanted)
    if TOOLS in names:
        yield from tool_lines(prompt, *MARKS)


def _head(prompt: Prompt, rows: Sequence[Size], home: str) -> Iterator[Line]:
    yield Line(summary(prompt), "title")
    yield from session_lines(prompt)
    if prompt.messages:
        yield Line("")
        yield from size_lines(prompt, rows, *WIDE, home)


def _messages(prompt: Prompt, is_wanted: Callable[[Sequence[Block], Message], bool]) -> Iterator[Line]:
    count = counter_of(prompt)
    for number, message in enumerate(prompt.messages, 1):
        wanted = [part for part in parts(message) if is_wanted(part, message)]
        if wanted:
            yield Line("")
            yield Line(f"━━ {number} · {message_title(message, prompt)} ━━", "message")
        for part in wanted:
            segment = part[0].segment
            yield Line(f"── {part_title(part, count, prompt)}", "segment", origin=segment.origin)
            yield Line(f"   {with_relative(segment.why, prompt.session.cwd)}", "why")
            whole = part[0].text if len(part) == 1 else "".join(block.text for block in part)
            yield from [Line(text, "text", segment) for text in lines(whole)]


def _folded(prompt: Prompt, all_rows: Sequence[Size]) -> Iterator[Line]:
    """One row for all that belongs to the harness."""
    rows = [each for each in all_rows if each.kind in OWN]
    if rows:
        tokens = sum(each.tokens for each in rows)
        names = f"{specs.of(prompt.session.harness).title} itself{', with its tools' if prompt.tools else ''}"
        least = "at least " if any(each.is_at_least for each in rows) else ""
        size = f"{least}{tokens_text(tokens, counter_of(prompt).of_sizes())}" if tokens else "not known"
        yield Line("")
        yield Line(f"━━ {names} · {size} · --all shows it ━━", "message")


def _unlisted(prompt: Prompt) -> Iterator[Line]:
    number = len({each.path or each.url for each in prompt.candidates if each.outcome == "missing"})
    if number:
        places, them = ("place was", "it") if number == 1 else ("places were", "them")
        yield Line("")
        yield Line(f"{number} more {places} looked at, and nothing is there; --looked-for lists {them}.", "note")


def _kind(part: Sequence[Block], message: Message, uses: Mapping[str, Use]) -> Kind:
    return kind_of(part[0].segment, uses, is_tool=message.role == "tools")


def _is_of_file(part: Sequence[Block], name: str) -> bool:
    """Whether the part comes from the file or URL of this name: the end of its path, in whole components."""
    origin = part[0].segment.origin
    path = origin.path or origin.url
    return path is not None and name != "" and (path == name or path.endswith(f"/{name.removeprefix('./')}"))
