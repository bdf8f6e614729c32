"""mini-claude-code: one system message of three segments. The source is its design document.

1. the text of ``SYSTEM_PROMPT.md``; 2. advice on tools; 3. the state of the run, where there are hints.
"""

from __future__ import annotations

import os
from functools import lru_cache

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment, Tool
from promptls.core.values import replace
from promptls.harnesses.mini_claude_code.spec import SPEC
from promptls.harnesses.mini_claude_code.versions import ROWS
from promptls.kit.base import described
from promptls.kit.candidates import Rule
from promptls.kit.chain import Chain, Frame, Reading
from promptls.kit.segments import head, tail
from promptls.kit.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, HintState, Prompt, Session

TOOLS_HEADING = "\n---\n# 可用工具补充说明\n\n"
STATE_HEADING = "\n---\n# 运行时状态\n\n"
HINT_TYPES = ("tool_degraded",)

STATIC_FILE = "SYSTEM_PROMPT.md"
# Without the file, reading it fails and nothing is sent (wire: doc-missing-file); an empty one is sent.
STATIC = Chain(
    names=(STATIC_FILE,),
    why="mini-claude-code begins with SYSTEM_PROMPT.md of the working directory, untrimmed; it reads no other file",
    reading=Reading(
        keeps_bom=False,
        sends_empty=True,
        ends_if=("missing", "unreadable"),
        advice=f"Put a {STATIC_FILE} there, or start it in the directory that has one.",
    ),
)
WHY_PLAIN = "mini-claude-code adds no instructions to what is typed or read"
WHY_TOOLS = "mini-claude-code adds advice on each of its tools; the wording shown here is promptls's own"
WHY_OWN_TOOLS = "mini-claude-code adds advice on each of its tools; these are the ones that the settings name"
WHY_HINT = "mini-claude-code ends with the hints that the run has added (--hint)"

_TOOL = regex(r"- \*\*(.+?)\*\*")
_HINT_TAG = regex(r"<(/?)system_hint\b([^>]*)>")
_ATTRIBUTE = regex(r"""(?<![\w-])([\w-]++)\s*+=\s*+["']([^"']*+)["']""")


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of mini-claude-code for a session."""
    writer = Writer(SPEC, session, host)
    static = Frame().around(writer.find(STATIC))
    writer.system(*(replace(each, cache="static") for each in static), tail("\n"), *_tools(session), *_state(session))
    writer.chat(index=1, why=WHY_PLAIN)
    writer.draft.candidates += _hint_candidates(session)
    if not session.tools:
        writer.draft.notes.append("The advice on tools is worded by promptls; a build of mini-claude-code has its own.")
    why = "the settings name it" if session.tools else "it is one of the default tools"
    return writer.prompt(tools=tuple(Tool(each, enabled=True, why=why) for each in tool_names(session.tools)))


def _tools(session: Session) -> Iterator[Segment]:
    """Advice, a bullet a tool, never parameter formats."""
    yield head(TOOLS_HEADING, "tools")
    named = [f"- **{name}**：{advice}" for name, advice in session.tools]  # noqa: RUF001 - its colon is a Chinese one
    origin = Origin("builtin", name="advice on tools in promptls's own words")
    if named:
        origin = Origin("argument", name="tools in the settings")
    why = WHY_OWN_TOOLS if named else WHY_TOOLS
    for at, line in enumerate(named or _advice()):
        yield tail("\n" if at else "", "tools")
        yield Segment("tools", f"advice on {tool_names(session.tools)[at]}", line, origin, why, "static")


def _state(session: Session) -> Iterator[Segment]:
    """Hints joined by a blank line. One empty hint sends the bare heading (captured: doc-hint-empty-string)."""
    if not session.hints:
        return
    yield tail("\n", "tools")
    yield head(STATE_HEADING, "runtime")
    for number, hint in enumerate(session.hints, 1):
        yield tail("\n\n" if number > 1 else "", "runtime")
        yield Segment("runtime", f"hint {number}", hint, _hint_origin(number), WHY_HINT, "turn")


def _hint_origin(number: int) -> Origin:
    return Origin("argument", name=f"--hint ({number})")


def _hint_candidates(session: Session) -> Iterator[Candidate]:
    for number, hint in enumerate(session.hints, 1):
        flaw = hint_flaw(hint, session.tools)
        state, reason = flaw or (None, "")
        rule = Rule(WHY_HINT, _hint_origin(number))
        yield rule.candidate("loaded" if hint else "empty", None, reason, state=state)


def hint_flaw(hint: str, tools: tuple[tuple[str, str], ...] = ()) -> tuple[HintState, str] | None:
    """What is wrong with the ``system_hint`` tags of a hint: a short name for it and a clause; free text is fine."""
    is_open = False
    for tag in _HINT_TAG.finditer(hint, 0, hint.rfind(">") + 1):
        if tag[1]:
            if not is_open:
                return "unopened", "it closes a system_hint that was never opened"
            is_open = False
            continue
        if is_open:
            return "unclosed", "its system_hint is not closed"
        is_open = True
        attributes = dict(_ATTRIBUTE.findall(tag[2]))
        kind, tool = attributes.get("type"), attributes.get("tool")
        if kind not in HINT_TYPES:
            return "unknown-type", f"{kind!r} is not a known type of system_hint" if kind else "it has no type"
        if tool not in tool_names(tools):
            return "unknown-tool", f"there is no tool {tool!r}" if tool else "it names no tool"
    return ("unclosed", "its system_hint is not closed") if is_open else None


@lru_cache(maxsize=1)
def _advice() -> tuple[str, ...]:
    path = os.path.join(os.path.dirname(__file__), "data", "tools.txt")
    with open(path, encoding="utf-8") as file:
        return tuple(file.read().splitlines())


@lru_cache(maxsize=8)
def tool_names(tools: tuple[tuple[str, str], ...] = ()) -> tuple[str, ...]:
    """The ``tools`` of the settings, or the default ones, in order."""
    if tools:
        return tuple(name for name, _ in tools)
    return tuple(found[1] for line in _advice() if (found := _TOOL.match(line)))


HARNESS = described(
    SPEC,
    ROWS,
    hint_flaw=hint_flaw,
    preview=preview,
    loads=(
        "SYSTEM_PROMPT.md of the working directory; without it nothing is sent",
        "Advice on its tools: `tools` of promptls.toml, else words of promptls's own",
        "The hints given with --hint or `hints` of promptls.toml, if there are any",
    ),
)
