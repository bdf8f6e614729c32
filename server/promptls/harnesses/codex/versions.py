"""What is known of each version of Codex: a row for each, and code asks the row.

Sections are those of the specification; sizes are characters, counted in captured requests.
"""

from __future__ import annotations

from promptls.core.values import dataclass, field, replace
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal


@dataclass(frozen=True, slots=True)
class Model:
    """What a model decides over the request; a size is None where nobody has measured it.

    Sizes are counted in a captured request of each (surfaces, 1 and 6; captured: each model of the catalogue).
    """

    base: int | None
    # How much of it says what the model is like, which personality = "none" leaves out.
    personality: int | None = None
    # The tools are the first item of the request, not a list of their own (section 1).
    has_tool_item: bool = False
    # Tools of servers and of sub-agents are named only, and looked up when they are needed (section 8).
    is_deferred: bool = False
    agents: Literal["v1", "v2"] = "v1"
    # How to use skills and plugins, after their lists (sections 2 and 7).
    has_usage: bool = False
    # The text of the collaboration mode in ``codex exec``, 0 for none, and in the interactive program (section 6).
    mode: int | None = 0
    mode_interactive: int | None = None
    # Where a reviewer is asked, its text stands alone: without what others read of approvals, and without prefixes.
    reviewer_alone: int | None = None
    # The role among sub-agents of version 2 stands between tags; without them the text is another one.
    has_role_tag: bool = False
    # With the highest effort, the mode among sub-agents is another text (captured: effort-ultra-default; [source] for
    # which models).
    has_ultra: bool = False
    # The definitions of tools as JSON, those of a namespace together.
    tools: Mapping[str, int] = field(default_factory=dict)
    # Those that are of another size in a sub-agent, and all that a review has: a size is None where nobody measured it.
    tools_below: Mapping[str, int | None] = field(default_factory=dict)
    tools_of_review: Mapping[str, int | None] = field(default_factory=dict)
    # What a sub-agent that has its parent's whole history is told that it has not got (captured: subagent-v2-fork).
    forked_without: tuple[str, ...] = ("functions.request_user_input_async",)


@dataclass(frozen=True, slots=True)
class Skills:
    """The list of skills (surfaces, 2): limits, and the sizes of Codex's own texts."""

    # Codex's own, with the sizes of their descriptions.
    built_in: Mapping[str, int]
    intro: int
    usage: int
    # Characters; a description is cut to make room for the dots.
    longest_name: int
    longest_description: int
    # How deep below a root, and in how many directories of it.
    depth: int
    directories: int
    # Of the context window, where nothing says how much the list may take.
    percent: int


