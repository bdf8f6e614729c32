"""What is known of each version of Mistral Vibe: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters; [source] is its package."""

    version: Version
    # Its own text, up to the state of the project.
    base: int
    # The characters of the definition of each tool, counted in a captured request.
    tools: Mapping[str, int]
    # The sentences before and after the instructions [source: core/prompts/agents_doc.md].
    before: int
    after: int
    # What the tool for reading gives at most [source].
    read_lines: int
    read_bytes: int
    # Of a skill [source].
    longest_name: int
    longest_description: int


NEWEST = Facts(
    Version("3.0.3", verified=True),
    base=14_957,
    tools={
        "search_tool_functions": 2250,
        "run_typescript": 4904,
        "wait": 325,
        "read_file": 561,
        "write_file": 229,
        "edit": 1328,
        "bash": 786,
        "skill": 597,
        "todo": 1746,
        "unified_harness_scratchpad": 1288,
    },
    before=525,
    after=135,
    read_lines=2000,
    read_bytes=64_000,
    longest_name=64,
    longest_description=1024,
)
ROWS = (NEWEST,)
