"""The folders of the workspace."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from promptls.core.paths import is_below
from promptls.lsp.uris import path_of, uri_of


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the workspace. ``path`` is None if it is not on this disk."""

    uri: str
    name: str
    path: str | None


def folder(uri: str, name: str | None = None) -> Folder:
    """The folder of ``uri``, named by its last part if it has no name."""
    path = path_of(uri)
    return Folder(uri, name or os.path.basename((path or uri).rstrip("/\\")), path)


def folders_of(params: Mapping[str, Any]) -> tuple[Folder, ...]:
    """The folders that ``InitializeParams`` (JSON) name, in the newest of the three forms that the client uses."""
    named = params.get("workspaceFolders")
    if isinstance(named, list):
        found = [entry for entry in named if isinstance(entry, dict) and isinstance(entry.get("uri"), str)]
        return tuple(folder(entry["uri"], entry.get("name")) for entry in found)
    if isinstance(uri := params.get("rootUri"), str):
        return (folder(uri),)
    if isinstance(path := params.get("rootPath"), str):
        return (folder(uri_of(path)),)
    return ()


def holding(folders: Iterable[Folder], path: str) -> Folder | None:
    """The innermost of ``folders`` that holds ``path``."""
    found = [(len(each.path), each) for each in folders if each.path is not None and is_below(path, each.path)]
    return max(found, key=lambda pair: pair[0])[1] if found else None
