"""hint-invalid: hints that mini-claude-code sends as they are. What agents need of files is in environments.py."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.model import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings

FLAWS = ("unopened", "unclosed", "unknown-type", "unknown-tool")


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A problem for each hint whose tags are not well formed. A hint stands in no file: the folder has it."""
    harness = prompt.session.harness
    for candidate in prompt.candidates:
        if candidate.origin.kind == "argument" and candidate.state in FLAWS:
            reason = candidate.why.partition(": ")[2] or candidate.why
            message = f"The hint of {candidate.origin.name} is not well formed: {reason}. Correct it."
            yield problem("hint-invalid", prompt.session.cwd, Range(), message, harness=harness)
