"""The map of a folder, for the command line and the server: its prompts side by side, and what each directory gets."""

from __future__ import annotations

from promptls.core.map import made
from promptls.core.table import table
from promptls.core.values import dataclass
from promptls.sessions.by_directory import sessions_by_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.map import Map
    from promptls.core.model import Prompt
    from promptls.core.table import Table
    from promptls.workspace.folder_prompts import FolderPrompts


@dataclass(frozen=True, slots=True)
class FolderMap:
    """The map of a folder; ``prompts`` are those of a start in it, a harness each, and ``table`` shows their sizes."""

    map: Map
    table: Table
    prompts: tuple[Prompt, ...]


def map_of(root: str, looked: FolderPrompts, here: str = "") -> FolderMap:
    """The map of ``root``; it is empty if no harness is in use there. ``here``: where commands are typed."""
    prompts, host = looked.by_harness(), looked.host
    by_directory = sessions_by_directory(host, looked.places, prompts) if prompts else {}
    found = made(root, by_directory, host.realpath, here=here)
    return FolderMap(found, table(prompts, host.realpath), tuple(first for first, *_ in prompts))
