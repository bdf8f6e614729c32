"""What is known of each version of Gemini CLI: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class System:
    """The program's own parts of the system instruction for a family of models, in order.

    Sizes are characters, counted in captured requests (parts: agents, extension).

    ``has_tags``: sub-agents are listed between tags. ``rest`` is that of a git repository, without the places in it
    that differ from folder to folder. ``further``: ``base`` and ``rest`` of other starts, by whether it is the program
    on the screen, and by the mode (later, C).
    """

    has_tags: bool
    base: int
    agents_intro: int
    agents_end: int
    skills_intro: int
    rest: int
    further: Mapping[tuple[bool, str], tuple[int, int]]
    # What the rest says of git, printing an answer and on the screen: nothing outside of a repository.
    git: tuple[int, int]
    # How often the rest names the global file of memory, and in plan mode the directory of plans.
    global_places: int
    plan_places: int
    # Whether the base names the context files; it was measured with the default name alone.
    names_files: bool
    # The text of the sub-agent that has that of a main session, before and after sub-agents and skills, by the start.
    generalist: Mapping[tuple[bool, str], tuple[int, int]]
    # What ``base`` has more without the tool that names topics, printing and on the screen, and ``rest``; what ``rest``
    # has more without that of plan mode.
    no_topics: tuple[int, int, int]
    no_plan: tuple[int, int]


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A sub-agent that is there without a file: sizes of its own text and of what is before its task.

    Sizes are characters (captured: subagent-codebase-investigator, subagent-cli-help, subagent-generalist).

    ``shorter_in_plan``: so much of the description is not there in plan mode (captured: mode-plan-gemini3).
    ``tag`` is around the task. ``tools`` are those that it has, None for those of the session; ``further`` are its own.
    ``is_main``: its text is that of a main session, with sub-agents and skills in it (``System.generalist``).
    ``names_model``: besides the ``system`` characters of its text, it has the name of the session's model.
    """

    description: int
    system: int
    complete: int
    before: int = 0
    tag: str = ""
    tools: tuple[str, ...] | None = None
    further: Mapping[str, int] | None = None
    is_main: bool = False
    shorter_in_plan: int = 0
    names_model: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. What says "source" was read in the public program."""

    version: Version
    # How deep imports are followed (wire: imports-depth).
    import_depth: int
    # What the read tool answers at most (source).
    read_lines: int
    read_line: int
    # How many files and folders a tree names (parts: tree-many-files).
    tree_items: int
    # What a model is that is named by another name; "" where none is named.
    aliases: Mapping[str, str]
    # What an alias of a family stands for, as the sub-agent is told that names the model.
    models: Mapping[str, str]
    # By the beginning of the model's name: the first that fits.
    systems: Mapping[str, System]
    # In the base, what to do with a skill (parts: skills-off); before global context files, without the names that
    # it has (captured: a global GEMINI.md).
    skills_note: int
    # Those that come with an MCP server that has resources; of a server's tool, the most characters of a name, and
    # those of what a parameter of the program's own says in its definition.
    resource_tools: Mapping[str, int]
    tool_name: int
    wait_description: int
    context_heading: int
    # The descriptions of sub-agents and skills that are there without any file (parts: agents).
    built_in_agents: Mapping[str, BuiltIn]
    built_in_skills: Mapping[str, int]
    # Where one of these is in the program's package (seen by verify).
    built_in_place: str
    # In a sub-agent's system instruction: before the directories, and the rules at the end, for its kind (captured:
    # subagent-codebase-investigator, subagent-rev).
    agent_directories: int
    rules_built_in: int
    rules_own: int
    # Before the skills that a tool of its own activates, whatever the model is.
    skills_intro_of_agent: int
    # The tool that ends a sub-agent of the user's, and what is before its answer in the session that started it
    # (captured: subagent-rev, subagent-rev-main).
    complete: int
    agent_answer: int
    # Tools by name, and the sizes of their definitions as JSON, counted in captured requests; those that need an
    # approval are there with --yolo only.
    tools: Mapping[str, int]
    tools_of_yolo: Mapping[str, int]
    # What a start adds to the tools that every start has, by whether it is the program on the screen, and by the mode.
    tools_by_start: Mapping[tuple[bool, str], tuple[str, ...]]
    # Tools that only some starts have, and sizes that are other on the screen and in plan mode (captured:
    # interactive-default, mode-plan, mode-plan-typed).
    tools_of_screen: Mapping[str, int]
    leaves_plan: int
    # Without the directory of plans, which has a folder of the name of the project (captured: mode-plan).
    plan_note: int
    # The agents that may be started in plan mode, and what they are told of it, without the directory of plans
    # (seen by verify) [source: policies/plan.toml].
    agents_of_plan: tuple[str, ...]
    agent_plan_note: int
    # In the directory of plans is one for the session, of so many characters (captured: mode-plan).
    plan_session: int
    # The tool that names skills is so much shorter without any.
    skills_named: int
    # Tools that no sub-agent has.
    tools_of_main: tuple[str, ...]
    # A request for a summary: its own system instruction, and what it asks at the end (captured:
    # compact-typed-summary).
    summary_system: int
    summary_ask: int
    # The part of the history that is compressed, from its beginning (source; captured: compact-tail-kept).
    compressed: float
    # It is measured as JSON: what that has around the parts of a message, around a text, around a result, and for a
    # call, about [source: findCompressSplitPoint; lengths of recorded messages].
    json_message: int
    json_text: int
    json_result: int
    json_call: int
    # Those that are other for some models, by the beginning of their names, and those that these do without; counted
    # in captured requests.
    other_tools: Mapping[str, Mapping[str, int]]
    no_tools: Mapping[str, tuple[str, ...]]
    # The text that /init stands for (captured by verify).
    init: int


# For Gemini 3, and for models of other makers.
NEWER = System(
    has_tags=True,
    base=12476,
    agents_intro=1798,
    agents_end=360,
    skills_intro=193,
    # Here and below seen by verify, in folders and homes with paths of other lengths.
    rest=14706,
    further={
        (False, "yolo"): (12473, 14706),
        (False, "auto_edit"): (12478, 14706),
        (False, "plan"): (12473, 14312),
        (True, "default"): (12120, 15123),
        (True, "auto_edit"): (12122, 15123),
        (True, "yolo"): (12117, 16254),
        (True, "plan"): (12117, 14939),
    },
    git=(1666, 1747),
    global_places=1,
    plan_places=4,
    names_files=True,  # seen by verify, as that of the older models
    generalist={
        (False, "default"): (11008, 14747),
        (False, "auto_edit"): (11010, 14747),
        (False, "yolo"): (11005, 14747),
        (True, "default"): (11008, 14747),
        (True, "auto_edit"): (11010, 14747),
        (True, "yolo"): (11005, 14661),
    },
    no_topics=(-1468, -1468, 41),
    no_plan=(-86, 585),
)
# Settings with which the program's own text is another one, and is not modelled (seen by verify, with 0.61.0).
NOT_MODELLED = (
    *("experimental.taskTracker", "experimental.stressTestProfile", "experimental.contextManagement"),
    *("experimental.generalistProfile", "experimental.powerUserProfile"),
)
EDITING = ("replace", "write_file")
RUNNING = ("run_shell_command", "list_background_processes", "read_background_output")
ALL = (*EDITING, "web_fetch", *RUNNING, "write_todos", "activate_skill")
NEWEST = Facts(
    Version("0.61.0", verified=True),
    import_depth=5,
    read_lines=2000,
    read_line=2000,
    tree_items=200,
    aliases={
        **dict.fromkeys(("", "auto", "auto-gemini-3", "pro", "flash", "flash-lite"), "gemini-3"),
        "auto-gemini-2.5": "gemini-2.5",
    },
    models={"gemini-3": "gemini-3.1-pro-preview", "gemini-2.5": "gemini-2.5-pro"},  # seen by verify
    systems={
        "gemini-3": NEWER,
        "gemini-": System(
            has_tags=False,
            base=6724,
            agents_intro=365,
            agents_end=360,
            skills_intro=201,
            rest=15161,
            further={
                (False, "yolo"): (6724, 15285),
                (False, "plan"): (6724, 11503),
                (True, "default"): (6630, 16073),
                (True, "auto_edit"): (6630, 16073),
                (True, "yolo"): (6630, 16490),
                (True, "plan"): (6630, 11819),
            },
            git=(1665, 1746),
            global_places=0,
            plan_places=1,
            names_files=False,
            # (captured: subagent-generalist); those of the usual mode and all of ``rest`` were seen by verify
            generalist={
                (False, "default"): (4725, 15155),
                (False, "auto_edit"): (4725, 15155),
                (False, "yolo"): (4725, 15279),
                (True, "default"): (4725, 15279),
                (True, "auto_edit"): (4725, 15279),
                (True, "yolo"): (4725, 15279),
            },
            no_topics=(-1999, -1998, -6),
            no_plan=(0, -129),
        ),
        "": NEWER,
    },
    resource_tools={"read_mcp_resource": 528, "list_mcp_resources": 544},  # (captured: resource-mention)
    tool_name=63,  # (captured: long-names)
    wait_description=204,  # (captured: shape-split)
    skills_note=508,
    context_heading=860,  # (captured: a global GEMINI.md)
    # (captured: subagent-codebase-investigator, -cli-help, -generalist)
    built_in_agents={
        "codebase_investigator": BuiltIn(
            410, 5590, 1246, 181, "objective", ("list_directory", "read_file", "glob", "grep_search")
        ),
        "cli_help": BuiltIn(292, 963, 803, 63, "question", (), {"get_internal_docs": 400}, names_model=True),
        "generalist": BuiltIn(355, 0, 651, is_main=True, shorter_in_plan=60),
    },
    built_in_skills={"skill-creator": 230, "antigravity-support": 273},
    built_in_place="bundle/builtin/{}/SKILL.md",
    tools={
        "update_topic": 984,
        "list_directory": 931,
        "read_file": 878,
        "grep_search": 1585,
        "glob": 1085,
        "google_web_search": 378,
        "enter_plan_mode": 293,
        "invoke_agent": 769,
    },
    tools_of_yolo={
        "replace": 4222,
        "write_file": 576,
        "web_fetch": 893,
        "run_shell_command": 2311,
        "list_background_processes": 463,
        "read_background_output": 877,
        "write_todos": 5586,
        "activate_skill": 690,
    },
    agent_directories=50,
    rules_built_in=750,
    rules_own=989,  # (captured: subagent-tight)
    skills_intro_of_agent=192,  # (captured: subagent-after-read; seen by verify)
    complete=671,
    agent_answer=57,
    tools_by_start={
        (False, "default"): (),
        (False, "auto_edit"): (*EDITING, "web_fetch"),
        (False, "yolo"): ALL,
        (False, "plan"): EDITING,
        (True, "default"): (*ALL, "ask_user"),
        (True, "auto_edit"): (*ALL, "ask_user"),
        (True, "yolo"): (*ALL, "ask_user"),
        (True, "plan"): (*EDITING, "web_fetch", "ask_user", "activate_skill"),
    },
    tools_of_screen={"ask_user": 1844, "run_shell_command": 2379},
    leaves_plan=591,
    plan_note=252,
    agents_of_plan=("codebase_investigator", "cli_help"),
    agent_plan_note=273,
    plan_session=36,
    skills_named=99,  # (captured: interactive-default; seen by verify)
    tools_of_main=("update_topic", "invoke_agent"),
    summary_system=3388,
    summary_ask=142,
    compressed=0.7,
    json_message=26,
    json_text=11,
    json_result=105,
    json_call=115,
    other_tools={
        "gemini-3": {
            "read_file": 986,
            "replace": 1734,
            "write_file": 647,
            "web_fetch": 720,
            "google_web_search": 678,
            "ask_user": 2008,  # seen by verify
        }
    },
    no_tools={"gemini-3": ("write_todos",)},
    init=2328,  # seen by verify
)
ROWS = (NEWEST,)
