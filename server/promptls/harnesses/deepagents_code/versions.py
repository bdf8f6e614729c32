"""What is known of each version of Deep Agents Code: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. [source] is its package."""

    version: Version
    # The most of a description (wire: skills-many), and of what a skill needs [source: middleware/skills.py].
    description: int
    compatibility: int
    # The lines of a Makefile (wire: makefile).
    makefile: int
    # The names of a directory [source: local_context.py].
    names: int
    # What the agent that it brings is told (captured: subagent-general).
    general_purpose: int
    # The skills that it brings, in their order [source: built_in_skills].
    built_in: tuple[str, ...]


NEWEST = Facts(
    Version("0.1.57", verified=True),
    description=1024,
    compatibility=500,
    makefile=20,
    names=20,
    general_purpose=286,
    built_in=("deepagents-thread-inspector", "remember", "skill-creator"),
)
ROWS = (NEWEST,)
