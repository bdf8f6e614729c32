"""What is said to Gemini CLI and done: the first message, what the user types, and the results of tools."""

from __future__ import annotations

from promptls.core.model import COMPUTED, START, Origin, Segment
from promptls.harnesses.gemini_cli import commands, mentions, servers, skills
from promptls.harnesses.gemini_cli.environment import session_context
from promptls.harnesses.gemini_cli.loaded import nearby
from promptls.harnesses.gemini_cli.read import read_result
from promptls.harnesses.gemini_cli.system import system_of_agent
from promptls.harnesses.gemini_cli.tree import Ignored
from promptls.kit import tool_input as calls
from promptls.kit.paths import is_below, native, parent
from promptls.kit.pieced_text import after, before, segments
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Call, Session
    from promptls.harnesses.gemini_cli.agents import Agent
    from promptls.harnesses.gemini_cli.known import Known
    from promptls.harnesses.gemini_cli.loaded import Loaded
    from promptls.harnesses.gemini_cli.places import Search
    from promptls.kit.args import Arguments

WHY_TIER_2 = "context files of extensions and of the project belong to the first user message"


def first_message(search: Search, known: Known, roots: list[str], loaded: Loaded) -> Iterator[Segment]:
    """The session's context, and in it tier 2 (section "Three tiers"; surfaces: baseline)."""
    yield head("<session_context>\n", "environment")
    yield from session_context(search, roots, known.facts)
    yield tail("\n\n", "environment")
    if loaded.extension or loaded.project or known.servers:
        yield from loaded_context(known, loaded)
    yield tail("\n</session_context>", "environment")


def loaded_context(known: Known, loaded: Loaded) -> Iterator[Segment]:
    """Tier 2, and after it what MCP servers say (surfaces: extension, mcp-two-servers)."""
    seen: set[str] = set()
    yield head("\n<loaded_context>\n")
    if loaded.extension:
        tagged = [before("<extension_context>\n"), *loaded.extension, after("\n</extension_context>\n")]
        yield from segments(tagged, "instructions", WHY_TIER_2, seen)
    if loaded.project or known.servers:
        yield from segments([before("<project_context>\n"), *loaded.project], "instructions", WHY_TIER_2, seen)
        for number, said in enumerate(servers.instructions(known.servers)):
            yield from ([tail("\n\n")] if number or loaded.project else [])
            yield from said
        yield tail("\n</project_context>\n")
    yield tail("</loaded_context>")


def conversation(search: Search, known: Known, roots: list[str], loaded: Loaded, command: Arguments) -> None:
    """What the user types with what it mentions, then the tools' results, step by step."""
    draft = search.draft
    typed = _typed(search.draft.session, command)
    block = 1
    started = [*servers.hooks(search, servers.SESSION_START)]
    for parts in _typed_parts(search, known, roots, loaded, typed) if typed is not None else ():
        first = [each for hook in started for each in (hook, tail("\n\n", "runtime"))] if block == 1 else []
        draft.add_message("user", [*first, *parts], index=1, block=block)
        block += 1
    if typed is None:
        draft.add_message("user", started, index=1, block=block)
        block += 1
    for hook in servers.hooks(search, servers.BEFORE_AGENT):
        draft.add_message("user", [hook], index=1, block=block)
        block += 1
    index = 2
    for number, turn in enumerate(draft.session.turns, 1):
        if number > 1 and turn.prompt is not None:
            said = Segment("runtime", "prompt", turn.prompt, Origin("argument"), mentions.WHY_TYPED)
            draft.add_message("user", [said], index=index, at=f"turn:{number}")
            index += 1
        for call in (call for step in turn.steps for call in step):
            result = [*_result(search, known, roots, loaded, call), *servers.hooks(search, servers.AFTER_TOOL)]
            draft.add_message("tool", result, index=index, at=call.at)
            index += 1


def _typed(session: Session, command: Arguments) -> str | None:
    """What the user types; None if it is not known."""
    prompt = session.turns[0].prompt if session.turns else None
    return prompt if prompt is not None else command.last("prompt") or " ".join(command.rest) or None


def _typed_parts(
    search: Search, known: Known, roots: list[str], loaded: Loaded, typed: str
) -> Iterator[list[Segment]] | list[list[Segment]]:
    """The parts of the message: of a command that is called, else of the text and the files that it mentions."""

    def context(directory: str) -> list[Segment]:
        return nearby(search, roots, loaded, directory, START)

    ignored = Ignored(search.host, search.cwd)
    reader = mentions.Reader(search, roots, known.facts, ignored, frozenset(known.agents), context)
    called = commands.called(known.commands, typed, reader)
    return called if called is not None else mentions.typed_parts(reader, typed)


def _result(search: Search, known: Known, roots: list[str], loaded: Loaded, call: Call) -> list[Segment]:
    """What a tool answers, as far as files decide it."""
    if call.read is not None:
        return _tool_result(search, known, roots, loaded, call.read)
    name = calls.text(call, "name")
    if call.tool == "activate_skill":
        return skills.tool_result(search, known.skills.get(name), name, known.facts)
    return [elided("runtime", "gemini-cli", f"result of {call.tool}", why="only the tool knows what it answers")]


def _tool_result(search: Search, known: Known, roots: list[str], loaded: Loaded, read: str) -> list[Segment]:
    """The tool's answer; reading a directory means listing it."""
    path, at = search.host.realpath(read), f"read:{read}"
    kind = search.host.kind(path)
    within = [root for root in roots if is_below(path, root)]
    if not within or kind not in ("file", "directory"):
        why = "the file is not in a workspace directory" if kind else "there is no such file"
        return [elided("runtime", "gemini-cli", f"error of reading {read}", why=why)]
    if kind == "directory":
        result = [elided("runtime", "gemini-cli", f"list of {read}", why="the session lists this directory")]
    elif Ignored(search.host, within[0]).has(path, is_directory=False):
        import json  # noqa: PLC0415 - few sessions read what is ignored

        # (wire: read-ignored)
        says = f"File path '{native(path)}' is ignored by configured ignore patterns."
        answer = json.dumps({"error": says}, ensure_ascii=False, separators=(",", ":"))
        return [Segment("runtime", f"error of reading {read}", answer, COMPUTED, "the file is ignored")]
    else:
        result = read_result(known.facts, search.host, path)
    directory = path if kind == "directory" else parent(path)
    return [*result, *nearby(search, within, loaded, directory, at)]


# -- a sub-agent's own request (surfaces, Sub-agents) ------------------------------------------------------------------


def started(session: Session, known: Known) -> tuple[Agent, str] | None:
    """The sub-agent whose request is the last one, and its task (surfaces, Sub-agents)."""
    call = session.calls[-1] if session.calls else None
    if call is None or call.tool != "invoke_agent":
        return None
    agent = known.agents.get(calls.text(call, "agent_name"))
    if agent is None or agent.body is None or agent.unknown_input is not None:
        return None
    return agent, calls.text(call, "prompt")


def send_of_agent(search: Search, known: Known, loaded: Loaded, agent: Agent, task: str) -> None:
    """Write the request of a sub-agent: the project's files and the task are the user's message."""
    search.draft.add_message("system", system_of_agent(search, known, loaded, agent), index=0)
    if loaded.extension or loaded.project or known.servers:
        search.draft.add_message("user", loaded_context(known, loaded), index=1)
    why = "the session starts this sub-agent"
    search.draft.add_message("user", [Segment("runtime", "task", task, Origin("argument"), why)], index=1, block=1)
