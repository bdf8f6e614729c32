"""Which harnesses a folder is configured for: by files of their own, the nearest above the current file first."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.habits import NO_HABITS
from promptls.core.settings import DEFAULT
from promptls.core.values import dataclass
from promptls.harnesses import AGENTS
from promptls.kit.paths import is_below, join, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from promptls.core.habits import Habits, Own
    from promptls.core.host import Host
    from promptls.core.settings import Settings


@dataclass(frozen=True, slots=True)
class Detected:
    """A harness that left its mark: ``evidence`` are the paths found, the nearest directory's only.

    ``is_own``: the user has it, whatever the files of the folder say.
    """

    name: str
    evidence: tuple[str, ...]
    is_own: bool = False


def detect(host: Host, directory: str, workspace: str) -> list[Detected]:
    """The harnesses with evidence from ``directory`` up to ``workspace``: nearest first, then in order."""
    found: list[Detected] = []
    for place in upwards(directory, workspace):
        for name in specs.names():
            if any(detected.name == name for detected in found):
                continue
            evidence = specs.detection(name).evidence
            paths = tuple(path for entry in evidence if host.has(path := join(place, entry)))
            if paths:
                found.append(Detected(name, paths))
    return found


def in_use(
    host: Host,
    directory: str,
    workspace: str,
    settings: Settings = DEFAULT,
    *,
    habits: Habits = NO_HABITS,
    start: str | None = None,
) -> list[Detected]:
    """The harnesses that matter in ``directory``, the one to show first: those of the user, then those of the folder.

    The folder's are those that the settings name in ``harnesses``, if any; else those with evidence, and, unless one
    of these has AGENTS.md for its own instruction file or the user has some, those that AGENTS.md counts for.
    ``start`` is where they are started: what is set up there comes before what is near the file, so that another file
    of the same folder shows the same one.
    """
    at_start = detect(host, start, workspace if is_below(start, workspace) else start) if start is not None else []
    near = detect(host, directory, workspace)
    found = at_start + [each for each in near if all(each.name != one.name for one in at_start)]
    own = _of_user(found, at_start if start is not None else near, habits)
    rest = _of_folder(host, directory, workspace, settings, found, is_known=bool(own))
    return own + [each for each in rest if all(each.name != one.name for one in own)]


def _of_user(found: Sequence[Detected], at_start: Sequence[Detected], habits: Habits) -> list[Detected]:
    """The harnesses of the user: of those that they have not used here, what is set up where they start comes first."""
    evidence = {each.name: each.evidence for each in found}
    first = {each.name for each in at_start}
    own = habits.own if habits.is_asked_for else sorted(habits.own, key=lambda each: _comes_later(each, first))
    return [Detected(each.harness, evidence.get(each.harness, ()), is_own=True) for each in own]


def _comes_later(own: Own, set_up: Collection[str]) -> tuple[bool, bool, bool]:
    is_used = own.recent is not None
    return not is_used, not is_used and own.is_gone, not is_used and own.harness not in set_up


def _of_folder(
    host: Host, directory: str, workspace: str, settings: Settings, found: list[Detected], *, is_known: bool
) -> list[Detected]:
    chosen = dict.fromkeys(harnesses.split(each)[0] for each in settings.harnesses)
    if chosen:
        found = [each for each in found if each.name in chosen]
        rest = [each for each in chosen if each in harnesses.names()]
    else:
        rest = []
    if (
        not chosen
        and not is_known
        and not settings.harness
        and not any(specs.detection(each.name).owns_agents for each in found)
    ):
        place = next((each for each in upwards(directory, workspace) if host.kind(join(each, AGENTS)) == "file"), None)
        if place is not None:
            names = [each for each in harnesses.read_agents() if all(each != known.name for known in found)]
            found += [Detected(each, (join(place, AGENTS),)) for each in names]
    if settings.harness:
        rest.append(harnesses.split(settings.harness)[0])
    known = {each.name for each in found}
    return found + [Detected(each, ()) for each in dict.fromkeys(rest) if each not in known]


def is_undecided(found: Sequence[Detected], settings: Settings, habits: Habits = NO_HABITS) -> bool:
    """Whether the user has not said which harnesses they use, and AGENTS.md is the only sign of some of ``found``."""
    is_said = habits.is_answered or bool(settings.harnesses or settings.harness)
    return not is_said and any(map(is_by_agents, found))


def passed_by(
    host: Host, places: tuple[str, str], shown: Collection[str], settings: Settings, habits: Habits = NO_HABITS
) -> tuple[str, ...]:
    """The harnesses that read an AGENTS.md and are not shown, as it is another's own and the user is not known.

    ``places``: the directory in question, and the one that AGENTS.md counts up to.
    """
    if habits.own or settings.harnesses or settings.harness:
        return ()
    is_there = any(host.kind(join(each, AGENTS)) == "file" for each in upwards(*places))
    return tuple(each for each in harnesses.read_agents() if each not in shown) if is_there else ()


def is_by_agents(found: Detected) -> bool:
    """Whether AGENTS.md alone speaks for a harness."""
    return not found.is_own and any(each.endswith(f"/{AGENTS}") for each in found.evidence)


def concerned(found: Sequence[Detected], path: str, host: Host) -> list[Detected]:
    """Those of ``found`` that the file at ``path`` matters to: AGENTS.md counts for more than other files do."""
    own = [each for each in found if not is_by_agents(each)]
    is_agents = path.endswith(f"/{AGENTS}") or any(
        host.is_same(path, place) for each in found if is_by_agents(each) for place in each.evidence
    )
    return list(found) if is_agents or not own else own


def versions(found: Sequence[Detected], settings: Settings) -> list[str]:
    """The names of ``found``, each with its version where the settings name one."""
    return [with_version(each.name, settings) for each in found]


def with_version(harness: str, settings: Settings) -> str:
    """``harness`` with the version that the settings name, if they do and it has none of its own."""
    harness = specs.canonical(harness)
    named = ([settings.harness] if settings.harness else []) + list(settings.harnesses)
    return next((each for each in named if each.startswith(f"{harness}@")), harness)


def choose(found: Sequence[Detected], settings: Settings = DEFAULT) -> str:
    """The harness to show, with its version where the settings name one."""
    return with_version(settings.harness or (found[0].name if found else harnesses.fallback()), settings)
