"""The prompts of every session that matters in a folder, for all that looks at a whole folder."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.budgets import spent
from promptls.core.formats.patterns import ignoring
from promptls.core.host import no_network
from promptls.core.settings import DEFAULT
from promptls.core.values import dataclass, replace
from promptls.sessions import of_folder as sessions
from promptls.sessions.detect import with_version
from promptls.sessions.start import named
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import OF_TEAM, look_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from promptls.core.budgets import Spent
    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.settings import Budget, Settings
    from promptls.sessions.of_folder import Preview
    from promptls.sessions.start import Place
    from promptls.workspace.request import Here, Sources
    from promptls.workspace.settings_file import SettingsFile

    # Told now and then what is done. What it raises ends the work.
    Say = Callable[[str], None]

    class Listed(Protocol):
        """The files of a folder: absolute paths, sorted."""

        def tracked(self) -> list[str]:
            """Those that git knows; some may be gone."""

        def files(self) -> list[str]:
            """All but what git ignores."""


# Said after so many prompts.
STEP = 100


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked of a folder: where lookups go, the settings that win over its own, and the harnesses named."""

    sources: Sources
    settings: Settings
    only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FolderPrompts:
    """What was found in the folder at ``place``; ``host`` has read its files, which ``places`` lists.

    ``prompts`` are those of every session that matters, harness by harness, that of a start in the folder first.
    ``by_agents`` are the harnesses that were looked at because they read AGENTS.md, and the user has not chosen any.
    ``leaves_out``: whether the settings file leaves a path out; None if it leaves none. ``question`` is what was asked.
    """

    prompts: tuple[Prompt, ...]
    places: sessions.Places
    host: Host
    place: Place
    settings: Settings
    settings_file: SettingsFile
    here: Here
    by_agents: tuple[str, ...]
    leaves_out: Callable[[str], bool] | None
    question: Question

    def by_harness(self) -> list[list[Prompt]]:
        """The prompts of one harness in each entry."""
        found: dict[tuple[str, str], list[Prompt]] = {}
        for prompt in self.prompts:
            found.setdefault((prompt.session.harness, prompt.session.version), []).append(prompt)
        return list(found.values())


def say_nothing(_what: str) -> None:
    """Report no progress."""


def folder_prompts(
    root: str,
    listing: Listed,
    sources: Sources = OF_TEAM,
    *,
    settings: Settings = DEFAULT,
    only: Sequence[str] = (),
    say: Say = say_nothing,
    preview: Preview = harnesses.preview,
    read_before: Sequence[str] = (),
) -> FolderPrompts:
    """The prompts of the folder ``root``.

    Without ``sources``, no program of the user counts.
    ``settings`` win over those of the folder's settings file; ``only``: harnesses to look at in place of those in
    use. Git is asked for the state of a start in the folder, and of no other: of those, own files are what matters.
    ``preview`` makes each prompt; ``read_before``: as ``Places`` has it.

    Raises:
        UsageError: there is no such harness or version.
    """
    load_harnesses()
    only = tuple(map(specs.canonical, only))
    question = Question(sources, settings, only)
    sources = sources.asking_git_of(root)
    host = sources.host()
    here = look_at(root, root, sources, settings, host)
    place, file, settings = here.place, here.file, here.settings
    if settings.urls_switched_off or (settings.urls_enabled and sources.fetch is not no_network):
        host = sources.host(settings)
    leaves_out = _excluded(file)
    say("listing files")
    tracked = _without(leaves_out, listing.tracked())
    places = sessions.places(root, tracked, read_before)
    sessions.look_ahead(host, places, only or _in_use(host, places, here).names)
    found = _without(leaves_out, listing.files())
    if found != tracked:
        places = sessions.places(root, found, read_before)
    used = sessions.InUse(tuple(only)) if only else _in_use(host, places, here)
    settings = named(settings, here.found)
    prompts: list[Prompt] = []
    for harness in used.names:
        for prompt in sessions.prompts(host, places, harness, settings, here.habits, preview):
            prompts.append(prompt)
            if len(prompts) % STEP == 0:
                say(f"{len(prompts)} prompts, {harness}")
    by_agents = tuple(each for each in used.names if each in used.by_agents)
    return FolderPrompts(tuple(prompts), places, host, place, settings, file, here, by_agents, leaves_out, question)


def budgets_of(looked: FolderPrompts, budgets: Sequence[Budget] | None = None) -> list[Spent]:
    """What is used of each budget of a folder's settings, or of ``budgets``."""
    budgets = looked.settings.budgets if budgets is None else budgets
    return spent(budgets, looked.prompts, looked.host, looked.place.top, scopes_of(looked)) if budgets else []


def scopes_of(looked: FolderPrompts) -> dict[str, list[str]]:
    """The directories that rules are for, by the path of the rule: what budgets ask for."""
    return sessions.scopes(looked.host, looked.places.root, looked.prompts)


def _in_use(host: Host, places: sessions.Places, here: Here) -> sessions.InUse:
    """The harnesses to look at, with their versions where the settings name some."""
    settings, mine = here.settings, [each.name for each in here.found if each.is_own]
    own = harnesses.split(settings.harness)[:1] if settings.harness else ()
    chosen = [harnesses.split(each)[0] for each in settings.harnesses]
    found = sessions.in_use(host, places, here.place.top, own, chosen, own=mine)
    return replace(found, names=tuple(with_version(each, settings) for each in found.names))


def _without(leaves_out: Callable[[str], bool] | None, paths: list[str]) -> list[str]:
    return paths if leaves_out is None else [path for path in paths if not leaves_out(path)]


def _excluded(file: SettingsFile) -> Callable[[str], bool] | None:
    """Whether the settings file leaves a path out; None if it leaves none."""
    spec = ignoring(file.settings.exclude, posix_classes=True) if file.settings.exclude else None
    if spec is None:
        return None
    top = file.directory.rstrip("/") + "/"
    return lambda path: path.startswith(top) and spec.match_file(path[len(top) :])
