"""Which harnesses a folder is set up for: by files of their own, the nearest above the file in hand first."""

from __future__ import annotations

from promptls import harnesses
from promptls.core.values import dataclass
from promptls.harnesses.paths import first_above, join, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host


@dataclass(frozen=True, slots=True)
class Detected:
    """A harness that left its mark: ``evidence`` are the paths found, the nearest directory's only."""

    name: str
    evidence: tuple[str, ...]


def workspace_of(host: Host, directory: str, fallback: str) -> str:
    """The nearest git root at or above ``directory``, else ``fallback``."""
    return first_above(host, directory, ".git") or fallback


def detect(host: Host, directory: str, workspace: str) -> list[Detected]:
    """The harnesses with evidence from ``directory`` up to ``workspace``: nearest first, ties in table order."""
    found: list[Detected] = []
    for place in upwards(directory, workspace):
        for name, evidence in harnesses.EVIDENCE.items():
            if any(detected.name == name for detected in found):
                continue
            paths = tuple(path for entry in evidence if host.kind(path := join(place, entry)) is not None)
            if paths:
                found.append(Detected(name, paths))
    return found


def choose(found: list[Detected]) -> str:
    """The harness to show when none is named."""
    return found[0].name if found else harnesses.FALLBACK
