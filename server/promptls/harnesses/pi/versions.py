"""What is known of each version of Pi: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. ``names``: of instruction files, in order; ``has_sections``: its own text is tagged.

    ``needs_trust``: the prompt files of a project count only where it is trusted.
    """

    version: Version
    names: tuple[str, ...]
    has_sections: bool
    needs_trust: bool


NAMES = ("AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
ROWS = (
    Facts(Version("0.87.1", verified=True), names=("AGENTS.override.md", *NAMES), has_sections=True, needs_trust=True),
    Facts(
        Version("0.73.1", note="from its source; the package had another name"),
        names=NAMES,
        has_sections=False,
        needs_trust=False,
    ),
)
