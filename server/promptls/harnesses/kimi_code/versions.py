"""What is known of each version of Kimi Code: a row for each, and code asks the row."""

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
    # Up to the listing of the working directory, and from there to the instruction files [source: system.md].
    base: int
    base_after: int
    # The characters of the definition of each tool, counted in a captured request.
    tools: Mapping[str, int]
    # Those of its own sub-agents, by their names, and what its Bash is for one of them.
    of_subagent: Mapping[str, tuple[str, ...]]
    bash_of_explore: int
    # After the prompt, counted in captured requests: the date, and the mode of permissions.
    date: int
    mode: int
    # Of what reading a file gives, with the numbers of its lines (seen by verify) [source: defaultMaxChars].
    read: int
    # Of a skill's description [source: LISTING_DESC_MAX], and of the first line that takes the place of one.
    description: int
    first_line: int
    # How deep folders of skills and agents may lie in each other [source: MAX_SKILL_SCAN_DEPTH].
    depth: int


# Variables that change a request in a way that is not modelled (seen by verify, with 2.1.0).
VARIABLES_NOT_MODELLED = (
    *("KIMI_CODE_EXPERIMENTAL_FLAG", "KIMI_CODE_EXPERIMENTAL_SUBAGENT_FORK", "KIMI_CODE_EXPERIMENTAL_TOWER"),
)
# Settings that do (seen by verify, with 2.1.0).
SETTINGS_NOT_MODELLED = (
    *("default_plan_mode", "services.moonshot_search", "experimental.subagent_fork", "experimental.tower"),
)
NEWEST = Facts(
    Version("2.1.0", verified=True),
    base=5479,
    base_after=512,
    tools={
        "CronCreate": 6730,
        "Read": 6596,
        "Bash": 6371,
        "Agent": 5326,
        "Grep": 4370,
        "Glob": 3961,
        "AskUserQuestion": 3496,
        "ExitPlanMode": 3270,
        "CronList": 3131,
        "UpdateGoal": 2848,
        "TodoList": 2806,
        "AgentSwarm": 2780,
        "WaitFor": 2594,
        "TaskOutput": 2293,
        "CronDelete": 2185,
        "Edit": 2141,
        "Write": 2007,
        "EnterPlanMode": 1958,
        "TaskList": 1791,
        "CreateGoal": 1585,
        "Skill": 1327,
        "SetGoalBudget": 1224,
        "FetchURL": 1133,
        "TaskStop": 914,
        "GetGoal": 545,
    },
    of_subagent={
        "coder": (
            *(
                "Bash",
                "CronCreate",
                "CronDelete",
                "CronList",
                "Edit",
                "EnterPlanMode",
                "ExitPlanMode",
                "FetchURL",
                "Glob",
            ),
            *("Grep", "Read", "Skill", "TaskList", "TaskOutput", "TaskStop", "TodoList", "WaitFor", "Write"),
        ),
        "explore": ("Bash", "FetchURL", "Glob", "Grep", "Read"),
        "plan": ("FetchURL", "Glob", "Grep", "Read"),
    },
    bash_of_explore=5359,
    date=227,
    mode=508,
    read=100_000,
    description=250,
    first_line=240,
    depth=8,
)
ROWS = (NEWEST,)
