"""What is known of each version of Copilot CLI: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass, replace
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Parts:
    """The program's own parts of a system message: sizes in characters, as counted in captured requests.

    What hangs on the tools of the request is not in them.
    """

    # Before the environment; 0 where the text of an agent takes its place.
    base: int
    # The note on each tool that has one, with its tags; bash: what precedes its first example.
    notes: Mapping[str, int]
    bash: int
    # The end of the message: after the custom instructions, or of an agent of a file after the notes on tools.
    end: int
    # How much longer the end is where the model can start agents.
    parallel: int


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An agent that is there without any file: sizes in characters (captured: subagent-explore, -task, -code-review).

    ``own``: its text and the notes on tools up to the skills. ``has_skills``: skills are listed, and it has all tools;
    else ``tools`` are those that it has.
    """

    own: int
    has_skills: bool = True
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfModel:
    """What a model changes in a main request (captured): so many characters more, and tools in place of others.

    ``after_tools`` is the size of texts of its own. ``notices`` is None where they were not measured for the model.
    """

    base: int = 0
    after_tools: int = 0
    notices: int | None = 0
    patches: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # How many levels below the top file imports are followed (wire: settle-imports-deep).
    import_levels: int
    # The main request, that of an agent of a file, and that of the built-in agent for everything.
    main: Parts
    agent: Parts
    general: Parts
    # In the system prompt: the line on files to edit, where no tool patches them, those on agents and on questions
    # about the program, and the one that names tools for simple work, without the names (captured: agents with tools).
    on_editing: int
    on_agents: int
    on_itself: int
    on_simple_work: int
    on_simple_work_with_agents: int
    # So much shorter are the system prompt and the notes where a tool has this name in place of another (captured).
    shorter_names: Mapping[str, int]
    # The sentences before the environment's lines and before the notes on tools, and the note on searching code.
    environment: int  # (captured)
    tools_intro: int  # (captured)
    search: int  # (parts: agent-builtin-task)
    # In the main request, after the custom instructions and before the text of --agent; of the notices, what is before
    # and after the directory of sessions, which they name (parts: baseline-surfaces; captured).
    notifications: int
    notices: int
    notices_end: int
    # Of its end, the part on the author of commits.
    trailer: int
    # The system prompt names the model so often, and was measured with a name of so many characters (captured).
    model_names: int
    model_name: int
    # By name, or with an asterisk by how it begins; no other model was seen to change anything (captured).
    models: Mapping[str, OfModel]
    # What precedes the text of --agent (captured: agent-flag).
    agent_intro: int
    # The description of the tool task before the list of own agents, and after it in a request of an agent.
    task_intro: int  # (parts: agents)
    task_end: int  # (captured: a sub-agent)
    # How many characters of rows the list of skills has, line ends included (parts: skills-many).
    skill_rows: int
    # And the line that names all others, without how many more there are.
    skill_names: int
    # The longest description of a skill (parts: skills-front-matter).
    skill_description: int
    # The longest name of one.
    skill_name: int
    # So many lines of its text describe a skill that says nothing of itself.
    skill_first_lines: int
    # Skills that are there without any file, and the sizes of their descriptions.
    built_in_skills: Mapping[str, int]  # (captured)
    # The agent whose request is known, of those that are there without any file.
    general_agent: str
    # The rest of the paragraph before the table of files with patterns, and before that of nested files.
    table_intro: int  # (captured)
    nested_intro: int  # (captured)
    date: int  # (captured)
    # The tools, and the sizes of their definitions as JSON, counted in captured requests; that of task without own
    # agents. Then those that differ in a request of an agent of a file, in one that the tool task starts, and in that
    # of the agent for everything.
    tools: Mapping[str, int]
    tools_of_agents: Mapping[str, int]
    tools_started: Mapping[str, int]
    tools_of_general: Mapping[str, int]
    # The heading of own agents in the description of the tool task.
    own_agents: int  # (captured)
    # Agents that are there without any file and get no instruction files, and what follows their list of skills.
    built_in_agents: Mapping[str, BuiltIn]
    built_in_after_skills: int  # (captured: subagent-task)
    # The most characters of the name of a server's tool.
    tool_name: int
    # On the screen: how much shorter its own beginning is, and the note on asking (captured: interactive-start).
    screen_shorter: int
    screen_ask: int
    # Of a run in autopilot mode: how much longer its own beginning is, and the note on asking.
    autopilot_longer: int
    autopilot_ask: int
    # On the screen, the tool task lists the models, which is the one of the session with a provider of one's own: the
    # list without the name, and the length of the name where none is known.
    screen_task: int
    screen_model: int
    # In an editor: how much shorter its own beginning is, the tools that it has not got (the agent
    # for everything has the first one), and those that are others, with the size of a note that is another one.
    editor_shorter: int
    not_in_editor: tuple[str, ...]
    tools_of_editor: Mapping[str, int]
    notes_of_editor: Mapping[str, int]
    plan_in_editor: tuple[int, int]
    ask_user: int
    # In autopilot without a screen nobody can be asked much (captured: mode-autopilot).
    ask_user_of_autopilot: int
    # A mode: its tools, the notes on them, and what it says before the first prompt (captured: mode-plan,
    # mode-plan-typed, mode-autopilot-typed).
    task_complete: int
    task_complete_note: int
    exit_plan_mode: int
    exit_plan_mode_note: int
    plan_before: int
    plan_after: int
    plan_after_on_screen: int
    plan_again: int
    autopilot: int
    identifier: int
    # After a compaction: the paragraph on it, what is before the prompts, without and with calls of tools, and before
    # the summary; and what asks for one (captured: compact-typed, compact-typed-summary).
    # The paragraph on a compaction, and the line of each further one, whose summary has no title of its own.
    checkpoint: int
    further_checkpoint: int
    before_prompts: int
    before_prompts_after_calls: int
    before_summary: int
    # Of these: what is said ahead of what the user types for it, and what is behind.
    summary_ask: int
    summary_focus: int
    summary_end: int
    # Before the text of a skill, without its name, and of a review, that the user types on the screen (captured:
    # interactive-skill, interactive-review).
    typed_skill: int
    typed_review: int
    # Of the texts that other commands stand for, the sizes, and how often each has what is typed behind the name.
    typed_commands: Mapping[str, tuple[int, int]]
    # Tools that a model has in place of others (captured).
    tools_of_patches: Mapping[str, int]
    # A file of more bytes is not viewed as a whole; the size of what is said instead, less its size in words
    # (wire: view-large).
    view_bytes: int = 20_480
    view_too_large: int = 141
    # Ends of names of pictures: those that a model may see, and those that are refused (wire: view-picture).
    pictures: frozenset[str] = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp"))
    refused_pictures: frozenset[str] = frozenset((".bmp", ".ico", ".tif", ".tiff", ".avif", ".heic"))


