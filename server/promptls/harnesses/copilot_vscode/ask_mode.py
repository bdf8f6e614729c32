"""Ask and edit mode: no tools and no lists; instructions, files and the prompt are one user message.

(parts: mode-edit, mode-ask)
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, START, Segment, Turn
from promptls.core.paths import native
from promptls.harnesses.copilot_vscode import turns
from promptls.harnesses.copilot_vscode.files import instructions
from promptls.harnesses.copilot_vscode.modes import EDIT
from promptls.harnesses.copilot_vscode.parts import PROGRAM, lead, own_text
from promptls.kit.base import iso_date
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.copilot_vscode.modes import Mode
    from promptls.harnesses.copilot_vscode.parts import Chat


def ask(chat: Chat, mode: Mode) -> None:
    """The request: the system message, the earlier prompts, and the last one with everything."""
    session = chat.draft.session
    is_edit = mode.kind == EDIT
    all_turns = session.turns or (Turn(),)
    last = all_turns[-1]
    chat.draft.add_message("system", _edit_base(chat, last) if is_edit else _ask_base(chat), index=0)
    for number, turn in enumerate(all_turns[:-1], 1):
        text = turn.prompt or "⟪what the user types⟫"
        parts = [Segment("runtime", "prompt", text, COMPUTED, turns.WHY_TYPED)]
        chat.draft.add_message("user", parts, index=2 * number - 1, at=_event(number))
    files = instructions.listed(chat)
    sent = [part for each in instructions.attachments(chat, files, mode.counted, is_edit=is_edit) for part in each]
    inside = [*sent, *instructions.texts(chat)]
    if inside:
        inside = [*lead(chat, is_system=False), head("<instructions>\n"), *inside, tail("\n</instructions>\n")]
    parts = [*inside, *(_edited(chat, last) if is_edit else turns.attachments(chat, last, is_agent=False))]
    call = turns.called(last.prompt, mode.commands)
    parts += turns.request(chat, last.prompt, call, tag="prompt")
    chat.draft.add_message("user", parts, index=2 * len(all_turns) - 1, at=_event(len(all_turns)))


def _event(number: int) -> str:
    return START if number == 1 else f"turn:{number}"


def _edit_base(chat: Chat, last: Turn) -> Iterator[Segment]:
    """It says more where no file is attached; with one that is only open it was not measured."""
    facts, model = chat.facts, chat.draft.session.model
    base = facts.edit_base if last.attached else None if last.open else facts.edit_base_without_files
    size = base + len(model) if base is not None and model is not None else None
    yield own_text("system prompt with the name of the model", size, "provider")


def _ask_base(chat: Chat) -> Iterator[Segment]:
    """The program's own prompt, which names the model, the folders and the date (parts: mode-ask)."""
    facts, model = chat.facts, chat.draft.session.model
    size = facts.ask_before_folders + 2 * len(model) if model is not None else None
    yield own_text("system prompt with the name of the model", size, "provider")
    paths = ", ".join(native(folder.path) for folder in chat.workspace.folders)
    noun = "folder" if len(chat.workspace.folders) == 1 else "folders"
    why = f"{PROGRAM} names the folders and the date"
    text = f"The user has the following {noun} open: {paths}.\nThe current date is {iso_date(chat.host)}.\n"
    yield Segment("environment", "folders and date", text, COMPUTED, why, cache="turn")
    yield own_text("rest of the system prompt", facts.ask_after_date, "provider")


def _edited(chat: Chat, turn: Turn) -> Iterator[Segment]:
    """The files to edit, the last one first, each as code under a comment with its path (parts: mode-edit)."""
    if turn.attached:
        yield own_text("paragraph before the files", chat.facts.edit_files)
        yield tail("\n")
    for path in reversed(turn.attached):
        yield head("<file>\n", path=path)
        yield from turns.code(chat, path)
        yield tail("\n</file>\n")
    yield tail("\n<reminder>\n", "provider")
    folders = chat.workspace.folders
    # It names each folder.
    size = chat.facts.edit_reminders + len(folders[0].path) if len(folders) == 1 else None
    yield own_text("reminders", size, "provider")
    yield tail("\n</reminder>\n", "provider")
