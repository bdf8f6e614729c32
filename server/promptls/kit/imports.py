"""Imports: files that name other files. The walk over them; how one file names another is each harness's own."""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Literal

    Fate = Literal["followed", "cycle", "duplicate", "too-deep", "refused"]


@dataclass(frozen=True, slots=True)
class Mention:
    """An import as it is in a text: its offsets, and the absolute path that it means."""

    start: int
    end: int
    path: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A file in the tree of imports. The root has no mention and no importer, and its depth is 0.

    ``fate``: ``followed`` (whether it exists, the harness sees when it reads it), ``cycle`` (it is one of its own
    importers), ``duplicate`` (it is there already), ``too-deep``, or ``refused`` for ``reason``.
    ``branches`` are its own imports in order; () unless it is followed.
    """

    path: str
    depth: int = 0
    mention: Mention | None = None
    importer: str | None = None
    fate: Fate = "followed"
    reason: str = ""
    branches: tuple[Branch, ...] = ()

    def flat(self) -> Iterator[Branch]:
        """This one and all below it, depth first, in order."""
        yield self
        for branch in self.branches:
            yield from branch.flat()


def follow(
    root: str,
    imports_of: Callable[[str], Iterable[Mention]],
    *,
    max_depth: int,
    seen: set[str] | None = None,
    refuse: Callable[[str, Mention], str | None] = lambda _importer, _mention: None,
    identity: Callable[[str], str] = lambda path: path,
) -> Branch:
    """The tree of imports below ``root``, depth first.

    ``imports_of`` gives the mentions in a file, none for one that cannot be read. ``max_depth`` is the depth of
    the last file that is followed. With ``seen`` a file is followed only once, and ``seen`` is filled with the
    identities of those that were, the root too; without it only cycles are cut. ``refuse`` says why the importer
    may not import this, None if it may. ``identity`` is what makes two paths the same file.
    """

    def branch(mention: Mention, importer: str, depth: int, above: tuple[str, ...]) -> Branch:
        def ended(fate: Fate, reason: str = "") -> Branch:
            return Branch(mention.path, depth, mention, importer, fate, reason)

        own = identity(mention.path)
        reason = refuse(importer, mention)
        if reason is not None:
            return ended("refused", reason)
        if own in above:
            return ended("cycle")
        if seen is not None and own in seen:
            return ended("duplicate")
        if depth > max_depth:
            return ended("too-deep")
        below = inside(mention.path, depth, (*above, own))
        return Branch(mention.path, depth, mention, importer, branches=below)

    def inside(path: str, depth: int, above: tuple[str, ...]) -> tuple[Branch, ...]:
        if seen is not None:
            seen.add(above[-1])
        return tuple([branch(mention, path, depth + 1, above) for mention in imports_of(path)])

    return Branch(root, branches=inside(root, 0, (identity(root),)))
