"""What an MCP server answers when a program asks it: its tools, its instructions, and how long it takes to say so."""

from __future__ import annotations

from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    # It ends at once, or answers with an error: to the first request, or when it is asked for its tools.
    Failure = Literal["", "start", "init", "list"]


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as tools/list has it. ``schema`` is its inputSchema as JSON; ``meta`` is ``_meta``."""

    name: str
    description: str | None = None
    schema: Any = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OfferedPrompt:
    """A prompt as prompts/list has it: its name, and those of its arguments in order."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What a server answers.

    ``delay`` and ``list_delay``: seconds until it has answered to initialize and to tools/list. ``page``: the number of
    tools on a page of the list, 0 where that has one page. ``changed``: the list after ``changed_after`` calls of its
    tools, None where it stays. ``file``: the file that an argument of its command names, to tell two servers of one
    name apart.
    """

    tools: tuple[OfferedTool, ...] = ()
    instructions: str | None = None
    prompts: tuple[OfferedPrompt, ...] = ()
    resources: tuple[str, ...] = ()
    delay: float = 0
    list_delay: float = 0
    page: int = 0
    failure: Failure = ""
    changed: tuple[OfferedTool, ...] | None = None
    changed_after: int = 0
    file: str = ""

    def left(self, only: frozenset[str] | None, without: frozenset[str]) -> tuple[OfferedTool, ...]:
        """The tools that a configuration leaves, which names those that count, None for all, and those that do not."""
        return tuple(each for each in self.tools if (only is None or each.name in only) and each.name not in without)

    def tools_after(self, calls: int) -> tuple[OfferedTool, ...]:
        """The list of tools after so many calls of its tools."""
        return self.changed if self.changed is not None and calls >= self.changed_after else self.tools
