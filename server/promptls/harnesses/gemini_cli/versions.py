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

    Sizes are characters, counted in captured requests (surfaces: agents, extension).

    ``has_tags``: sub-agents are listed between tags.
    """

    has_tags: bool
    base: int
    agents_intro: int
    agents_end: int
    skills_intro: int
    rest: int
    # Where every tool is approved.
    rest_of_yolo: int


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. What says "source" was read in the public program."""

    version: Version
    # How deep imports are followed (wire: imports-depth).
    import_depth: int
    # What the read tool answers at most (source).
    read_lines: int
    read_line: int
    # How many files and folders a tree names (surfaces: tree-many-files).
    tree_items: int
    # What a model is that is named by another name; "" where none is named.
    aliases: Mapping[str, str]
    # By the beginning of the model's name: the first that fits.
    systems: Mapping[str, System]
    # In the base, what to do with a skill (surfaces: skills-off); before global context files, without the names that
    # it has (captured: a global GEMINI.md).
    skills_note: int
    context_heading: int
    # The descriptions of sub-agents and skills that are there without any file (surfaces: agents).
    built_in_agents: Mapping[str, int]
    built_in_skills: Mapping[str, int]
    # Tools by name, and the sizes of their definitions as JSON, counted in captured requests; those that need an
    # approval are there with --yolo only.
    tools: Mapping[str, int]
    tools_of_yolo: Mapping[str, int]
    # Those that are other for some models, by the beginning of their names, and those that these do without; counted
    # in captured requests.
    other_tools: Mapping[str, Mapping[str, int]]
    no_tools: Mapping[str, tuple[str, ...]]


# For Gemini 3, and for models of other makers.
NEWER = System(
    has_tags=True,
    base=12473,
    agents_intro=1799,
    agents_end=362,
    skills_intro=193,
    rest=14823,
    rest_of_yolo=14825,
)
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
    systems={
        "gemini-3": NEWER,
        "gemini-": System(
            has_tags=False,
            base=6724,
            agents_intro=364,
            agents_end=362,
            skills_intro=201,
            rest=15203,
            rest_of_yolo=15327,
        ),
        "": NEWER,
    },
    skills_note=508,
    context_heading=860,
    built_in_agents={"codebase_investigator": 410, "cli_help": 292, "generalist": 355},
    built_in_skills={"skill-creator": 230, "antigravity-support": 273},
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
    other_tools={
        "gemini-3": {"read_file": 986, "replace": 1734, "write_file": 647, "web_fetch": 720, "google_web_search": 678}
    },
    no_tools={"gemini-3": ("write_todos",)},
)
ROWS = (NEWEST,)
