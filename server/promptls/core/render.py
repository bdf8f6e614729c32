"""A prompt as text, Markdown and JSON. Views only; nothing is decided here."""

from __future__ import annotations

import re

from promptls.core import specs
from promptls.core.model import Origin
from promptls.core.secrets import masked, masked_arguments
from promptls.core.sizes import sizes
from promptls.core.tokens import ESTIMATE, counter
from promptls.core.totals import is_at_least, prompt_tokens, segment_tokens, window_of
from promptls.core.values import dataclass, replace
from promptls.core.visible import plain, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    from promptls.core.model import Call, Candidate, Cut, Limit, Message, Problem, Prompt, Range, Segment, Tool, Turn
    from promptls.core.sizes import Size
    from promptls.core.tokens import Counter

    Json = dict[str, Any]
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
class Spot:
    """A line of a file, from 0."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """A segment with the pieces of the harness's frame that belong to it; its own text begins at ``start``."""

    segment: Segment
    text: str
    start: int = 0


# -- JSON ------------------------------------------------------------------------------------------------------


def to_json(prompt: Prompt, problems: Sequence[Problem] = (), found: Sequence[Mapping[str, Any]] = ()) -> Json:
    """The JSON of ``preview``. ``found`` are the harnesses that the workspace is configured for."""
    count = counter(prompt.model)
    session = prompt.session
    texts = [message.text for message in prompt.messages]
    messages = [_message(message, count) for message in prompt.messages]
    return {
        "harness": {"name": session.harness, "version": session.version, "verified": prompt.verified},
        "session": {
            "cwd": session.cwd,
            "reads": list(session.reads),
            "turns": [_turn(turn) for turn in session.turns],
            "model": prompt.model,
            "agent": prompt.agent,
            "counts_open": specs.of(session.harness).counts_attached,
            "args": masked_arguments(session.args),
            "hints": list(map(masked, session.hints)),
        },
        "messages": messages,
        "candidates": [_candidate(candidate) for candidate in prompt.candidates],
        "tools": None if prompt.tools is None else [_tool(tool) for tool in prompt.tools],
        "totals": {
            "characters": sum(map(len, texts)),
            "bytes": sum(len(text.encode("utf-8", "replace")) for text in texts),
            "tokens": prompt_tokens(prompt, count),
            "token_method": count.method,
            "files": len(loaded_files(prompt)),
            "elided": sum(segment.elided is not None for message in prompt.messages for segment in message.segments),
            "at_least": is_at_least(prompt),
            "window": window_of(prompt),
        },
        "sizes": [_size(size) for size in sizes(prompt)],
        "limits": [_limit(limit) for limit in prompt.limits],
        "problems": [problem_json(problem) for problem in problems],
        "stopped": prompt.stopped,
        "notes": list(prompt.notes),
        "found": list(found),
    }


def _size(size: Size) -> Json:
    return {
        "name": size.name,
        "kind": size.kind,
        "tokens": size.tokens,
        "files": size.files,
        "at_least": size.is_at_least,
    }


def _limit(limit: Limit) -> Json:
    json: Json = {"name": limit.name, "used": limit.used, "most": limit.most, "unit": limit.unit}
    json["left"] = max(limit.most - limit.used, 0)
    return json | {"setting": _origin(limit.setting)} if limit.setting else json


def _turn(turn: Turn) -> Json:
    """As ``--session`` takes it; what was typed and given to tools without secrets."""
    return {
        "prompt": masked(turn.prompt) if turn.prompt is not None else None,
        "attached": list(turn.attached),
        "open": [{"path": each.path, "selection": _corners(each.selection)} for each in turn.open],
        "steps": [[_call(call) for call in step] for step in turn.steps],
    }


def _corners(selection: Range | None) -> list[int] | None:
    where = selection
    return [where.start_line, where.start_character, where.end_line, where.end_character] if where else None


