"""instruction-missing, symlink-broken, not-a-file, glob-empty: an entry of a configuration that brings nothing."""

from __future__ import annotations

from promptls.checks.rules import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Candidate, Problem, Prompt
    from promptls.core.settings import Settings


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A problem for each entry that names a file or pattern without any text behind it.

    Entries of a file that cannot be read whole are left alone: one broken file is one problem.
    """
    harness = prompt.session.harness
    broken = {candidate.path for candidate in prompt.candidates if candidate.faults}
    for candidate in prompt.candidates:
        origin = candidate.origin
        if origin.kind != "config" or candidate.path is None or origin.path is None or origin.range is None:
            continue
        if origin.path in broken:
            continue
        found = _code_and_advice(candidate)
        if found is not None:
            code, what, advice = found
            message = f"{harness} loads nothing for “{origin.name}”: {what}. {advice}"
            yield problem(code, origin.path, origin.range, message)


def _code_and_advice(candidate: Candidate) -> tuple[str, str, str] | None:
    path = candidate.path
    if candidate.state == "no-match":
        return "glob-empty", "the pattern matches no file", "Correct the pattern or remove the entry."
    if candidate.state == "broken-link":
        return "symlink-broken", f"{path} is a link that leads nowhere", "Mend the link or correct the entry."
    if candidate.state in ("directory", "special", "unreadable"):
        says = {"directory": "is a directory", "special": "is no regular file", "unreadable": "cannot be read"}
        return "not-a-file", f"{path} {says[candidate.state]}", "Name a file that can be read."
    if candidate.outcome == "missing":
        return "instruction-missing", f"{path} does not exist", "Create the file or correct the entry."
    return None
