"""What is known of each version of Grok Build: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters, counted in captured requests."""

    version: Version
    # Its own text, which is the whole system message.
    base: int
    # The characters of the definition of each tool, counted in a captured request. That of send_feedback also has the
    # directory of the session, which is not counted (seen by verify).
    tools: Mapping[str, int]
    # Of a skill's description, in bytes, the mark at its end included (wire: skill-long).
    description: int
    # With when to use it, both share that by their sizes, and the description has at least so many. Behind so many
    # bytes it is not looked at for when to use the skill (captured: skills-shared).
    least: int
    looked_at: int


NEWEST = Facts(
    Version("1.0.41", verified=True),
    base=8750,
    tools={
        "run_terminal_command": 3119,
        "read_file": 1814,
        "search_replace": 1107,
        "list_dir": 713,
        "grep": 2005,
        "kill_command_or_subagent": 536,
        "todo_write": 1153,
        "get_command_or_subagent_output": 1317,
        "spawn_subagent": 3323,
        "scheduler_create": 1894,
        "scheduler_delete": 380,
        "scheduler_list": 243,
        "monitor": 1604,
        "search_tool": 675,
        "use_tool": 2100,
        "workflow": 5539,
        "enter_plan_mode": 382,
        "exit_plan_mode": 289,
        "ask_user_question": 1425,
        "send_feedback": 4078,
        "image_gen": 961,
        "image_edit": 1670,
        "image_to_video": 1585,
        "reference_to_video": 4992,
        "write": 490,
    },
    description=400,
    least=20,
    looked_at=1024,
)
ROWS = (NEWEST,)
