"""workspace/willRenameFiles: entries, imports and links follow a file or folder to its new name."""

from __future__ import annotations

from urllib.parse import quote, unquote

from lsprotocol import types

from promptls.core.changes import followed
from promptls.core.model import Edit
from promptls.core.places import ABSENT
from promptls.core.render import loaded_files
from promptls.core.text import LineIndex
from promptls.lsp.convert import document_at
from promptls.lsp.edits import workspace_edit
from promptls.lsp.names import markdown_links
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Origin
    from promptls.lsp.previews import View

FILES = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.feature(types.WORKSPACE_WILL_RENAME_FILES, FILES)
    async def will_rename(params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
        edits: dict[Edit, None] = {}
        for file in params.files:
            old, new = path_of(file.old_uri), path_of(file.new_uri)
            if old is None or new is None:
                continue
            views = [*await server.previews.around(old), *server.previews.at_hand()]
            found = await server.previews.run(lambda: list(_edits(server, views, old, new)))  # noqa: B023 - runs now
            edits.update(dict.fromkeys(found))
        ordered = sorted(edits, key=lambda edit: edit.path)
        return workspace_edit(server.documents, server.client, ordered) if ordered else None


def _edits(server: PromptServer, views: Sequence[View], old: str, new: str) -> Iterator[Edit]:
    named: dict[Origin, str] = {}
    for view in views:
        for candidate in view.prompt.candidates:
            path, origin = candidate.path, candidate.origin
            if path and origin.range and origin.path not in (None, path) and candidate.outcome not in ABSENT:
                named.setdefault(origin, path)
    for origin, target in named.items():
        edit = _renamed(server, origin, target, old, new)
        if edit is not None:
            yield edit
    files = dict.fromkeys(file for view in views for file in loaded_files(view.prompt) if file.startswith("/"))
    for file in files:
        document = document_at(server.documents, file)
        index = LineIndex(document.text)
        for link, target in markdown_links(document, views):
            path, mark, part = link.target.partition("#")
            name = followed(unquote(path), target, old, new)
            if name is not None:
                name = quote(name) if "%" in path else name
                yield Edit(file, index.range(link.start, link.end), f"{name}{mark}{part}")


def _renamed(server: PromptServer, origin: Origin, target: str, old: str, new: str) -> Edit | None:
    """The change of one entry or import, if what it says stands there as it is."""
    entry = (origin.name or "").removeprefix("@")
    name = followed(entry, target, old, new) if entry else None
    if name is None or origin.path is None or origin.range is None:
        return None
    index = LineIndex(document_at(server.documents, origin.path).text)
    start = index.offset(origin.range.start_line, origin.range.start_character)
    end = index.offset(origin.range.end_line, origin.range.end_character)
    at = index.text.find(entry, start, end)
    return Edit(origin.path, index.range(at, at + len(entry)), name) if at >= 0 else None