def _call(call: Call) -> Json:
    return {"read": call.read} if call.read is not None else {"tool": call.tool, "input": masked(call.input)}


def _tool(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "enabled": tool.enabled,
        "why": tool.why,
        "size": tool.size,
        "origin": _origin(tool.origin),
    }


def loaded_files(prompt: Prompt) -> list[str]:
    """The files and URLs whose text is in the prompt as an instruction, in order, each once."""
    return list(
        dict.fromkeys(
            place
            for message in prompt.messages
            for segment in message.segments
            if segment.layer != "runtime" and (place := segment.origin.path or segment.origin.url)
        )
    )


def range_json(where: Range) -> Json:
    """A range as LSP writes it."""
    return {
        "start": {"line": where.start_line, "character": where.start_character},
        "end": {"line": where.end_line, "character": where.end_character},
    }


def _message(message: Message, count: Counter) -> Json:
    segments: list[Json] = []
    at = 0
    for segment in message.segments:
        end = at + len(segment.text)
        segments.append(
            {
                "layer": segment.layer,
                "title": segment.title,
                "start": at,
                "end": end,
                "origin": _origin(segment.origin),
                "why": segment.why,
                "cache": segment.cache,
                "tokens": segment_tokens(segment, count),
                "cut": cut_json(segment.cut) if segment.cut else None,
                "elided": None
                if segment.elided is None
                else {"name": segment.elided.name, "size": segment.elided.size},
            }
        )
        at = end
    return {
        "role": message.role,
        "index": message.index,
        "block": message.block,
        "at": message.at,
        "text": message.text,
        "cached": message.cached,
        "segments": segments,
    }


def cut_json(cut: Cut) -> Json:
    """A limit and what it left, as JSON."""
    json: Json = {"kept": cut.kept, "total": cut.total, "unit": cut.unit, "limit": cut.limit}
    return json | {"setting": _origin(cut.setting)} if cut.setting else json


def _origin(origin: Origin) -> Json:
    json: Json = {"kind": origin.kind}
    if origin.path is not None:
        # A message names a file as ``path`` once, where its text begins.
        json["again" if origin.again else "path"] = origin.path
    if origin.url is not None:
        json["url"] = origin.url
    if origin.range is not None:
        json["range"] = range_json(origin.range)
    if origin.name is not None:
        json["name"] = origin.name
    return json


def _candidate(candidate: Candidate) -> Json:
    json: Json = {"url": candidate.url} if candidate.url is not None else {"path": candidate.path}
    json |= {
        "outcome": candidate.outcome,
        "why": candidate.why,
        "rule": candidate.rule,
        "reason": candidate.reason,
        "origin": _origin(candidate.origin),
        "use": candidate.use,
        "at": candidate.at,
    }
    if candidate.other is not None:
        json["other"] = candidate.other
    if candidate.cut is not None:
        json["cut"] = cut_json(candidate.cut)
    if candidate.fetched is not None:
        fetched = candidate.fetched
        json["fetched"] = {
            "state": fetched.state,
            "status": fetched.status,
            "final_url": fetched.final_url,
            "headers_seconds": fetched.headers_seconds,
            "total_seconds": fetched.total_seconds,
            "from_cache": fetched.from_cache,
        }
    return json


def problem_json(problem: Problem) -> Json:
    """A problem as it is in the JSON of ``preview``."""
    return {
        "path": problem.path,
        "range": range_json(problem.range),
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
    }


# -- for people ------------------------------------------------------------------------------------------------


def blocks(message: Message) -> list[Block]:
    """The message's segments, each with the frame around it; joined, their texts are the message's text."""
    found: list[Block] = []
    waiting = ""
    for segment in message.segments:
        if segment.frame == "tail" and found and not waiting:
            found[-1] = replace(found[-1], text=found[-1].text + segment.text)
        elif segment.frame:
            waiting += segment.text
        else:
            found.append(Block(segment, waiting + segment.text, len(waiting)))
            waiting = ""
    return [*found, Block(message.segments[-1], waiting)] if waiting else found


