"""What is known of each version of Kimi CLI: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters, without what it fills in; [source] is its package."""

    version: Version
    # Before the instruction files, after them, and after the list of skills, on another system than Windows
    # [source: agents/default/system.md].
    base: int
    base_after: int
    base_end: int
    # The characters of the definition of each tool, counted in a captured request.
    tools: Mapping[str, int]
    # For all instruction files together (wire: budget-leaf-first, budget-drops-root).
    max_bytes: int
    # Below these the tool for reading gives a file whole: its lines, characters of one, and bytes [source].
    read_lines: int
    read_line: int
    read_bytes: int
    # Of the first line of a skill without a description [source].
    longest_first_line: int


NEWEST = Facts(
    Version("1.51.0", verified=True),
    base=10_806,
    base_after=1_863,  # seen by verify
    base_end=1_037,  # seen by verify
    tools={
        "Agent": 5387,
        "AskUserQuestion": 2273,
        "SetTodoList": 2934,
        "Shell": 4218,
        "TaskList": 898,
        "TaskOutput": 1320,
        "TaskStop": 761,
        "ReadFile": 2258,
        "Glob": 1879,
        "Grep": 3619,
        "WriteFile": 927,
        "StrReplaceFile": 1360,
        "FetchURL": 240,
        "ExitPlanMode": 2947,
        "EnterPlanMode": 2219,
    },
    max_bytes=32_768,
    read_lines=1000,
    read_line=2000,
    read_bytes=100 * 1024,
    longest_first_line=240,
)
ROWS = (NEWEST,)
