"""server-large, server-twice: what the tools of MCP servers cost, where it is known what they offer."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.model import Range, Related
from promptls.core.totals import counter_of, offered_tokens, server_tools, window_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Origin, Problem, Prompt, Tool
    from promptls.core.settings import Settings

    Servers = dict[tuple[str, str], list[Tool]]

# The share of the window that the tools of one server may take, and the window where that of the model is not known.
SHARE, USUAL_WINDOW = 0.1, 200_000
# So many names are not the same by chance.
MANY = 3


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """A server whose tools take much of what the model can hold, and two that offer the same."""
    servers: Servers = {}
    for tool in server_tools(prompt):
        if tool.origin.path is not None and tool.size is not None:
            servers.setdefault((tool.origin.path, tool.origin.name or ""), []).append(tool)
    yield from _large(prompt, servers)
    yield from _twice(prompt, servers)


def _large(prompt: Prompt, servers: Servers) -> Iterator[Problem]:
    window = window_of(prompt)
    most = (window or USUAL_WINDOW) * SHARE
    harness = prompt.session.harness
    for (path, name), tools in servers.items():
        tokens = _tokens(prompt, tools)
        if tokens > most:
            share = f", {tokens / window:.0%} of the {window:,} that its model can hold" if window else ""
            message = (
                f"The tools of the MCP server {name} take ~{tokens:,} tokens of each request of "
                f"{specs.of(harness).title}{share}. Leave out tools that nobody needs, or the server."
            )
            yield problem("server-large", path, _range(tools[0].origin), message, harness=harness)


def _twice(prompt: Prompt, servers: Servers) -> Iterator[Problem]:
    """Each server that offers what an earlier one does."""
    harness = prompt.session.harness
    seen: dict[frozenset[tuple[str, int]], Origin] = {}
    for (path, name), tools in servers.items():
        offers = frozenset((each.offered_as, _own_size(each)) for each in tools)
        is_sure = all(each.offered_as for each in tools) and (len(tools) >= MANY or all(each.size for each in tools))
        first = seen.setdefault(offers, tools[0].origin) if is_sure else tools[0].origin
        if first is not tools[0].origin:
            tokens = _tokens(prompt, tools)
            cost = f", for ~{tokens:,} tokens more" if tokens else ""
            what = f"the same {len(tools)} tools" if len(tools) > 1 else "the same tool"
            message = (
                f"{specs.of(harness).title} gets {what} from the MCP servers {first.name} and {name}{cost}. "
                "Remove one of them."
            )
            related = (Related(first.path, _range(first), "This one is the same."),) if first.path else ()
            yield problem("server-twice", path, _range(tools[0].origin), message, harness=harness, related=related)


def _tokens(prompt: Prompt, tools: list[Tool]) -> int:
    count = counter_of(prompt)
    return sum(offered_tokens(each, count) for each in tools)


def _own_size(tool: Tool) -> int:
    """The size of a definition without the name under which it is sent; 0 where only that is."""
    return tool.size - len(tool.name) if tool.size else 0


def _range(origin: Origin) -> Range:
    return origin.range or Range()