def parts(message: Message) -> list[list[Block]]:
    """The blocks of a message; those of one file that follow each other, cut by comments for example, together."""
    found: list[list[Block]] = []
    for block in blocks(message):
        if found and _goes_on(found[-1][-1].segment, block.segment):
            found[-1].append(block)
        else:
            found.append([block])
    return found


def _goes_on(segment: Segment, following: Segment) -> bool:
    one, two = segment.origin, following.origin
    is_one_file = one.path is not None and (one.kind, one.path) == (two.kind, two.path)
    is_one_text = (segment.title, segment.layer, segment.why) == (following.title, following.layer, following.why)
    return is_one_file and is_one_text and segment.elided is None and following.elided is None


def spot(line: Line) -> Spot | None:
    """The line of a file that ``line`` shows or mentions, if any."""
    origin = line.origin
    if origin is None or origin.path is None:
        return None
    where = origin.range
    if where is None:
        return Spot(origin.path, line.number)
    return Spot(origin.path, min(where.start_line + line.number, where.end_line))


def nearest(place: Spot, shown: str, text: str, near: int) -> Spot:
    """``place``, or the closest line in ``text``, at most ``near`` lines away, whose text is ``shown``."""
    lines = _LINE_END.split(text)
    wanted = shown.strip()
    for distance in range(near + 1):
        for line in (place.line + distance, place.line - distance):
            if 0 <= line < len(lines) and lines[line].strip() == wanted:
                return Spot(place.path, line)
    return place


def short(path: str, cwd: str) -> str:
    """``path`` as it is shown: relative to ``cwd`` if it is below it."""
    below = cwd.rstrip("/") + "/"
    return path.removeprefix(below)


def limit_text(limit: Limit) -> str:
    """``1,204 of 32,768 bytes left for AGENTS.md files``, or how much is too much."""
    left = limit.most - limit.used
    if left < 0:
        return f"{-left:,} {limit.unit} over the limit of {limit.most:,} for {limit.name}"
    return f"{left:,} of {limit.most:,} {limit.unit} left for {limit.name}"


def summary(prompt: Prompt) -> str:
    """One line: harness, version, files, tokens, and their share of the model's window if that is known."""
    session = prompt.session
    count = counter(prompt.model)
    total = prompt_tokens(prompt, count)
    files = len(loaded_files(prompt))
    version = "" if prompt.verified else " (not verified on the wire)"
    tokens = f"{'at least ' if is_at_least(prompt) else ''}{tokens_text(total, count.method)}"
    whole = window_of(prompt)
    share = f", {total / whole:.1%} of {whole:,}" if whole else ""
    return f"{session.harness} {session.version}{version} · {files} file{'' if files == 1 else 's'} · {tokens}{share}"


def tokens_text(tokens: int, method: str) -> str:
    """``~1,234 tokens (estimate)`` or ``1,234 tokens (o200k_base)``."""
    return f"{'~' if method == ESTIMATE else ''}{tokens:,} token{'' if tokens == 1 else 's'} ({method})"


def to_text(prompt: Prompt, problems: Sequence[Problem] = ()) -> Iterator[Line]:
    """The prompt for a terminal: one header line per segment, then its text as it is sent."""
    return map(_one_line, _text(prompt, problems))


def to_markdown(prompt: Prompt, problems: Sequence[Problem] = (), title: str = "Effective prompt") -> Iterator[Line]:
    """The prompt as Markdown: one heading per message and per segment, each text in a fence that it cannot break."""
    return map(_one_line, _markdown(prompt, problems, title))


def _one_line(line: Line) -> Line:
    """The line with control characters of names as pictures; a text stays as it is, for who shows it to see to."""
    shown = line.text if line.segment is not None else visible(line.text)
    return line if shown == line.text else replace(line, text=shown)


