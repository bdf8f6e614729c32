"""Watched files: the directories of everything that a preview looked at, inside and outside the workspace."""

from __future__ import annotations

import os

from lsprotocol import types

from promptls.core import specs
from promptls.core.paths import LONGEST, is_below, parent
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of, uri_of

ID = "files"
# If there are more directories than this below one folder, the whole folder is watched.
MANY = 100
# What a check of a whole folder reads. A folder is not watched for all else, which builds and tests write all day.
CONFIGS = ("json", "jsonc", "json5", "toml", "yaml", "yml", "gitignore")


def register(server: PromptServer) -> None:
    """Follow what the previews look at."""
    context, events = server.context, server.context.events
    watched: set[tuple[str, str]] = set()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed(params: types.DidChangeWatchedFilesParams) -> None:
        paths = (path_of(change.uri) for change in params.changes)
        events.files_changed.emit(frozenset(path for path in paths if path is not None))

    def made(_: object) -> None:
        if context.client.reports_files:
            wanted = _wanted(server)
            if not wanted <= watched:
                is_first = not watched
                watched.update(wanted)
                server.spawn(_watch(server, sorted(watched), is_first=is_first), "the watch of files")

    events.previews_made.listen(made)
    events.settings_changed.listen(made)


def _wanted(server: PromptServer) -> set[tuple[str, str]]:
    """Directory and pattern of each watch."""
    directories = {parent(path) for path in server.previews.looked_at()}
    directories = {directory for directory in directories if _can_exist(directory)}
    wanted = set()
    for folder in server.context.folders:
        below = {each for each in directories if folder.path and is_below(each, folder.path)}
        if folder.path and len(below) > MANY:
            wanted.add((folder.path, "**/*"))
            directories -= below
    texts = ",".join((*(each.removeprefix(".") for each in specs.endings()), *CONFIGS))
    checked = {(path, f"**/*.{{{texts}}}") for path in _checked(server)}
    return wanted | {(directory, "*") for directory in directories} | checked


def _checked(server: PromptServer) -> list[str]:
    """The folders that are checked as a whole."""
    context = server.context
    return [each.path for each in context.folders if each.path and context.settings.of(each).check_workspace]


def _can_exist(directory: str) -> bool:
    """Whether a client could watch it: a configuration may contain impossible names."""
    try:
        return len(os.fsencode(directory)) <= LONGEST and "\0" not in directory
    except UnicodeEncodeError:
        return False


async def _watch(server: PromptServer, watched: list[tuple[str, str]], *, is_first: bool) -> None:
    if not is_first:
        gone = types.Unregistration(ID, types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
        await server.client_unregister_capability_async(types.UnregistrationParams([gone]))
    patterns = [types.RelativePattern(uri_of(directory), pattern) for directory, pattern in watched]
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(p) for p in patterns])
    registration = types.Registration(ID, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))
    # Changes before the client began to watch.
    server.context.events.files_changed.emit(frozenset())