@dataclass(frozen=True, slots=True)
class Permissions:
    """The permission part (section 5)."""

    sandbox: int
    modes: Mapping[str, int]
    never: int
    on_request: int
    reviewer: int
    denied: int
    # How many approved prefixes are listed, and how many characters of them.
    prefixes: int
    prefix_characters: int


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # Codex's own catalogue: a model is the one whose name its own begins with, the longest of them.
    models: Mapping[str, Model]
    default_model: str
    unknown: Model
    # project_doc_max_bytes and project_root_markers where nothing sets them (section 1).
    max_bytes: int
    markers: tuple[str, ...]
    # Tokens.
    context_window: int  # (surfaces, 2: skills-budget-default)
    skills: Skills
    permissions: Permissions
    # The messages for models with sub-agents of version 2, the first one for a sub-agent itself, and the note beside
    # those of version 1 (sections 8 and 10).
    agents_role: int  # (surfaces, 1: skills-model-default)
    agents_role_untagged: int  # (captured)
    agents_role_below: int
    agents_role_below_untagged: int
    agents_mode: int
    agents_mode_ultra: int
    agents_note: int
    # Whether the tools for sub-agents are named where they are looked up.
    names_agents: bool
    # What the definition of the tool that starts sub-agents says before its roles, and the roles of Codex's own
    # (surfaces, 10).
    roles_intro: Mapping[str, int]
    built_in_roles: Mapping[str, int]
    # How much longer these are in JSON, where breaks and quotation marks are escaped, by their titles (captured).
    roles_escapes: Mapping[str, int]
    # Tools that come with any server, where tools are functions of their own (section 8).
    resource_tools: Mapping[str, int]
    # Namespaces of tools of the program on the screen (captured: interactive-start).
    screen_tools: Mapping[str, int]
    # The collaboration mode of plan mode, the same for each model; the base text of a review, and what it is asked for
    # where it is held against a branch; what is said before the base text of the model that a role changes to, without
    # its tags (captured: mode-plan, review-exec, review-top, subagent-v1-role-model).
    plan_mode: int
    review: int
    review_of_branch: int
    model_switch: int
    # The text that /init stands for on the screen (captured by verify).
    init: int | None
    # What begins a sub-agent that has its parent's whole history (captured: subagent-v2-fork).
    forked: int
    # Compaction: the request for a summary, what is said before it, and how many tokens of prompts are kept
    # (captured: compact-typed-summary, compact-typed, compact-long-prompts).
    compaction_prompt: int
    summary_frame: int
    kept_prompts: int
    # A search that goes to the web and not to a cache has a definition of another length: the difference (captured:
    # agents-changed-turn).
    live_search: int
    # The same for one that goes to pages that an index knows.
    indexed_search: int
    # Tokens of the output of a command that are sent [source]; how long its number and its time are, and the number of
    # a sub-agent of version 1 (captured: subagent-v1-role, subagent-v1-role-main).
    command_output: int
    output_id: int
    output_time: int
    agent_id: int
    plugins: int
    # Bytes of the memory summary (section 9), characters of a server's first line (section 8), tokens of the output of
    # a hook (section 11).
    memory_bytes: int
    server_line: int
    hook_tokens: int
    # Seconds that servers are waited for before the first request.
    server_wait: float
    # Of the name of a server's tool with that of its namespace, and of the schema of a tool in bytes.
    tool_name: int
    schema_bytes: int
    # What tool_search says before the namespaces, where these do not stand in the prompt.
    search_list: int


# What [features] do to the definitions of tools where they are set to what is not usual: by how much each is longer, or
# None where it is not sent (counted in requests of 0.171.0, with four models).
FEATURES: dict[str, tuple[bool, dict[str, int | None]]] = {
    "goals": (True, {"functions": -3038, "get_goal": None, "create_goal": None, "update_goal": None}),
    "sleep_tool": (True, {"clock": None}),
    "shell_tool": (True, {"functions": -3023, "exec_command": None, "write_stdin": None}),
    "unified_exec_tty": (True, {"functions": -97, "exec_command": -114}),
    "default_mode_request_user_input": (False, {"functions": 11, "request_user_input": 11}),
    "view_image": (True, {"functions": -372, "view_image": None}),
}
# Those that change a request in a way that is not modelled, where they are set to this (seen by verify, with 0.171.0).
FEATURES_NOT_MODELLED = {
    "unified_image_budget": False,
    **dict.fromkeys(
        (
            *(
                "command_sessions_world_state",
                "current_time_reminder",
                "deferred_executor",
                "exec_permission_approvals",
            ),
            *("executor_capability_discovery_v2", "model_catalog_in_context", "multi_env_copy_file"),
            *("multi_environment_mcp", "omit_skill_descriptions", "per_environment_context"),
            *("request_permissions_tool", "skill_catalog_deltas", "token_budget", "utc_environment_date"),
        ),
        True,
    ),
}
# Other keys that change a request in such a way, whatever they say (seen by verify, with 0.171.0).
KEYS_NOT_MODELLED = (
    *("model_catalog_json", "features.code_mode.default_exec_yield_time_ms"),
    "features.code_mode.direct_only_tool_namespaces",
    *(
        f"features.multi_agent_v2.{name}"
        for name in (
            *("min_wait_timeout_ms", "max_wait_timeout_ms", "usage_hint_text", "tool_namespace", "wait_agent_enabled"),
            *("hide_spawn_agent_metadata", "disable_native_tools", "disable_direct_message"),
        )
    ),
)


# Counted in captured requests: the tools of a model that runs code, of gpt-5.5, and of one that Codex does not know.
_CODE = {"functions": 16_551}
_NEW_CODE = {"functions": 18_356, "clock": 527}
_AGENTS = {"collaboration": 5362}
_PLAIN = {"exec_command": 1564, "write_stdin": 784, "request_user_input": 1355, "view_image": 371}
_GOALS = {"get_goal": 281, "create_goal": 760, "update_goal": 2172}


