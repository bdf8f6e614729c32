"""A prompt as JSON: what ``preview --format json`` and ``prompt/preview`` return. Nothing is decided here."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.how import Ways, how_json
from promptls.core.secrets import masked, masked_arguments
from promptls.core.sizes import sizes
from promptls.core.totals import (
    counter_of,
    is_at_least,
    loaded_files,
    prompt_tokens,
    reported,
    segment_tokens,
    total_counter,
    window_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from promptls.core.model import (
        Call,
        Candidate,
        Cut,
        Learned,
        Limit,
        Message,
        OpenFile,
        Origin,
        Problem,
        Prompt,
        Range,
        Tool,
        Turn,
        VerifiedHere,
    )
    from promptls.core.sizes import Size
    from promptls.core.tokens import Counter
    from promptls.core.totals import Reported

    Json = dict[str, Any]


def to_json(
    prompt: Prompt,
    problems: Sequence[Problem] = (),
    found: Sequence[Mapping[str, Any]] = (),
    told: Json | None = None,
) -> Json:
    """The JSON of ``preview``. ``found`` are the harnesses that the workspace is configured for.

    ``told`` says which session it is, and what that was taken from (``core/session_line.py``).
    """
    count = counter_of(prompt)
    session = prompt.session
    ways = Ways(prompt)
    messages = [_message(message, count, ways) for message in prompt.messages]
    return {
        "harness": {
            "name": session.harness,
            "version": session.version,
            "verified": prompt.verified,
            "tier": prompt.tier or None,
        },
        "verified_here": _verified_here(prompt.verified_here),
        "learned": _learned(prompt.learned),
        **how_json(ways.of_version()),
        "session": {
            "cwd": session.cwd,
            "reads": list(session.reads),
            "turns": [_turn(turn) for turn in session.turns],
            "model": prompt.model,
            "agent": prompt.agent,
            "counts_open": specs.of(session.harness).counts_attached,
            "args": masked_arguments(session.args),
            "hints": list(map(masked, session.hints)),
            "interactive": session.interactive,
            "editor": session.editor,
            "mode": session.mode,
            "request": session.request,
            "told": told,
        },
        "messages": messages,
        "candidates": [_candidate(candidate) for candidate in prompt.candidates],
        "tools": None if prompt.tools is None else [_tool(tool, ways) for tool in prompt.tools],
        "totals": _totals(prompt, count),
        "sizes": [size_json(size) for size in sizes(prompt)],
        "limits": [limit_json(limit) for limit in prompt.limits],
        "problems": [problem_json(problem) for problem in problems],
        "stopped": prompt.stopped,
        "fault": prompt.is_fault,
        "notes": list(prompt.notes),
        "found": list(found),
    }


def _totals(prompt: Prompt, count: Counter) -> Json:
    of_total = total_counter(prompt)
    texts = [message.text for message in prompt.messages]
    return {
        "characters": sum(map(len, texts)),
        "bytes": sum(len(text.encode("utf-8", "replace")) for text in texts),
        "tokens": prompt_tokens(prompt, count),
        "token_method": of_total.method,
        "token_error": of_total.whole_error,
        "reported": _reported(reported(prompt)),
        "files": len(loaded_files(prompt)),
        "elided": sum(segment.elided is not None for message in prompt.messages for segment in message.segments),
        "at_least": is_at_least(prompt),
        "window": window_of(prompt),
    }


def size_json(size: Size) -> Json:
    """A row of where the tokens go, as JSON."""
    return {
        "name": size.name,
        "kind": size.kind,
        # None is not known: at least 0 says as little.
        "tokens": None if size.is_unknown else size.tokens,
        "files": size.files,
        "at_least": size.is_at_least,
    }


def limit_json(limit: Limit) -> Json:
    """A limit of a harness and how much of it is used, as JSON."""
    json: Json = {"name": limit.name, "used": limit.used, "most": limit.most, "unit": limit.unit}
    json["left"] = max(limit.most - limit.used, 0)
    return json | {"setting": _origin(limit.setting)} if limit.setting else json


def _reported(found: Reported | None) -> Json | None:
    return None if found is None else {name: getattr(found, name) for name in found.__slots__}


def _verified_here(here: VerifiedHere | None) -> Json | None:
    if here is None:
        return None
    known = {"whole": here.is_whole, "all": here.has_all, "unknown": here.unknown}
    return {"version": here.version, "date": here.date, **known}


def _learned(learned: Learned | None) -> Json | None:
    if learned is None:
        return None
    known = {
        "holds": learned.holds,
        "rules": learned.rules,
        "moved": list(learned.moved),
        "untried": list(learned.untried),
    }
    known |= {"inherited": learned.inherited, "open": learned.open, "sessions": learned.sessions}
    known |= {"planned": learned.planned, "whole": learned.whole}
    return {"date": learned.date, "base": learned.base, **known}


def _turn(turn: Turn) -> Json:
    """As ``--session`` takes it; what was typed and given to tools without secrets."""
    return {
        "prompt": masked(turn.prompt) if turn.prompt is not None else None,
        "stdin": masked(turn.stdin) if turn.stdin is not None else None,
        "attached": list(turn.attached),
        "open": [_open(each) for each in turn.open],
        "steps": _steps(turn.steps),
        **({"resume": True} if turn.resumes else {}),
        **({"args": masked_arguments(turn.args)} if turn.args is not None else {}),
        **({"compact": masked(turn.compact) if turn.compact else True} if turn.compact is not None else {}),
        **({"summary": masked(turn.summary)} if turn.summary is not None else {}),
        **({"agent": turn.agent} if turn.agent is not None else {}),
    }


def _open(each: OpenFile) -> Json:
    shown: Json = {"path": each.path, "selection": _corners(each.selection)}
    return shown if each.text is None else shown | {"text": masked(each.text)}


def _steps(steps: tuple[tuple[Call, ...], ...]) -> list[list[Json]]:
    return [[_call(call) for call in step] for step in steps]


def _corners(selection: Range | None) -> list[int] | None:
    where = selection
    return [where.start_line, where.start_character, where.end_line, where.end_character] if where else None


def _call(call: Call) -> Json:
    if call.compact:
        return {"compact": call.compact, **({"summary": masked(call.summary)} if call.summary is not None else {})}
    shown: Json = {"read": call.read} if call.read is not None else {"tool": call.tool, "input": masked(call.input)}
    shown |= {"namespace": call.namespace} if call.namespace else {}
    return shown if call.steps is None else shown | {"steps": _steps(call.steps)}


def _tool(tool: Tool, ways: Ways) -> Json:
    return {
        "name": tool.name,
        "enabled": tool.enabled,
        "why": tool.why,
        "size": tool.size,
        "origin": _origin(tool.origin),
        **how_json(ways.of_tool(tool)),
    }


def range_json(where: Range) -> Json:
    """A range as LSP writes it."""
    return {
        "start": {"line": where.start_line, "character": where.start_character},
        "end": {"line": where.end_line, "character": where.end_character},
    }


def _message(message: Message, count: Counter, ways: Ways) -> Json:
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
                "captured": segment.captured or None,
                "elided": None
                if segment.elided is None
                else {"name": segment.elided.name, "size": segment.elided.size},
                **how_json(ways.of_segment(segment)),
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
