"""Who read a file of a folder ``.agents`` when it was recorded: docs/agents-folder.md as an answer for one file."""

from __future__ import annotations

from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.paths import is_below, relative
from promptls.core.values import dataclass
from promptls.harnesses.agents_folder_table import READ
from promptls.harnesses.catalogue import FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

IN_AGENTS = regex(r"(?:^|/)\.agents/(.+)$")


@dataclass(frozen=True, slots=True)
class InAgents:
    """A place in a folder ``.agents`` and the harnesses that have read it there, or not."""

    place: str
    read_by: tuple[str, ...]
    not_read_by: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """As text."""
        known = [[each for each in names if each in FOLDERS] for names in (self.read_by, self.not_read_by)]
        yes, no = (", ".join(specs.of(each).title for each in names) for names in known)
        where = "" if self.place.startswith("~/") else ", started in the folder that has it"
        yield f"Recorded requests{where}: {self.place} is read by {yes or 'nobody'}{f', not by {no}' if no else ''}."

    def json(self) -> dict[str, object]:
        """As JSON."""
        return {"place": self.place, "read_by": [*self.read_by], "not_read_by": [*self.not_read_by]}


def in_agents(path: str, home: str) -> InAgents | None:
    """What is known of the place of a file, where it is in a folder ``.agents`` and something was recorded."""
    found = IN_AGENTS.search(path)
    if found is None:
        return None
    is_at_home = bool(home) and is_below(path, home) and relative(path, home).startswith(".agents/")
    for place, (yes, no) in READ.items():
        rest = place.removeprefix("~/").removeprefix(".agents/")
        if place.startswith("~/") is is_at_home and _is_like(found[1], rest):
            return InAgents(place, tuple(yes.split()), tuple(no.split()))
    return None


def _is_like(path: str, place: str) -> bool:
    steps, wanted = path.split("/"), place.split("/")
    if len(steps) != len(wanted):
        return False
    return all(
        one.endswith(other.removeprefix("*")) if other.startswith("*") else one == other
        for one, other in zip(steps, wanted, strict=True)
    )