# A model of the catalogue that runs code and has sub-agents of version 2, and one since gpt-6.
_CODE_MODEL = Model(
    17_730,
    has_tool_item=True,
    is_deferred=True,
    agents="v2",
    tools={**_CODE, **_AGENTS},
    tools_of_review={"functions": None},
)
_MODEL_6 = replace(
    _CODE_MODEL,
    base=21_420,
    mode=879,
    reviewer_alone=439,
    has_role_tag=True,
    tools={**_NEW_CODE, **_AGENTS},
    tools_below={"functions": 16_856},  # (captured: subagent-v2-default)
    tools_of_review={"functions": 13_818, "clock": 527},  # (captured: review-exec-default-model)
)


V0_169 = Facts(
    Version("0.169.0", verified=True),
    models={
        "gpt-6.1-sol": replace(_MODEL_6, base=21_769, mode_interactive=879, has_ultra=True),
        "gpt-6.1-terra": replace(_MODEL_6, mode=1015, has_ultra=True),
        "gpt-6-astra": replace(_MODEL_6, has_ultra=True),
        "gpt-6-luna": replace(_MODEL_6, base=18_037),
        "gpt-6-sol": replace(_MODEL_6, base=18_992),
        "gpt-5.6-sol": _CODE_MODEL,
        "gpt-5.6-terra": _CODE_MODEL,
        "gpt-daybreak-blue-latest": replace(_CODE_MODEL, base=17_298),
        "gpt-daybreak-red-latest": replace(_CODE_MODEL, base=17_297),
        "gpt-5.6-luna": Model(
            17_730, has_tool_item=True, is_deferred=True, tools=_CODE, tools_of_review={"functions": None}
        ),
        "gpt-5.5": Model(
            21_299,
            is_deferred=True,
            has_usage=True,
            tools={**_PLAIN, "apply_patch": 846, **_GOALS, "tool_search": 699, "web_search": 89},
            tools_of_review={**_PLAIN, "apply_patch": 846},
        ),
    },
    default_model="gpt-6.1-sol",
    unknown=Model(
        16_979,
        mode_interactive=1288,  # (captured: interactive-start)
        tools={**_PLAIN, "multi_agent_v1": 9925, **_GOALS, "web_search": 49},
        tools_of_review=_PLAIN,  # (captured: review-exec)
    ),
    max_bytes=32_768,  # (wire: default-32k-drops-nested)
    markers=(".git",),
    context_window=272_000,
    skills=Skills(
        built_in={"imagegen": 570, "openai-docs": 624, "skill-creator": 106, "skill-installer": 225},
        intro=261,
        usage=2531,
        longest_name=64,
        longest_description=1024,
        depth=6,
        directories=2000,
        percent=2,
    ),
    permissions=Permissions(
        sandbox=66,
        modes={"read-only": 39, "workspace-write": 137, "danger-full-access": 54},
        never=84,
        on_request=3660,
        reviewer=253,
        denied=168,
        prefixes=100,
        prefix_characters=5000,
    ),
    agents_role=2363,
    agents_role_untagged=2235,
    agents_role_below=2416,
    agents_role_below_untagged=2208,
    agents_mode=234,
    agents_mode_ultra=483,
    agents_note=43,
    names_agents=True,
    roles_intro={"v1": 133, "v2": 147},
    built_in_roles={"default": 14, "explorer": 1005, "worker": 1036},
    roles_escapes={"spawn_agent": 1, "role explorer": 6, "role worker": 9},
    resource_tools={"list_mcp_resources": 628, "list_mcp_resource_templates": 717, "read_mcp_resource": 526},
    screen_tools={"mcp__codex_tui": 5558},
    plan_mode=8757,
    review=7666,
    review_of_branch=281,
    init=None,
    model_switch=126,  # (seen by verify)
    forked=365,
    compaction_prompt=426,
    summary_frame=400,
    kept_prompts=20_000,
    live_search=-1,
    indexed_search=25,  # counted in requests of 0.171.0
    command_output=10_000,
    output_id=6,
    output_time=6,
    agent_id=36,
    plugins=1014,
    memory_bytes=10_000,
    server_line=250,
    server_wait=1,  # (captured: slow-fine)
    tool_name=128,  # (surfaces, 8: mcp-schema)
    schema_bytes=5000,  # (captured: schema-limit-2)
    search_list=39,  # (captured: flag-world-state)
    hook_tokens=2500,
)


