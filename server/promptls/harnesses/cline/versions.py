"""The versions of Cline: a row for each."""

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
    # Its own text, without what is filled in.
    base: int  # (captured)
    # The characters of the definition of each tool, counted in a captured request without skills.
    tools: Mapping[str, int]
    # The definition of the tool skills, which is there with a skill, without their names; its text before these.
    skills_tool: int  # (parts: skill-tool)
    skills_intro: int  # (parts: skill-tool)
    # Up to these the tool for reading gives a file whole: its lines, characters of one, and of all (source).
    read_lines: int
    read_line: int
    read_characters: int


NEWEST = Facts(
    Version("3.0.65", verified=True),
    base=4229,
    tools={
        "read_files": 2161,
        "search_codebase": 695,
        "run_commands": 1396,
        "fetch_web_content": 822,
        "editor": 2113,
        "ask_question": 822,
        "spawn_agent": 468,
        "team_spawn_teammate": 392,
        "team_shutdown_teammate": 339,
        "team_status": 194,
        "team_task": 1203,
        "team_run_task": 855,
        "team_cancel_run": 318,
        "team_list_runs": 626,
        "team_await_runs": 406,
        "team_send_message": 511,
        "team_broadcast": 408,
        "team_read_mailbox": 251,
        "team_mission_log": 633,
        "team_cleanup": 180,
        "team_create_outcome": 502,
        "team_attach_outcome_fragment": 470,
        "team_review_outcome_fragment": 317,
        "team_finalize_outcome": 227,
        "team_list_outcomes": 141,
    },
    skills_tool=876,
    skills_intro=528,
    read_lines=2000,
    read_line=2000,
    read_characters=48_000,
)
ROWS = (NEWEST,)
