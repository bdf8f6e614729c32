"""never-arrived: instruction files that did not reach a recorded session."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.model import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.model import Problem


def arrival_problems(harness: str, never: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    """A problem for each file that never arrived, given its path and the sentence that says why."""
    title = specs.of(harness).title
    for path, why in never:
        yield problem("never-arrived", path, Range(), f"{title} did not get this file: {why}", harness=harness)