# The definitions that are of another size there (wire: all-kinds-v166).
_TOOLS_166 = {
    ("functions", 18_356): 18_977,
    ("functions", 16_551): 17_172,
    ("view_image", 371): 526,
    ("tool_search", 699): 804,
}
# (wire: all-kinds-v166)
V0_166 = replace(
    V0_169,
    version=Version("0.166.0", verified=True),
    models={
        name: replace(
            model,
            tools={tool: _TOOLS_166.get((tool, size), size) for tool, size in model.tools.items()},
            # Nobody has measured these.
            tools_below=dict.fromkeys(model.tools_below),
            tools_of_review=dict.fromkeys(model.tools_of_review),
        )
        for name, model in V0_169.models.items()
    },
    skills=replace(V0_169.skills, built_in={**V0_169.skills.built_in, "openai-docs": 459}),
    names_agents=False,
)
# The definitions that are of another size there; what is not among them was not measured (wire: all-kinds-v171;
# captured: 48 sessions of promptls learn).
_TOOLS_171: Mapping[tuple[str, int | None], int] = {
    ("functions", 18_356): 18_321,
    ("functions", 16_551): 16_516,
    ("collaboration", 5362): 6324,
    ("exec_command", 1564): 1529,
    ("multi_agent_v1", 9925): 10_887,
    # In a sub-agent, and in reviews, which nobody had measured with all models (seen by verify).
    ("functions", 16_856): 16_821,
    ("functions", 13_818): 13_783,
    ("functions", None): 13_478,
}
# (captured: each model of the catalogue)
_BASES_171 = {
    "gpt-6.1-sol": 21_524,
    "gpt-6.1-terra": 21_175,
    "gpt-6-astra": 21_175,
    "gpt-6-luna": 17_793,
    "gpt-6-sol": 18_748,
    "gpt-daybreak-blue-latest": 17_730,
    "gpt-daybreak-red-latest": 17_729,
}
# (seen by verify)
_PERSONALITIES_171 = {
    "gpt-6.1-sol": 4346,
    **dict.fromkeys(("gpt-6.1-terra", "gpt-6-astra"), 3998),
    **dict.fromkeys(("gpt-6-luna", "gpt-6-sol"), 1869),
    **dict.fromkeys(("gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"), 2081),
    **dict.fromkeys(("gpt-daybreak-blue-latest", "gpt-daybreak-red-latest"), 2081),
    "gpt-5.5": 1724,
    "": 0,
}
_MODELS_171 = {
    name: replace(
        model,
        base=_BASES_171.get(name, model.base),
        personality=_PERSONALITIES_171[name],
        tools={tool: _TOOLS_171.get((tool, size), size) for tool, size in model.tools.items()},
        tools_below={tool: _TOOLS_171.get((tool, size), size) for tool, size in model.tools_below.items()},
        tools_of_review={tool: _TOOLS_171.get((tool, size), size) for tool, size in model.tools_of_review.items()},
    )
    for name, model in {**V0_169.models, "": V0_169.unknown}.items()
}
# (captured: default model; wire: all-kinds-v171)
_GPT_6_2_SOL = replace(
    _MODELS_171["gpt-6.1-sol"],
    base=25_933,
    personality=4651,  # (seen by verify)
    mode=1015,
    mode_interactive=1015,
    tools={**_MODELS_171["gpt-6.1-sol"].tools, "functions": 19_216},
    # (seen by verify)
    forked_without=("functions.request_user_input_async", "functions.send_message_to_user_async"),
)
NEWEST = replace(
    V0_169,
    version=Version("0.171.0", verified=True, like="0.169.0"),
    models={"gpt-6.2-sol": _GPT_6_2_SOL, **{name: model for name, model in _MODELS_171.items() if name}},
    default_model="gpt-6.2-sol",
    unknown=_MODELS_171[""],
    init=1832,  # seen by verify
)
ROWS = (NEWEST, V0_169, V0_166)
