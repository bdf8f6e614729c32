"""What is known of each version of Qwen Code: a row for each, and code asks the row."""

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
    # How deep imports are followed (source: memoryImportProcessor).
    import_depth: int
    # Up to how many lines and characters the read tool answers a file as it is (source: truncateToolOutput).
    read_lines: int
    read_characters: int
    # The text of the language file that the program writes at its first start, trimmed (source: languageUtils).
    output_language: int
    # Its own text in a trusted folder without the terminal, where every call is approved.
    base: int  # (captured)
    # What it says before the list of skills, and before those that a tool brings.
    skills_intro: int  # (captured: skills)
    skills_on_read: int  # (captured: skills-on-read)
    # The characters that rows of skills may have; in more, those of the user are cut (source: environmentContext).
    skills_room: int
    # The description of each skill that it brings.
    built_in_skills: Mapping[str, int]  # (captured: skills)
    # The characters of the definition of each tool, counted in a captured request, as above.
    tools: Mapping[str, int]


NEWEST = Facts(
    Version("0.24.4", verified=True),
    import_depth=5,
    read_lines=1000,
    read_characters=25_000,
    output_language=840,
    base=23_259,
    skills_intro=165,
    skills_on_read=149,
    skills_room=8000,
    built_in_skills={
        "batch": 202,
        "browser-use": 98,
        "computer-use": 170,
        "dataviz": 273,
        "extension-creator": 425,
        "goal-draft": 514,
        "loop": 248,
        "new-app": 295,
        "qc-helper": 333,
        "review": 676,
        "simplify": 297,
        "stuck": 223,
        "workflow-authoring": 293,
        "workflow-creator": 219,
    },
    tools={
        "agent": 14_281,
        "edit": 2437,
        "get_goal": 407,
        "glob": 1051,
        "grep_search": 1068,
        "list_agents": 1062,
        "notebook_edit": 1124,
        "read_file": 2707,
        "run_shell_command": 6112,
        "skill": 2222,
        "tool_call": 582,
        "tool_search": 1519,
        "update_goal": 1952,
        "write_file": 1762,
    },
)
ROWS = (NEWEST,)
