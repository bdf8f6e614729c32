"""workspace/didChangeWorkspaceFolders: keep the list of folders."""

from __future__ import annotations

from lsprotocol import types

from promptls.lsp.folders import folder
from promptls.lsp.server import PromptServer


def register(server: PromptServer) -> None:
    """Claim the notification."""
    context = server.context

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {each.uri for each in params.event.removed}
        added = [folder(each.uri, each.name) for each in params.event.added]
        kept = [each for each in context.folders if each.uri not in gone]
        context.folders = (*kept, *(each for each in added if each not in kept))
        context.events.folders_changed.emit(None)
