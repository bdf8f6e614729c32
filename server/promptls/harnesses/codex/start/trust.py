"""Which projects the user trusts: Codex then reads what their .codex folders hold (section 1.3).

Sections named here are those of the harness specification for Codex; [source] is the public source text.
"""

from __future__ import annotations

from promptls.kit.paths import join, parent, path_key, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.host import Host
    from promptls.harnesses.codex.start.config import CodexConfig, ConfigValue
    from promptls.kit.draft import Draft


# What a .codex folder has that counts only in a trusted project; its skills are listed in any.
WITH_TRUST = ("config.toml", "hooks.json", "agents", "rules")


def project_root(host: Host, cwd: str, markers: tuple[str, ...]) -> str | None:
    """The nearest directory at or above ``cwd`` that has one of the markers, a file or a directory (section 1.2)."""
    for directory in upwards(cwd):
        if any(host.kind(join(directory, marker)) is not None for marker in markers):
            return directory
    return None


def trusted_folders(draft: Draft, host: Host, config: CodexConfig, chain: Sequence[str]) -> list[str]:
    """The ``.codex`` folders of a project that is trusted, root first; what the home directory is, is not one."""
    folders = []
    for directory in chain:
        folder = join(directory, ".codex")
        level = level_of(host, config, directory, chain[0], chain[-1])
        is_trusted = config.is_trusted if level is None else level.value.data == "trusted"
        if is_trusted and host.realpath(folder) != host.realpath(config.home):
            folders.append(folder)
            draft.once_trusted += [join(folder, each) for each in WITH_TRUST] if level is None else []
    return folders


def trust_level(host: Host, config: CodexConfig, cwd: str) -> ConfigValue | None:
    """What the user's configuration says of the working directory, else of the repository (section 5).

    The project root counts for nothing here: neither one by another marker nor one with a ``.git`` file
    (captured: roots with a file that leads elsewhere, to a directory of git's and nowhere).
    """
    return _level_of(host, config, (cwd, _repository(host, cwd)))


def untrusted(host: Host, config: CodexConfig, cwd: str) -> ConfigValue | None:
    """The entry that marks the working directory or its root as untrusted, the nearest of them (wire: settle-trust-*).

    Codex then sends no instruction file of the project.
    """
    level = trust_level(host, config, cwd)
    return level if level is not None and level.value.data == "untrusted" else None


def level_of(host: Host, config: CodexConfig, directory: str, root: str, cwd: str) -> ConfigValue | None:
    """The trust level of the directory itself, else the project root's, else the repository's (wire: settle-trust-*).

    Each is looked up with its links resolved, then as it is. A trusted parent counts for nothing.
    """
    return _level_of(host, config, (directory, root, _repository(host, cwd)))


def _level_of(host: Host, config: CodexConfig, places: Sequence[str | None]) -> ConfigValue | None:
    for place in (each for each in places if each is not None):
        for spelled in (host.realpath(place), place):
            if path_key(spelled) in config.projects:
                return config.projects[path_key(spelled)]
    return None


def _repository(host: Host, cwd: str) -> str | None:
    """The repository's root, for a linked worktree that of the main one [source]."""
    for directory in upwards(cwd):
        git = join(directory, ".git")
        kind = host.kind(git)
        if kind == "directory":
            return directory
        if kind == "file":
            head, _, there = host.read(git).data.decode("utf-8", "replace").partition(":")
            worktrees = parent(resolve(directory, there.strip()))
            return parent(parent(worktrees)) if head == "gitdir" and worktrees.endswith("/worktrees") else None
    return None