def _text(prompt: Prompt, problems: Sequence[Problem]) -> Iterator[Line]:
    yield Line(summary(prompt), "title")
    yield from _session_lines(prompt)
    if prompt.messages:
        yield Line("")
        yield from _size_lines(prompt, *WIDE)
    count = counter(prompt.model)
    for number, message in enumerate(prompt.messages, 1):
        yield Line("")
        yield Line(f"━━ {number} · {_message_title(message, prompt)} ━━", "message")
        for part in parts(message):
            segment = part[0].segment
            yield Line(f"── {_part_title(part, count, prompt)}", "segment", origin=segment.origin)
            yield Line(f"   {segment.why}", "why")
            yield from (Line(text, "text", segment) for text in _lines("".join(block.text for block in part)))
    yield from _rest(prompt, problems)


def _markdown(prompt: Prompt, problems: Sequence[Problem], title: str) -> Iterator[Line]:
    yield Line(f"# {plain(title)}", "title")
    yield Line("")
    yield Line(plain(summary(prompt)), "note")
    yield from (replace(line, text=plain(line.text)) for line in _session_lines(prompt))
    if prompt.messages:
        rows = list(_size_lines(prompt, *NARROW))
        fence = _fence("\n".join(row.text for row in rows))
        yield from (Line(""), Line(f"{fence}text", "note"), *rows, Line(fence, "note"))
    count = counter(prompt.model)
    for number, message in enumerate(prompt.messages, 1):
        yield Line("")
        yield Line(f"## {number}. {plain(_message_title(message, prompt))}", "message")
        for part in parts(message):
            segment = part[0].segment
            fence = _fence("".join(block.text for block in part))
            yield Line("")
            yield Line(f"### {plain(_part_title(part, count, prompt))}", "segment", origin=segment.origin)
            yield Line("")
            yield Line(f"*{plain(segment.why)}*", "why")
            yield Line("")
            yield Line(f"{fence}markdown", "note")
            yield from _numbered(part)
            yield Line(fence, "note")
    for line in _rest(prompt, problems, heading="## ", bullet="- "):
        mark = line.text[:2] if line.style in ("note", "problem") else ""
        yield replace(line, text=mark + plain(line.text.removeprefix(mark))) if mark else line


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
        for at, text in enumerate(_LINE_END.split(block.text)):
            if at:
                yield waiting
            own = Line(text, "text", segment, origin, max(first + at, 0))
            waiting = replace(waiting, text=waiting.text + text) if not at and waiting.text else own
        before, after = origin, after + _line_ends(segment.text)
    if waiting.text or not any(_line_ends(block.text) for block in part):
        yield waiting


def _session_lines(prompt: Prompt) -> Iterator[Line]:
    session = prompt.session
    parts = [f"cwd {session.cwd}"]
    parts += [f"model {prompt.model}"] if prompt.model else []
    parts += [f"agent {prompt.agent}"] if prompt.agent else []
    reads = [short(read, session.cwd) for read in session.reads]
    parts += [f"reads {', '.join(reads)}"] if reads else []
    parts += [f"args {' '.join(masked_arguments(session.args))}"] if session.args else []
    yield Line(" · ".join(parts), "note")
    if prompt.stopped:
        yield Line("")
        yield Line(f"Nothing is sent. {prompt.stopped}", "problem")
    for limit in prompt.limits:
        yield Line(limit_text(limit), "note", origin=limit.setting)
    for note in prompt.notes:
        yield Line(note, "note")


def _size_lines(prompt: Prompt, most_name: int, bar_width: int) -> Iterator[Line]:
    """Where the tokens go: a bar for each row, in proportion to the largest."""
    rows = sizes(prompt)
    names = [_size_name(row, prompt.session.cwd) for row in rows]
    width = min(max(map(len, names), default=0), most_name)
    largest = max((row.tokens for row in rows), default=0) or 1
    for row, name in zip(rows, names, strict=True):
        number = f"{row.tokens:,}{'+' if row.is_at_least else ' '}"
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
    return f"at turn {what}" if kind == "turn" else "at start"


