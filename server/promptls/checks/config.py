"""config-invalid, config-type: a configuration that the harness cannot read."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.model import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """One problem a broken file, at its first broken place; one for a harness that stops for another reason."""
    broken = False
    for candidate in prompt.candidates:
        for fault in candidate.faults:
            broken = True
            yield problem(fault.code, candidate.path or "", fault.range, fault.message)
    if prompt.stopped and not broken:
        origin = prompt.stopped_by
        path = (origin.path if origin else None) or prompt.session.cwd
        where = (origin.range if origin else None) or Range()
        yield problem("config-invalid", path, where, prompt.stopped)
