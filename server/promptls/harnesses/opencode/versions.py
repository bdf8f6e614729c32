"""What is known of each version of opencode: a row for each, and code asks the row.

Numbers are sections of the specification; sizes are characters, counted in captured requests.
"""

from __future__ import annotations

from promptls.core.model import Timeouts
from promptls.core.values import dataclass, field, replace
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class BuiltInAgent:
    """An agent that is there without any file (surfaces, 3.1: agents).

    ``description`` is the size of its description, ``in_json`` as JSON, None where other agents cannot start it.
    ``prompt``: the size of a prompt of its own, if it has one. ``permissions`` come below all that is configured.
    """

    mode: str
    description: int | None = None
    in_json: int | None = None
    has_prompt: bool = False
    prompt: int | None = None
    permissions: Mapping[str, str | dict[str, str]] = field(default_factory=dict)
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # Whether gpt-6 has a template of its own and is known to reason (captured: gpt-6 in both versions).
    knows_gpt_6: bool
    # Of the provider templates that were captured (7).
    templates: Mapping[str, int]  # (wire: root-agents; captured: a model that selects each)
    # What is before the list of skills, in its place where all are denied, and before the references (surfaces, 2).
    skills_intro: int
    no_skills: int
    references_intro: int
    # Skills that are there without any file, and the sizes of their descriptions (surfaces, 2.3).
    built_in_skills: Mapping[str, int]
    # How many files of a skill's folder are listed when it is loaded (surfaces, 2).
    skill_files: int
    # What the tool task says before the list of agents (surfaces, 3.1).
    task_intro: int
    # What it says there of agents in the background, also as JSON (counted in requests of 1.18.33).
    background: int
    background_in_json: int
    agents: Mapping[str, BuiltInAgent]
    # Commands that are there without any file, with the sizes of their texts less the worktree (captured by verify).
    commands: Mapping[str, int | None]
    # Those of them that a sub-agent runs.
    subtasks: tuple[str, ...]
    # By the package that speaks to the provider: the tools, and the sizes of their definitions as JSON, counted in
    # captured requests; that of task
    # without the agents, that of bash without the path of its temporary directory.
    tools: Mapping[str, Mapping[str, int]]
    # The keys of tool_output, with the numbers that the tool bash names where nothing sets them; counted in captured
    # requests.
    most_output: Mapping[str, int]
    # Those that come with an MCP server that has resources.
    resource_tools: Mapping[str, int]
    # By the package, how much longer the definition of a server's tool is than with that for other providers.
    server_tool_more: Mapping[str, int]
    # What is said around the answer of a sub-agent that a command starts (surfaces, 4.4).
    subtask_before: int
    subtask_after: int
    # What a command says of an agent that its text mentions, without the name (surfaces, 4.3).
    agent_mention: int
    # The reminder after what the user typed, with the agent plan (captured: --agent plan).
    plan_reminder: int
    # That after the first prompt of the agent build after plan (captured: mode-plan-to-build).
    build_reminder: int
    # The reminder of plan mode with a file: before its path, the name of the file, and after it
    # (captured: mode-plan-experimental).
    plan_file: tuple[int, int, int]
    # The number of a task of a sub-agent (captured: subagent-rev-main).
    task_id: int
    # The request for a summary: its system text, what is said before and after what is summed up, and after it where
    # there is an earlier summary, before and after that (captured: compact-typed-summary, compact-twice-summary).
    summary_base: int
    summary_asks: int
    summary_rest: int
    summary_prior: tuple[int, int]
    # Characters of the result of a tool in it; how many tokens of the newest messages stay, at most and at least, and
    # what is reserved of a model's input [source].
    summary_result: int
    tail_most: int
    tail_least: int
    reserved: int
    # Results of tools that are cleared: not of so many turns, nor of the newest tokens, nor fewer tokens [source].
    prune_turns: int
    prune_keeps: int
    prune_least: int
    # What the read tool answers at most, as its closing remarks say (section 8).
    read_lines: int
    read_line: int
    read_bytes: int
    # Ends of names of files that are refused, and the size of what it says less the path (wire: nested-read-binary).
    read_binary: frozenset[str]
    read_refusal: int
    # 5 s to the headers are the program's, the total is a limit of ours (4.7; wire: config-url-slow).
    url: Timeouts


# Ends of names of files that the read tool refuses, in any case of letters (wire: nested-read-binary).
_BINARY = (
    "7z a bin class dat dll doc docx exe gz jar lib o obj odp ods odt ppt pptx pyc pyo so tar war wasm xls xlsx zip"
)

NOTHING = {"*": "deny"}
# Those of the agent explore, as the tools that its request offers show (websearch: seen by verify).
ONLY_READING = {**NOTHING, **dict.fromkeys(("bash", "glob", "grep", "read", "webfetch", "websearch"), "allow")}
# Those of the agent plan (wire: plan-agents).
NO_WORKER = {"task": {"general": "deny"}}

