"""Which paths lead, by links, to the same file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host


class SameFiles:
    """Paths, to find the one that leads, by links, to the same file as another: links are resolved only in doubt."""

    __slots__ = ("_by_place", "_host")

    def __init__(self, host: Host) -> None:
        """Without any path yet."""
        self._host = host
        self._by_place: dict[object, list[str]] = {}

    def add(self, path: str) -> None:
        """Add a path, of a file that is there."""
        self._by_place.setdefault(self._host.place(path), []).append(path)

    def find(self, path: str) -> str | None:
        """The path that was added first of those to the same file; None if there is none."""
        others = self._by_place.get(self._host.place(path), ())
        return next((other for other in others if self._host.is_same(other, path)), None)
