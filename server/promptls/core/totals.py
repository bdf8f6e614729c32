"""How large a prompt is: the same numbers for every view of it."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.model import CONFIGURED, START
from promptls.core.tokens import CALIBRATED, ESTIMATE, SERVICES, counter, family_of
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Prompt, Segment, Tool
    from promptls.core.tokens import Counter


def counter_of(prompt: Prompt) -> Counter:
    """What counts the tokens of a prompt, in every view: by its model, and by what was reported of requests like it."""
    return base_of(prompt).calibrated(prompt.calibration)


def base_of(prompt: Prompt) -> Counter:
    """What counts them without a calibration: for the model of the prompt, else for the one that it would be."""
    spec = specs.of(prompt.session.harness)
    return counter(prompt.model or prompt.counted_as, spec.usual_family, spec.own_text)


def raw_tokens(prompt: Prompt) -> tuple[int, int]:
    """The tokens of the tools and of the text of a prompt, as they are counted without a calibration."""
    count = base_of(prompt)
    tools = tool_tokens(prompt, count)
    return tools, prompt_tokens(prompt, count) - tools


@dataclass(frozen=True, slots=True)
class Reported:
    """The tokens that a service will report of a prompt; ``error`` in percent, how many requests that is from."""

    tokens: int
    method: str
    error: float
    requests: int = 0
    sessions: int = 0


def reported(prompt: Prompt) -> Reported | None:
    """What the service will report: with what it writes around messages, and tools as it writes them.

    None where nobody knows what it does, and nothing is recorded.
    """
    if prompt.stopped is not None:
        return None
    count, known = base_of(prompt).of_sizes(), prompt.calibration
    tools, text = raw_tokens(prompt)
    if known is not None:
        error = count.error if known.error_of_whole is None else known.error_of_whole
        method = ESTIMATE if has_inherited(prompt) else CALIBRATED
        return Reported(known.whole(tools, text), method, error, known.requests, known.sessions)
    model = prompt.model or prompt.counted_as
    service = SERVICES.get((family_of(model) if model else specs.of(prompt.session.harness).usual_family) or "")
    if service is None:
        return None
    messages = len({each.index for each in prompt.messages if each.role != "tools"})
    framed = service.of_request + service.per_message * messages + (service.with_tools if tools else 0)
    return Reported(round(service.tools * tools) + text + framed, ESTIMATE, count.error + service.error)


def segment_tokens(segment: Segment, count: Counter) -> int:
    """The tokens of a segment; for an elided one, by its size, 0 if that is unknown."""
    if segment.elided is None:
        return count(segment.text)
    return count.of_prose(segment.characters)


def definitions_size(prompt: Prompt) -> int:
    """The characters of the definitions of the tools that are offered, as far as they are known."""
    return sum(tool.size or 0 for tool in prompt.tools or () if tool.enabled and not prompt.stopped)


def server_tools(prompt: Prompt) -> list[Tool]:
    """The tools that are offered because the user has configured something: those of MCP servers."""
    return [each for each in prompt.tools or () if each.enabled and not prompt.stopped and is_of_server(each)]


def is_of_server(tool: Tool) -> bool:
    """Whether a tool that is offered is one of a server: a configuration brings it."""
    return tool.origin.kind in CONFIGURED


def tool_tokens(prompt: Prompt, count: Counter) -> int:
    """The tokens of the definitions of tools, but for what messages of the role ``tools`` show of them."""
    texts = [tool.definition for tool in prompt.tools or () if tool.enabled and tool.definition and not prompt.stopped]
    known = definitions_size(prompt) - sum(map(len, texts))
    shown = sum(
        segment.characters for message in prompt.messages if message.role == "tools" for segment in message.segments
    )
    return count.of_tools(max(known - shown, 0)) + sum(map(count.of_definition, texts))


def offered_tokens(tool: Tool, count: Counter) -> int:
    """The tokens of the definition of a tool: by its text where that is known."""
    return count.of_definition(tool.definition) if tool.definition else count.of_tools(tool.size or 0)


def shared_tool_tokens(prompt: Prompt, count: Counter) -> tuple[list[tuple[Tool, int]], int]:
    """The tokens of each tool of a server that takes any or may, and those that the other tools take."""
    rest = tool_tokens(prompt, count)
    found = []
    for tool in server_tools(prompt):
        if tool.size != 0:
            tokens = min(offered_tokens(tool, count), rest)
            found.append((tool, tokens))
            rest -= tokens
    return found, rest


def prompt_tokens(prompt: Prompt, count: Counter, *, at: str | None = None) -> int:
    """The tokens of all messages and tools, or of those that ``at`` brings."""
    messages = sum(
        segment_tokens(segment, count)
        for message in prompt.messages
        if at is None or message.at == at
        for segment in message.segments
    )
    return messages + (tool_tokens(prompt, count) if at in (None, START) else 0)


def total_counter(prompt: Prompt) -> Counter:
    """How the total of a prompt is counted: by its weakest part."""
    count = counter_of(prompt)
    segments = (segment for message in prompt.messages for segment in message.segments)
    has_sizes = definitions_size(prompt) or any(each.elided is not None and each.elided.size for each in segments)
    return count.of_sizes(has_inherited=has_inherited(prompt)) if has_sizes else count


def has_inherited(prompt: Prompt) -> bool:
    """Whether some sizes are those of another version, which ``promptls learn`` has not seen."""
    return prompt.learned is not None and prompt.learned.inherited > 0


def is_own_only(prompt: Prompt) -> bool:
    """Whether nobody has seen what the harness itself sends, so that every size is of the user's own text."""
    if prompt.tier != "documented" or prompt.tools is not None:
        return False
    own = [
        segment
        for message in prompt.messages
        for segment in message.segments
        if segment.origin.path is None and segment.origin.url is None and segment.layer != "runtime"
    ]
    return all(each.elided is not None and each.elided.size is None for each in own)


def is_at_least(prompt: Prompt) -> bool:
    """Whether the size of some part of the prompt is unknown, so that every total is a minimum."""
    return prompt.stopped is None and (
        is_own_only(prompt)
        or any(tool.enabled and tool.size is None for tool in prompt.tools or ())
        or any(
            segment.elided is not None and segment.elided.size is None
            for message in prompt.messages
            for segment in message.segments
        )
    )


def window_of(prompt: Prompt) -> int | None:
    """The context window of the prompt's model in tokens, None if it is not known."""
    if prompt.window or not prompt.model:
        return prompt.window
    from promptls.core.windows import window  # noqa: PLC0415 - most folders name no model

    return window(prompt.model)


def loaded_files(prompt: Prompt) -> list[str]:
    """The files and URLs whose text is in the prompt as an instruction, in order, each once."""
    return list(
        dict.fromkeys(
            place
            for message in prompt.messages
            for segment in message.segments
            if segment.layer != "runtime" and (place := segment.origin.path or segment.origin.url)
        )
    )
