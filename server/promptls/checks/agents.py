"""hint-invalid: hints that a harness sends as they are. What agents need of files is in environments.py."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.model import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import HintState, Problem, Prompt
    from promptls.core.settings import Settings

FLAWS: tuple[HintState, ...] = ("unopened", "unclosed", "unknown-type", "unknown-tool")


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A problem for each malformed hint. A hint is in no file, so the folder has the problem."""
    harness = prompt.session.harness
    for candidate in prompt.candidates:
        if candidate.state in FLAWS:
            message = f"The hint of {candidate.origin.name} is malformed: {candidate.reason}. Fix it."
            yield problem("hint-invalid", prompt.session.cwd, Range(), message, harness=harness)
