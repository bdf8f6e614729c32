"""Kilo Code's own rule files: of the home directory and of the working directory only (source; wire: root-names)."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.candidates import own
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.kit.draft import Draft

DIRECTORIES = (".kilo", ".kilocode")
LEGACY = ".kilocoderules"
# The rules of every mode are sent, whatever agent runs; of no other mode (wire: mode-rules).
MODES = ("code", "architect", "ask", "debug", "orchestrator")
WHY_RULE = "Kilo Code sends its rules of the home directory and of the working directory"
WHY_MODE = "Kilo Code sends the rules of all its modes, whatever agent runs"
WHY_LINK = "Kilo Code reads no rule that is a link"
WHY_ENDING = "a rule's name must end in .md, so Kilo Code ignores it"
WHY_OTHER_MODE = f"Kilo Code reads the rules of {', '.join(MODES)} only"


@dataclass(frozen=True, slots=True)
class Found:
    """A rule file. ``is_trusted``: it is the user's own, which may be anywhere."""

    path: str
    why: str
    is_trusted: bool


def rules(draft: Draft, host: Host, cwd: str) -> Iterator[Found]:
    """The rules in order; the same name in .kilo and .kilocode is the first one's (captured: rules-same-name)."""
    yield from _of(draft, host, host.home, "rules", WHY_RULE, is_trusted=True)
    yield from _of(draft, host, cwd, "rules", WHY_RULE)
    yield from _legacy(host, join(cwd, LEGACY), WHY_RULE)
    for mode in MODES:
        yield from _of(draft, host, cwd, f"rules-{mode}", WHY_MODE)
        yield from _legacy(host, join(cwd, f"{LEGACY}-{mode}"), WHY_MODE)
    draft.candidates += _other_modes(host, cwd)


def _of(draft: Draft, host: Host, place: str, kind: str, why: str, *, is_trusted: bool = False) -> Iterator[Found]:
    first: dict[str, str] = {}
    for directory in DIRECTORIES:
        # In the order of the disk (source).
        for entry in host.entries(join(place, directory, kind)):
            path = join(place, directory, kind, entry.name)
            if entry.is_directory:
                continue
            if not entry.name.endswith(".md"):
                draft.candidates.append(own(WHY_ENDING).excluded(path))
            elif entry.is_link:
                draft.candidates.append(own(WHY_LINK).excluded(path))
            elif entry.name in first:
                reason = f"{first[entry.name]} has the same name, and comes first"
                draft.candidates.append(own(why).shadowed(path, reason, by=first[entry.name]))
            else:
                first[entry.name] = path
                yield Found(path, why, is_trusted)


def _legacy(host: Host, path: str, why: str) -> Iterator[Found]:
    if host.kind(path) == "file":
        yield Found(path, why, is_trusted=False)


def _other_modes(host: Host, cwd: str) -> Iterator[Candidate]:
    known = {"rules", *(f"rules-{mode}" for mode in MODES)}
    for directory in DIRECTORIES:
        for entry in host.entries(join(cwd, directory)):
            if entry.is_directory and entry.name.startswith("rules-") and entry.name not in known:
                place = join(cwd, directory, entry.name)
                yield from (own(WHY_OTHER_MODE).excluded(join(place, each.name)) for each in host.entries(place))
