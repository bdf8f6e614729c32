"""A change by a command line: its proof is a message, its patch a document, and the user's answer writes the files."""

from __future__ import annotations

import json

from lsprotocol import types

from promptls.core.files import read
from promptls.core.paths import is_below, is_in_hidden, name, parent, relative
from promptls.core.text import decode
from promptls.core.visible import visible
from promptls.errors import PromptlsError, UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from promptls.lsp.documents import Document

WRITE, PATCH = "Write the Files", "Show the Patch"
# Files that are named; the rest is counted.
MOST = 4


def directory_of(server: PromptServer, path: str) -> str:
    """The directory that a file is for: what is in a hidden folder is for the one that holds this."""
    folder = server.context.folder_of(path)
    top, place = (folder.path if folder is not None else None) or "/", parent(path)
    while place != top and is_below(place, top) and is_in_hidden(place, top):
        place = parent(place)
    return place


async def proposed(
    server: PromptServer,
    uri: str,
    command: Callable[[str], Sequence[str]],
    sentence: Callable[[dict[str, Any]], str],
    done: str,
) -> None:
    """Show what ``command`` of the path would change, and do it if the user says so.

    ``sentence``: what its JSON says; ``done``: what is said of the file then.
    """
    path = path_of(uri)
    try:
        if path is None:
            raise UsageError("This needs a file on this disk; save the document first.")
        await _asked(server, path, command(path), sentence, done)
    except PromptlsError as error:
        _tell(server, str(error), types.MessageType.Warning)


async def _asked(
    server: PromptServer, path: str, command: Sequence[str], sentence: Callable[[dict[str, Any]], str], done: str
) -> None:
    from promptls.lsp.commanded import commanded  # noqa: PLC0415 - rarely asked for
    from promptls.lsp.written import show  # noqa: PLC0415 - the same

    context = server.context
    await context.settings.ready()
    if context.settings.untrusted:
        raise UsageError("Nothing is written in an untrusted folder; trust the folder first.")
    named = context.settings.of(context.folder_of(path)).harnesses
    whole = [*command, "--format=json", *(f"--harness={each}" for each in named)]
    async with server.show_progress("Comparing prompts before and after"):
        found: dict[str, Any] = json.loads(await commanded(whole, (0, 1)))
    files = _changed(found)
    if not files:
        _tell(server, sentence(found))
        return
    answer = await _choice(server, sentence(found), PATCH, WRITE)
    if answer == PATCH:
        await show(server, f"{name(path)}-{command[0]}", found["patch"], ending=".diff")
        answer = await _choice(server, sentence(found), WRITE)
    if answer != WRITE:
        return
    unsaved = next((each.path for each in map(context.documents.at, files) if each and _is_unsaved(each)), None)
    if unsaved is not None:
        raise UsageError(f"{unsaved} is not saved; save it first.")
    await commanded([*whole, "--write"])
    context.events.files_changed.emit(frozenset(files))
    _tell(server, f"{name(found.get('target') or path)} {done}; git can undo it.")


async def _choice(server: PromptServer, message: str, *answers: str) -> str | None:
    actions = [types.MessageActionItem(each) for each in answers]
    question = types.ShowMessageRequestParams(types.MessageType.Info, visible(message), actions)
    answer = await server.window_show_message_request_async(question)
    return answer.title if answer is not None else None


def _changed(found: dict[str, Any]) -> list[str]:
    """The files that the JSON of ``unify`` or ``trim`` changes."""
    files = dict.fromkeys(each["path"] for each in found.get("changed", found.get("gone", ())))
    return [*([found["target"]] if files and "target" in found else []), *files]


def _is_unsaved(document: Document) -> bool:
    return document.path is not None and decode(read(document.path).data, keep_bom=False) != document.text


def proof(found: dict[str, Any]) -> str:
    """What a change does to each program."""
    programs = found["programs"]
    lost, twice = (max((each[key] for each in programs), default=0) for key in ("lost", "twice"))
    such = f", such as “{found['repeated'][0]}”" if twice and found.get("repeated") else ""
    sizes = (
        f"{each['harness']} {each['tokens']['after'] - each['tokens']['before']:+,}"
        for each in programs
        if each["tokens"]["after"] != each["tokens"]["before"]
    )
    tokens = ", ".join(sizes)
    says = f"{len(programs)} program{'' if len(programs) == 1 else 's'}: {lost} lines lost, {twice} twice{such}"
    return f"{says}{f'; tokens at start: {tokens}' if tokens else ''}."


def left(found: dict[str, Any], directory: str) -> str:
    """Files that stay as they are, and why."""
    rows = [f"{relative(each['path'], directory)} stays: {each['why']}." for each in found["left"][:MOST]]
    return f" {' '.join(rows)}" if rows else ""


def _tell(server: PromptServer, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
    server.window_show_message(types.ShowMessageParams(kind, visible(message)))
