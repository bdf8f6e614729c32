"""What one preview looks at, so that its prompt can be kept for as long as all of that stays the same."""

from __future__ import annotations

from promptls.core.host import NOTHING, Host
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from promptls.core.files import Contents, DirectoryEntry, Info, Kind


@dataclass(slots=True)
class Looks:
    """Paths: of which it was asked what is there, of directories that were listed, and of files that were read.

    ``heads`` are those of files that were read to the end of their front matter.
    """

    named: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    heads: set[str] = field(default_factory=set)

    def are_apart(self, other: Looks) -> bool:
        """Whether none of these looks is one of ``other``, by kind."""
        return (
            self.named.isdisjoint(other.named)
            and self.listed.isdisjoint(other.listed)
            and self.read.isdisjoint(other.read)
            and self.heads.isdisjoint(other.heads)
        )


class Witness(Host):
    """A host that answers what another one does, and notes what it is asked of the disk.

    ``spared`` are not read, as ``Host.spare`` has it, whoever has read them before.
    """

    __slots__ = ("_spared", "looks")

    def __init__(self, host: Host, spared: Collection[str] = ()) -> None:
        # What either of them finds is known to both.
        self.__dict__ = host.__dict__
        self.looks = Looks()
        self._spared = spared

    def kind(self, path: str) -> Kind | None:
        """What is at ``path``."""
        self.looks.named.add(path)
        return super().kind(path)

    def modified(self, path: str) -> int:
        """When the file at ``path`` was changed."""
        self.looks.named.add(path)
        return super().modified(path)

    def info(self, path: str) -> Info | None:
        """What is at ``path``."""
        self.looks.named.add(path)
        return super().info(path)

    def realpath(self, path: str) -> str:
        """Where ``path`` leads."""
        self.looks.named.add(path)
        return super().realpath(path)

    def entries(self, path: str) -> tuple[DirectoryEntry, ...]:
        """The entries of a directory."""
        self.looks.listed.add(path)
        return super().entries(path)

    def read(self, path: str) -> Contents:
        """The bytes at ``path``."""
        if path in self._spared:
            return NOTHING
        self.looks.read.add(path)
        return super().read(path)

    def head(self, path: str) -> Contents:
        """The beginning of the file at ``path``."""
        if path in self._spared:
            return NOTHING
        is_read = path in self.looks.read
        found = super().head(path)
        if not is_read:
            # What it takes to find the end is no look of the preview.
            self.looks.read.discard(path)
        self.looks.heads.add(path)
        return found
