"""What is known of each version of Copilot CLI: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Parts:
    """The program's own parts of a system message, in order: sizes in characters, as counted in captured requests."""

    # Before the environment; 0 where the text of an agent takes its place.
    base: int
    # In the notes on tools: on bash, from its example to the skills, and after the skills.
    bash: int
    example: int
    after_skills: int
    # After the custom instructions.
    end: int


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
    # The sentences before the environment's lines and before the notes on tools, and the note on searching code.
    environment: int  # (captured)
    tools_intro: int  # (captured)
    search: int  # (surfaces: agent-builtin-task)
    # In the main request, after the custom instructions and before the text of --agent (surfaces: baseline-surfaces).
    notifications: int
    notices: int
    # What precedes the text of --agent (surfaces: agent-flag).
    agent_intro: int
    # The description of the tool task before the list of own agents, and after it in a request of an agent.
    task_intro: int  # (surfaces: agents)
    task_end: int  # (captured: a sub-agent)
    # How many characters of rows the list of skills has, line ends included (surfaces: skills-many).
    skill_rows: int
    # The longest description of a skill (surfaces: skills-front-matter).
    skill_description: int
    # The longest name of one.
    skill_name: int
    # So many lines of its text describe a skill that says nothing of itself.
    skill_first_lines: int
    # Skills that are there without any file, and the sizes of their descriptions.
    built_in_skills: Mapping[str, int]  # (captured)
    # The agent whose request is known, of those that are there without any file.
    general_agent: str
    # The notes on tools for files up to the skills, without the tool bash (surfaces: excluded-tools).
    without_shell: int
    # The rest of the paragraph before the table of files with patterns.
    table_intro: int  # (captured)
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


NEWEST = Facts(
    Version("1.0.102", verified=True),
    import_levels=8,
    main=Parts(base=5370, bash=1373, example=4477, after_skills=6341, end=1158),
    agent=Parts(base=0, bash=1214, example=4263, after_skills=7659, end=0),
    general=Parts(base=5257, bash=1214, example=4263, after_skills=4543, end=2814),
    environment=107,
    tools_intro=105,
    search=363,
    notifications=422,
    notices=631,
    agent_intro=209,
    task_intro=1037,
    task_end=116,
    skill_rows=15_000,
    skill_description=1024,
    skill_name=64,  # (wire: skill-names)
    skill_first_lines=3,  # (wire: skill-front-matter-kinds)
    built_in_skills={"customize-cloud-agent": 329, "github-pr-media": 216},
    general_agent="general-purpose",
    without_shell=1565,
    table_intro=386,
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
    own_agents=32,
)
ROWS = (NEWEST,)
