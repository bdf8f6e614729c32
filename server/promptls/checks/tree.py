"""What a check of a whole folder looks at: its files, and the prompts of every session that matters."""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder under check.

    ``files`` are the absolute paths of its files, without what git ignores; ``prompts`` those of every session
    that matters, for each harness in use; ``host`` is what they were made with, and answers further looks.
    """

    root: str
    files: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    host: Host
