"""What is known of each version of Copilot in VS Code: a row for each, and code asks the row.

Sizes are characters, measured in requests of the real program.
"""

from __future__ import annotations

from promptls.core.values import dataclass, replace
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class ToolFact:
    """A tool: its name, the size of its definition as JSON, and what ``tools`` of an agent calls it.

    The name of a set of tools is before the slash; ``set`` is another one that it is of. A tool without a reference is
    always offered; one that is not usual needs a model, a setting or a file.
    """

    name: str
    size: int
    reference: str = ""
    set: str = ""
    is_usual: bool = True


@dataclass(frozen=True, slots=True)
class Family:
    """What differs from model to model, by how the id begins; None where it has not been measured.

    ``base``: the system message before the instructions; ``before_servers``: what of it comes before the instructions
    of MCP servers; ``reminders``: the text before the prompt. All with every tool. ``without``: the tools that the
    model is not offered, ``adds``: further ones, ``sizes``: definitions that differ.
    """

    prefix: str
    base: int | None = None
    before_servers: int | None = None
    reminders: int | None = None
    without: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # The paragraphs before the lists, without the name of the tool that reads.
    # (parts: all-kinds-at-root, skills-tool)
    instructions_preamble: int
    skills_preamble: int
    skills_preamble_with_tool: int
    agents_preamble: int
    # The skills and agents of the program itself, in the order of the lists (parts: all-kinds-at-root).
    built_in_skills: tuple[tuple[str, int], ...]
    built_in_agents: tuple[tuple[str, int], ...]
    # Of a skill: the name, the description, the rows where there is a tool for skills, and the names behind them
    # (parts: skills-front-matter, skills-tool; source).
    name_limit: int
    description_limit: int
    rows_limit: int
    names_limit: int
    # How many levels of directories are searched for instructions files below a location (source).
    instructions_depth: int
    # The trees of all folders together, and the lines of all notes (source).
    tree_limit: int
    memory_lines: int
    # What is sent where there are no notes (parts: system-notes-memory).
    no_user_memory: int
    no_session_memory: int
    no_repository_memory: int
    # The sentence on several folders (parts: multi-root).
    several_folders: int
    # The texts of the modes (parts: mode-*, mode-ask). Those of ask and edit mode are without the names in
    # them: the model's is in ask mode's first text twice and in that of edit mode once, the folder's in the reminders.
    plan: int
    ask_before_folders: int
    ask_after_date: int
    edit_base: int
    edit_base_without_files: int
    edit_files: int
    edit_reminders: int
    # By the beginning of the model's id: the first that fits (parts: model-*).
    families: tuple[Family, ...]
    # Every tool in the order of the request, those that Plan has, and those that a sub-agent has not.
    # (parts: all-kinds-at-root, mode-plan, subagent)
    tools: tuple[ToolFact, ...]
    plan_tools: tuple[str, ...]
    not_for_subagents: tuple[str, ...]


