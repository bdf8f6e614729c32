"""workspace/willRenameFiles: updates entries, imports and links when a file or folder is renamed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from posixpath import normpath
from urllib.parse import quote, unquote

from lsprotocol import types

from promptls.core import files, specs
from promptls.core.changes import followed, moved_along
from promptls.core.model import Edit
from promptls.core.paths import is_absolute, join, parent
from promptls.core.places import ABSENT
from promptls.core.text import LineIndex, lines_of
from promptls.core.totals import loaded_files
from promptls.lsp.convert import document_at, workspace_edit
from promptls.lsp.names import markdown_links
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Origin
    from promptls.lsp.view import View

FILES = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)

# In a renamed folder, no more texts than this are searched, and no more directories.
MANY = 50
CONFIGS = (".json", ".jsonc")
FOREIGN = ("node_modules", ".git")


def register(server: PromptServer) -> None:
    """Claim the request."""
    context = server.context

    @server.feature(types.WORKSPACE_WILL_RENAME_FILES, FILES)
    async def will_rename(params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
        paths = [(path_of(file.old_uri), path_of(file.new_uri)) for file in params.files]
        moves = Moves(tuple((old, new) for old, new in paths if old is not None and new is not None))
        views: dict[int, View] = {}
        for old, _ in moves.pairs:
            # Files in a folder may be read only by sessions that have not been previewed.
            inside = await server.previews.run(partial(_texts, old))
            for path in (old, *inside):
                views.update((id(view), view) for view in await server.previews.views_of_file(path))
        views.update((id(view), view) for view in server.previews.at_hand())
        found = await server.previews.run(lambda: list(_edits(server, list(views.values()), moves)))
        ordered = sorted(dict.fromkeys(found), key=lambda edit: edit.path)
        return workspace_edit(context.documents, context.client, ordered) if ordered else None


@dataclass(frozen=True, slots=True)
class Moves:
    """Files and folders that are renamed together, each with its new path."""

    pairs: tuple[tuple[str, str], ...]

    def of(self, path: str) -> str:
        """Where the file at ``path`` will be."""
        fitting = [(old, new) for old, new in self.pairs if path == old or path.startswith(old + "/")]
        old, new = max(fitting, key=lambda pair: len(pair[0]), default=("", ""))
        return new + path[len(old) :]

    def rewritten(self, entry: str, target: str, holder: str) -> str | None:
        """``entry`` of the file at ``holder``, which refers to ``target``, as it must be written; None if unchanged."""
        moved = self.of(holder)
        if moved != holder:
            name = moved_along(entry, target, holder, moved, self.of(target))
            if name is not None or normpath(join(parent(holder), entry)) == target:
                return name
        names = (followed(entry, target, old, new) for old, new in self.pairs)
        return next((name for name in names if name is not None), None)


def _texts(path: str) -> list[str]:
    """The texts in and below a directory, up to a limit; none of a file."""
    found: list[str] = []
    waiting = [path]
    for directory in waiting:
        for entry in files.entries(directory):
            inner = join(directory, entry.name)
            if entry.is_directory and entry.name not in FOREIGN:
                waiting.append(inner)
            elif entry.name.endswith((*CONFIGS, *specs.endings())):
                found.append(inner)
        if len(found) > MANY or len(waiting) > MANY:
            break
    return found[:MANY]


def _edits(server: PromptServer, views: Sequence[View], moves: Moves) -> Iterator[Edit]:
    named: dict[Origin, str] = {}
    for view in views:
        for candidate in view.prompt.candidates:
            path, origin = candidate.path, candidate.origin
            if path and origin.range and origin.path not in (None, path) and candidate.outcome not in ABSENT:
                named.setdefault(origin, path)
    for origin, target in named.items():
        edit = _renamed(server, origin, target, moves)
        if edit is not None:
            yield edit
    read = dict.fromkeys(file for view in views for file in loaded_files(view.prompt) if is_absolute(file, file))
    for file in read:
        document = document_at(server.context.documents, file)
        index = LineIndex(document.text)
        for link, target in markdown_links(document, views):
            path, mark, part = link.target.partition("#")
            name = moves.rewritten(unquote(path), target, file)
            if name is not None:
                name = quote(name) if "%" in path else name
                yield Edit(file, index.range(link.start, link.end), f"{name}{mark}{part}")


def _renamed(server: PromptServer, origin: Origin, target: str, moves: Moves) -> Edit | None:
    """The change of one entry or import, if its text is still there."""
    entry = (origin.name or "").removeprefix("@")
    if not entry or origin.path is None or origin.range is None:
        return None
    name = moves.rewritten(entry, target, origin.path)
    if name is None:
        return None
    index = lines_of(document_at(server.context.documents, origin.path).text)
    start = index.offset(origin.range.start_line, origin.range.start_character)
    end = index.offset(origin.range.end_line, origin.range.end_character)
    at = index.text.find(entry, start, end)
    return Edit(origin.path, index.range(at, at + len(entry)), name) if at >= 0 else None
