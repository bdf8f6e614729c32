"""The versions of Continue's command line: a row for each."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. What says "source" was read in the program's package."""

    version: Version
    # Its own text without the terminal, and without what is filled in.
    base: int  # (captured)
    # The characters of the definition of each tool, counted in a captured request.
    tools: Mapping[str, int]
    # The text of the tool Skills before the skills.
    skills_intro: int  # (parts: skill-tool)
    # Up to these the tool for reading gives a file; of a larger one it says so (source: readFile).
    read_lines: int
    read_characters: int


NEWEST = Facts(
    Version("1.5.47", verified=True),
    base=1213,
    tools={
        "Read": 225,
        "Write": 310,
        "List": 204,
        "Bash": 660,
        "Fetch": 258,
        "Checklist": 584,
        "CheckBackgroundJob": 425,
        "AskQuestion": 835,
        "Edit": 1540,
        "Exit": 153,
        "Skills": 424,
    },
    skills_intro=185,
    read_lines=5000,
    read_characters=100_000,
)
ROWS = (NEWEST,)
