"""What one instruction file imports from another: imports without effect, and why."""

from __future__ import annotations

import re
from posixpath import splitext

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.model import Edit, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Candidate, CandidateState, Origin, Outcome, Problem, Prompt, Severity
    from promptls.core.settings import Settings

# The fate of an import, as its candidate's state or outcome says it -> code, what is so, what to do.
FATES: dict[CandidateState | Outcome, tuple[str, str, str]] = {
    "cycle": ("import-cycle", "it imports a file that is already being imported", "Remove the import."),
    "too-deep": ("import-depth", "it is nested deeper than {harness} follows", "Import it closer to the first file."),
    "unrecognised": ("import-unrecognised", "{why}", "Write @path with white space around it, outside code."),
    "ending": ("import-unrecognised", "{why}", "Rename it, for instance to .md, or remove the @."),
    "outside": ("import-outside", "{why}", "Move the file into the project."),
    "absolute": ("import-outside", "{why}", "Write the path relative to this file."),
    "missing": ("import-missing", "{path} does not exist", "Fix the path."),
    "broken-link": ("import-missing", "{path} is a link to a missing file", "Fix the link."),
    "directory": ("import-missing", "{path} is a directory", "Name a file."),
    "unreadable": ("import-missing", "{path} cannot be read", "Name a file that can be read."),
    "special": ("import-missing", "{path} is not a regular file", "Name a file."),
}
PUNCTUATION = ".,;:!?)"
# What somebody is to fill in.
_BLANK = regex(r"[<>{}$*|…]")
# @owner/name, as packages and teams are written.
_PACKAGE = regex(r"@[\w-]+/[\w-]+[.,;:!?)]*")


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A problem for each import that the harness looked at and did not follow."""
    harness = prompt.session.harness
    imports = specs.of(harness).imports
    says_error = imports is not None and imports.on_failure == "error"
    for candidate in prompt.candidates:
        origin = candidate.origin
        if origin.kind != "file" or origin.path is None or origin.range is None or not origin.name:
            continue
        if not origin.name.startswith("@"):
            continue
        found = (candidate.state and FATES.get(candidate.state)) or FATES.get(candidate.outcome)
        if found is None:
            continue
        is_no_file = _BLANK.search(origin.name) or _PACKAGE.fullmatch(origin.name)
        if is_no_file and candidate.outcome in ("missing", "outside") and not says_error:
            continue
        if candidate.state == "directory" and not says_error and _is_decorator(origin, prompt):
            continue
        code, what, advice = found
        fixes: tuple[Fix, ...] = ()
        if code == "import-cycle":
            fixes = (Fix("Remove the import", (Edit(origin.path, origin.range),)),)
        if candidate.outcome == "missing" and is_prose(origin.name[1:]):
            if not says_error:
                continue
            code = "import-accidental"
            what, advice = "it is parsed as a file name", "Remove the @, or put the name in backticks."
            edit = Edit(origin.path, origin.range, _in_backticks(origin.name))
            fixes = (Fix("Put it in backticks", (edit,), is_safe=True),)
        # Everybody has a file of their own there, or none, and the harness asks once whether it may.
        is_own = candidate.outcome == "outside" and origin.name.startswith("@~/")
        advice = "Approve it when you are asked, or move the file into the project." if is_own else advice
        message = f"{harness} does not import “{origin.name}”: {_clause(what, candidate, harness)}. {advice}"
        severity: Severity | None = "information" if is_own else None
        missing = candidate.path if candidate.outcome == "missing" else None
        yield problem(
            code, origin.path, origin.range, message, harness=harness, fixes=fixes, severity=severity, missing=missing
        )


def _is_decorator(origin: Origin, prompt: Prompt) -> bool:
    """Whether the file speaks of a decorator, as in “the @tool decorator”, beside a directory that is called so."""
    says = re.compile(rf"{re.escape(origin.name or '')}`? (?:decorator|annotation)\b")
    return any(
        says.search(segment.text)
        for message in prompt.messages
        for segment in message.segments
        if segment.origin.path == origin.path
    )


def _clause(what: str, candidate: Candidate, harness: str) -> str:
    return what.format(path=candidate.path, why=candidate.reason or candidate.rule, harness=harness)


def _in_backticks(name: str) -> str:
    bare = name.rstrip(PUNCTUATION)
    return f"`{bare}`{name[len(bare) :]}"


def is_prose(target: str) -> bool:
    """Whether the target of an import is rather a person's or a decorator's name: no slash, no extension."""
    bare = target.rstrip(PUNCTUATION)
    return "/" not in bare and not splitext(bare)[1]
