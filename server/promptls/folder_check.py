"""One check of a whole folder, for the command line and the server: its files, sessions, prompts and problems."""

from __future__ import annotations

from promptls import harnesses
from promptls.checks.folder import folder_problems
from promptls.checks.tree import Tree
from promptls.core.host import NO_BUFFERS, no_network
from promptls.core.settings import DEFAULT, over
from promptls.core.values import dataclass, replace
from promptls.harnesses import sessions
from promptls.harnesses.detect import choose, detect, workspace_of
from promptls.listing import ignore_patterns
from promptls.local import load_harnesses, local_host
from promptls.settings_file import find

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
    """What a check has found, by file and place; ``host`` has read the files."""

    problems: tuple[Problem, ...]
    host: Host


def say_nothing(_what: str) -> None:
    """Nobody wants to know how far it is."""


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
    host = local_host(fetch=fetch, buffers=buffers)
    workspace = workspace_of(host, root, root)
    file = find(host, root, workspace)
    settings = over(settings, file.settings)
    if not settings.urls_enabled:
        host = local_host(buffers=buffers)
    leaves_out = _excluded(file)
    say("listing files")
    tracked = _without(leaves_out, listing.tracked())
    places = sessions.places(root, tracked)
    sessions.look_ahead(host, places, only or _in_use(host, places, workspace, settings))
    files = _without(leaves_out, listing.files())
    if files != tracked:
        places = sessions.places(root, files)
    used = only or _in_use(host, places, workspace, settings)
    if settings.harness is None:  # what is said of no harness by name is said of the one that would be shown
        settings = replace(settings, harness=choose(detect(host, root, workspace)))
    prompts: list[Prompt] = []
    for harness in used:
        for prompt in sessions.prompts(host, places, harness, settings):
            prompts.append(prompt)
            if len(prompts) % STEP == 0:
                say(f"{len(prompts)} prompts, {harness}")
    say("looking at the whole folder")
    tree = Tree(root, tuple(files), tuple(prompts), host, workspace)
    found = folder_problems(tree, settings, (file.path, file.faults))
    return Checked(tuple(each for each in found if not (leaves_out and leaves_out(each.path))), host)


def _in_use(host: Host, places: sessions.Places, workspace: str, settings: Settings) -> list[str]:
    """The harnesses to look at, with their versions where the settings name some."""
    named = [*settings.harnesses, *([settings.harness] if settings.harness else [])]
    versions = {harnesses.split(each)[0]: each for each in named}
    return [versions.get(each, each) for each in sessions.in_use(host, places, workspace, versions)]


def _without(leaves_out: Callable[[str], bool] | None, paths: list[str]) -> list[str]:
    return paths if leaves_out is None else [path for path in paths if not leaves_out(path)]


def _excluded(file: SettingsFile) -> Callable[[str], bool] | None:
    """Whether the settings file leaves a path out; None if it leaves none."""
    spec = ignore_patterns(list(file.settings.exclude)) if file.settings.exclude else None
    if spec is None:
        return None
    top = file.directory.rstrip("/") + "/"
    return lambda path: path.startswith(top) and spec.match_file(path[len(top) :])
