"""What commits did to prompts: one comparison for each that touches a file that some program looks at.

The prompts before a commit are those after the one below it that touches such a file, so each is made once.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, pairwise

from promptls.core.compare import compare
from promptls.core.formats.front_matter import split
from promptls.core.host import no_git
from promptls.core.paths import is_below
from promptls.core.text import decode
from promptls.core.values import dataclass, field, replace
from promptls.errors import UsageError
from promptls.git.history import commits
from promptls.git.revision import Tracked, read_ahead, revision
from promptls.sessions.of_folder import wanted_names
from promptls.workspace.folder_diff import between, has_name, not_counted, noted, read_in, tracked_at
from promptls.workspace.folder_prompts import folder_prompts
from promptls.workspace.kept_prompts import KeptPrompts, otherwise
from promptls.workspace.request import NO_URLS, OF_TEAM
from promptls.workspace.settings_file import OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.compare import Comparison, Known
    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.git.history import Commit
    from promptls.git.revision import Blob, Revision
    from promptls.workspace.folder_prompts import FolderPrompts
    from promptls.workspace.request import Sources


# Commits for which a process of their own is worth its start, and how many parts there are at most: each looks at all
# files once more where it begins.
WORTH, MOST_PARTS = 250, 2
# What the prompts of a folder take without a file of some program, in such files (measured).
ALONE = 20


@dataclass(frozen=True, slots=True)
class Step:
    """A commit, and each session whose prompt it changed."""

    commit: Commit
    comparisons: tuple[Comparison, ...]


def history(  # noqa: PLR0917 - what is asked of a folder
    root: str,
    until: str = "HEAD",
    since: str | None = None,
    most: int | None = None,
    only: Sequence[str] = (),
    sources: Sources = OF_TEAM,
) -> Iterator[Step]:
    """The commits that changed a prompt in the folder ``root``, the newest first.

    Raises:
        UsageError: there is no repository or revision, or no such harness.
    """
    newest = replace(revision(root, until), is_alone=True)
    if not newest.holds(root):
        raise UsageError(f"{root} is not in the repository of {until}; choose a folder in it.")
    # What git says of the folder now is the same for each commit.
    sources = replace(sources, git=no_git).at_one_time()
    after: FolderPrompts | None = None
    looked_for: set[str] = set()
    at, way = newest, _Way(newest.commit)
    known: Known = {}
    kept = KeptPrompts()
    every = list(commits(newest.tops[1], newest.commit, since, most))
    for each in every:
        if after is None:
            tracked_at(newest, root)
            after = _at(root, newest, only, sources, kept, None)
            looked_for = _candidates(after)
            read_ahead(newest.tops[1], _texts(every, root, after, looked_for))
        way.add(each)
        if not _may_matter(each, root, after, looked_for):
            continue
        newer_at, at = at, way.back_from(at)
        is_known = way.is_whole and not way.has_links
        kept.drop(otherwise(newer_at, at, way.changed, way.moved, kept.heads()) if is_known else None, after.prompts)
        before = _before(each, way, at, after, root, only, sources, kept)
        if before is None:
            found = [
                compare(None, prompt, after.host.realpath, without=not_counted(noted(prompt.session)))
                for prompt in after.prompts
            ]
        else:
            newer = after
            old, new = _unequal(before, after)
            if way.has_links:
                known.clear()
            found = [one for one in between(old, new, known) if _is_of(each, one, before, newer)]
            if any(_is_settings(path, newer) for path in each.paths):
                # Which programs promptls looks at is no prompt of theirs.
                found = [one for one in found if one.before is not None and one.after is not None]
            # Links of the newer side named the parts of both.
            numbers = set(map(id, before.prompts)) if not way.has_links else set()
            known = {key: found for key, found in known.items() if key in numbers}
            looked_for |= _candidates(old)
            after = before
        changed = tuple(one for one in found if one.changes)
        way = _Way(each.before)
        if changed:
            yield Step(each, changed)


def shares(root: str, until: str, since: str | None, most: int | None) -> list[tuple[str, int | None]]:
    """The commits of a long history in parts: of each, the newest commit, and how many there are.

    Each part takes as long, as far as that is known before. The parts are the same on each machine: what stands at
    their bounds is looked at anew.

    Raises:
        UsageError: there is no repository or revision.
    """
    if most is not None and most < 2 * WORTH:
        return [(until, most)]
    newest = revision(root, until)
    every = list(commits(newest.tops[1], newest.commit, since, most))
    parts = min(MOST_PARTS, len(every) // WORTH)
    if parts <= 1:
        return [(until, most)]
    # What those before each take.
    before = list(accumulate(_efforts(every, root, newest.files(root)), initial=0))
    bounds = [bisect_left(before, before[-1] * number / parts, 0, len(every)) for number in range(parts)]
    spans = [(first, after) for first, after in pairwise([*bounds, len(every)]) if after > first]
    return [(every[first].name, after - first) for first, after in spans]


def _efforts(every: Iterable[Commit], root: str, files: Iterable[str]) -> Iterator[int]:
    """What each commit takes: only one that touches a file of some program does, and more of these take longer.

    ``files`` are those at the newest.
    """
    wanted = wanted_names()
    there = sum(has_name(path[len(root) :], wanted) for path in files)
    for each in every:
        letters = [letter for path, letter in each.paths.items() if _has_name(path, root, wanted)]
        yield ALONE + there if letters else 0
        there += letters.count("D") - letters.count("A")


@dataclass(slots=True)
class _Way:
    """The way back from a commit whose prompts are known: which files are otherwise at the end of it, ``to``."""

    to: str
    was: dict[str, Blob | None] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    # Those that are not there at both ends, or are something else.
    moved: set[str] = field(default_factory=set)
    # Git may leave out a commit whose date does not fit.
    is_whole: bool = True
    has_links: bool = False

    def add(self, commit: Commit) -> None:
        """One commit further back."""
        self.is_whole = self.is_whole and commit.name == self.to
        self.to = commit.before
        self.has_links = self.has_links or commit.has_links
        self.was.update(commit.was)
        self.changed.update(commit.paths)
        self.moved.update(path for path, letter in commit.paths.items() if letter != "M")

    def back_from(self, at: Revision) -> Revision:
        """The repository at the end of the way, which begins ``at`` a commit."""
        return at.before(self.to, self.was) if self.is_whole else replace(at, commit=self.to, known=None)


def _before(  # noqa: PLR0917 - a commit, where it is, and what is asked of it
    commit: Commit,
    way: _Way,
    disk: Revision,
    after: FolderPrompts,
    root: str,
    only: Sequence[str],
    sources: Sources,
    kept: KeptPrompts,
) -> FolderPrompts | None:
    """The prompts before a commit; None where there was nothing.

    Where it only changes texts, below their front matter, the sessions that matter stay the same.
    """
    if not commit.before:
        return None
    if way.is_whole:
        sources = replace(sources, follows=(after.host, way.changed, way.moved))
    host = replace(sources, disk=disk).host()
    named = {path: letter for path, letter in commit.paths.items() if _is_named(path, root, after)}
    is_gone = not way.moved.isdisjoint(read_in(after))
    if is_gone or any(letter != "M" or _head(path, host) != _head(path, after.host) for path, letter in named.items()):
        return _at(root, disk, only, sources, kept, after)
    return replace(after, prompts=tuple(kept.again(after.prompts, host)), host=host)


def _head(path: str, host: Host) -> str:
    """What of a file may say which sessions matter: front matter, and all of a configuration."""
    text = decode(host.read(path).data, keep_bom=False)
    return text[: split(text).body] if path.endswith((".md", ".mdc")) else text


def _concerns(commit: Commit, prompt: Prompt, known: FolderPrompts) -> bool:
    paths = {each.path for each in prompt.candidates if each.path is not None}
    return any(path in commit.paths or known.host.realpath(path) in commit.paths for path in paths)


def _is_of(commit: Commit, found: Comparison, before: FolderPrompts, after: FolderPrompts) -> bool:
    """Whether a commit touches a file of a prompt: what a program says of a folder, others may have changed."""
    if found.before is None or found.after is None:
        return True
    return _concerns(commit, found.before, before) or _concerns(commit, found.after, after)


def _unequal(before: FolderPrompts, after: FolderPrompts) -> tuple[FolderPrompts, FolderPrompts]:
    """Both without the prompts that are the same."""
    same = {id(each) for each in before.prompts} & {id(each) for each in after.prompts}
    old, new = (tuple(each for each in side.prompts if id(each) not in same) for side in (before, after))
    return replace(before, prompts=old), replace(after, prompts=new)


def _at(  # noqa: PLR0917 - where, and what is asked of it
    root: str, disk: Revision, only: Sequence[str], sources: Sources, kept: KeptPrompts, after: FolderPrompts | None
) -> FolderPrompts:
    """The prompts at a commit, of sessions that read what those ``after`` it read, as far as they can."""
    asked = replace(sources, disk=disk)
    read = read_in(after) if after is not None else ()
    files = Tracked(disk, root)
    return folder_prompts(root, files, asked, settings=NO_URLS, only=only, preview=kept.preview, read_before=read)


def _candidates(found: FolderPrompts) -> set[str]:
    """The files that programs have looked for, with links resolved and as they are named."""
    named = {each.path for prompt in found.prompts for each in prompt.candidates if each.path is not None}
    return named | {found.host.realpath(path) for path in named}


def _texts(every: Iterable[Commit], root: str, known: FolderPrompts, looked_for: set[str]) -> Iterator[str]:
    """The names of the texts before the commits, of files that a program looks at."""
    for each in every:
        for path, blob in zip(each.paths, each.was.values(), strict=True):
            if blob is not None and is_below(path, root) and (path in looked_for or _is_named(path, root, known)):
                yield blob[1]


def _may_matter(commit: Commit, root: str, known: FolderPrompts, looked_for: set[str]) -> bool:
    """Whether a commit touches a file that a program looks at, or one with a name that some program knows."""
    return any(path in looked_for or _is_named(path, root, known) for path in commit.paths if is_below(path, root))


def _is_named(path: str, root: str, known: FolderPrompts) -> bool:
    return _has_name(path, root, known.places.wanted) or (is_below(path, root) and _is_settings(path, known))


def _has_name(path: str, root: str, wanted: frozenset[str]) -> bool:
    return is_below(path, root) and has_name(path[len(root) :], wanted)


def _is_settings(path: str, known: FolderPrompts) -> bool:
    return path.endswith(f"/{OWN}") or path == known.settings_file.path
