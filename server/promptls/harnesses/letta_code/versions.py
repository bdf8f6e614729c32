"""What is known of each version of Letta Code: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters."""

    version: Version
    # What EnterWorktree shows of an AGENTS.md (captured: worktree-large).
    worktree: int
    # The skills that it brings, by name [source: skills].
    built_in: tuple[str, ...]
    # The agents that it brings, in the order of its list (captured: subagent-rev) [source].
    agents: tuple[str, ...]
    # Of the local backend, counted in captured requests: the text of a new agent, and the definition of each tool.
    base: int
    tools: Mapping[str, int]


NEWEST = Facts(
    Version("0.32.18", verified=True),
    worktree=30_000,
    built_in=(
        "acquiring-skills",
        "browser-use",
        "context-doctor",
        "creating-mods",
        "creating-skills",
        "customizing-commands",
        "customizing-statusline",
        "dispatching-coding-agents",
        "editing-letta-code-desktop-preferences",
        "finding-agents",
        "initializing-memory",
        "letta-guide",
        "messaging-agents",
        "migrating-memory",
        "scheduling-tasks",
        "self-configuration",
        "submitting-feedback",
        "syncing-memory-filesystem",
        "using-mcp-tools",
        "workflow-authoring",
    ),
    agents=("fork", "general-purpose", "history-analyzer", "init", "memory", "recall", "reflection"),
    base=20_707,
    tools={
        "Bash": 13_545,
        "Monitor": 7636,
        "EnterWorktree": 7676,
        "ExitWorktree": 2981,
        "SetWorkingDirectory": 985,
        "Edit": 2015,
        "TaskStop": 658,
        "memory": 4029,
        "Read": 2117,
        "Skill": 1565,
        "Workflow": 6302,
        "Agent": 11_221,
        "SendAgentMessage": 2745,
        "TaskCreate": 2382,
        "TaskGet": 597,
        "TaskList": 791,
        "TaskUpdate": 3505,
        "Write": 1325,
    },
)
ROWS = (NEWEST,)
