"""What is known of each version of Goose: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version; [source] is its public source."""

    version: Version
    # The characters of the definition of each tool, counted in a captured request.
    tools: Mapping[str, int]
    # The same where OpenAI's newer way to ask a model is taken (seen by verify).
    tools_by_responses: Mapping[str, int]
    # Those of the extensions that --with-builtin can add; none beside those that are always there (seen by verify).
    builtins: Mapping[str, Mapping[str, int]]
    # Of the skill that it brings, the characters of the description, counted in a captured request.
    own_skill: int
    # How many files may lead to each other by imports (wire: imports-depth).
    imports: int
    # A larger file is sent without what it imports, in bytes [source].
    largest_importing: int


# Variables that change a request in a way that is not modelled (seen by verify, with 1.34.0).
VARIABLES_NOT_MODELLED = ("GOOSE_MOIM_MESSAGE_TEXT", "GOOSE_MOIM_MESSAGE_FILE", "GOOSE_TOOLSHIM")
NEWEST = Facts(
    Version("1.34.0", verified=True),
    tools={
        "analyze": 1137,
        "apps__create_app": 486,
        "apps__delete_app": 332,
        "apps__iterate_app": 545,
        "apps__list_apps": 363,
        "delegate": 1782,
        "edit": 398,
        "extensionmanager__list_resources": 606,
        "extensionmanager__manage_extensions": 613,
        "extensionmanager__read_resource": 662,
        "extensionmanager__search_available_extensions": 527,
        "load": 911,
        "load_skill": 583,
        "shell": 608,
        "todo__todo_write": 548,
        "tree": 346,
        "write": 331,
    },
    tools_by_responses={
        "analyze": 1179,
        "apps__create_app": 519,
        "apps__delete_app": 365,
        "apps__iterate_app": 578,
        "apps__list_apps": 382,
        "delegate": 1771,
        "edit": 431,
        "extensionmanager__list_resources": 634,
        "extensionmanager__manage_extensions": 646,
        "extensionmanager__read_resource": 695,
        "extensionmanager__search_available_extensions": 560,
        "load": 930,
        "load_skill": 616,
        "shell": 650,
        "todo__todo_write": 581,
        "tree": 379,
        "write": 364,
    },
    builtins={
        "developer": {},
        "memory": {
            "memory__remember_memory": 677,
            "memory__remove_memory_category": 527,
            "memory__remove_specific_memory": 628,
            "memory__retrieve_memories": 531,
        },
        "computercontroller": {
            "computercontroller__automation_script": 1246,
            "computercontroller__cache": 1043,
            "computercontroller__docx_tool": 4017,
            "computercontroller__pdf_tool": 1025,
            "computercontroller__web_scrape": 1081,
            "computercontroller__xlsx_tool": 2809,
        },
        "autovisualiser": {
            "autovisualiser__render_chord": 1172,
            "autovisualiser__render_donut": 2779,
            "autovisualiser__render_map": 3378,
            "autovisualiser__render_mermaid": 569,
            "autovisualiser__render_radar": 1481,
            "autovisualiser__render_sankey": 1980,
            "autovisualiser__render_treemap": 1504,
            "autovisualiser__show_chart": 3125,
        },
        "tutorial": {
            "tutorial__load_tutorial": 494,
        },
    },
    own_skill=307,
    imports=3,
    largest_importing=128 * 1024,
)
ROWS = (NEWEST,)
