"""learn-claude-code, lesson s10: a system prompt of sections, assembled from the real state and cached by it.

The cache has one entry, keyed by the context: the enabled tools, the workspace and the memories. The context is
computed at start, after each round of tools and at the end of a turn. So of the calls of one preview, which sees
the files as they are now, the first one misses and each later one hits. Two previews have the same context if and
only if their system messages are the same text.
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment, Tool
from promptls.harnesses.learn_claude_code.spec import SPEC
from promptls.harnesses.learn_claude_code.versions import ROWS
from promptls.kit.base import described
from promptls.kit.chain import Chain, Frame, Reading, without_space
from promptls.kit.paths import native
from promptls.kit.segments import tail
from promptls.kit.versions import row
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session

BETWEEN = "\n\n"
ENABLED_TOOLS = ("bash", "read_file", "write_file")

WHY_ALWAYS = "always loaded: it is the same for every state"
WHY_WORKSPACE = "always loaded: workspace of the context, where the lesson was started"
WHY_PLAIN = "learn-claude-code adds no instructions to what is typed or read"
WHY_TOOL = "it is one of enabled_tools in the context; the tools section is a fixed text all the same"

# A directory of this name is opened as a file, and the program ends (wire: memory-is-directory).
MEMORY = Chain(
    names=(".memory/MEMORY.md",),
    why="loaded on demand: memories of the context, .memory/MEMORY.md of the working directory and of no other",
    reading=Reading(
        parts=without_space,
        has_unix_lines=True,
        empty="it is blank, so the section memory is not loaded",
        ends_if=("unreadable", "not UTF-8"),
        layer="memory",
    ),
)
FRAME = Frame(before=BETWEEN, label="Relevant memories:\n", layer="memory")


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of the lesson for a session."""
    writer = Writer(SPEC, session, host)
    facts = row(ROWS, session.version)
    memory = FRAME.around(writer.find(MEMORY))
    place = f"Working directory: {native(writer.cwd)}"
    writer.system(
        # Neither is made from the context: also the tools are a fixed text.
        writer.own("section identity", why=WHY_ALWAYS, size=facts.identity),
        tail(BETWEEN, "provider"),
        writer.own("section tools", why=WHY_ALWAYS, size=facts.tools, layer="tools"),
        tail(BETWEEN, "provider"),
        Segment("environment", "section workspace", place, COMPUTED, WHY_WORKSPACE),
        *memory,
    )
    writer.chat(index=1, why=WHY_PLAIN)
    writer.draft.notes += () if writer.draft.stopped else _trace(session, has_memory=bool(memory))
    return writer.prompt(tools=tuple(Tool(name, enabled=True, why=WHY_TOOL) for name in ENABLED_TOOLS))


def _trace(session: Session, *, has_memory: bool) -> Iterator[str]:
    """What the program prints at each of the session's calls, in its own words (wire: cache-hits)."""
    names = ("identity", "tools", "workspace", *(["memory"] if has_memory else []))
    yield f"Call 1, at start: [assembled] sections: {', '.join(names)} (a miss: the cache is still empty)."
    for number, read in enumerate(session.reads, 2):
        yield (
            f"Call {number}, after reading {read}: [cache hit] system prompt unchanged "
            "(enabled_tools, workspace and memories are the same)."
        )


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "The sections identity, tools and workspace, always",
        "The section memory: .memory/MEMORY.md of the working directory, unless it is missing or blank",
    ),
)
