"""An action that makes one instruction file of several: it shows the proof, and writes when the user says so."""

from __future__ import annotations

import json

from lsprotocol import types

from promptls.core.files import read
from promptls.core.paths import is_below, is_hidden, join, name, parent, relative
from promptls.core.text import decode
from promptls.core.visible import visible
from promptls.errors import PromptlsError, UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.sessions.unifiable import at_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from promptls.core.model import Prompt
    from promptls.lsp.documents import Document

COMMAND = "promptls.unify"
KIND = types.CodeActionKind.RefactorRewrite
AGENTS = "AGENTS.md"
WRITE = "Write the Files"
SAYS = {"removed": "is removed", "import": "imports it", "link": "becomes a link to it"}
# Files that are named; the rest is counted.
MOST = 4


def register(server: PromptServer) -> None:
    """Offer the command."""

    @server.command(COMMAND)
    async def unify(uri: str) -> None:
        # A client may wait for the answer of a command before it shows a message.
        server.spawn(_unify(server, uri), "the one instruction file")


def actions(server: PromptServer, document: Document, prompts: Iterable[Prompt]) -> Iterator[types.CodeAction]:
    """On the first line of a file that is sent at start, if other files are, too, in the same directory."""
    path = document.path or ""
    directory, host = _directory(server, path), server.previews.sources().host()
    found = at_start(prompts, directory, host)
    if len(found) > 1 and host.realpath(path) in found and not server.context.settings.untrusted:
        names = [relative(each, directory) for each in found]
        rest = f" and {len(names) - MOST + 1} more" if len(names) > MOST else ""
        shown = names[: MOST - 1] if rest else names
        title = visible(f"Make one instruction file of {', '.join(shown)}{rest} …")
        yield types.CodeAction(title, KIND, command=types.Command(title, COMMAND, arguments=[document.uri]))


def _directory(server: PromptServer, path: str) -> str:
    """The directory that a file is for: what is in a hidden folder is for the one that holds this."""
    folder = server.context.folder_of(path)
    top, place = (folder.path if folder is not None else None) or "/", parent(path)
    while place != top and is_below(place, top) and any(map(is_hidden, relative(place, top).split("/"))):
        place = parent(place)
    return place


async def _unify(server: PromptServer, uri: str) -> None:
    path = path_of(uri)
    try:
        if path is None:
            raise UsageError("Only files on this disk can become one; save the document first.")
        await _asked(server, join(_directory(server, path), AGENTS))
    except PromptlsError as error:
        _tell(server, str(error), types.MessageType.Warning)


async def _asked(server: PromptServer, target: str) -> None:
    """Show what would be done, and do it if the user says so."""
    from promptls.lsp.commanded import commanded  # noqa: PLC0415 - rarely asked for

    context = server.context
    await context.settings.ready()
    if context.settings.untrusted:
        raise UsageError("Nothing is written in an untrusted folder; trust the folder first.")
    named = context.settings.of(context.folder_of(target)).harnesses
    command = ["unify", target, "--format=json", *(f"--harness={each}" for each in named)]
    async with server.show_progress("Comparing prompts before and after"):
        found: dict[str, Any] = json.loads(await commanded(command, (0, 1)))
    if not found["changed"]:
        _tell(server, f"{name(target)}: there is nothing to unify.{_left(found)}")
        return
    choice = types.ShowMessageRequestParams(types.MessageType.Info, _message(found), [types.MessageActionItem(WRITE)])
    answer = await server.window_show_message_request_async(choice)
    if answer is None or answer.title != WRITE:
        return
    changed = [target, *(each["path"] for each in found["changed"])]
    unsaved = next((each.path for each in map(context.documents.at, changed) if each and _is_unsaved(each)), None)
    if unsaved is not None:
        raise UsageError(f"{unsaved} is not saved; save it first.")
    await commanded([*command, "--write"])
    context.events.files_changed.emit(frozenset(changed))
    _tell(server, f"{name(target)} is now the one file; git can undo it.")


def _is_unsaved(document: Document) -> bool:
    return document.path is not None and decode(read(document.path).data, keep_bom=False) != document.text


def _message(found: dict[str, Any]) -> str:
    """What becomes of each file, and what each program gets then."""
    directory = parent(found["target"])
    done = [f"{relative(each['path'], directory)} {SAYS.get(each['how'], 'is removed')}" for each in found["changed"]]
    programs = found["programs"]
    lost, twice = (sum(each[key] for each in programs) for key in ("lost", "twice"))
    sizes = (
        f"{each['harness']} {each['tokens']['after'] - each['tokens']['before']:+,}"
        for each in programs
        if each["tokens"]["after"] != each["tokens"]["before"]
    )
    tokens = ", ".join(sizes)
    proof = f"{len(programs)} program{'' if len(programs) == 1 else 's'}: {lost} lines lost, {twice} twice"
    says = f"{name(found['target'])} can be the one file: {', '.join(done)}. {proof}"
    return visible(f"{says}{f'; tokens at start: {tokens}' if tokens else ''}.{_left(found)}")


def _left(found: dict[str, Any]) -> str:
    directory = parent(found["target"])
    left = [f"{relative(each['path'], directory)} stays: {each['why']}." for each in found["left"][:MOST]]
    return f" {' '.join(left)}" if left else ""


def _tell(server: PromptServer, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
    server.window_show_message(types.ShowMessageParams(kind, visible(message)))
