"""The commits of a repository, the newest first, each with the files that it changed."""

from __future__ import annotations

import os

from promptls import git
from promptls.core.values import dataclass
from promptls.errors import UsageError
from promptls.git.revision import LINK, SUBMODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.git.revision import Blob

# Between commits, and between what is said of one: neither is in a name, and a subject has no line break.
_BETWEEN, _WITHIN = "\x01", "\x02"
_LEADING = frozenset((LINK, SUBMODULE))
FORMAT = _BETWEEN + _WITHIN.join(("%H", "%P", "%an", "%aI", "%s")) + _WITHIN


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; ``before`` is its first parent, "" for none, ``date`` the author's.

    ``has_links``: it changes a link or a submodule.

    ``paths`` are absolute, each with git's letter for what became of the file. ``was``: what there was of each before,
    by its path from the top; None for nothing.
    """

    name: str
    before: str
    author: str
    date: str
    subject: str
    paths: dict[str, str]
    was: dict[str, Blob | None]
    has_links: bool = False


def commits(top: str, until: str, since: str | None = None, most: int | None = None) -> Iterator[Commit]:
    """The commits that lead to ``until``; of a merge, only the branch that was merged into.

    ``since``: a day or time as git takes it, or a revision, which is not among them; ``most``: how many there may be.

    Raises:
        UsageError: git does not know ``since``, or does not answer.
    """
    arguments = ["log", "--first-parent", "-m", "--no-show-signature", "--no-renames", "--raw", "-z"]
    arguments += ["--no-abbrev", f"--format={FORMAT}", "--no-ext-diff", "--no-textconv", "--end-of-options"]
    named = [f"-n{most}"] if most is not None else []
    if since is not None and _is_revision(top, since):
        said = git.answer(top, *arguments[:1], *named, *arguments[1:], f"{since}..{until}", "--")
    else:
        named += [f"--since={since}"] if since is not None else []
        said = git.answer(top, *arguments[:1], *named, *arguments[1:], until, "--")
    if said is None:
        raise UsageError(f"git does not list the commits of {top}; name a later day with --since.")
    for each in os.fsdecode(said).split(_BETWEEN)[1:]:
        name, parents, author, date, subject, rest = each.split(_WITHIN, 5)
        words = rest.lstrip("\0\n").split("\0")
        paths: dict[str, str] = {}
        was: dict[str, Blob | None] = {}
        has_links = False
        for about, path in zip(words[::2], words[1::2], strict=False):
            mode, then, blob, _, letter = about.split(" ")
            has_links = has_links or not _LEADING.isdisjoint((mode.removeprefix(":"), then))
            paths[f"{top}/{path}"] = letter
            was[path] = (mode.removeprefix(":"), blob) if letter != "A" else None
        yield Commit(name, parents.partition(" ")[0], author, date, subject, paths, was, has_links)


def _is_revision(top: str, name: str) -> bool:
    said = git.answer(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return said is not None and not name.startswith("-")