def _message_title(message: Message, prompt: Prompt) -> str:
    return f"{message.role} · {_when(message.at, prompt.session.cwd)}{' · cache mark' if message.cached else ''}"


def _part_title(part: Sequence[Block], count: Counter, prompt: Prompt) -> str:
    segment = part[0].segment
    cwd, origin = prompt.session.cwd, segment.origin
    parts = [short(segment.title, cwd)]
    where = origin.path or origin.url
    if where and where != segment.title:
        line = f":{origin.range.start_line + 1}" if origin.kind == "config" and origin.range else ""
        parts.append(f"from {short(where, cwd)}{line}")
    parts.append(segment.layer)
    if segment.elided is not None:
        parts.append("not reproduced")
    else:
        parts.append(tokens_text(sum(segment_tokens(block.segment, count) for block in part), count.method))
    cuts = dict.fromkeys(block.segment.cut for block in part)
    parts += [f"cut: {cut.kept:,} of {cut.total:,} {cut.unit}" for cut in cuts if cut is not None]
    if segment.cache != "session":
        parts.append(CACHE_SAYS[segment.cache])
    return " · ".join(parts)


CACHE_SAYS = {"static": "the same in every session", "turn": "rebuilt for each request"}


def _rest(prompt: Prompt, problems: Sequence[Problem], heading: str = "━━ ", bullet: str = "   ") -> Iterator[Line]:
    """What is not sent although it was looked for, and what is wrong."""
    if prompt.tools:
        yield Line("")
        yield Line(f"{heading}Tools", "message")
        for tool in prompt.tools:
            yield Line(f"{bullet}{tool.name} · {'offered' if tool.enabled else 'not offered'} · {tool.why}", "note")
    left_out = [c for c in prompt.candidates if c.outcome not in ("loaded", "cut", "missing")]
    missing = [c for c in prompt.candidates if c.outcome == "missing"]
    if problems:
        yield Line("")
        yield Line(f"{heading}Problems", "message")
        for problem in problems:
            line, character = problem.range.start_line + 1, problem.range.start_character + 1
            where = f"{short(problem.path, prompt.session.cwd)}:{line}:{character}"
            place = Origin("file", problem.path, range=problem.range)
            text = f"{bullet}{problem.severity} {problem.code} · {where} · {problem.message}"
            yield Line(text, "problem", origin=place)
    if left_out:
        yield Line("")
        yield Line(f"{heading}Not loaded", "message")
        for candidate in left_out:
            by = candidate.origin if candidate.origin.path else Origin("file", candidate.path)
            text = f"{bullet}{candidate.outcome} · {_place(candidate, prompt)} · {candidate.why}"
            yield Line(text, "note", origin=by)
    if missing:
        yield Line("")
        yield Line(f"{heading}Looked for, not there", "message")
        places = dict.fromkeys(_place(candidate, prompt) for candidate in missing)
        yield from (Line(f"{bullet}{place}", "note") for place in places)


def _place(candidate: Candidate, prompt: Prompt) -> str:
    path = short(candidate.path, prompt.session.cwd) if candidate.path else None
    return path or candidate.url or candidate.origin.name or ""


# Columns of the longest name and the longest bar: on a terminal, and in an editor beside another one.
WIDE, NARROW = (60, 30), (24, 8)
_LINE_END = re.compile(r"\r\n|\n|\r")
_BACKTICKS = re.compile(r"`{3,}")


def _lines(text: str) -> list[str]:
    lines = _LINE_END.split(text)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _line_ends(text: str) -> int:
    return len(_LINE_END.findall(text)) if "\r" in text else text.count("\n")


def _fence(text: str) -> str:
    return "`" * max(3, *(len(run) + 1 for run in _BACKTICKS.findall(text)), 3)
