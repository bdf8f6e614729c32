"""learn-claude-code, lesson s10: a system prompt of sections, assembled from the real state and cached by it.

The cache has one entry, keyed by the context: the enabled tools, the workspace and the memories. The context is
computed at start, after each round of tools and at the end of a turn. So of the calls of one preview, which sees
the files as they are now, the first one misses and each later one hits. Two previews have the same context if and
only if their system messages are the same text.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment, Tool
from promptls.harnesses.learn_claude_code.spec import SPEC
from promptls.harnesses.learn_claude_code.versions import ROWS
from promptls.kit.base import described
from promptls.kit.candidates import NOTHING, STATE_SAYS, argument, our_cut, own
from promptls.kit.draft import Draft
from promptls.kit.paths import join, native
from promptls.kit.python import stripped
from promptls.kit.segments import elided, head, tail
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt, Session

MEMORY_FILE = ".memory/MEMORY.md"
ENABLED_TOOLS = ("bash", "read_file", "write_file")

WHY_ALWAYS = "always loaded: it is the same for every state"
WHY_WORKSPACE = "always loaded: workspace of the context, where the lesson was started"
WHY_MEMORY = "loaded on demand: memories of the context, .memory/MEMORY.md of the working directory and of no other"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of the lesson for a session."""
    draft = Draft(session)
    facts = row(ROWS, session.version)
    cwd = host.realpath(session.cwd)
    memory, stopped = _memory(draft, host, join(cwd, MEMORY_FILE))
    sections = [
        # Neither is made from the context: also the tools are a fixed text.
        [elided("provider", "learn-claude-code", "section identity", why=WHY_ALWAYS, size=facts.identity)],
        [elided("tools", "learn-claude-code", "section tools", why=WHY_ALWAYS, size=facts.tools)],
        [
            Segment(
                "environment",
                "section workspace",
                f"Working directory: {native(cwd)}",
                Origin("computed"),
                WHY_WORKSPACE,
            )
        ],
    ]
    names = ["identity", "tools", "workspace"]
    if memory is not None:
        sections.append([head("Relevant memories:\n", "memory"), memory])
        names.append("memory")
    draft.add_message("system", _joined(sections), index=0)
    for index, read in enumerate(session.reads, 2):
        result = elided("runtime", "learn-claude-code", f"result of reading {read}", why="the session reads this file")
        draft.add_message("tool", [result], index=index, at=f"read:{read}")
    if not stopped:
        draft.notes += _trace(session, names)
    draft.candidates += _left_out(session)
    why = "it is one of enabled_tools in the context; the tools section is a fixed text all the same"
    return draft.prompt(
        model=session.model,
        verified=True,
        tools=tuple(Tool(name, enabled=True, why=why) for name in ENABLED_TOOLS),
        stopped=stopped,
        stopped_by=Origin("file", path=join(cwd, MEMORY_FILE)) if stopped else None,
    )


def _joined(sections: list[list[Segment]]) -> Iterator[Segment]:
    for at, section in enumerate(sections):
        yield tail("\n\n" if at else "", "provider")
        yield from section


def _memory(draft: Draft, host: Host, path: str) -> tuple[Segment | None, str | None]:
    """The stripped text of the memory index, if there is any; or why the program ends."""
    contents = host.read(path)
    rule = own(WHY_MEMORY)
    if contents.state in NOTHING:
        draft.candidates.append(rule.unread(path, contents.state, ", so the section memory is not loaded"))
        return None, None
    if contents.state != "file":
        # The file exists for the program, and reading it raises (wire: memory-is-directory).
        draft.candidates.append(rule.unread(path, contents.state))
        return None, f"learn-claude-code ends with an error at {path}: {STATE_SAYS[contents.state]}. {ADVICE}"
    cut = our_cut(contents)
    try:
        text = contents.data.decode("utf-8", "ignore" if cut else "strict")
    except UnicodeDecodeError as error:
        draft.candidates.append(rule.failed(path, f"byte {error.start + 1} is not UTF-8"))
        says = f"learn-claude-code ends with an error at {path}: its byte {error.start + 1} is not UTF-8. {ADVICE}"
        return None, says
    sent, where = stripped(path, text)
    if not sent:
        draft.candidates.append(rule.empty(path, "it is blank, so the section memory is not loaded"))
        return None, None
    draft.candidates.append(rule.read(path, contents))
    return Segment("memory", "section memory", sent, where, WHY_MEMORY, "turn", cut), None


ADVICE = "Put a UTF-8 text file there or remove it."


def _trace(session: Session, names: list[str]) -> Iterator[str]:
    """What the program prints at each of the session's calls, in its own words (wire: cache-hits)."""
    yield f"Call 1, at start: [assembled] sections: {', '.join(names)} (a miss: the cache is still empty)."
    for number, read in enumerate(session.reads, 2):
        yield (
            f"Call {number}, after reading {read}: [cache hit] system prompt unchanged "
            "(enabled_tools, workspace and memories are the same)."
        )


def _left_out(session: Session) -> Iterator[Candidate]:
    """What has no meaning for this harness."""
    if session.agent is not None:
        yield argument("--agent", "learn-claude-code has no agents")
    if session.hints:
        yield argument("--hint", "learn-claude-code has no hints")
    for arg in session.args:
        yield argument(arg, "the lesson has no arguments")


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "The sections identity, tools and workspace, always",
        "The section memory: .memory/MEMORY.md of the working directory, unless it is missing or blank",
    ),
)
