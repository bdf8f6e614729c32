"""The memory of an agent: what it adds to the prompt of that agent (specification, 6)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.harnesses.claude_code.files.at_start import MEMORY, limited, memory_off
from promptls.harnesses.claude_code.files.instruction_file import SentFile
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.kit.candidates import Rule, own
from promptls.kit.javascript import SPACE
from promptls.kit.paths import join, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.claude_code.files.instruction_file import Loader
    from promptls.harnesses.claude_code.listing.agents import Agent

WHY = "an agent with a memory gets the MEMORY.md of its own"
# (wire: agent-memory)
NOT_IN_A_NAME = regex(r"[^A-Za-z0-9_-]")


def of_agent(loader: Loader, agent: Agent, scope: str) -> tuple[Segment, ...]:
    """What the memory of an agent adds to its prompt: Claude Code's own words, then MEMORY.md (wire: agent-memory).

    ``scope`` is whose memory it is. It goes with the auto memory; its file is sent as it is, within the same limits.
    """
    setup = loader.setup
    places = {
        "user": join(setup.directory, "agent-memory"),
        "project": join(setup.cwd, ".claude", "agent-memory"),
        "local": join(setup.cwd, ".claude", "agent-memory-local"),
    }
    directory = join(places[scope], NOT_IN_A_NAME.sub("-", agent.name))
    path = join(directory, MEMORY)
    off = memory_off(loader)
    if off is not None:
        if setup.host.kind(path) is not None:
            loader.draft.candidates.append(Rule(WHY, off).disabled(path, f"{off.name} switches it off"))
        return ()
    why = f"Claude Code tells the agent {agent.name} how to use its memory"
    begins, rest = setup.facts.agent_memory.get(scope, (None, None))
    return (
        tail("\n\n", "provider"),
        elided("provider", NAME, "memory of the agent", why=why, size=begins),
        head(native(join(directory, "")), "provider"),
        elided("provider", NAME, "memory of the agent, rest", why=why, size=rest),
        head(f"## {MEMORY}\n\n", path=path),
        *_of_agent(loader, path),
    )


def _of_agent(loader: Loader, path: str) -> list[Segment]:
    rule = own(WHY)
    contents = loader.setup.host.read(path)
    text = decode(contents.data, keep_bom=False) if contents.state == "file" else ""
    if not text.strip(SPACE):
        loader.draft.candidates.append(
            rule.empty(path) if contents.state == "file" else rule.unread(path, contents.state)
        )
        size = loader.setup.facts.agent_memory_empty
        return [elided("memory", NAME, "note on an empty memory", why=WHY, size=size)]
    loader.draft.candidates.append(rule.loaded(path))
    whole = SentFile(path, Origin("file", path=path), "memory", text, ((0, len(text)),), WHY)
    return limited(loader, whole).segments()
