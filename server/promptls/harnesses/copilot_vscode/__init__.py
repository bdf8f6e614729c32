"""GitHub Copilot Chat in VS Code, its own agent: instructions at the end of the system message, or before the prompt.

Cases named in this folder are those of tests/parts; ``source`` is the public source of VS Code and of the extension.
"""

from __future__ import annotations

from promptls.harnesses.copilot_vscode import settings
from promptls.harnesses.copilot_vscode.agent_mode import Request
from promptls.harnesses.copilot_vscode.ask_mode import ask
from promptls.harnesses.copilot_vscode.hooks import hooks
from promptls.harnesses.copilot_vscode.listing import agents
from promptls.harnesses.copilot_vscode.modes import AGENT, ASK, EDIT, PLAN, mode_of
from promptls.harnesses.copilot_vscode.parts import Chat
from promptls.harnesses.copilot_vscode.spec import SPEC
from promptls.harnesses.copilot_vscode.turns import active_editor
from promptls.harnesses.copilot_vscode.versions import ROWS
from promptls.harnesses.copilot_vscode.workspace import opened
from promptls.kit.base import described
from promptls.kit.draft import Draft
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.copilot_vscode.modes import Mode

NOTE_OPEN = (
    "The open file does not count for the patterns of instructions files, because nothing is selected in it: select "
    "something or attach the file."
)
NOTE_READS = "Files that tools read do not count for the patterns of instructions files: attach a file to see them."
NOTE_USER = (
    "The folder of the user's data is not known: pass VS Code's --user-data-dir to see the settings, instructions and "
    "notes in it."
)


def preview(session: Session, host: Host) -> Prompt:
    """The last request of a session of Copilot Chat in the folder ``session.cwd``, or in several (``folders``)."""
    draft = Draft(session)
    workspace = opened(draft, host)
    chat = Chat(draft, host, row(ROWS, session.version), workspace, settings.read(draft, host, workspace))
    custom = agents.found(chat)
    mode = mode_of(chat, custom)
    if mode.kind in (ASK, EDIT):
        ask(chat, mode)
    else:
        Request(chat, custom, mode, hooks(chat)).write()
    draft.notes += _notes(chat, mode)
    return draft.prompt(model=session.model, agent=mode.name, tools=mode.tools)


def _notes(chat: Chat, mode: Mode) -> Iterator[str]:
    """What users easily misunderstand."""
    session = chat.draft.session
    active = active_editor(session.turns[-1]) if session.turns else None
    if active is not None and active.path not in mode.counted:
        yield NOTE_OPEN
    if session.reads:
        yield NOTE_READS
    if chat.workspace.user is None:
        yield NOTE_USER


HARNESS = described(
    SPEC,
    ROWS,
    words={"agent": (AGENT, ASK, EDIT, PLAN)},
    preview=preview,
    loads=(
        "A list of all *.instructions.md and .claude/rules, of skills and of agents: names and descriptions",
        "*.instructions.md whose applyTo is ** or matches an attached file, and .claude/rules by their paths",
        "What these link, if chat.includeReferencedInstructions is on",
        "copilot-instructions.md of ~/.copilot and of .github of each folder",
        "CLAUDE.md of ~/.claude and .claude, and AGENTS.md, CLAUDE.local.md and CLAUDE.md of each folder",
        "The custom agent of the session",
        "The names of files and folders, and the notes of the memory tool",
        "Attached files, what is selected in the open one, and the prompt file or skill that /name calls",
    ),
)
