"""What a check of a whole folder looks at: its files, and the prompts of every session that matters."""

from __future__ import annotations

from posixpath import relpath

from promptls.core.text import decode
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt

PROSE = (".md", ".mdc", ".cursorrules")
# What came of a file whose text a harness uses.
USED = ("loaded", "cut")


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

    def prose(self) -> list[str]:
        """The files that may be instruction files by the end of their name, in any case: few of a large tree."""
        return [path for path in self.files if path.lower().endswith(PROSE)]

    def holds(self, path: str) -> bool:
        """Whether ``path`` is the folder or below it."""
        return path == self.root or path.startswith(self.root.rstrip("/") + "/")

    def relative(self, path: str) -> str:
        """``path`` below the folder."""
        return path[len(self.root.rstrip("/")) + 1 :] if self.holds(path) else relpath(path, self.root)

    def text(self, path: str) -> str | None:
        """The text of the file at ``path`` as editors show it; None if it is none."""
        contents = self.host.read(path)
        return decode(contents.data, keep_bom=False) if contents.state == "file" else None

    def candidates(self) -> Iterator[tuple[str, Candidate]]:
        """Each candidate of each prompt, with the name of the harness."""
        for prompt in self.prompts:
            for candidate in prompt.candidates:
                yield prompt.session.harness, candidate

    def loaded(self) -> dict[str, str]:
        """The instruction files and prompts below the folder that some harness sends, with its name."""
        found: dict[str, str] = {}
        for harness, candidate in self.candidates():
            is_text = candidate.use in ("instruction", "prompt") and candidate.path is not None
            if is_text and candidate.outcome in USED and self.holds(candidate.path or ""):
                found.setdefault(candidate.path or "", harness)
        return found
