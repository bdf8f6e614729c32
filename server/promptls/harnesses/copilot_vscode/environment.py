"""The first user message: the system, the folders with their tree, and what the memory tool keeps."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Origin, Segment
from promptls.core.paths import native
from promptls.core.text import decode, whole
from promptls.harnesses.copilot_vscode.parts import PROGRAM, own_text
from promptls.harnesses.copilot_vscode.tasks import tasks
from promptls.harnesses.copilot_vscode.tree import tree
from promptls.kit.candidates import Rule
from promptls.kit.paths import join
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.copilot_vscode.parts import Chat

# The platforms as the message calls them (source).
SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
MEMORIES = "globalStorage/github.copilot-chat/memory-tool/memories"
WHY = f"{PROGRAM} describes the machine and the workspace at the start of a conversation"
WHY_MEMORY = f"{PROGRAM} adds the notes of its memory tool"
LISTING, MEMORY = "list_dir", "memory"


def environment(chat: Chat, tools: set[str]) -> Iterator[Segment]:
    """The whole message (parts: system-notes-memory); the tree and the notes need their tools."""
    yield head("<environment_info>\n", "environment")
    yield _fact("system", f"The user's current OS is: {SYSTEMS.get(chat.host.platform, chat.host.platform)}")
    yield tail("\n</environment_info>\n<workspace_info>\n", "environment")
    yield from tasks(chat, tools)
    folders = "\n".join(f"- {native(folder.path)} " for folder in chat.workspace.folders)
    yield _fact("folders", f"I am working in a workspace with the following folders:\n{folders}\n")
    if LISTING in tools:
        yield _fact(
            "tree",
            "I am working in a workspace that has the following structure:\n```\n"
            f"{_tree(chat)}\n```\nThis is the state of the context at this point in the conversation. The view of the "
            "workspace structure may be truncated. You can use tools to collect more context if needed.\n",
        )
    yield tail("</workspace_info>\n", "environment")
    if MEMORY in tools:
        yield from _memory(chat)


def _fact(title: str, text: str) -> Segment:
    return Segment("environment", title, text, COMPUTED, WHY)


def _tree(chat: Chat) -> str:
    """The tree of one folder; those of several under their names, the limit shared (parts: multi-root; source)."""
    folders = chat.workspace.folders
    limit = chat.facts.tree_limit // len(folders)
    trees = [tree(chat.host, folder.path, limit, dot=False) for folder in folders]
    if len(folders) == 1:
        return trees[0].strip()
    lines: list[str] = []
    for folder, found in zip(folders, trees, strict=True):
        lines += [f"{folder.name}/", *(f"\t{line}" for line in found.split("\n"))]
    return "\n".join(lines).strip()


def _memory(chat: Chat) -> Iterator[Segment]:
    """The notes of the user, of all conversations; those of the session and of the workspace are in other places."""
    facts = chat.facts
    yield head("<userMemory>\n", "memory")
    notes = list(_notes(chat))
    if notes:
        yield tail(
            "The following are your persistent user memory notes. These persist across all workspaces and "
            "conversations.\n\n",
            "memory",
        )
        yield from notes
    else:
        yield own_text("no notes of the user", facts.no_user_memory, "memory")
    yield tail("\n</userMemory>\n<sessionMemory>\n", "memory")
    yield own_text("no notes of the session", facts.no_session_memory, "memory")
    yield tail("\n</sessionMemory>\n<repoMemory>\n", "memory")
    yield own_text("no notes of the workspace", facts.no_repository_memory, "memory")
    yield tail("\n</repoMemory>\n", "memory")


def _notes(chat: Chat) -> Iterator[Segment]:
    if chat.workspace.user is None:
        return
    directory = join(chat.workspace.user, MEMORIES)
    left = chat.facts.memory_lines
    names = sorted(each.name for each in chat.host.entries(directory) if not each.name.startswith("."))
    separator = ""
    for name in names:
        path = join(directory, name)
        contents = chat.host.read(path)
        rule = Rule(WHY_MEMORY, Origin("computed", name=WHY_MEMORY))
        if contents.state != "file":
            continue
        if left <= 0:
            reason = f"{PROGRAM} sends the first {chat.facts.memory_lines} lines of all notes"
            chat.draft.candidates.append(rule.dropped(path, reason))
            continue
        text = decode(contents.data, keep_bom=False)
        kept = "\n".join(text.split("\n")[: left - 1])
        left -= 1 + text.count("\n") + 1
        yield head(f"{separator}## {name}\n", "memory", path=path)
        yield Segment("memory", path, kept, Origin("file", path=path, range=whole(kept)), WHY_MEMORY)
        is_cut = len(kept) < len(text)
        reason = f"{PROGRAM} sends the first {chat.facts.memory_lines} lines of all notes" if is_cut else ""
        chat.draft.candidates.append(rule.candidate("cut" if is_cut else "loaded", path, reason))
        separator = "\n"
