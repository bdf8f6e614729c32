"""An action that makes one instruction file of several: it shows the proof, and writes when the user says so."""

from __future__ import annotations

from lsprotocol import types

from promptls.core.paths import join, name, parent, relative
from promptls.core.visible import visible
from promptls.lsp.proposed import MOST, directory_of, left, proof, proposed
from promptls.lsp.server import PromptServer
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
SAYS = {"removed": "is removed", "import": "imports it", "link": "becomes a link to it"}


def register(server: PromptServer) -> None:
    """Offer the command."""

    @server.command(COMMAND)
    async def unify(uri: str) -> None:
        def command(path: str) -> list[str]:
            return ["unify", join(directory_of(server, path), AGENTS)]

        # A client may wait for the answer of a command before it shows a message.
        server.spawn(proposed(server, uri, command, _message, "is now the one file"), "the one instruction file")


def actions(server: PromptServer, document: Document, prompts: Iterable[Prompt]) -> Iterator[types.CodeAction]:
    """On the first line of a file that is sent at start, if other files are, too, in the same directory."""
    path = document.path or ""
    directory, host = directory_of(server, path), server.previews.sources().host()
    found = at_start(prompts, directory, host)
    if len(found) > 1 and host.realpath(path) in found and not server.context.settings.untrusted:
        names = [relative(each, directory) for each in found]
        rest = f" and {len(names) - MOST + 1} more" if len(names) > MOST else ""
        shown = names[: MOST - 1] if rest else names
        title = visible(f"Make one instruction file of {', '.join(shown)}{rest} …")
        yield types.CodeAction(title, KIND, command=types.Command(title, COMMAND, arguments=[document.uri]))


def _message(found: dict[str, Any]) -> str:
    """What becomes of each file, and what each program gets then."""
    target, directory = name(found["target"]), parent(found["target"])
    if not found["changed"]:
        return f"{target}: there is nothing to unify.{left(found, directory)}"
    done = [f"{relative(each['path'], directory)} {SAYS.get(each['how'], 'is removed')}" for each in found["changed"]]
    return f"{target} can be the one file: {', '.join(done)}. {proof(found)}{left(found, directory)}"
