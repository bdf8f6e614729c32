"""What is known of each version of Claude Code: a row for each, and code asks the row.

Numbers in brackets are sections of the specification; sizes are characters, counted in captured requests.
"""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.listing.built_in import BuiltIn, BuiltInSkill, BuiltInStyle, Model, Tools
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.model import Role

# The kinds of file and the labels that announce them (2; wire: base-order-all-layers, auto-memory-small).
LABELS = {
    "managed": "organization-managed policy instructions",
    "user": "user's private global instructions for all projects",
    "project": "project instructions, checked into the codebase",
    "local": "user's private project instructions, not checked in",
    "memory": "user's auto-memory, persists across conversations",
}

# Ends of names of files that the read tool refuses as binary, in any case of letters (wire: read-binary).
_BINARY = (
    "3ds 7z a aac ai aiff apk app avi avif bin blend bmp bz2 class dat data db deb dll dmg doc docx dylib ear "
    "eot eps epub exe fig fla flac flv gz heic ico idx iso jar lib lockb lz4 m4a m4v max mdb mkv mov mp3 mp4 "
    "mpeg mpg msi node npy npz numbers o obj odp ods odt ogg opus otf parquet pickle ppt pptx psd pyc pyo rar "
    "rlib rpm sketch so sqlite sqlite3 swf tar tgz tif tiff ttf war wasm wav webm wma wmv woff woff2 xd xls "
    "xlsx xz z zip zst"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. A field without a default differs between the versions seen; a size of None is not in its layout."""

    version: Version

    # -- models (1) --
    default_model: str
    # Those whose requests were seen; () where names of all kinds were.
    models_seen: tuple[str, ...]
    # Models that take no messages of role system: their reminders are inline, in the first message and in results.
    inline_models: re.Pattern[str]
    # What the names stand for, and the models in whose place the default one is used; None: a name is sent as it is.
    aliases: Mapping[str, str] | None
    # In plan mode instead.
    plan_aliases: Mapping[str, str]
    retired_models: re.Pattern[str] | None

    # -- system (1, 8) --
    billing_line: int  # without what started the program (1; wire: root-only, system-prompt-v197, agent-flag-v2185)
    # None: it is shown by its sections. For models with inline reminders it has a size of its own.
    own_prompt: int | None  # (1; wire: root-only, system-prompt-v197, all-kinds-v318)
    own_prompt_inline: int | None  # (1; wire: nested-lazy-read-sonnet-4-5)
    # With --exclude-dynamic-system-prompt-sections (wire: exclude-dynamic).
    own_prompt_without_memory: int | None
    prompt_begins: str
    # None: the working directory and the date, nothing else.
    bare_prompt: int | None  # (9; wire: bare, env-simple-true-v197, env-simple-v2185)

    # -- the first message and what is after it (1, 2, 8) --
    # After the system prompt before that; --bare has it there only.
    git_status_in_first_message: bool
    bare_date: int | None  # (9; wire: env-simple-true-v197)
    # Lines around the preamble and the files: an introduction, and the date with a caveat.
    introduction: int | None  # (2; wire: base-order-all-layers-v197)
    caveat: int | None  # (2; wire: base-order-all-layers-v197)
    files_end: str
    # Environment, agents, skills: the whole message of role system. None where its parts are known, or it has none.
    surroundings: int | None  # (1; wire: root-only)
    # () where they are not known by name.
    built_in_agents: tuple[BuiltIn, ...]
    # () where what is said at start is not known in parts. The second ones stand at the end of the list.
    built_in_skills: tuple[BuiltInSkill, ...]
    late_skills: tuple[BuiltInSkill, ...]  # (surfaces, 5: start-plain)
    styles: tuple[BuiltInStyle, ...]
    agents_in_tool: bool
    # What follows the prompt of an agent that another one starts: for every model, more where the program asks none of
    # its maker's servers, and more for some models.
    agent_notes: int | None
    agent_notes_unasked: int
    agent_notes_more: int
    # By permission mode, of what is said of it; None where it was not measured. All models are told of plan mode, some
    # of all of these, and the tagged ones of others.
    mode_sizes: Mapping[str, int | None]
    mode_sizes_tagged: Mapping[str, int | None]
    # Where the program decides by itself whether a call is allowed, and may ask its maker's servers, a sub-agent hands
    # its report back with a tool: the tool, its size, and that of a note behind the task, if it can send messages and
    # if it cannot. None where that is not known.
    handback: tuple[str, int, int, int] | None
    mode_models: tuple[str, ...]
    # Models that are told of auto mode as the tagged ones are, and of no other one but plan mode.
    auto_models: tuple[str, ...]
    # Models whose sections have the tags of a reminder, and whose own prompt is like that of the inline ones.
    tagged_models: tuple[str, ...]
    # Models that are told after some steps that the user has heard nothing; its size.
    reminded_models: tuple[str, ...]
    silent_reminder: int | None
    # Models that have a window of a million tokens where an agent names them.
    wide_in_agents: tuple[str, ...]
    # What says that the plan mode is over.
    plan_over: int | None  # (captured: plan-left)
    # Where the last cache mark may be.
    last_mark: tuple[Role, ...]

    # -- what a read adds (5) --
    # Blocks of their own after the result; else a message of role system.
    reads_bring_blocks: bool
    inline_files_first: bool
    # Whether the result of a read is known: its lines with their numbers.
    reads_are_numbered: bool
    # Of the reminder in each result where reminders are inline.
    result_reminder: int | None

    # -- files (2, 6, 7) --
    labels: Mapping[str, str]
    agents_md: bool
    add_dir_agents: bool
    # In a file with a comment.
    drops_link_definitions: bool
    # Whose settings may move the memory; older versions are shown as documented (wire: settle-memory-dir-*).
    memory_scopes: tuple[str, ...]

    # -- the parts of what is said at start (surfaces, 1, 5, 10 and 13), where built_in_skills are known --
    models: Mapping[str, Model]
    # Sizes of the own prompt for other models than the default one, and what changes it; the directory of the memory,
    # which it names, is not in them.
    own_prompts: Mapping[str, int]
    # What is more where the program asks none of its maker's servers.
    own_prompt_unasked: int
    own_prompt_unknown: int | None  # (surfaces, 5)
    own_prompt_style: int  # (surfaces, 5)
    # What a style that does not keep it leaves out.
    own_prompt_coding_inline: int  # (surfaces, 5)
    own_prompt_skill_tool: int  # (surfaces, 5)
    own_prompt_skill_tool_interactive: int
    # What stands before and behind the path of the memory in the prompt of an agent with one, and where it is empty.
    agent_memory: Mapping[str, tuple[int, int]]
    agent_memory_empty: int  # (captured: an agent without MEMORY.md)
    unknown_agent_ends: bool
    memory_section: int  # (captured: memory-off)
    memory_section_inline: int  # (captured: memory-off, with claude-sonnet-4-5)
    worktree_note: int
    environment_notes: tuple[int, ...]
    # The first one without the language that it names.
    language_notes: tuple[int, int]
    # Also where reminders are inline, and with --bare.
    tools: Tools
    tools_inline: Tools
    bare_tools: Mapping[str, int]
    deferred_header: int
    deferred_gone: tuple[int, int]
    # The milliseconds that a command may run, usually and at most, by the variables that say so; in a minute.
    minute: int
    command_waits: Mapping[str, int]
    # Those that --restricted takes away.
    restricted_tools: frozenset[str]
    # The frame of the tool that --json-schema brings, and what asks for it where the model has not called it.
    structured_output: int  # (captured: json-schema)
    structured_output_request: int  # (captured: json-schema)
    # By how much a definition that ToolSearch has found is longer.
    loaded_tool: int
    # Per cent of the window that deferred tools may have with ENABLE_TOOL_SEARCH=auto.
    tool_search_share: int
    # Models with a line on tokens beside those with inline reminders.
    counts_tokens: re.Pattern[str]
    counting_models: tuple[str, ...]
    token_counter: int
    # Around and in the state of the repository; None where its parts are not known.
    git_notes: tuple[int, int, int] | None
    git_status_limit: int
    # Without the blank that an unstaged change begins with, in the first line.
    trims_git_status: bool
    attribution_note: int | None
    attribution_request: int
    # A description, in UTF-16 units; the list, in columns: a share of these, without a setting the third.
    skill_words: int
    skill_columns: int  # (surfaces, 4: skills-budget-fraction)
    skill_columns_inline: int  # (surfaces, 4: skills-budget-fraction)
    skill_columns_narrow: int  # of the others where they have no million tokens (seen by verify)
    skill_share: float  # (surfaces, 4)
    # What a use counts is halved in so many seconds, and is this at least.
    skill_half_life: int
    skill_least_use: float
    # A line of the body in the place of a description.
    skill_first_line: int
    server_instructions: int
    # Of a description of a server's tool.
    server_description: int
    # Seconds that servers are waited for before the first request: by themselves, and where a variable asks for it.
    # From so many for each token on the definitions of tools fill a window, where the service does not count them.
    characters_per_token: float
    server_wait: float
    server_wait_blocking: float
    # Tools that come with a server that has resources, and with one that is late where nothing is searched for.
    resource_tools: Mapping[str, int]
    waiting_tool: Mapping[str, int]
    # What stands around the names of servers that are late, and the sentence before those that fail.
    late_servers: tuple[int, int]
    failed_servers: int
    # The sentence before the names of tools that have come meanwhile.
    new_tools: int

    # -- the same in every version seen --
    billing_line_of_sub_agent: int = 21  # more than the billing line (captured: sub-general)
    identity_line: int = 62  # (1; wire: root-only)
    identity_line_with_append: int = 94  # (1; wire: append-system-prompt)
    # The program on the screen: these two lines, what its own prompt says of commands that are typed, and its mode.
    identity_line_interactive: int = 57  # (captured: interactive-append)
    own_prompt_shell: int = 259  # (captured: interactive-start, interactive-opus-4-8)
    own_prompt_shell_inline: int = 340  # (captured: interactive-sonnet-4-5)
    interactive_mode: str = "auto"  # (captured: interactive-start)
    # Whether the program on the screen, a compaction and a sub-agent were seen of this version.
    later_seen: bool = True
    preamble: int = 193  # (2; wire: root-only)
    agents_footer: int = 133  # (surfaces, 9)
    models_without_footer: tuple[str, ...] = ("claude-opus-5",)  # (captured: model-opus-5)
    import_hops: int = 4  # (3; wire: imports-depth)
    memory_lines: int = 200  # (6; wire: auto-memory-250-lines)
    memory_characters: int = 25_000  # (6; wire: auto-memory-bytes)
    memory_excerpt: int = 80  # (6; wire: auto-memory-250-lines)
    # Of a longer path the name of the memory's directory ends with a hash (wire: settle-memory-slug-special).
    slug_length: int = 200
    # A file that the prompt mentions is sent up to so many bytes; sizes of sentences about mentions (surfaces, 12).
    mention_limit: int = 262_144  # (case mention-big)
    mention_too_big: int = 369  # (case mention-big)
    mention_agent: int = 78  # (case mention-agent)
    # The tokens that a read answers with, the share of them from which on the service counts, and the UTF-16 units of
    # each where nobody does. Captured with files of many lengths around each edge.
    read_tokens: int = 25_000  # (captured: read-large)
    read_counted: float = 0.25  # (captured: read-large)
    read_unit: int = 4  # (captured: read-large)
    read_dense_unit: int = 2  # (captured: read-large-json)
    read_dense: frozenset[str] = frozenset({".json", ".jsonl", ".jsonc"})  # (captured: read-large-json)
    # Of a larger file: how much of the limit a page fills, and how many of its lines are left while it is too large.
    read_page: float = 0.85  # (captured: read-large)
    read_page_less: float = 0.7  # (captured: read-large-uneven)
    # What follows in the note on a page, without its numbers, on the beginning of a line, and in a refusal.
    read_page_note: int = 336  # (captured: read-large)
    read_letters_note: int = 402  # (captured: read-large-line)
    read_refused: int = 310  # (captured: read-large-part)
    # A mention of such a file brings lines of it as long as these are not too large; what follows in the note on that.
    mention_lines: int = 2000  # (captured: mention-large)
    mention_lines_note: int = 81  # (captured: mention-large)
    # Whether the call that stands for a mention of some lines names them.
    mention_names_lines: bool = False  # seen by verify
    session_id: int = 36  # (case command-typed)
    agent_id: int = 17  # (captured: interactive-skill-fork-result)
    # A prompt that begins with an unknown command: the pieces of the reminder, and how many commands it does not name.
    unknown_command: tuple[int, int] = (79, 307)  # (case command-unknown)
    # Files that the read tool refuses, and what it says less the end of the name; what it does not send as lines.
    binary_ends: frozenset[str] = frozenset(f".{each}" for each in _BINARY.split())  # (wire: read-binary)
    refused_binary: int = 214  # (wire: read-binary)
    pictures: frozenset[str] = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})  # (wire: read-picture)
    not_lines: frozenset[str] = frozenset({".pdf", ".ipynb"})  # (wire: read-notebook)
    undecodable: int = 293  # (captured: read-undecodable)
    skill_again: int = 96  # (captured: skill-tool-again)
    # What the one that starts an agent gets: around its answer, where it runs in the background, and where it is a copy
    # of the session, which is told so; what frames a message to an agent that has ended.
    report_frame: int = 474  # (captured: tool-loaded)
    # Without “/tmp/-mnt-workspace”, the directory of the file that it names (captured: subagent-background-result).
    background_notice: int = 1018
    # Of one that is still at work, after a compaction: with its id, without its description and the directory.
    background_still: int | None = 271  # (captured by verify)
    # Of one, and of several, that had not ended when another process takes the session up: without the descriptions,
    # and of one without the directory; of several, each has so much more.
    background_left: int | None = 1198  # (captured by verify)
    background_left_several: int = 1085  # (captured by verify)
    background_left_each: int = 61  # (captured by verify)
    fork_notice: int | None = 32  # (captured: subagent-fork)
    fork_text: int = 947  # (captured: subagent-fork)
    message_frame: tuple[int, int] = (54, 49)  # (captured: subagent-resumed)
    # The prompt of the agent that knows the program: before the user's skills, between these and agents, and after.
    guide: str = "claude-code-guide"
    guide_prompt: tuple[int, int, int] = (19_417, 8228, 106)  # (captured: interactive-guide)
    # Commands of its own that a sub-agent gets: the sizes of their texts.
    forked_commands: Mapping[str, int] = field(default_factory=lambda: {"review": 6341})  # (captured: typed-review)
    # Modes that a sub-agent is told of in words of its own, whose size is not known.
    modes_of_sub_agents: tuple[str, ...] = ("plan",)  # (captured: subagent-plan-mode)
    # The word ultrathink in a prompt; what a skill and a file are refused with.
    thinking_note: int | None = 128  # (captured: ultrathink)
    refused_skill: int = 43  # (captured: skill-deny-rule)
    refused_read: int = 99  # (captured: skill-deny-rule)
    # What ToolSearch answers for a name, without it, and where it finds nothing.
    tool_reference: int = 54 - len("SendMessage")  # (captured: tool-loaded)
    no_tool_found: int = 32  # (captured: silent-reminder)
    # -- compaction (later, 4) --
    skill_kept: int = 155  # (captured: interactive-compact-skill-again)
    # Around the summary; the last one where nothing of the history is kept.
    summary_head: int = 151  # (captured: compact-typed-then-read)
    summary_transcript: int = 151  # (captured: compact-typed-then-read)
    summary_end: int = 503  # (captured: compact-typed-then-read)
    summary_end_alone: int = 280  # (captured: compact-in-subagent)
    # What asks for it, and what it says more where the user has said something since.
    summary_request: int = 6361  # (captured: compact-summary-request)
    summary_request_more: int = 551  # (captured: compact-summary-request)
    restored_files: int = 5  # (captured: compact-seven-files)
    restored_tokens: int = 5000  # (captured: compact-big-file)
    restored_note: int = 137  # (captured: compact-big-file)
    invoked_head: int = 692  # (captured: interactive-compact-skill-again)
    invoked_cut: int = 98  # (captured: interactive-compact-skill-again)
    invoked_tokens: int = 5000  # (captured: interactive-compact-skill-again)
    invoked_tokens_of_all: int = 25_000  # (captured: compact-skills-budget-again)
    command_caveat: int = 172  # (captured: compact-typed-then-read, clear-resumed)
    # An editor that is connected (later, 7): what ends the two sentences, and the longest selection.
    ide_opened_note: int = 64  # (captured: ide-opened)
    ide_selected_note: int = 51  # (captured: ide-selected)
    ide_selection_limit: int = 2000  # (captured: ide-selected-long)
    ide_tools: tuple[str, ...] = ("mcp__ide__executeCode", "mcp__ide__getDiagnostics")  # (captured: ide-opened)
    compacted: int = 38  # (captured: compact-typed-then-read)
    compacted_interactive: int = 47  # (captured: interactive-compact)
    compacted_in_editor: int = 10  # seen by verify
    too_little: int = 31  # seen by verify
    plan_turned_on: int = 19  # seen by verify
    nothing_said: int = 29  # seen by verify
    # After so many steps without a word, and again after as many (captured: silent6).
    silent_steps: int = 5
    # What models with inline reminders are told that have used none of the task tools for so many messages, and what
    # stands above the list of tasks.
    task_steps: int = 10  # (captured: task-reminder-sonnet-4-5)
    task_reminder: int | None = 420  # (captured: task-reminder-sonnet-4-5)
    task_heading: int = 28  # (captured: task-reminder-sonnet-4-5)
    local_commands: int = 28  # (case command-unknown)
    # How many more there are unless other traffic than that to the model is off (captured).
    local_commands_online: int = 2
    # Those of the latter that count when the nearest name is looked for, and by how many letters that may differ.
    unlisted_commands: tuple[str, ...] = ("review",)  # (captured: command-unknown-nearest)
    near_letters: int = 2  # (captured: command-unknown-nearest)
    hook_limit: int = 10_000  # (captured: hook-limit-10000)


# Variables and settings that take away tools, agents and skills of the program's own; ``!``: one that is false.
# (captured: no-cron, no-workflows; the others: seen by verify)
NO_CRON = ("CLAUDE_CODE_DISABLE_CRON",)
NO_WORKFLOWS = ("CLAUDE_CODE_DISABLE_WORKFLOWS", "disableWorkflows", "!enableWorkflows")
NO_AGENT_VIEW = ("CLAUDE_CODE_DISABLE_AGENT_VIEW", "disableAgentView")
NO_READERS = ("CLAUDE_CODE_DISABLE_EXPLORE_PLAN_AGENTS",)
NO_AGENTS = ("CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS",)
# Variables and settings that change a request in a way that is not modelled (seen by verify, with 2.1.332).
ENV_NOT_MODELLED = (
    *("CLAUDE_CODE_COORDINATOR_MODE", "CLAUDE_CODE_PROACTIVE", "CLAUDE_CODE_BRIEF", "CLAUDE_CODE_NEW_INIT"),
    *("CLAUDE_CODE_DISABLE_ATTACHMENTS", "CLAUDE_CODE_PERFORCE_MODE", "CLAUDE_CODE_ENABLE_TOKEN_USAGE_ATTACHMENT"),
    *("CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING", "CLAUDE_CODE_COWORK_PLUGIN_SKILL"),
    *("CLAUDE_CODE_SKILL_PROPOSALS", "CLAUDE_CODE_BRIDGE_CHILD_AUTO_DEFAULT", "CLAUDE_CODE_AMBER_ASTROLABE"),
    *("CLAUDE_CODE_BASALT_COVE", "CLAUDE_CODE_BISON_CAIRN", "CLAUDE_CODE_GORSE_PLOVER", "CLAUDE_CODE_PEWTER_OWL"),
    *("CLAUDE_CODE_PEWTER_OWL_TOOL", "CLAUDE_CODE_SNAPPY_PELICAN", "CLAUDE_CODE_SUBAGENT_MODEL_FORCE"),
    *("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", "CLAUDE_CODE_TURN_UPDATES", "CLAUDE_CODE_USE_POWERSHELL_TOOL"),
    *("CLAUDE_CODE_WEBSEARCH_CITATIONS", "CLAUDE_CODE_WEB_FETCH_AGENT", "CLAUDE_CODE_WILLOW_TERN"),
    *("CLAUDE_COWORK_MEMORY_EXTRA_GUIDELINES", "CLAUDE_COWORK_MEMORY_GUIDELINES"),
    *("CLAUDE_COWORK_MEMORY_INDEX_CONTENT", "CLAUDE_CODE_FOUND_REPOSITORY_GIT"),
)
SETTINGS_NOT_MODELLED = ("ultracode",)
_READERS = (
    "All tools except Agent, Artifact, ArtifactComments, ArtifactData, ArtifactCheck, ExitPlanMode, "
    "Edit, Write, NotebookEdit"
)
# What the tool Workflow says less by the setting workflowSizeGuideline (counted in requests of 2.1.332).
_GUIDELINES = {"workflows small": -73, "workflows medium": -71, "workflows large": -72, "workflows unrestricted": -277}
# Counted in captured requests, as JSON without blanks.
_TOOLS = Tools(
    sent={"Agent": 5244, "Bash": 3892, "DeferredToolPlaceholder": 204, "Edit": 964, "ListAgents": 1963, "Read": 1919}
    | {"ReportFindings": 2418, "ScheduleWakeup": 4886, "Skill": 1803, "ToolSearch": 1439, "Workflow": 5688}
    | {"Write": 639},
    deferred={"CronCreate": 4889, "CronDelete": 427, "CronList": 277, "EnterWorktree": 4013, "ExitWorktree": 2903}
    | {"Monitor": 7568, "NotebookEdit": 1623, "SendMessage": 6179, "TaskStop": 789, "WebFetch": 1080}
    | {"WebSearch": 861},
    # Both where Bash is not offered, and where they are named.
    finders={"Glob": 731, "Grep": 3224},  # (captured: deny-bash, allow-grep)
    tasks={"TaskCreate": 2816, "TaskGet": 1018, "TaskList": 1189, "TaskUpdate": 3510},  # (captured: allow-task)
    todo={"TodoWrite": 929},  # seen by verify
    online={"DesignSync": None},  # (captured: environment-default)
    interactive={"AskUserQuestion": 5196},  # (captured: interactive-start)
    interactive_deferred={"EnterPlanMode": None, "ExitPlanMode": None},
    changes={
        "AskUserQuestion": {"prompt tool": 4498 - 5196},  # (captured: prompt-tool)
        # (captured: effort-env, teams-env, fork-env, bg-env and pairs of these; deny-send-message)
        "Agent": {
            "effort": -432,
            "teams": 526,
            "fork": -521,
            "no fork": -396,
            "no background": -748,
            "fork + no background": 791,
            "no messages": -50,
            "no messages + teams": -64,
            "some agents": -246,
            "no agents": 94,  # seen by verify
            "claude-opus-4-8": 2,
        },
        # (surfaces, 1; captured: skip-permissions, mode-tools, verify-command, allow-grep, interactive-start and pairs)
        "Bash": {
            "no git": -851,
            "asks nothing + main claude-opus-5-5": -311,
            "no background": -604,
            "finders": 16,
            "verify": 85,
            "finders + asks nothing + main claude-opus-5-5": -16,
            "verify + no git": -85,
            "interactive": -203,
        },
        "ListAgents": {"no messages": -566},  # (captured: deny-send-message)
        "ScheduleWakeup": {"an hour": 4631 - 4886},  # seen by verify
        "ToolSearch": {"claude-opus-4-8": 1},  # (captured: model-claude-opus-4-8)
        "Workflow": {
            "no skills": 22_737 - 5688,
            "claude-opus-4-8": -16,
            **_GUIDELINES,
        },
    },
)
# Counted in captured requests of claude-sonnet-4-5, as JSON without blanks.
_TOOLS_INLINE = Tools(
    sent=_TOOLS.sent
    | {"Agent": 10_347, "Bash": 12_691, "Edit": 1702, "Read": 2917, "ToolSearch": 1440, "Workflow": 5672}
    | {"Write": 1022},
    deferred=_TOOLS.deferred
    | {"TaskCreate": 2816, "TaskGet": 1018, "TaskList": 1189, "TaskUpdate": 3510, "WebFetch": 2234}
    | {"WebSearch": 1897},
    finders={"Glob": 981, "Grep": 3638},
    tasks={},
    todo={"TodoWrite": 9841},  # seen by verify
    online=_TOOLS.online,
    interactive={"AskUserQuestion": 4939},
    interactive_deferred=_TOOLS.interactive_deferred,
    changes={
        "AskUserQuestion": {"prompt tool": 4241 - 4939},  # seen by verify
        "Agent": {
            "effort": -432,
            "teams": 526,
            "fork": -1499,
            "no fork": -1402,
            "no background": -1409,
            "fork + no background": 1470,
            "no fork + no background": -746,
            "no messages": -81,
            "no messages + teams": None,
            "some agents": None,
            "no agents": 94,  # seen by verify
        },
        "Bash": {
            "no git": 6010 - 12_691,
            "no background": -1212,
            "finders": -236,
            # Of a sub-agent with such a model; seen by verify.
            "asks nothing + main claude-opus-5-5": 12_062 - 12_691,
            "finders + asks nothing + main claude-opus-5-5": -105,
            "verify": 85,
            "verify + no git": -85,
            "interactive": -334,
        },
        "ListAgents": {"no messages": -566},
        "ScheduleWakeup": {"an hour": 4631 - 4886},  # seen by verify
        "Workflow": {"no skills": 22_721 - 5672, **_GUIDELINES},
    },
)
# Counted in a captured request of 2.1.318 (wire: all-kinds-v318).
_TOOLS_V318 = {"ListAgents": 1151, "ReportFindings": 2177, "ToolSearch": 1440, "Workflow": 5355}
# (wire: all-kinds-v318)
_TOOLS_V318 |= {"CronCreate": 4508, "ExitWorktree": 2505, "Monitor": 7565, "SendMessage": 5677}
# (wire: all-kinds-v318)
_CHANGES_V318 = {"Workflow": {"no skills": 22_310 - 5355}}
# The descriptions of skills that have another size in 2.1.318 (wire: all-kinds-v318).
_SKILLS_V318 = {"claude-api": 1068, "code-review": 825, "plugin-authoring": 246}
# The directory of the memory in the sizes below (characters; seen by verify, with paths of other lengths).
_MEMORY = 49
# What is more in them because the program asked nobody (captured: environment-default).
_UNASKED = 1222
_BESIDE = _MEMORY + _UNASKED
V2_1_330 = Facts(
    Version("2.1.330", verified=True),
    default_model="claude-opus-5-5",  # (wire: settle-model-default)
    models_seen=(),
    # (wire: nested-lazy-read-sonnet-4-5, settle-model-claude-opus-4-6, settle-model-claude-sonnet-4-6, model-opus-4)
    inline_models=regex(r"claude-3|sonnet-4(?:\Z|-[056](?!\d)|-2025)|opus-4(?:\Z|-[1567](?!\d))|haiku-4-5"),
    # (wire: settle-model-best, settle-model-opus, settle-model-sonnet)
    aliases={
        **dict.fromkeys(("default", "best", "opus"), "claude-opus-5-5"),
        **dict.fromkeys(("sonnet", "opusplan"), "claude-sonnet-5-5"),
        "haiku": "claude-haiku-5-5",
        "fable": "claude-fable-5-2",  # (captured: model-fable)
    },
    plan_aliases={"haiku": "claude-sonnet-5-5", "opusplan": "claude-opus-5-5"},  # (captured: plan-haiku)
    # (wire: settle-model-claude-opus-4-1)
    retired_models=regex(r"claude-opus-4-(?:0|1|(?:1-)?2025\d+)"),
    billing_line=67,
    own_prompt=7015 - _BESIDE,
    own_prompt_inline=28_242 - _BESIDE,
    own_prompt_without_memory=4602 - _UNASKED,
    prompt_begins="\n",
    bare_prompt=None,  # (9; wire: bare)
    git_status_in_first_message=True,
    bare_date=None,
    introduction=None,
    caveat=None,
    files_end="\n",  # (wire: settings-no-git-instructions, agent-flag)
    surroundings=None,
    # (surfaces, 9; wire: agent-files-main)
    built_in_agents=(
        # The prompts: (captured: sub-general, sub-explore, sub-plan, subagent-claude-first)
        BuiltIn("claude", 111, 111, "*", 1833, off_by=NO_AGENT_VIEW),
        # (captured: interactive-start, interactive-guide)
        BuiltIn("claude-code-guide", 1004, 1004, "Bash, Read, WebFetch, WebSearch", model="haiku", is_for_users=True),
        BuiltIn("Explore", 398, 605, _READERS, 1977, off_by=NO_READERS),
        BuiltIn("general-purpose", 279, 279, "*", 1434),
        BuiltIn("Plan", 226, 226, _READERS, 2284, off_by=NO_READERS),
        # (parts: safe-mode; captured: subagent-statusline-setup-first)
        BuiltIn("statusline-setup", 71, 71, "Read, Edit", 12_974, "sonnet", in_safe_mode=False),
    ),
    # (surfaces, 5: start-plain)
    built_in_skills=(
        BuiltInSkill("dataviz", 1436),
        BuiltInSkill("update-config", 690),
        BuiltInSkill("keybindings-help", 228, can_be_typed=False),
        BuiltInSkill("code-review", 835),
        BuiltInSkill("simplify", 176),
        BuiltInSkill("fewer-permission-prompts", 163),
        BuiltInSkill("loop", 336, off_by=NO_CRON),
        BuiltInSkill("claude-api", 1157, breaks=2, off_by=("CLAUDE_CODE_DISABLE_CLAUDE_API_SKILL",)),
        BuiltInSkill("workflow-authoring", 230, off_by=NO_WORKFLOWS),
        BuiltInSkill("run", 361),
        BuiltInSkill("plugin-authoring", 255, stays=True),  # (parts: skills-no-bundled)
    ),
    late_skills=(BuiltInSkill("init", 59, text=1592), BuiltInSkill("security-review", 71)),
    # (captured: style-explanatory, style-concise)
    styles=(
        BuiltInStyle("Explanatory", 1023),
        BuiltInStyle("Learning", 4888),
        BuiltInStyle("Proactive", 1330, again=74),
        BuiltInStyle("Concise", 1349, again=93),
    ),
    agents_in_tool=False,
    agent_notes=1660 - 427,  # (case subagent-skills)
    agent_notes_unasked=427,  # (captured: environment-default)
    agent_notes_more=51,  # (captured: subagent-sonnet-4-5, subagent-explore-opus-4-8)
    mode_sizes={
        "bypassPermissions": 493,
        "auto": 479,
        "plan": 4898,
    },  # (case skill-tool; captured: mode-auto, plan-start)
    mode_sizes_tagged={"auto": 948, "plan": None},  # (captured: mode-tools)
    handback=("SubagentHandback", 863, 419, 341),  # seen by verify, on the screen and without it
    mode_models=("claude-opus-5-5",),  # (captured: mode-tools)
    auto_models=("claude-opus-4-7", "claude-opus-4-6", "claude-sonnet-4-6"),  # seen by verify
    tagged_models=("claude-sonnet-5",),  # (captured: model-sonnet-5)
    reminded_models=("claude-opus-5-5", "claude-sonnet-5-5"),  # (captured: silent-models)
    silent_reminder=139,  # (captured: silent6)
    wide_in_agents=("claude-opus-4-6",),  # seen by verify
    plan_over=100,  # (case plan-left)
    last_mark=("user", "tool", "system"),
    reads_bring_blocks=True,  # (wire: nested-lazy-read)
    inline_files_first=True,
    reads_are_numbered=True,  # (case skills-s45)
    result_reminder=49,  # (parts: skill-tool-s45)
    labels=LABELS,
    agents_md=True,  # by a built-in plugin, since 2.1.277 (7; wire: agents-md-only)
    add_dir_agents=True,
    drops_link_definitions=False,  # (wire: settle-import-markdown)
    memory_scopes=("user", "project", "local", "flag", "managed"),
    # (parts: env-model-*, all-surfaces-s45, attribution*; captured: model-names)
    models={
        "claude-opus-5-5": Model("Opus 5.5", 41),
        "claude-sonnet-5-5": Model("Sonnet 5.5", 41),
        "claude-haiku-5-5": Model("Haiku 5.5", 41),
        "claude-fable-5-2": Model("Fable 5.2", 41),
        "claude-opus-5": Model("Opus 5", 40),
        "claude-sonnet-5": Model("Sonnet 5", 44),
        "claude-fable-5": Model("Fable 5", 44),
        "claude-mythos-5": Model("Mythos 5", 44),
        "claude-opus-4-8": Model("Opus 4.8", 44),
        "claude-opus-4-7": Model("Opus 4.7", 44),
        "claude-opus-4-6": Model("Opus 4.6", 40),
        "claude-opus-4-5": Model("Opus 4.5", 40),
        "claude-opus-4-1": Model("Opus 4.1", 44),  # with a dot (seen by verify); else it is retired
        "claude-opus-4": Model("Opus 4", 44),
        "claude-sonnet-4-6": Model("Sonnet 4.6", 43),
        "claude-sonnet-4-5": Model("Sonnet 4.5", 44),
        "claude-sonnet-4": Model("Sonnet 4", 44),
        "claude-haiku-4-5": Model("Haiku 4.5", 45),
    },
    # The size of the second system block (surfaces, 5).
    own_prompts={
        "claude-sonnet-5-5": 6748 - _BESIDE,
        "claude-opus-4-8": 6741 - _BESIDE,
        "claude-haiku-5-5": 9591 - _BESIDE,
        "claude-fable-5-2": 11_539 - _BESIDE,
        "claude-opus-5": 10_179 - _BESIDE,
        "claude-sonnet-5": 28_140 - _BESIDE,
        "claude-fable-5": 11_093 - _BESIDE,
        "claude-mythos-5": 10_515 - _BESIDE,
    },
    own_prompt_unknown=6748 - _BESIDE,
    own_prompt_unasked=_UNASKED,
    own_prompt_style=38,
    own_prompt_coding_inline=28_242 + 38 - 24_959,
    own_prompt_skill_tool=165,
    own_prompt_skill_tool_interactive=136,  # seen by verify
    agent_memory={"user": (79, 12_792), "project": (79, 12_818), "local": (79, 12_817)},  # (wire: agent-memory)
    agent_memory_empty=85,
    unknown_agent_ends=True,  # (captured: agent-unknown)
    memory_section=7015 - _MEMORY - 4947,  # (captured: memory-off)
    memory_section_inline=28_242 - _MEMORY - 15_428,
    worktree_note=690,  # (parts: skills-worktree)
    environment_notes=(475, 67),  # (surfaces, 5)
    language_notes=(145, 223),  # (parts: all-surfaces, all-surfaces-s45)
    # As sections 1, 8 and 13 of the surfaces name them.
    tools=_TOOLS,
    tools_inline=_TOOLS_INLINE,
    bare_tools={"Bash": 1553, "Edit": 629, "Read": 1154},  # (9; wire: bare)
    deferred_header=248,  # (surfaces, 5)
    deferred_gone=(127, 116),  # seen by verify
    minute=60_000,  # seen by verify
    command_waits={"BASH_DEFAULT_TIMEOUT_MS": 120_000, "BASH_MAX_TIMEOUT_MS": 600_000},  # seen by verify
    restricted_tools=frozenset(("Bash", "CronCreate", "Monitor", "WebFetch", "Workflow")),  # (parts: restricted)
    loaded_tool=21,  # (captured: tool-loaded)
    structured_output=238,  # (captured: json-schema)
    structured_output_request=113,
    tool_search_share=10,  # (captured: toolsearch-auto)
    # (parts: env-model-claude-opus-4-8; captured: silent-models)
    counts_tokens=regex(r"opus-4-8|haiku-5-5|(?:opus|sonnet|fable|mythos)-5(?!-\d{1,2}(?!\d))"),
    counting_models=(),
    token_counter=49,  # (surfaces, 1: env-model-claude-opus-4-8, agents-s45)
    git_notes=(70, 146, 173),  # (surfaces, 5)
    git_status_limit=2000,  # (parts: git-truncated)
    trims_git_status=False,
    attribution_note=353,  # (surfaces, 5)
    attribution_request=62,  # (parts: start-plain)
    skill_words=1536,  # (surfaces, 3: skills-desc-limit-when)
    # 3 characters for each of 1,000,000 tokens, and 4 for each of 200,000 (surfaces, 4)
    skill_columns=3_000_000,
    skill_columns_inline=800_000,
    skill_columns_narrow=600_000,
    skill_share=0.01,
    skill_half_life=604_800,  # a week (seen by verify): 100 uses then are between 48 and 52 today
    skill_least_use=0.1,  # seen by verify: 100 uses a year ago are between 9 and 11 today
    skill_first_line=100,  # (surfaces, 3: skills-body-description)
    server_instructions=4096,  # (surfaces, 13: mcp-limits)
    server_description=4096,  # (captured: sizes-nosearch)
    characters_per_token=2.5,  # (captured: auto-large, auto-small)
    server_wait=2,  # (captured: slow-fine)
    server_wait_blocking=5,  # (captured: slow-blocking)
    resource_tools={
        "ListMcpResourcesTool": 628,
        "ReadMcpResourceDirTool": 875,
        "ReadMcpResourceTool": 577,
    },  # (captured: page)
    waiting_tool={"WaitForMcpServers": 975},  # (captured: slow-nosearch)
    late_servers=(142, 295),  # (parts: mcp-still-connecting)
    failed_servers=145,  # (parts: mcp-dead)
    new_tools=248,  # (captured: slow-fine)
)
# What was not measured again is None (wire: all-kinds-v318).
V2_1_318 = replace(
    V2_1_330,
    version=Version("2.1.318", verified=True),
    later_seen=False,
    own_prompt=5752,
    own_prompt_inline=None,
    own_prompt_without_memory=None,
    own_prompts={},
    own_prompt_unknown=None,
    environment_notes=(475,),
    tools=_TOOLS.with_sizes({**_TOOLS_V318, "Agent": 5246, "Bash": 3715}, _CHANGES_V318),
    tools_inline=_TOOLS_INLINE.with_sizes({**_TOOLS_V318, "Agent": 10_353, "Bash": 12_662}, _CHANGES_V318),
    built_in_agents=tuple(replace(each, prompt=None) for each in V2_1_330.built_in_agents),
    own_prompt_unasked=0,
    agent_notes_unasked=0,
    trims_git_status=True,
    drops_link_definitions=True,  # (wire: link-definitions-v318)
    built_in_skills=tuple(
        replace(each, size=_SKILLS_V318.get(each.name, each.size)) for each in V2_1_330.built_in_skills
    ),
)
V2_1_197 = replace(
    V2_1_330,
    version=Version("2.1.197", verified=True, note="without AGENTS.md"),
    later_seen=False,
    default_model="claude-opus-4-8",
    models_seen=("claude-opus-4-8",),
    aliases=None,
    retired_models=None,
    own_prompt=5970,
    own_prompt_inline=5970,
    own_prompt_without_memory=None,
    prompt_begins="",
    bare_prompt=409,  # (9; wire: env-simple-true-v197)
    git_status_in_first_message=False,
    bare_date=306,
    introduction=70,
    caveat=196,
    files_end="",
    surroundings=6062,
    built_in_agents=(),
    fork_notice=None,
    forked_commands={},
    thinking_note=None,
    agent_notes=None,
    mode_sizes={},
    mode_sizes_tagged={},
    handback=None,
    mode_models=(),
    auto_models=(),
    tagged_models=(),
    reminded_models=(),
    silent_reminder=None,
    task_reminder=None,
    wide_in_agents=(),
    plan_over=None,
    built_in_skills=(),
    late_skills=(),
    styles=tuple(BuiltInStyle(name, None) for name in ("Explanatory", "Learning", "Proactive")),
    own_prompts={},
    own_prompt_unasked=0,
    agent_notes_unasked=0,
    tools=Tools(),
    tools_inline=Tools(),
    bare_tools={},
    own_prompt_unknown=None,
    git_notes=None,
    attribution_note=None,
    last_mark=("user", "tool"),
    reads_bring_blocks=False,
    reads_are_numbered=False,
    result_reminder=None,
    agents_md=False,
    agent_memory={},
    unknown_agent_ends=False,
    add_dir_agents=False,
    memory_scopes=("user", "flag", "managed"),
)
V2_1_85 = replace(
    V2_1_197,
    version=Version("2.1.85", verified=True, note="without AGENTS.md; its own prompt is shown by its sections"),
    default_model="claude-sonnet-4-6",
    models_seen=("claude-sonnet-4-6", "claude-haiku-4-5-20251001", "haiku"),
    inline_models=regex(""),  # every model
    billing_line=77,
    own_prompt=None,
    own_prompt_inline=None,
    bare_prompt=351,  # (9; wire: env-simple-v2185)
    surroundings=None,
    agents_in_tool=True,  # (wire: agent-flag-v2185)
    inline_files_first=False,  # (wire: nested-lazy-read-v2185)
    # Managed files are called the user's (wire: base-order-all-layers-v2185).
    labels={**LABELS, "managed": LABELS["user"]},
)
# The one size of 120 sessions that differs (captured: sessions of promptls learn; wire: all-kinds-v332), and a rule.
NEWEST = replace(
    V2_1_330,
    version=Version("2.1.332", verified=True, like="2.1.330"),
    mention_names_lines=True,
    tools=replace(_TOOLS, sent={**_TOOLS.sent, "ToolSearch": 1425}),
    tools_inline=replace(_TOOLS_INLINE, sent={**_TOOLS_INLINE.sent, "ToolSearch": 1426}),
)
ROWS = (NEWEST, V2_1_330, V2_1_318, V2_1_197, V2_1_85)
