"""One check of a whole folder, for the command line and the server: its files, sessions, prompts and problems."""

from __future__ import annotations

from promptls import harnesses
from promptls.checks.folder import reported_problems
from promptls.checks.tree import Tree
from promptls.core import specs
from promptls.core.formats.patterns import ignoring
from promptls.core.host import NO_BUFFERS, no_network
from promptls.core.settings import DEFAULT
from promptls.core.values import dataclass, replace
from promptls.harnesses import AGENTS, sessions
from promptls.harnesses.detect import in_use, with_version
from promptls.harnesses.start import named, place_of
from promptls.local import load_harnesses, local_host
from promptls.settings_file import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.host import Buffers, Fetch, Host
    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings
    from promptls.listing import Listing
    from promptls.settings_file import SettingsFile

    # Told now and then what is done. What it raises ends the check.
    Say = Callable[[str], None]


# Said after so many prompts.
STEP = 100


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check has found, by file and place; ``host`` has read the files.

    ``prompts`` are those of every session that matters, harness by harness, that of a start in the folder first.
    ``by_agents`` are the harnesses that were looked at because they read AGENTS.md, and the user has not chosen any.
    """

    problems: tuple[Problem, ...]
    host: Host
    prompts: tuple[Prompt, ...] = ()
    by_agents: tuple[str, ...] = ()


def say_nothing(_what: str) -> None:
    """Report no progress."""


def check_folder(
    root: str,
    listing: Listing,
    *,
    fetch: Fetch = no_network,
    buffers: Buffers = NO_BUFFERS,
    settings: Settings = DEFAULT,
    only: Sequence[str] = (),
    say: Say = say_nothing,
) -> Checked:
    """Every problem of the folder ``root``.

    ``settings`` win over those of the folder's settings file; ``only``: harnesses to look at in place of those in
    use.

    Raises:
        UsageError: there is no such harness or version.
    """
    load_harnesses()
    only = tuple(map(specs.canonical, only))
    host = local_host(fetch=fetch, buffers=buffers)
    place = place_of(host, root, root)
    file = at(host, place, settings)
    settings = file.settings
    if not settings.urls_enabled:
        host = local_host(buffers=buffers)
    leaves_out = _excluded(file)
    say("listing files")
    tracked = _without(leaves_out, listing.tracked())
    places = sessions.places(root, tracked)
    sessions.look_ahead(host, places, only or _in_use(host, places, place.top, settings).names)
    files = _without(leaves_out, listing.files())
    if files != tracked:
        places = sessions.places(root, files)
    used = sessions.InUse(tuple(only)) if only else _in_use(host, places, place.top, settings)
    settings = named(settings, in_use(host, root, place.top, settings))
    prompts: list[Prompt] = []
    for harness in used.names:
        for prompt in sessions.prompts(host, places, harness, settings):
            prompts.append(prompt)
            if len(prompts) % STEP == 0:
                say(f"{len(prompts)} prompts, {harness}")
    say("checking the whole folder")
    tree = Tree(root, tuple(files), tuple(prompts), host, place.top)
    found = reported_problems(tree, settings, (file.path, file.faults))
    kept = (each for each in found if _matters(each, used.by_agents) and not (leaves_out and leaves_out(each.path)))
    by_agents = tuple(each for each in used.names if each in used.by_agents)
    return Checked(tuple(kept), host, tuple(prompts), by_agents)


def _matters(problem: Problem, by_agents: frozenset[str]) -> bool:
    """Whether a problem is one of a harness that is in use, or AGENTS.md has it for one that may be."""
    others = problem.harnesses and by_agents.issuperset(problem.harnesses)
    return not others or problem.path.endswith(f"/{AGENTS}")


def _in_use(host: Host, places: sessions.Places, top: str, settings: Settings) -> sessions.InUse:
    """The harnesses to look at, with their versions where the settings name some."""
    own = harnesses.split(settings.harness)[:1] if settings.harness else ()
    chosen = [harnesses.split(each)[0] for each in settings.harnesses]
    found = sessions.in_use(host, places, top, own, chosen)
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
