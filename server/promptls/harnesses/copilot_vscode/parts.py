"""What every part of the prompt is made with, and what the parts write alike."""

from __future__ import annotations

import json

from promptls.core.formats.header import header
from promptls.core.text import decode
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.copilot_vscode.settings import USE_PARENTS
from promptls.kit.draft import Draft
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.header import Header
    from promptls.core.host import Host
    from promptls.core.model import Layer, Segment
    from promptls.harnesses.copilot_vscode.settings import Settings
    from promptls.harnesses.copilot_vscode.versions import Facts
    from promptls.harnesses.copilot_vscode.workspace import Workspace


PROGRAM = "Copilot Chat"
WHY_OWN = f"{PROGRAM}'s own text"
# The beginning of a path where the folder of the user's data is not known.
UNKNOWN = "${USERDATA}"


@dataclass(slots=True)
class Chat:
    """What every part needs. ``heads`` are the front matter that was read, by path."""

    draft: Draft
    host: Host
    facts: Facts
    workspace: Workspace
    settings: Settings
    heads: dict[str, Header | None] = field(default_factory=dict)

    def head(self, path: str) -> Header | None:
        """The front matter of the file at ``path``, an empty one if it has none; None if it cannot be read."""
        if path not in self.heads:
            contents = self.host.head(path)
            self.heads[path] = header(decode(contents.data, keep_bom=False)) if contents.state == "file" else None
        return self.heads[path]

    def aside(self) -> Chat:
        """The same with a draft of its own, for looking something up that is reported elsewhere."""
        return replace(self, draft=Draft(self.draft.session))

    def roots(self) -> list[str]:
        """The directories in which files are looked for."""
        return self.workspace.roots(self.host, with_parents=self.settings.is_on(USE_PARENTS))


def scalar(matter: Header, key: str) -> str:
    """The value at ``key`` as VS Code reads it: any value that is neither a list nor an object, as it is written.

    "" where there is none, or nothing behind the colon.
    """
    value = matter.value(key)
    if value is None or value.kind in ("array", "object", "null"):
        return ""
    written = matter.word(key)
    return written if value.kind == "string" else matter.text[matter.start + value.start : matter.start + value.end]


def is_said(matter: Header, key: str, word: str) -> bool:
    """Whether the value at ``key`` is ``word``, in quotes or not."""
    return scalar(matter, key) == word


def escaped(text: str) -> str:
    """``text`` as it is written between the tags of the lists."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(text: str) -> str:
    """``text`` as the value of a tag's attribute: in quotes, as JSON."""
    return json.dumps(text, ensure_ascii=False)


def own_text(title: str, size: int | None, layer: Layer = "instructions") -> Segment:
    """A placeholder for the program's own text."""
    return elided(layer, PROGRAM, title, why=WHY_OWN, size=size)


FIRST = "When generating code, please follow these user provided coding instructions."
LAST = " You can ignore an instruction if it contradicts a system message."


def lead(chat: Chat, *, is_system: bool) -> Iterator[Segment]:
    """A sentence in a user message, a hint for several folders, and a line break in any case.

    (parts: multi-root, user-settings-message)
    """
    has_several = len(chat.workspace.folders) > 1
    if not is_system:
        yield head(FIRST)
    if has_several:
        yield own_text("hint about several folders", chat.facts.several_folders)
    if not is_system:
        yield tail(LAST)
    yield tail("\n")
