"""Hooks and MCP servers: placeholders for what only a running one knows, at its place (parts: hooks, mcp-server)."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.model import Elided, Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_vscode.parts import PROGRAM, attribute
from promptls.harnesses.copilot_vscode.settings import USE_CLAUDE_HOOKS, USE_HOOKS
from promptls.kit.base import with_consequence
from promptls.kit.candidates import Rule
from promptls.kit.paths import join
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.core.model import Use
    from promptls.harnesses.copilot_vscode.parts import Chat

SESSION_START, PROMPT, BEFORE_TOOL = "SessionStart", "UserPromptSubmit", "PreToolUse"
WHY_HOOK = "a hook may print instructions; promptls runs none"
WHY_SERVER = "an MCP server may send instructions and offer tools; promptls starts none"
CONSEQUENCE = "VS Code takes nothing from this file until this is fixed"
SERVERS = ".vscode/mcp.json"


@dataclass(frozen=True, slots=True)
class Hook:
    """A command that runs at an event, and where it is configured."""

    event: str
    command: str
    origin: Origin


def hooks(chat: Chat) -> list[Hook]:
    """Every hook of ``.github/hooks`` and ``~/.copilot/hooks``; those of Claude Code if they are switched on."""
    found: list[Hook] = []
    directories = [*(join(root, ".github/hooks") for root in chat.roots()), join(chat.host.home, ".copilot/hooks")]
    for directory in directories:
        for entry in sorted(chat.host.entries(directory), key=lambda each: each.name):
            if entry.name.lower().endswith(".json"):
                found += _hooks(chat, join(directory, entry.name), USE_HOOKS)
    for root in (*chat.roots(), chat.host.home):
        for name in (".claude/settings.local.json", ".claude/settings.json"):
            path = join(root, name)
            if chat.host.kind(path) == "file":
                found += _hooks(chat, path, USE_CLAUDE_HOOKS)
    return found


def _hooks(chat: Chat, path: str, switch: str) -> Iterator[Hook]:
    document = _read(chat, path, WHY_HOOK, "hook", switch)
    events = document.root.get("hooks") if document is not None and document.root is not None else None
    if document is None or events is None:
        return
    for key, entries in events.members:
        for entry in _commands(entries):
            command = entry.text("command") or ""
            origin = Origin("config", path=path, range=document.range(entry), name=command)
            yield Hook(str(key.data), command, origin)


def _commands(entries: Value) -> Iterator[Value]:
    """The commands of an event: entries themselves, or, in the format of Claude Code, those inside of them."""
    for entry in entries.items:
        inner = entry.get("hooks")
        yield from inner.items if inner is not None else (entry,)


def context(found: list[Hook], *events: str) -> Iterator[Segment]:
    """The line of a user message with what hooks print (parts: hooks)."""
    texts = [each for event in events for each in found if each.event == event]
    separator = "Additional instructions from hooks: "
    for hook in texts:
        yield head(separator, "runtime")
        yield _output(hook)
        separator = "\n"
    if texts:
        yield tail("\n", "runtime")


def before_tool(found: list[Hook]) -> Iterator[Segment]:
    """The end of a tool's result (parts: hooks)."""
    for hook in found:
        if hook.event == BEFORE_TOOL:
            yield head(f"\n<{BEFORE_TOOL}-context>\n", "runtime")
            yield _output(hook)
            yield tail(f"\n</{BEFORE_TOOL}-context>", "runtime")


def _output(hook: Hook) -> Segment:
    title = f"output of the {hook.event} hook"
    return Segment("runtime", title, f"⟪{title}⟫", hook.origin, WHY_HOOK, "turn", elided=Elided(title, is_of_hook=True))


def servers(chat: Chat) -> Iterator[Segment]:
    """The instructions of each MCP server, inside the program's own text (parts: mcp-server).

    The tag names what the server calls itself, which need not be its name in the configuration.
    """
    for folder in chat.workspace.folders:
        path = join(folder.path, SERVERS)
        if chat.host.kind(path) != "file":
            continue
        document = _read(chat, path, WHY_SERVER, "server", None)
        if document is None:
            continue
        entries = document.root.get("servers") if document.root is not None else None
        if entries is None:
            candidates = chat.draft.candidates
            candidates[-1] = replace(candidates[-1], outcome="empty", reason="it has no key servers")
            continue
        for key, _ in entries.members:
            name = str(key.data)
            title = f"instructions of the MCP server {name}"
            origin = Origin("config", path=path, range=document.range(key), name=name)
            yield head(f"<instruction forToolsWithPrefix={attribute(f'mcp_{name}')}>\n", "runtime")
            yield Segment("runtime", title, f"⟪{title}⟫", origin, WHY_SERVER, elided=Elided(title))
            yield tail("\n</instruction>\n", "runtime")


def _read(chat: Chat, path: str, why: str, use: Use, switch: str | None) -> Document | None:
    """A configuration; None if a setting switches it off or nothing can be read."""
    candidates = chat.draft.candidates
    if switch is not None and not chat.settings.is_on(switch):
        off = Rule(f"{switch} is off, so {PROGRAM} runs none of its hooks", chat.settings.origin(switch), use)
        candidates.append(off.disabled(path))
        return None
    rule = Rule(why, Origin("computed", name=why), use)
    contents = chat.host.read(path)
    if contents.state != "file":
        candidates.append(rule.unread(path, contents.state))
        return None
    document = parse_json(decode(contents.data, keep_bom=False), comments=True)
    fault = document.fault("config-invalid")
    faults = (with_consequence(fault, CONSEQUENCE),) if fault is not None else ()
    candidates.append(rule.failed(path, "it is not valid JSON", faults=faults) if faults else rule.loaded(path))
    return None if faults else document
