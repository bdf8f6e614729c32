"""The sentence before the instructions."""

from __future__ import annotations

from promptls.harnesses.copilot_vscode.parts import own_text
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Segment
    from promptls.harnesses.copilot_vscode.parts import Chat

FIRST = "When generating code, please follow these user provided coding instructions."
LAST = " You can ignore an instruction if it contradicts a system message."


def lead(chat: Chat, *, is_system: bool) -> Iterator[Segment]:
    """A sentence in a user message, a hint for several folders, and a line break in any case.

    (surface: multi-root, user-settings-message)
    """
    has_several = len(chat.workspace.folders) > 1
    if not is_system:
        yield head(FIRST)
    if has_several:
        yield own_text("hint about several folders", chat.facts.several_folders)
    if not is_system:
        yield tail(LAST)
    yield tail("\n")
