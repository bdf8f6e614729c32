"""What is known of each version of Codex: a row for each, and code asks the row.

Sections are those of the specification; sizes are characters, counted in captured requests.
"""

from __future__ import annotations

from promptls.core.values import dataclass, replace
from promptls.harnesses.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal


@dataclass(frozen=True, slots=True)
class Model:
    """What a model decides over the request; a size is None where nobody has measured it."""

    base: int | None
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


@dataclass(frozen=True, slots=True)
class Skills:
    """The list of skills (section 2): limits, and the sizes of Codex's own texts."""

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
    models: Mapping[str, Model]
    default_model: str
    # Models of Codex's own catalogue begin so; those that were not captured are as ``uncaptured`` says, those that
    # it does not know as ``unknown`` says.
    catalogue: tuple[str, ...]
    uncaptured: Model
    unknown: Model
    # project_doc_max_bytes and project_root_markers where nothing sets them (section 1).
    max_bytes: int
    markers: tuple[str, ...]
    # Tokens.
    context_window: int
    skills: Skills
    permissions: Permissions
    # The messages for models with sub-agents of version 2, the first one for a sub-agent itself, and the note beside
    # those of version 1 (sections 8 and 10).
    agents_role: int
    agents_role_below: int
    agents_mode: int
    agents_note: int
    plugins: int
    # The description of the role that is called default (section 10).
    default_role: int
    # Bytes of the memory summary (section 9), characters of a server's first line (section 8), tokens of the output of
    # a hook (section 11).
    memory_bytes: int
    server_line: int
    hook_tokens: int


NEWEST = Facts(
    Version("0.169.0", verified=True),
    models={
        "gpt-6.1-sol": Model(21_769, has_tool_item=True, is_deferred=True, agents="v2", mode=879, mode_interactive=879),
        "gpt-5.6-luna": Model(17_730, has_tool_item=True, is_deferred=True),
        "gpt-5.5": Model(21_299, is_deferred=True, has_usage=True),
    },
    default_model="gpt-6.1-sol",
    catalogue=("gpt-", "codex"),
    uncaptured=Model(None, has_tool_item=True, is_deferred=True, agents="v2", mode=None),
    unknown=Model(16_979, mode_interactive=1329),
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
    agents_role_below=2416,
    agents_mode=234,
    agents_note=43,
    plugins=1014,
    default_role=14,
    memory_bytes=10_000,
    server_line=250,
    hook_tokens=2500,
)
# (wire: all-kinds-v166)
V0_166 = replace(
    NEWEST,
    version=Version("0.166.0", verified=True),
    skills=replace(NEWEST.skills, built_in={**NEWEST.skills.built_in, "openai-docs": 459}),
)
ROWS = (NEWEST, V0_166)
