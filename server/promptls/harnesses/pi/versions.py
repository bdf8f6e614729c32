"""What is known of each version of Pi: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass, replace
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. ``names``: of instruction files, in order.

    ``needs_trust``: the prompt files of a project count only where it is trusted.
    """

    version: Version
    names: tuple[str, ...]
    needs_trust: bool
    # Its own text, and the characters of the definition of each tool, counted in a captured request.
    base: int | None
    tools: Mapping[str, int] | None
    # What it says before the list of skills; None where there are no sections, and the list is not known.
    skills_intro: int | None
    # Up to these the tool for reading gives a file whole (source: truncate).
    read_lines: int
    read_bytes: int
    # How often its own text names the directory of its package, which ``base`` is without.
    paths: int = 3  # (source: buildSystemPromptSections)


NAMES = ("AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
V0_87_1 = Facts(
    Version("0.87.1", verified=True),
    names=("AGENTS.override.md", *NAMES),
    needs_trust=True,
    base=2375,
    tools={
        "read": 653,
        "bash": 512,
        "edit": 1148,
        "write": 399,
    },
    skills_intro=326,  # (captured: skills)
    read_lines=2000,
    read_bytes=50 * 1024,
)
V0_73_1 = Facts(
    Version("0.73.1", note="from its source; the package had another name", read_in="source"),
    names=NAMES,
    needs_trust=False,
    base=None,
    tools=None,
    skills_intro=None,
    read_lines=2000,
    read_bytes=50 * 1024,
)
# What differs from V0_87_1 (captured: 9 sessions of promptls learn).
V1_5_2 = replace(
    V0_87_1,
    version=Version("1.5.2", verified=True),
    base=2048,
    skills_intro=262,  # (captured: skills)
)
# Nothing differs from V1_5_2 (9 sessions of promptls learn; seen by verify in public repositories).
NEWEST = replace(V1_5_2, version=Version("1.6.0", verified=True))

ROWS = (NEWEST, V1_5_2, V0_87_1, V0_73_1)