NEWEST = Facts(
    Version("1.18.33", verified=True),
    knows_gpt_6=True,
    templates={
        "default.txt": 8528,
        "anthropic.txt": 8212,
        "beast.txt": 11078,
        "codex.txt": 7362,
        "gemini.txt": 15372,
        "gpt.txt": 9274,
        "gpt-astra.txt": 4076,
        "kimi.txt": 8683,
        "meta.txt": 9114,
        "trinity.txt": 7748,
    },
    skills_intro=145,
    no_skills=34,
    references_intro=85,
    built_in_skills={"customize-opencode": 386},
    skill_files=10,
    task_intro=2306,
    background=2617 - 2306,
    background_in_json=4347 - 3856,
    agents={
        "build": BuiltInAgent("primary"),
        "plan": BuiltInAgent("primary", permissions=NO_WORKER),
        "general": BuiltInAgent("subagent", description=149, in_json=149),
        "explore": BuiltInAgent(
            "subagent", description=484, in_json=496, has_prompt=True, prompt=871, permissions=ONLY_READING
        ),
        "title": BuiltInAgent("primary", has_prompt=True, permissions=NOTHING, is_hidden=True),
        "compaction": BuiltInAgent("primary", has_prompt=True, permissions=NOTHING, is_hidden=True),
        "summary": BuiltInAgent("primary", has_prompt=True, permissions=NOTHING, is_hidden=True),
    },
    commands={"init": 3474, "review": None},  # seen by verify
    subtasks=("review",),
    # (captured: page)
    resource_tools={"list_mcp_resource_templates": 427, "list_mcp_resources": 395, "read_mcp_resource": 517},
    # As for its own tools below: input_schema, and eager_input_streaming (captured: context7, playwright).
    server_tool_more={"@ai-sdk/anthropic": 31},
    tools={
        "@ai-sdk/openai-compatible": {
            "apply_patch": 1400,
            "bash": 5231,
            "edit": 1927,
            "glob": 1083,
            "grep": 1152,
            "lsp": 2217,  # seen by verify
            "question": 1483,  # (captured: interactive-start)
            "read": 1703,
            "skill": 645,
            "task": 3154,
            "todowrite": 2655,
            "webfetch": 1262,
            "websearch": 1893,  # seen by verify
            "write": 995,
        },
        "@ai-sdk/openai": {
            "apply_patch": 1376,
            "bash": 5131,
            "edit": 1903,
            "glob": 1059,
            "grep": 1128,
            "lsp": 2115,  # seen by verify
            "question": 1459,  # seen by verify
            "read": 1601,
            "skill": 621,
            "task": 3130,
            "todowrite": 2631,
            "webfetch": 1217,
            "websearch": 1869,  # seen by verify
            "write": 971,
        },
        "@ai-sdk/anthropic": {
            "bash": 5262,
            "edit": 1958,
            "glob": 1114,
            "grep": 1183,
            "lsp": 2248,  # seen by verify
            "question": 1514,  # seen by verify
            "read": 1734,
            "skill": 676,
            "task": 3185,
            "todowrite": 2686,
            "webfetch": 1293,
            "websearch": 1924,  # seen by verify
            "write": 1026,
        },
        "@ai-sdk/google": {
            "bash": 5098,
            "edit": 1870,
            "glob": 1026,
            "grep": 1095,
            "lsp": 2082,  # seen by verify
            "question": 1426,  # seen by verify
            "read": 1568,
            "skill": 588,
            "task": 3097,
            "todowrite": 2598,
            "webfetch": 1184,
            "websearch": 1836,  # seen by verify
            "write": 938,
        },
    },
    subtask_before=43,
    subtask_after=65,
    agent_mention=94,
    plan_reminder=1446,
    build_reminder=195,
    plan_file=(421, 29, 4155),
    task_id=30,
    summary_base=630,
    summary_asks=32,
    summary_rest=1248,
    summary_prior=(72, 2061),
    summary_result=2000,
    tail_most=15_000,
    tail_least=2000,
    reserved=20_000,
    prune_turns=2,
    prune_keeps=40_000,
    prune_least=20_000,
    most_output={"max_lines": 2000, "max_bytes": 51_200},
    read_lines=2000,
    read_line=2000,
    read_bytes=50 * 1024,
    read_binary=frozenset(f".{each}" for each in _BINARY.split()),
    read_refusal=25,
    url=Timeouts(headers=5.0, total=30.0),
)
# Nothing else differs (wire: all-kinds-v11825; captured: models and tools).
V1_18_25 = replace(NEWEST, version=Version("1.18.25", verified=True), knows_gpt_6=False)
ROWS = (NEWEST, V1_18_25)
