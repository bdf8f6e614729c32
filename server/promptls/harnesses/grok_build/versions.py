"""What is known of each version of Grok Build: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Brought:
    """An agent that Grok Build brings: the sizes of the text that all of its kind get and of its own, and its tools."""

    base: int
    text: int
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters, counted in captured requests."""

    version: Version
    # Its own text, which is the whole system message, and the part of it that stays before the text of an agent.
    base: int
    base_of_agent: int
    # By so much both are longer for a model of xAI's own.
    for_own_model: int
    # The characters of the definition of each tool, counted in a captured request. That of send_feedback also has the
    # directory of the session, which is not counted, and that of spawn_subagent models of the user's (seen by verify).
    tools: Mapping[str, int]
    # The models of xAI's own, with the tools that are run by xAI and that only these have.
    models: Mapping[str, Mapping[str, int]]
    # What a sub-agent gets: one of the user's own as much as the first of these, but for its text. Its words on project
    # instructions, and its tools (captured: subagent-general-purpose, subagent-explore, subagent-plan).
    agents: Mapping[str, Brought]
    on_instructions: int
    of_subagent: Mapping[str, int]
    # Of a skill's description, in bytes, the mark at its end included (wire: skill-long).
    description: int
    # Of its name (captured: skill-forms).
    name: int
    # With when to use it, both share that by their sizes, and the description has at least so many. Behind so many
    # bytes it is not looked at for when to use the skill (captured: skills-shared).
    least: int
    looked_at: int


# The characters of the definition of each tool, counted in a captured request.
TOOLS = {
    "run_terminal_command": 3119,
    "read_file": 1814,
    "search_replace": 1107,
    "list_dir": 713,
    "grep": 2005,
    "kill_command_or_subagent": 536,
    "todo_write": 1153,
    "get_command_or_subagent_output": 1317,
    "spawn_subagent": 3315,
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
}
# Those of the main session that a sub-agent has, too, and those that differ or are its own.
SHARED = (
    *("run_terminal_command", "read_file", "search_replace", "list_dir", "grep", "todo_write", "scheduler_create"),
    *("scheduler_delete", "scheduler_list", "monitor", "search_tool", "use_tool", "image_gen", "image_edit"),
    *("image_to_video", "reference_to_video", "write"),
)
# (captured: subagent-general-purpose)
OF_SUBAGENT = {
    **{each: TOOLS[each] for each in SHARED},
    "kill_command_or_subagent": 488,
    "get_command_or_subagent_output": 1293,
    "wait_commands_or_subagents": 960,
}
SEEING = ("read_file", "list_dir", "grep", "image_gen", "image_edit", "image_to_video", "reference_to_video")
# Variables that change a request in a way that is not modelled (seen by verify, with 1.0.41).
VARIABLES_NOT_MODELLED = ("GROK_MEMORY", "GROK_SYSTEM_PROMPT_LABEL", "GROK_WEB_FETCH")
# Settings that do (seen by verify, with 1.0.41).
SETTINGS_NOT_MODELLED = (
    *("agent.name", "agent.definition", "memory.enabled", "subagents.enabled", "workflows.enabled"),
    *("features.web_fetch", "toolset.bash.timeout_secs"),
)
NEWEST = Facts(
    Version("1.0.41", verified=True),
    base=8750,
    base_of_agent=7881,  # seen by verify
    for_own_model=4,  # seen by verify
    models={"grok-4.5": {}, "grok-4.6": {"web_search": 21, "x_search": 19}},  # seen by verify
    tools=TOOLS,
    agents={
        "general-purpose": Brought(base=1802, text=1024, tools=tuple(OF_SUBAGENT)),
        "explore": Brought(base=1506, text=759, tools=SEEING),
        "plan": Brought(base=1506, text=1083, tools=(*SEEING, "todo_write")),
    },
    on_instructions=1260,
    of_subagent=OF_SUBAGENT,
    description=400,
    name=64,
    least=20,
    looked_at=1024,
)
ROWS = (NEWEST,)
