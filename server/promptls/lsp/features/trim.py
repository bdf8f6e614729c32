"""An action that drops from a file what another one says in every session: with its proof, when the user says so."""

from __future__ import annotations

from lsprotocol import types

from promptls.core.model import USED
from promptls.core.paths import name
from promptls.core.visible import visible
from promptls.lsp.proposed import left, proof, proposed
from promptls.lsp.server import PromptServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.lsp.documents import Document

COMMAND = "promptls.trim"
KIND = types.CodeActionKind.RefactorRewrite


def register(server: PromptServer) -> None:
    """Offer the command."""

    @server.command(COMMAND)
    async def trim(uri: str) -> None:
        change = proposed(server, uri, lambda path: ["trim", path], _message, "is shorter now")
        server.spawn(change, "a shorter file")


def actions(server: PromptServer, document: Document, prompts: Iterable[Prompt]) -> Iterator[types.CodeAction]:
    """On the first line of a file that some program gets beside another one, or of which it gets only a part."""
    host = server.previews.sources().host()
    real = host.realpath(document.path or "")
    if not server.context.settings.untrusted and any(_is_beside(each, real, host) for each in prompts):
        title = visible(f"Drop from {name(document.path or '')} what other files say or no coding agent gets …")
        yield types.CodeAction(title, KIND, command=types.Command(title, COMMAND, arguments=[document.uri]))


def _is_beside(prompt: Prompt, real: str, host: Host) -> bool:
    sent = {
        host.realpath(each.path): each
        for each in prompt.candidates
        if each.path is not None and each.use == "instruction" and each.outcome in USED
    }
    return real in sent and (len(sent) > 1 or sent[real].cut is not None)


def _message(found: dict[str, Any]) -> str:
    """What can go, what each program gets then, and what is not offered."""
    file = name(found["path"])
    near = sum(each["may_go"] for each in found["near"])
    texts, them = ("texts is", "it") if near == 1 else ("texts are", "them")
    rest = f" {near} more of its {texts} nearly said elsewhere; “promptls trim” shows {them}." if near else ""
    rest = f"{left(found, found['root'])}{rest}"
    if not found["gone"]:
        return f"{file}: nothing can go without a loss.{rest}"
    count = sum(each["last"] - each["first"] + 1 for each in found["gone"])
    lines = "1 line" if count == 1 else f"{count:,} lines"
    why = {each["why"] for each in found["gone"]}
    says = " and ".join(
        clause
        for key, clause in (("same", "another file says them in every session"), ("beyond", "no program gets them"))
        if key in why
    )
    return f"{lines} of {file} can go: {says}. {proof(found)}{rest}"
