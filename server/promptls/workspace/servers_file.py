"""What MCP servers answered, as JSON, as ``preview --servers`` takes it: the name of each, and its answers.

Always imported late: pydantic costs more than a whole preview.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from promptls.core.servers import OfferedPrompt, OfferedTool, ServerAnswer
from promptls.errors import UsageError
from promptls.workspace.invalid import sentence

# A file that is longer holds no answers (bytes). The largest server that was seen answers with 1 MiB.
MOST = 64 * 1024 * 1024
HELP = "see “promptls preview --help”"


class _Part(BaseModel):
    # Servers say more than a program passes on: titles, annotations, schemas of results.
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class ToolOptions(_Part):
    """A tool, as tools/list has it."""

    name: str
    description: str | None = None
    inputSchema: Any = Field(default_factory=dict)  # noqa: N815 - the name that the protocol gives it
    meta: dict[str, Any] = Field(default_factory=dict, alias="_meta")


class ArgumentOptions(_Part):
    """An argument of a prompt."""

    name: str


class PromptOptions(_Part):
    """A prompt, as prompts/list has it."""

    name: str
    arguments: list[ArgumentOptions] | None = None


class ResourceOptions(_Part):
    """A resource, as resources/list has it."""

    uri: str


class ChangedOptions(_Part):
    """Another list of tools, after some calls."""

    tools: list[ToolOptions]
    after: int = Field(1, ge=0, description="The number of calls.")


class ServerOptions(_Part):
    """What a server answers."""

    tools: list[ToolOptions] = Field(default_factory=list, description="The answer to tools/list.")
    instructions: str | None = Field(None, description="What it says of itself.")
    prompts: list[PromptOptions] = Field(default_factory=list, description="The answer to prompts/list.")
    resources: list[ResourceOptions] = Field(default_factory=list, description="The answer to resources/list.")
    delay: float = Field(0, ge=0, description="Seconds until it answers to initialize.")
    list_delay: float = Field(0, ge=0, description="Seconds until it answers to tools/list.")
    page: int = Field(0, ge=0, description="Tools on a page of the list; 0 for one page.")
    fail: Literal["start", "init", "list"] | None = Field(
        None, description="It ends at once, or answers with an error to initialize or to tools/list."
    )
    changed: ChangedOptions | None = Field(None, description="Its list of tools after some calls.")
    file: str | None = Field(
        None, description="The file, without its ending, that an argument of its command names: for two of one name."
    )


def parse(text: bytes, name: str) -> Mapping[str, ServerAnswer]:
    """The answers in a file, by the name of the server; ``name`` is the subject of a sentence about it.

    Raises:
        UsageError: it is too long, or not valid.
    """
    if len(text) > MOST:
        raise UsageError(f"{name} is larger than {MOST // 1024 // 1024} MiB; {HELP}.")
    try:
        found = TypeAdapter(dict[str, ServerOptions]).validate_json(text)
    except ValidationError as error:
        raise UsageError(f"{name} is not valid: {sentence(dict(error.errors()[0]))}; {HELP}.") from None
    return {each: _answer(options) for each, options in found.items()}


def _answer(of: ServerOptions) -> ServerAnswer:
    return ServerAnswer(
        tools=_tools(of.tools),
        instructions=of.instructions,
        prompts=tuple(OfferedPrompt(each.name, tuple(one.name for one in each.arguments or ())) for each in of.prompts),
        resources=tuple(each.uri for each in of.resources),
        delay=of.delay,
        list_delay=of.list_delay,
        page=of.page,
        failure=of.fail or "",
        changed=_tools(of.changed.tools) if of.changed is not None else None,
        changed_after=of.changed.after if of.changed is not None else 0,
        file=of.file or "",
    )


def _tools(listed: Sequence[ToolOptions]) -> tuple[OfferedTool, ...]:
    return tuple(OfferedTool(each.name, each.description, each.inputSchema, each.meta) for each in listed)
