"""config-invalid, config-type, agent-unknown: a configuration that the harness cannot read or act on."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.model import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings

# The key of a configuration that a harness stops for -> code; every other reason to stop is ``config-invalid``.
STOPS = {"default_agent": "agent-unknown", "agent.model": "agent-unknown", "--agent": "agent-unknown"}


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """One problem a broken file, at its first broken place; one for a harness that stops for another reason."""
    harness = prompt.session.harness
    broken = False
    for candidate in prompt.candidates:
        for fault in candidate.faults:
            broken = True
            yield problem(fault.code, candidate.path or "", fault.range, fault.message, harness=harness)
    if prompt.stopped and not prompt.is_fault and not broken:
        origin = prompt.stopped_by
        path = (origin.path if origin else None) or prompt.session.cwd
        where = (origin.range if origin else None) or Range()
        code = STOPS.get((origin.name if origin else None) or "", "config-invalid")
        yield problem(code, path, where, prompt.stopped, harness=harness)
