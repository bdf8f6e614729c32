"""What git leaves out of a repository, by its .gitignore files: such a path need not be there for everybody."""

from __future__ import annotations

from promptls.core.formats.patterns import ignoring
from promptls.core.paths import LONGEST, join
from promptls.core.text import decode
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from promptls.core.host import Host


@dataclass(slots=True)
class Ignored:
    """The patterns of a repository; ``root`` is its top."""

    host: Host
    root: str
    _specs: dict[str, GitIgnoreSpec | None] = field(default_factory=dict)

    def holds(self, path: str) -> bool:
        """Whether git would leave ``path`` out: the nearest .gitignore that mentions it decides."""
        head = self.root.rstrip("/") + "/"
        # Nothing is at a longer path, and each directory on the way to it would be looked at.
        if not path.startswith(head) or len(path) > LONGEST:
            return False
        # From the top down: what is in a directory that is left out is left out as well, whatever else is said.
        place, specs, is_there = head[:-1], [], True
        for part in path[len(head) :].split("/"):
            is_there = is_there and (place == head[:-1] or self.host.kind(place) == "directory")
            spec = self._spec(place or "/") if is_there else None
            if spec is not None:
                specs.append((place, spec))
            place = f"{place}/{part}"
            if specs and _leaves_out(specs, place, is_directory=place != path):
                return True
        return False

    def _spec(self, directory: str) -> GitIgnoreSpec | None:
        if directory not in self._specs:
            contents = self.host.read(join(directory, ".gitignore"))
            lines = decode(contents.data, keep_bom=False).split("\n") if contents.state == "file" else []
            self._specs[directory] = ignoring(lines, posix_classes=True) if lines else None
        return self._specs[directory]


def _leaves_out(specs: list[tuple[str, GitIgnoreSpec]], path: str, *, is_directory: bool) -> bool:
    for base, spec in reversed(specs):
        says = spec.check_file(path[len(base) + 1 :] + ("/" if is_directory else "")).include
        if says is not None:
            return says
    return False