# Models of the kind that edits files by patches.
PATCHES = OfModel(base=1998, notices=None, patches=True)
# The notes on tools of a session, and of what it starts (captured: agents with tools).
NOTES = {
    "bash": 4295,
    "view": 200,
    "edit": 1080,
    "fetch_copilot_cli_documentation": 323,
    "sql": 2156,
    "grep": 227,
    "rg": 223,
    "task": 3969,
}
NOTES_STARTED = {**NOTES, "bash": 3922, "task": 2334}
NEWEST = Facts(
    Version("1.0.102", verified=True),
    import_levels=8,
    main=Parts(base=4682, notes=NOTES, bash=1372, end=806, parallel=356),
    agent=Parts(base=0, notes=NOTES_STARTED, bash=1213, end=2192, parallel=325),
    general=Parts(base=4569, notes={**NOTES_STARTED, "task": 2171}, bash=1213, end=1852, parallel=356),
    on_editing=66,
    on_agents=105,
    on_itself=307,
    on_simple_work=92,
    on_simple_work_with_agents=186,
    shorter_names={"base": 2, "task": 4, "search": 2},
    environment=107,
    tools_intro=105,
    search=363,
    notifications=422,
    notices=34,
    notices_end=537,
    trailer=275,  # seen by verify
    model_names=4,
    model_name=10,
    models={
        "claude-*": OfModel(after_tools=307, notices=385),
        "gemini-*": OfModel(after_tools=1936, notices=1817),
        "gpt-5": OfModel(notices=1544),
        "gpt-5.1": OfModel(notices=1544),
        "gpt-5.2": OfModel(notices=1544),
        "gpt-5-mini": OfModel(notices=729),
        "gpt-4.1": OfModel(notices=426),
        "gpt-5.1-codex": replace(PATCHES, notices=2682),
        "gpt-5.1-codex-mini": replace(PATCHES, notices=2682),
        "gpt-5.2-codex": replace(PATCHES, notices=2682),
        "gpt-5.3-codex": replace(PATCHES, notices=3452),
        "gpt-5.4": replace(PATCHES, notices=3772),
        "gpt-5.5": replace(PATCHES, notices=3452),
        "gpt-4o": replace(PATCHES, notices=4665),
        "gpt-6.1-sol": replace(PATCHES, base=2160, notices=4665),
        "gpt-*": PATCHES,
    },
    agent_intro=210,  # seen by verify, with the blank line after it
    task_intro=1037,
    task_end=116,
    skill_rows=15_000,
    skill_names=5000,  # seen by verify, to the letter
    skill_description=1024,
    skill_name=64,  # (wire: skill-names)
    skill_first_lines=3,  # (wire: skill-front-matter-kinds)
    built_in_skills={"customize-cloud-agent": 329, "github-pr-media": 216},
    general_agent="general-purpose",
    table_intro=386,
    nested_intro=396,
    date=29,
    tools={
        "bash": 2767,
        "read_bash": 1010,
        "stop_bash": 444,
        "list_bash": 349,
        "view": 829,
        "create": 548,
        "edit": 950,
        "fetch_copilot_cli_documentation": 215,
        "skill": 802,
        "sql": 657,
        "session_store_sql": 6648,
        "read_agent": 1299,
        "list_agents": 1263,
        "write_agent": 2129,
        "grep": 1522,
        "glob": 483,
        "task": 3218,
    },
    tools_of_agents={"tool_search_tool": 873, "update_todo": 1104},
    tools_started={"bash": 2627, "read_bash": 824, "list_agents": 1514, "write_agent": 2552, "task": 3199},
    tools_of_general={"read_agent": 1189},
    tool_name=64,  # (captured: long-names)
    own_agents=32,
    built_in_agents={
        "explore": BuiltIn(
            7446, has_skills=False, tools=("grep", "glob", "view", "bash", "read_bash", "stop_bash", "list_bash")
        ),
        "task": BuiltIn(7036),
        "code-review": BuiltIn(9472),
        "research": BuiltIn(10391),
        "security-review": BuiltIn(18789),
    },
    built_in_after_skills=7420,
    screen_shorter=158,
    autopilot_longer=51,
    autopilot_ask=2314,  # both seen by verify with 1.0.102, --mode autopilot
    screen_ask=3354,
    screen_task=12,
    screen_model=10,  # both seen by verify with 1.0.102, --interactive, three models
    editor_shorter=219,
    not_in_editor=("fetch_copilot_cli_documentation", "session_store_sql"),
    tools_of_editor={"sql": 995},
    plan_in_editor=(231, 1472),
    notes_of_editor={"sql": 4080},  # all seen by verify with 1.0.102, --editor
    ask_user=6136,
    ask_user_of_autopilot=775,
    task_complete=575,
    task_complete_note=1429,
    exit_plan_mode=1465,
    exit_plan_mode_note=2937,
    plan_before=357,
    plan_after=1710,
    plan_after_on_screen=2513,
    plan_again=238,  # seen by verify
    autopilot=2466,
    identifier=36,
    checkpoint=298,
    further_checkpoint=44,  # seen by verify
    before_prompts=169,
    before_prompts_after_calls=177,
    before_summary=39,
    summary_ask=5107,
    summary_focus=217,  # seen by verify
    summary_end=321,  # seen by verify
    typed_skill=71,
    typed_review=136,
    typed_commands={"init": (1876, 0), "fleet": (2078, 1), "research": (12_646, 2)},  # seen by verify
    tools_of_patches={"custom": 859, "rg": 1520},
)
ROWS = (NEWEST,)
