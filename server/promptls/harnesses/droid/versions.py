"""What is known of each version of Droid: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass, replace
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters, counted in captured requests; [source]: its program's."""

    version: Version
    # Its own text, without and with the switch that keeps it off the network; that has one tool less.
    base: int
    base_offline: int | None
    # The characters of the definition of each tool, counted in a captured request.
    tools: Mapping[str, int]
    # For all guidelines together, and once more for all design files; of a file that is cut, so much less is kept than
    # is left, and nothing if no more than this is left [source].
    budget: int
    mark: int
    least: int
    # For the files that one call of a tool brings [source].
    budget_of_call: int
    # Of a skill's description: the last character is a mark [source].
    description: int
    # A file that is read (seen by verify) or named in a prompt [source]: what is sent whole of it.
    whole_lines: int
    whole_characters: int
    # By so much a custom droid makes the definition of Task longer, however many there are (captured: task-of-droids).
    of_droids: int | None
    # What stands before and behind the text of a sub-agent's droid, and in its task; and the droids that it brings
    # (captured: subagent-helper, subagent-worker, subagent-explorer).
    introduction: int
    contract: int
    on_context: int
    brought: Mapping[str, int]
    # The tool that it has more in the mode for specifications (seen by verify).
    exit_spec_mode: int | None
    # What it says of services that it can reach (wire: read-v0-225).
    connectors: int | None = None


# Settings that change a request in a way that is not modelled (seen by verify, with 0.215.0).
SETTINGS_NOT_MODELLED = ("includeCoAuthoredByDroid", "compactionTokenLimit")
V0_215 = Facts(
    Version("0.215.0", verified=True),
    base=4084,
    base_offline=4507,
    tools={
        "Execute": 3672,
        "Task": 3351,
        "Grep": 3017,
        "GenerateImage": 2141,
        "Glob": 1466,
        "ToolSearch": 1310,
        "TaskOutput": 1274,
        "Read": 1140,
        "Edit": 964,
        "LS": 750,
        "Create": 543,
        "TaskStop": 523,
        "Skill": 403,
    },
    budget=80_000,
    mark=100,
    least=200,
    budget_of_call=40_000,
    description=1024,
    whole_lines=2000,
    whole_characters=60_000,
    of_droids=155,
    exit_spec_mode=1508,
    introduction=65,
    contract=888,
    on_context=171,
    brought={"worker": 94, "explorer": 190},
)
# What differs from V0_215 (captured: 12 sessions of promptls learn).
NEWEST = replace(
    V0_215,
    version=Version("0.225.2", verified=True),
    tools={**V0_215.tools, "Task": 3382, "ConnectorSearch": 2007},
    base_offline=None,
    of_droids=None,
    exit_spec_mode=None,
    connectors=2128,
)
ROWS = (NEWEST, V0_215)
