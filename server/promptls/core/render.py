"""A prompt as Markdown, and the lines that it shares with the text (text_view.py). Nothing is decided here."""

from __future__ import annotations

from promptls.core.blocks import parts
from promptls.core.how import how_lines
from promptls.core.lazy import regex
from promptls.core.model import USED, Origin
from promptls.core.paths import from_home, with_relative
from promptls.core.phrases import learned_lines, limit_text, short, summary, tokens_text, verified_text
from promptls.core.secrets import masked, masked_arguments
from promptls.core.sizes import sizes
from promptls.core.totals import counter_of, definitions_size, offered_tokens, segment_tokens, tool_tokens
from promptls.core.values import dataclass, replace
from promptls.core.visible import plain, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from promptls.core.blocks import Block
    from promptls.core.model import Candidate, Message, Problem, Prompt, Segment
    from promptls.core.sizes import Size
    from promptls.core.tokens import Counter

    Style = Literal["title", "message", "segment", "why", "text", "note", "source", "problem", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text for users. ``segment`` is set if the line is a segment's own text.

    ``origin`` is what the line is about, and ``number`` how many lines after the origin's first line it is.
    """

    text: str
    style: Style = "text"
    segment: Segment | None = None
    origin: Origin | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a file, from 0."""

    path: str
    line: int


def source_line(line: Line) -> SourceLine | None:
    """The line of a file that ``line`` shows or mentions, if any."""
    origin = line.origin
    if origin is None or origin.path is None:
        return None
    where = origin.range
    if where is None:
        return SourceLine(origin.path, line.number)
    return SourceLine(origin.path, min(where.start_line + line.number, where.end_line))


def is_users(origin: Origin | None) -> bool:
    """Whether a text of this origin is the user's: from a file, a URL or the command line, not the harness's own."""
    return origin is not None and (origin.path is not None or origin.url is not None or origin.kind == "argument")


def is_of_user(line: Line) -> bool:
    """Whether a line is of a text of the user's."""
    return line.segment is not None and is_users(line.segment.origin)


def nearest(place: SourceLine, shown: str, text: str, near: int) -> SourceLine:
    """``place``, or the closest line in ``text``, at most ``near`` lines away, whose text is ``shown``."""
    found = _split(text)
    wanted = shown.strip()
    for distance in range(near + 1):
        for line in (place.line + distance, place.line - distance):
            if 0 <= line < len(found) and found[line].strip() == wanted:
                return SourceLine(place.path, line)
    return place


def to_markdown(
    prompt: Prompt, problems: Sequence[Problem] = (), title: str = "Effective prompt", told: str = ""
) -> Iterator[Line]:
    """The prompt as Markdown: one heading per message and per segment, each text in a fence that it cannot break.

    ``told`` says which session it is of.
    """
    return map(one_line, _markdown(prompt, problems, title, told))


def one_line(line: Line) -> Line:
    """The line with control characters of names as pictures; a text stays as it is, for who shows it to see to."""
    is_fine = line.segment is not None or line.text.isprintable()
    return line if is_fine else replace(line, text=visible(line.text))


EMPTY = Line("")


def _markdown(prompt: Prompt, problems: Sequence[Problem], title: str, told: str) -> Iterator[Line]:
    yield Line(f"# {plain(title)}", "title")
    yield EMPTY
    yield from (Line(plain(each), "note") for each in (told, "") if told)
    yield Line(plain(summary(prompt)), "note")
    yield from (replace(line, text=plain(line.text)) for line in session_lines(prompt))
    if prompt.messages:
        rows = list(size_lines(prompt, sizes(prompt), *NARROW))
        fence = _fence("\n".join(row.text for row in rows))
        yield from (EMPTY, Line(f"{fence}text", "note"), *rows, Line(fence, "note"))
    count = counter_of(prompt)
    for number, message in enumerate(prompt.messages, 1):
        yield EMPTY
        yield Line(f"## {number}. {plain(message_title(message, prompt))}", "message")
        for part in parts(message):
            segment = part[0].segment
            fence = _fence("".join(block.text for block in part))
            yield EMPTY
            yield Line(f"### {plain(part_title(part, count, prompt))}", "segment", origin=segment.origin)
            yield EMPTY
            yield Line(f"*{plain(with_relative(segment.why, prompt.session.cwd))}*", "why")
            yield EMPTY
            yield Line(f"{fence}markdown", "note")
            yield from _numbered(part)
            yield Line(fence, "note")
    marks = ("## ", "- ")
    rest = (
        *tool_lines(prompt, *marks),
        *problem_lines(prompt, problems, *marks),
        *left_out_lines(prompt, *marks),
        *missing_lines(prompt, *marks),
    )
    for line in rest:
        mark = line.text[:2] if line.style in ("note", "problem") else ""
        yield replace(line, text=mark + plain(line.text.removeprefix(mark))) if mark else line
    for each in how_lines(prompt):
        yield from (EMPTY, Line(plain(each), "note"))


def _numbered(part: Sequence[Block]) -> Iterator[Line]:
    """The lines of a part, each with its line in the file; a line that several blocks share belongs to the first."""
    waiting = Line("")
    before: Origin | None = None
    after = 0
    for block in part:
        segment, origin = block.segment, block.segment.origin
        # Text that is interrupted, for example by a secret, continues where it stopped.
        after = after if origin is before else 0
        first = after - _line_ends(block.text[: block.start])
        for at, text in enumerate(_split(block.text)):
            if at:
                yield waiting
            own = Line(text, "text", segment, origin, max(first + at, 0))
            waiting = replace(waiting, text=waiting.text + text) if not at and waiting.text else own
        before, after = origin, after + _line_ends(segment.text)
    if waiting.text or not any(_line_ends(block.text) for block in part):
        yield waiting


# Files that a session reads which its line names.
MOST_READS = 12


def session_lines(prompt: Prompt) -> Iterator[Line]:
    """How the session was started, what limits it and what is to be known of it."""
    session = prompt.session
    parts = [f"cwd {session.cwd}"]
    parts += [f"model {prompt.model}"] if prompt.model else []
    parts += [f"agent {prompt.agent}"] if prompt.agent else []
    reads = [short(read, session.cwd) for read in dict.fromkeys(session.reads)]
    more = f" and {len(reads) - MOST_READS} more" if len(reads) > MOST_READS else ""
    parts += [f"reads {', '.join(reads[:MOST_READS])}{more}"] if reads else []
    parts += [f"args {' '.join(masked_arguments(session.args))}"] if session.args else []
    yield Line(" · ".join(parts), "note")
    if prompt.stopped:
        yield Line("")
        yield Line(prompt.stopped if prompt.is_fault else f"Nothing is sent: {prompt.stopped}", "problem")
    if prompt.learned is not None:
        yield from (Line(each, "note") for each in learned_lines(session, prompt.learned))
    if prompt.verified_here is not None:
        yield Line(verified_text(session.harness, prompt.verified_here), "note")
    for limit in prompt.limits:
        yield Line(limit_text(limit), "note", origin=limit.setting)
    for note in prompt.notes:
        yield Line(note, "note")


def size_lines(prompt: Prompt, rows: Sequence[Size], most_name: int, bar_width: int, home: str = "") -> Iterator[Line]:
    """Where the tokens go: a bar for each row of ``sizes``, in proportion to the largest; ``home`` is written ~."""
    # That somebody types something, of which nothing is known, goes without saying.
    rows = [row for row in rows if row.tokens or row.kind != "typed"]
    names = [from_home(_size_name(row, prompt.session.cwd), home) for row in rows]
    width = min(max(map(len, names), default=0), most_name)
    largest = max([1, *(row.tokens for row in rows)])
    for row, name in zip(rows, names, strict=True):
        number = "? " if row.is_unknown else f"{row.tokens:,}{'+' if row.is_at_least else ' '}"
        bar = "█" * round(row.tokens / largest * bar_width) or ("▏" if row.tokens else "")
        origin = Origin("file", path=row.name) if row.kind == "file" else None
        shown = name if len(name) <= width else f"…{name[1 - width :]}"
        yield Line(f"{shown:<{width}} {number:>8} {bar}".rstrip(), "note", origin=origin)


def _size_name(row: Size, cwd: str) -> str:
    if row.kind == "file":
        return short(row.name, cwd)
    if row.kind in ("harness", "url") or not row.files:
        return f"{row.name} itself" if row.kind == "harness" else row.name
    return f"{row.name} ({row.files})"


def _when(at: str, cwd: str) -> str:
    kind, _, what = at.partition(":")
    if kind == "read":
        return f"on reading {short(what, cwd)}"
    if kind == "tool":
        return f"on {masked(what)}"
    if kind == "compact":
        return "after a compaction"
    return f"at turn {what}" if kind == "turn" else "at start"


def message_title(message: Message, prompt: Prompt) -> str:
    """Who says a message, and when."""
    return f"{message.role} · {_when(message.at, prompt.session.cwd)}{' · cache mark' if message.cached else ''}"


def part_title(part: Sequence[Block], count: Counter, prompt: Prompt) -> str:
    """What a part of a message is, where it comes from, and its size."""
    segment = part[0].segment
    cwd, origin = prompt.session.cwd, segment.origin
    parts = [short(segment.title, cwd)]
    where = origin.path or origin.url
    if where and where != segment.title:
        line = f":{origin.range.start_line + 1}" if origin.kind == "config" and origin.range else ""
        parts.append(f"from {short(where, cwd)}{line}")
    parts.append(segment.layer)
    if segment.captured:
        parts.append(f"captured {segment.captured}")
    if segment.elided is not None:
        parts.append("not reproduced")
    else:
        is_size = any(block.segment.elided is not None for block in part)
        counted = count.of_sizes() if is_size else count
        # As in the table of sizes, with what the harness puts around the text.
        sizes = [segment_tokens(each, count) for block in part for each in (block.segment, *block.frame)]
        parts.append(tokens_text(sum(sizes), counted))
    cuts = dict.fromkeys([block.segment.cut for block in part if block.segment.cut is not None])
    parts += [f"cut: {cut.kept:,} of {cut.total:,} {cut.unit}" for cut in cuts]
    if segment.cache != "session":
        parts.append(CACHE_SAYS[segment.cache])
    return " · ".join(parts)


CACHE_SAYS = {"static": "the same in every session", "turn": "rebuilt for each request"}


def problem_lines(prompt: Prompt, problems: Sequence[Problem], heading: str, bullet: str) -> Iterator[Line]:
    """What is wrong."""
    if problems:
        yield Line("")
        yield Line(f"{heading}Problems", "message")
    cwd = prompt.session.cwd
    for problem in problems:
        line, character = problem.range.start_line + 1, problem.range.start_character + 1
        where = f"{short(problem.path, cwd)}:{line}:{character}"
        place = Origin("file", problem.path, range=problem.range)
        text = f"{bullet}{problem.severity} {problem.code} · {where} · {with_relative(problem.message, cwd)}"
        yield Line(text, "problem", origin=place)


def tool_lines(prompt: Prompt, heading: str, bullet: str) -> Iterator[Line]:
    """The tools that the model is offered, and those that it is not, with their sizes where they are known."""
    count = counter_of(prompt).of_sizes()
    if prompt.tools:
        whole = definitions_size(prompt)
        size = f" · {tokens_text(tool_tokens(prompt, count), count)}" if whole else ""
        yield Line("")
        yield Line(f"{heading}Tools{size}", "message")
    for tool in prompt.tools or ():
        # A tool whose name alone is sent has no size.
        size = f" · ~{offered_tokens(tool, count):,} tokens" if tool.size and tool.enabled else ""
        yield Line(f"{bullet}{tool.name}{size} · {'offered' if tool.enabled else 'not offered'} · {tool.why}", "note")


def left_out_lines(prompt: Prompt, heading: str, bullet: str) -> Iterator[Line]:
    """What is there and not sent: a file that another rule brings is."""
    used = {each.path for each in prompt.candidates if each.outcome in USED and each.path is not None}
    left_out = [
        each
        for each in prompt.candidates
        if each.outcome not in (*USED, "missing") and not (each.outcome == "shadowed" and each.path in used)
    ]
    if left_out:
        yield Line("")
        yield Line(f"{heading}Not loaded", "message")
    for candidate in left_out:
        by = candidate.origin if candidate.origin.path else Origin("file", candidate.path)
        why = with_relative(candidate.why, prompt.session.cwd)
        text = f"{bullet}{candidate.outcome} · {_place(candidate, prompt)} · {why}"
        yield Line(text, "note", origin=by)


def missing_lines(prompt: Prompt, heading: str, bullet: str) -> Iterator[Line]:
    """Where something was looked for and is not."""
    places = dict.fromkeys(_place(each, prompt) for each in prompt.candidates if each.outcome == "missing")
    if places:
        yield Line("")
        yield Line(f"{heading}Looked for, not there", "message")
    yield from (Line(f"{bullet}{place}", "note") for place in places)


def _place(candidate: Candidate, prompt: Prompt) -> str:
    path = short(candidate.path, prompt.session.cwd) if candidate.path else None
    return path or candidate.url or candidate.origin.name or ""


# Columns of the longest name and the longest bar, in an editor beside another one.
NARROW = (24, 8)
_LINE_END = regex(r"\r\n|\n|\r")
_BACKTICKS = regex(r"`{3,}")


def lines(text: str) -> list[str]:
    """The lines of a text, whatever ends them."""
    found = _split(text)
    return found[:-1] if len(found) > 1 and not found[-1] else found


def _split(text: str) -> list[str]:
    """The lines of a text, and what follows its last line end."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def _line_ends(text: str) -> int:
    return len(_LINE_END.findall(text)) if "\r" in text else text.count("\n")


def _fence(text: str) -> str:
    return "`" * max(3, *(len(run) + 1 for run in _BACKTICKS.findall(text)), 3)