# A model that edits with patches (parts: model-gpt-5).
_PATCHES = Family(
    "gpt-5",
    without=("insert_edit_into_file", "replace_string_in_file"),
    adds=("apply_patch",),
    sizes=(("manage_todo_list", 924),),
)
NEWEST = Facts(
    # The extension; the program is VS Code 1.139.1.
    Version("0.67.0", verified=True),
    instructions_preamble=775,
    skills_preamble=341,
    skills_preamble_with_tool=220,
    agents_preamble=294,
    built_in_skills=(
        ("project-setup-info-local", 1265),
        ("get-search-view-results", 301),
        ("agent-customization", 1173),
        ("chronicle", 539),
    ),
    built_in_agents=(("Explore", 426),),
    name_limit=64,
    description_limit=1024,
    rows_limit=15_000,
    names_limit=5_000,
    instructions_depth=5,
    tree_limit=2_000,
    memory_lines=200,
    no_user_memory=103,
    no_session_memory=85,
    no_repository_memory=94,
    several_folders=158,
    plan=4508,
    ask_before_folders=1397,
    ask_after_date=1261,
    edit_base=2034,
    edit_base_without_files=2381,
    edit_files=219,
    edit_reminders=411,
    families=(
        Family(
            "claude-sonnet-5",
            9823,
            6064,
            562,
            without=("insert_edit_into_file",),
            adds=("multi_replace_string_in_file",),
        ),
        Family("claude"),
        replace(_PATCHES, prefix="gpt-5.4", base=30434, reminders=889),
        replace(_PATCHES, prefix="gpt-5.3-codex", base=18500, reminders=889),
        replace(
            _PATCHES,
            prefix="gpt-4o",
            base=12577,
            before_servers=7762,
            reminders=441,
            sizes=(
                ("memory", 3021),
                ("vscode_askQuestions", 1876),
                ("get_terminal_output", 950),
                ("kill_terminal", 506),
                ("send_to_terminal", 1352),
            ),
        ),
        Family("gpt-"),
        Family("gemini-3-pro", 11731, 6666, 822),
        Family("gemini"),
        Family("", 10131, 6712, 540),
    ),
    tools=(
        ToolFact("apply_patch", 1382, "edit/editFiles", is_usual=False),
        ToolFact("create_directory", 471, "edit/createDirectory"),
        ToolFact("create_file", 539, "edit/createFile"),
        ToolFact("create_new_jupyter_notebook", 714, "edit/createJupyterNotebook"),
        ToolFact("create_new_workspace", 1764, "vscode/newWorkspace"),
        ToolFact("edit_notebook_file", 1939, "edit/editNotebook"),
        ToolFact("file_search", 1283, "search/fileSearch"),
        ToolFact("grep_search", 2748, "search/textSearch"),
        ToolFact("get_errors", 691, "read/problems"),
        ToolFact("copilot_getNotebookSummary", 857, "read/getNotebookSummary"),
        ToolFact("get_vscode_api", 2010, "vscode/vscodeAPI"),
        ToolFact("github_repo", 648, "web/githubRepo"),
        ToolFact("github_text_search", 929, "web/githubTextSearch"),
        ToolFact("insert_edit_into_file", 1785, "edit/editFiles"),
        ToolFact("install_extension", 562, "vscode/installExtension"),
        ToolFact("list_dir", 346, "search/listDirectory"),
        ToolFact("memory", 3047, "vscode/memory"),
        ToolFact("multi_replace_string_in_file", 1655, "edit/editFiles", is_usual=False),
        ToolFact("read_file", 776, "read/readFile", "search"),
        ToolFact("read_notebook_cell_output", 728, "read/readNotebookCellOutput"),
        ToolFact("replace_string_in_file", 2140, "edit/editFiles"),
        ToolFact("resolve_memory_file_uri", 503, "vscode/resolveMemoryFileUri"),
        ToolFact("run_notebook_cell", 1469, "execute/runNotebookCell"),
        ToolFact("run_vscode_command", 801, "vscode/runCommand"),
        ToolFact("session_store_sql", 1844),
        ToolFact("view_image", 458, "read/viewImage"),
        ToolFact("vscode_askQuestions", 1920, "vscode/askQuestions"),
        ToolFact("vscode_listCodeUsages", 2281, "search/usages"),
        ToolFact("vscode_renameSymbol", 2306, "edit/rename"),
        ToolFact("vscode_searchExtensions_internal", 1181, "vscode/extensions"),
        ToolFact("create_and_run_task", 1982, "execute/createAndRunTask"),
        ToolFact("get_task_output", 358, "read/getTaskOutput"),
        ToolFact("get_terminal_output", 1053, "execute/getTerminalOutput"),
        ToolFact("kill_terminal", 609, "execute/killTerminal"),
        ToolFact("manage_todo_list", 2097, "todo/todo"),
        ToolFact("run_in_terminal", 7503, "execute/runInTerminal"),
        ToolFact("run_task", 655, "execute/runTask", is_usual=False),
        ToolFact("runSubagent", 2099, "agent/runSubagent"),
        ToolFact("send_to_terminal", 1455, "execute/sendToTerminal"),
        ToolFact("setup_tools_createNewWorkspace", 171, "setup_tools_createNewWorkspace"),
        ToolFact("skill", 1158, "read/skill", is_usual=False),
        ToolFact("terminal_last_command", 175, "read/terminalLastCommand"),
        ToolFact("terminal_selection", 173, "read/terminalSelection"),
        ToolFact("testFailure", 305, "execute/testFailure"),
    ),
    plan_tools=(
        *("file_search", "grep_search", "get_errors", "copilot_getNotebookSummary", "github_repo"),
        *("github_text_search", "list_dir", "memory", "read_file", "read_notebook_cell_output", "view_image"),
        *("vscode_askQuestions", "vscode_listCodeUsages", "get_task_output", "get_terminal_output", "runSubagent"),
        *("terminal_last_command", "terminal_selection", "testFailure"),
    ),
    not_for_subagents=("runSubagent", "manage_todo_list"),
)
ROWS = (NEWEST,)
