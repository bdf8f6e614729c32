"""A map as one page of HTML, without network: a treemap, the files, the directories and the problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptls.core.paths import name
from promptls.page.elements import Links
from promptls.page.frame import framed
from promptls.page.sections import budgets, directories, problems, sizes
from promptls.page.treemap import treemap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.budgets import Spent
    from promptls.core.model import Problem
    from promptls.workspace.folder_map import FolderMap


def page(
    found: FolderMap,
    reported: Sequence[Problem],
    spent: Sequence[Spent] = (),
    *,
    nonce: str,
    base: str | None = None,
    is_shared: bool = False,
) -> str:
    """The page of a map, of the problems of its folder, and of budgets; ``is_shared``: as ``Links`` has it.

    ``nonce``: a random word of letters, digits, ``+``, ``/``, ``-`` and ``_``. ``base``: the directory that links are
    relative to, the folder itself by default.
    """
    root = found.map.root
    links = Links(root, base or root, is_shared)
    picture, style = treemap(found, links)
    title = "Prompt map" if is_shared else f"Prompt map of {name(root) or root}"
    sections = [("tokens", "Tokens"), ("files", "Files"), ("directories", "Directories"), ("problems", "Problems")]
    parts = [picture, sizes(found, links), directories(found, links), problems(reported, links)]
    if spent:
        sections.append(("budgets", "Budgets"))
        parts.append(budgets(spent, root, links))
    return framed(title, sections, parts, nonce=nonce, name="map", style=style)
