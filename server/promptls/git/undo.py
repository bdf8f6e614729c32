"""Whether git could undo a change to files of a repository, and where a program may note what it is doing there."""

from __future__ import annotations

import os

from promptls import git
from promptls.core.paths import join, resolve
from promptls.git.listing import Listing
from promptls.git.state import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# What git has in its directory while something is not finished.
UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}


def directory_of(root: str) -> str | None:
    """The directory that git keeps of the repository that holds ``root``; None where there is none."""
    said = git.answer(root, "rev-parse", "--git-dir")
    return resolve(root, os.fsdecode(said).rstrip("\n")) if said else None


def obstacle(root: str, paths: Iterable[str]) -> str | None:
    """Why git could not undo a change to ``paths`` alone, as a clause; None if it could."""
    directory = directory_of(root)
    if directory is None:
        return "the folder is not in a git repository, so nothing could undo it"
    for file, what in UNFINISHED.items():
        if os.path.lexists(join(directory, file)):
            return f"{what} is in progress"
    now = state(root)
    if now is None:
        return "git does not say whether everything is committed"
    if any(not line.startswith("??") for line in now.status.splitlines()):
        return "there are changes that are not committed"
    with Listing(root) as listing:
        known = set(listing.tracked())
    new = next((path for path in paths if os.path.lexists(path) and path not in known), None)
    return f"{new} is not committed" if new is not None else None
