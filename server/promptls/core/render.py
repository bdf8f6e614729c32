"""A prompt as people and programs read it: text, Markdown and JSON. Views only; nothing is decided here."""

from __future__ import annotations

import re

from promptls.core.model import START, Origin
from promptls.core.tokens import ESTIMATE, counter
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    from promptls.core.model import Candidate, Cut, Message, Problem, Prompt, Range, Segment
    from promptls.core.tokens import Counter

    Json = dict[str, Any]
    Style = Literal["title", "message", "segment", "why", "text", "note", "problem", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text for people. ``segment`` is set where the line is a segment's own text.

    ``origin`` is what the line speaks of, and ``number`` how many lines behind the origin's first it stands.
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
    """The JSON of ``preview``. ``found`` are the harnesses that the workspace is set up for."""
    count = counter(prompt.model)
    session = prompt.session
    texts = [message.text for message in prompt.messages]
    messages = [_message(message, count) for message in prompt.messages]
    return {
        "harness": {"name": session.harness, "version": session.version, "verified": prompt.verified},
        "session": {
            "cwd": session.cwd,
            "reads": list(session.reads),
            "model": prompt.model,
            "agent": prompt.agent,
            "args": list(session.args),
            "hints": list(session.hints),
        },
        "messages": messages,
        "candidates": [_candidate(candidate) for candidate in prompt.candidates],
        "tools": None
        if prompt.tools is None
        else [{"name": tool.name, "enabled": tool.enabled, "why": tool.why} for tool in prompt.tools],
        "totals": {
            "characters": sum(map(len, texts)),
            "bytes": sum(len(text.encode("utf-8", "replace")) for text in texts),
            "tokens": sum(segment["tokens"] for message in messages for segment in message["segments"]),
            "token_method": count.method,
            "files": len(loaded_files(prompt)),
            "elided": sum(segment.elided is not None for message in prompt.messages for segment in message.segments),
        },
        "problems": [_problem(problem) for problem in problems],
        "stopped": prompt.stopped,
        "notes": list(prompt.notes),
        "found": list(found),
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


def segment_tokens(segment: Segment, count: Counter) -> int:
    """The tokens of a segment; of an elided one by its size, 0 where that is not known."""
    if segment.elided is None:
        return count(segment.text)
    return round((segment.elided.size or 0) / 4)


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
                "cut": _cut(segment.cut) if segment.cut else None,
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


def _cut(cut: Cut) -> Json:
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
        "origin": _origin(candidate.origin),
        "use": candidate.use,
        "at": candidate.at,
    }
    if candidate.other is not None:
        json["other"] = candidate.other
    if candidate.cut is not None:
        json["cut"] = _cut(candidate.cut)
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


def _problem(problem: Problem) -> Json:
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


def spot(line: Line) -> Spot | None:
    """The line of a file that ``line`` shows or speaks of, if there is one."""
    origin = line.origin
    if origin is None or origin.path is None:
        return None
    where = origin.range
    if where is None:
        return Spot(origin.path, line.number)
    return Spot(origin.path, min(where.start_line + line.number, where.end_line))


def nearest(place: Spot, shown: str, text: str, near: int) -> Spot:
    """``place``, or the line nearest to it in ``text``, at most ``near`` lines away, that reads as it is ``shown``."""
    lines = _LINE_END.split(text)
    wanted = shown.strip()
    for distance in range(near + 1):
        for line in (place.line + distance, place.line - distance):
            if 0 <= line < len(lines) and lines[line].strip() == wanted:
                return Spot(place.path, line)
    return place


def short(path: str, cwd: str) -> str:
    """``path`` as people name it: relative to ``cwd`` if it is below."""
    below = cwd.rstrip("/") + "/"
    return path.removeprefix(below)


def summary(prompt: Prompt) -> str:
    """One line: harness, version, files and tokens."""
    session = prompt.session
    count = counter(prompt.model)
    total = sum(segment_tokens(segment, count) for message in prompt.messages for segment in message.segments)
    files = len(loaded_files(prompt))
    version = "" if prompt.verified else " (not verified on the wire)"
    return (
        f"{session.harness} {session.version}{version} · {files} file{'' if files == 1 else 's'} · "
        f"{tokens_text(total, count.method)}"
    )


def tokens_text(tokens: int, method: str) -> str:
    """``~1,234 tokens (estimate)`` or ``1,234 tokens (o200k_base)``."""
    return f"{'~' if method == ESTIMATE else ''}{tokens:,} token{'' if tokens == 1 else 's'} ({method})"


def to_text(prompt: Prompt, problems: Sequence[Problem] = ()) -> Iterator[Line]:
    """The prompt for a terminal: a header line a segment, then its text as it is sent."""
    return map(_one_line, _text(prompt, problems))


def to_markdown(prompt: Prompt, problems: Sequence[Problem] = (), title: str = "Effective prompt") -> Iterator[Line]:
    """The prompt as Markdown: a heading a message and a segment, each text in a fence that it cannot break."""
    return map(_one_line, _markdown(prompt, problems, title))


def _one_line(line: Line) -> Line:
    """The line with breaks, which may stand in the names of files, as letters."""
    return replace(line, text=shown) if (shown := _LINE_END.sub("␤", line.text)) != line.text else line


def _text(prompt: Prompt, problems: Sequence[Problem]) -> Iterator[Line]:
    yield Line(summary(prompt), "title")
    yield from _session_lines(prompt)
    count = counter(prompt.model)
    for number, message in enumerate(prompt.messages, 1):
        yield Line("")
        yield Line(f"━━ {number} · {_message_title(message, prompt)} ━━", "message")
        for block in blocks(message):
            yield Line(f"── {_segment_title(block.segment, count, prompt)}", "segment", origin=block.segment.origin)
            yield Line(f"   {block.segment.why}", "why")
            yield from (Line(text, "text", block.segment) for text in _lines(block.text))
    yield from _rest(prompt, problems)


def _markdown(prompt: Prompt, problems: Sequence[Problem], title: str) -> Iterator[Line]:
    yield Line(f"# {title}", "title")
    yield Line("")
    yield Line(summary(prompt), "note")
    yield from _session_lines(prompt)
    count = counter(prompt.model)
    for number, message in enumerate(prompt.messages, 1):
        yield Line("")
        yield Line(f"## {number}. {_message_title(message, prompt)}", "message")
        before: Origin | None = None
        behind = 0
        for block in blocks(message):
            origin = block.segment.origin
            # A text that is interrupted, by a secret for example, goes on where it stopped.
            behind = behind if origin is before else 0
            fence = _fence(block.text)
            yield Line("")
            yield Line(f"### {_segment_title(block.segment, count, prompt)}", "segment", origin=origin)
            yield Line("")
            yield Line(f"*{block.segment.why}*", "why")
            yield Line("")
            yield Line(f"{fence}markdown", "note")
            first = behind - _line_ends(block.text[: block.start])
            for number_inside, text in enumerate(_lines(block.text), first):
                yield Line(text, "text", block.segment, origin, max(number_inside, 0))
            yield Line(fence, "note")
            before, behind = origin, behind + _line_ends(block.segment.text)
    yield from _rest(prompt, problems, heading="## ", bullet="- ")


def _session_lines(prompt: Prompt) -> Iterator[Line]:
    session = prompt.session
    parts = [f"cwd {session.cwd}"]
    parts += [f"model {prompt.model}"] if prompt.model else []
    parts += [f"agent {prompt.agent}"] if prompt.agent else []
    reads = [short(read, session.cwd) for read in session.reads]
    parts += [f"reads {', '.join(reads)}"] if reads else []
    parts += [f"args {' '.join(session.args)}"] if session.args else []
    yield Line(" · ".join(parts), "note")
    if prompt.stopped:
        yield Line("")
        yield Line(f"Nothing is sent. {prompt.stopped}", "problem")
    for note in prompt.notes:
        yield Line(note, "note")


def _message_title(message: Message, prompt: Prompt) -> str:
    read = short(message.at.removeprefix("read:"), prompt.session.cwd)
    at = "at start" if message.at == START else f"on reading {read}"
    return f"{message.role} · {at}{' · cache mark' if message.cached else ''}"


def _segment_title(segment: Segment, count: Counter, prompt: Prompt) -> str:
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
        parts.append(tokens_text(segment_tokens(segment, count), count.method))
    if segment.cut is not None:
        parts.append(f"cut: {segment.cut.kept:,} of {segment.cut.total:,} {segment.cut.unit}")
    if segment.cache != "session":
        parts.append(CACHE_SAYS[segment.cache])
    return " · ".join(parts)


CACHE_SAYS = {"static": "the same in every session", "turn": "made anew for each request"}


def _rest(prompt: Prompt, problems: Sequence[Problem], heading: str = "━━ ", bullet: str = "   ") -> Iterator[Line]:
    """What was looked for and not sent, and what is wrong."""
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


_LINE_END = re.compile(r"\r\n|\n|\r")
_BACKTICKS = re.compile(r"`{3,}")


def _lines(text: str) -> list[str]:
    lines = _LINE_END.split(text)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _line_ends(text: str) -> int:
    return len(_LINE_END.findall(text)) if "\r" in text else text.count("\n")


def _fence(text: str) -> str:
    return "`" * max(3, *(len(run) + 1 for run in _BACKTICKS.findall(text)), 3)
