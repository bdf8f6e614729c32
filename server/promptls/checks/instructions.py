"""Paths and patterns that a configuration names, and instruction files that are no readable files.

instruction-missing, entry-from-cwd, glob-empty, glob-invalid, not-a-file, symlink-broken, and, where the entry is no
instruction file, prompt-missing and environment-unknown.
"""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.model import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Candidate, CandidateState, Problem, Prompt, Session, Severity, Use
    from promptls.core.settings import Settings

# What is in the place of a file: state -> code, what is so, what to do.
STATES: dict[CandidateState, tuple[str, str, str]] = {
    "broken-link": ("symlink-broken", "{path} is a link to a missing file", "Fix the link or fix the entry."),
    "directory": ("not-a-file", "{path} is a directory", "Name a file that can be read."),
    "special": ("not-a-file", "{path} is not a regular file", "Name a file that can be read."),
    "unreadable": ("not-a-file", "{path} cannot be read", "Name a file that can be read."),
}
# What is missing, by what it would be used as.
MISSING: dict[Use, tuple[str, str, str]] = {
    "instruction": ("instruction-missing", "{path} does not exist", "Create the file or fix the entry."),
    "prompt": ("prompt-missing", "{path} does not exist", "Create the prompt or fix the name."),
    "config": ("environment-unknown", "{path} does not exist", "Create the environment or fix the name."),
}
BRACKETS = {"[": "]", "{": "}"}


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A problem for each entry that names a file or pattern without any text after it.

    Entries of a file that cannot be read whole are left alone: one broken file is one problem.
    """
    harness = prompt.session.harness
    broken = {candidate.path for candidate in prompt.candidates if candidate.faults}
    if prompt.stopped_by is not None:
        broken.add(prompt.stopped_by.path)
    for candidate in prompt.candidates:
        origin = candidate.origin
        if candidate.path is None or origin.path in broken:
            continue
        if origin.kind == "config" and origin.path is not None and origin.range is not None:
            if candidate.state == "from-cwd":
                message = _from_cwd(candidate, prompt.session)
                yield problem("entry-from-cwd", origin.path, origin.range, message, harness=harness)
                continue
            found = _of_entry(candidate)
            if found is not None and origin.path != candidate.path:
                code, what, advice = found
                severity: Severity | None = None
                # Everybody has a file of their own there, or none.
                if (origin.name or "").startswith("~/") and candidate.outcome == "missing":
                    severity, advice = "information", "Create it if you want one; others need one of their own, too."
                message = f"{harness} loads nothing for “{origin.name}”: {what}. {advice}"
                yield problem(code, origin.path, origin.range, message, harness=harness, severity=severity)
        elif candidate.path in broken:
            continue
        elif origin.kind == "computed" and candidate.use == "instruction" and candidate.state in STATES:
            yield unreadable(harness, candidate.path, candidate.state)


def unreadable(harness: str, path: str, state: CandidateState) -> Problem:
    """The problem of a name at which instructions are looked for; ``state``: one of ``STATES``."""
    code, what, _ = STATES[state]
    advice = "Fix the link or remove it." if state == "broken-link" else "Replace it with a file or remove it."
    message = f"{harness} loads nothing for this name: {what.format(path=path)}. {advice}"
    return problem(code, path, Range(), message, harness=harness)


def _from_cwd(candidate: Candidate, session: Session) -> str:
    is_there = candidate.outcome == "loaded"
    what = f"{candidate.path} for “{candidate.origin.name}”" if is_there else f"nothing for “{candidate.origin.name}”"
    return (
        f"Started in {session.cwd}, {session.harness} loads {what} instead of {candidate.other}, because entries are "
        "relative to the working directory. Name the file in that directory's own configuration."
    )


def _of_entry(candidate: Candidate) -> tuple[str, str, str] | None:
    """Code, what is so, what to do."""
    if candidate.state == "no-match":
        bracket = open_bracket(candidate.origin.name or "")
        if bracket:
            return "glob-invalid", f"the bracket {bracket} of the pattern is not closed", "Close it."
        from promptls.core.formats.patterns import turned_range  # noqa: PLC0415 - only for such a pattern

        turned = turned_range(candidate.origin.name or "")
        if turned:
            return "glob-invalid", f"the range {turned} of the pattern ends before it begins", "Swap its ends."
        return "glob-empty", "the pattern matches no file", "Fix the pattern or remove the entry."
    found = STATES.get(candidate.state) if candidate.state else None
    if found is None and candidate.outcome == "missing":
        found = MISSING.get(candidate.use)
    if found is None:
        return None
    code, what, advice = found
    return code, what.format(path=candidate.path), advice


def open_bracket(pattern: str) -> str | None:
    """The last bracket or brace of ``pattern`` that is not closed."""
    waiting: list[str] = []
    for letter in pattern:
        if letter in BRACKETS and waiting[-1:] != ["["]:
            waiting.append(letter)
        elif waiting and letter == BRACKETS[waiting[-1]]:
            waiting.pop()
    return waiting[-1] if waiting else None


def closings(pattern: str) -> Iterator[str]:
    """``pattern`` with its open brackets closed, in each place that may have been meant: before the ending first."""
    bracket = open_bracket(pattern)
    if bracket is None:
        return
    opened = pattern.rindex(bracket)
    ends = [at for at in (pattern.find("/", opened), pattern.rfind(".", opened), len(pattern)) if at > opened + 1]
    for at in ends:
        closed = pattern[:at] + BRACKETS[bracket] + pattern[at:]
        if open_bracket(closed) is None:
            yield closed
