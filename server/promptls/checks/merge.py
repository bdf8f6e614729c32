"""The same fault, seen by several harnesses or in several sessions, is one problem."""

from __future__ import annotations

import re

from promptls.core.model import Problem
from promptls.core.values import replace

# The gravest first.
GRAVITY = ("error", "warning", "information", "hint")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.model import Range

    Key = tuple[str, Range, str]


def merge(found: Iterable[tuple[str, Iterable[Problem]]]) -> list[Problem]:
    """One problem a fault, with the harnesses that have it; ``found``: a session's harness and problems.

    In one place, a code is reported once per harness: what another session says of it differs by directory only.
    Messages that differ by the harness's name only are one, which names them all. The message says which start has the
    problem where the top of the folder is not enough.
    """
    seen: dict[str, set[Key]] = {}
    first: dict[tuple[Key, str], Problem] = {}
    harnesses: dict[tuple[Key, str], dict[str, None]] = {}
    for harness, problems in found:
        before = seen.setdefault(harness, set())
        now: set[Key] = set()
        for problem in problems:
            key = (problem.path, problem.range, problem.code)
            if key in before:
                continue
            now.add(key)
            whose = problem.harnesses or ((harness,) if harness else ())
            same = key, _without_name(problem.message, whose)
            before_it = first.setdefault(same, problem)
            # What one of them has at the top needs no other start, and the gravest of them counts.
            start = before_it.start if problem.start is not None else None
            severity = min(before_it.severity, problem.severity, key=GRAVITY.index)
            if (start, severity) != (before_it.start, before_it.severity):
                first[same] = replace(before_it, start=start, severity=severity)
            harnesses.setdefault(same, {}).update(dict.fromkeys(whose))
        before |= now
    return [_named(first[same], same[1], tuple(harnesses[same])) for same in first]


# Stands for the harness's name; no file can hold it in a message, as it is no character.
_NAME = "\0"


def _without_name(message: str, names: tuple[str, ...]) -> str:
    if len(names) != 1:
        return message
    # Not inside of paths and file names.
    return re.sub(rf"(?<![\w./@“-]){re.escape(names[0])}(?![\w/”-]|\.\w)", _NAME, message)


def _named(problem: Problem, message: str, names: tuple[str, ...]) -> Problem:
    if len(names) > 1 and _NAME in message:
        message = message.replace(_NAME, f"{names[0]} (also {', '.join(names[1:])})", 1).replace(_NAME, names[0])
    else:
        message = problem.message
    if problem.start is not None:
        message = f"{message} This is so if started in {problem.start}."
    return replace(problem, message=message, harnesses=names)
