"""Where Claude Code looks for skills, commands, agents and output styles (surfaces, 2)."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.claude_code.files.rules import MAX_DEPTH
from promptls.harnesses.claude_code.setup import BARE, RESTRICTED, SAFE
from promptls.kit.paths import home_or, join, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from promptls.core.host import Host
    from promptls.harnesses.claude_code.setup import Setup

    Source = Literal["managed", "user", "project", "add-dir", "plugin", "nested"]


@dataclass(frozen=True, slots=True)
class Place:
    """A directory with definitions. ``base`` is where the patterns of their ``paths`` begin."""

    source: Source
    directory: str
    base: str


def has_layer(setup: Setup, source: Source) -> bool:
    """Whether the definitions of a layer count.

    (surfaces, 1; captured: setting-sources-user; cases safe-mode, restricted, setting-sources-project)
    """
    if setup.is_bare or setup.command.switches & {BARE, SAFE}:
        return False
    if RESTRICTED in setup.command.switches:
        return source == "managed"
    if source in ("managed", "plugin"):
        return True
    return ("user" if source == "user" else "project") in setup.sources


def places(setup: Setup, kind: str) -> Iterator[Place]:
    """The directories named ``kind``, strongest first: managed, user, from the cwd up, those of --add-dir.

    (surfaces, 2; cases skills-source-order, skills-walk-stops-at-git-root, skills-cwd-is-home)
    """
    if has_layer(setup, "managed"):
        yield Place("managed", join(setup.managed, ".claude", kind), setup.cwd)
    users = join(setup.directory, kind)
    if has_layer(setup, "user"):
        yield Place("user", users, setup.cwd)
    if has_layer(setup, "project"):
        for directory in upwards(setup.cwd, setup.root):
            place = Place("project", join(directory, ".claude", kind), directory)
            if place.directory != users:
                yield place
            if directory == setup.root and setup.main is not None:
                yield from _main_checkout(setup.host, setup.main, kind, place)
    if has_layer(setup, "add-dir"):
        for added in added_directories(setup):
            yield Place("add-dir", join(added, ".claude", kind), added)


def _main_checkout(host: Host, main: str, kind: str, own: Place) -> Iterator[Place]:
    """The main checkout's, where a linked worktree has none of its own (cases skills-worktree*)."""
    if host.kind(own.directory) is None:
        yield Place("project", join(main, ".claude", kind), own.base)


def added_directories(setup: Setup) -> Iterator[str]:
    """The directories of --add-dir, in the order of the flags."""
    for given in setup.command.values.get("add-dir", ()):
        yield home_or(setup.home, given) or resolve(setup.cwd, given)


def markdown_files(host: Host, directory: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The ``.md`` files below ``directory``: their directories below it, and their paths; links are followed."""
    yield from _walk(host, directory, (), ())


def _walk(
    host: Host, directory: str, below: tuple[str, ...], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    entries = host.entries(directory)
    if not entries or len(above) > MAX_DEPTH:
        return
    real = host.realpath(directory)
    if real in above:
        return
    for entry in entries:
        path = join(directory, entry.name)
        if entry.is_directory or (entry.is_link and host.kind(path) == "directory"):
            yield from _walk(host, path, (*below, entry.name), (*above, real))
        elif entry.name.endswith(".md"):
            yield below, path
