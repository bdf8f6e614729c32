"""What of an open document the shown harness never sends, faded: as diagnostics that are tagged as unnecessary."""

from __future__ import annotations

from lsprotocol import types

from promptls.core.lines import file_in_prompt, never_sent
from promptls.core.places import names_of
from promptls.harnesses import split
from promptls.lsp.convert import client_range
from promptls.sessions.detect import choose
from promptls.workspace.request import HERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.lines import FileInPrompt, LeftOut, Reason
    from promptls.core.model import Prompt
    from promptls.lsp.documents import Document
    from promptls.lsp.server import PromptServer

CODE = "not-sent"
# What is surely lost. Another way to the model, or a file that the harness does not want, is no reason to fade.
FADED: tuple[Reason, ...] = ("comment", "front-matter", "cut", "shadowed", "dropped", "disabled")


async def faded(server: PromptServer, document: Document) -> list[types.Diagnostic]:
    """A hint for each piece of a document that the harness that its preview shows sends in no session.

    None for a client that cannot fade, or if the settings turn it off.
    """
    context, path = server.context, document.path
    if path is None or not context.client.fades:
        return []
    await context.settings.ready()
    if not context.settings.of(context.folder_of(path)).fade:
        return []
    views, here = await server.previews.views_of_file_and_here(path)
    prompts = [view.prompt for view in views]
    chosen = split(choose(here.found, here.settings))[0]
    harness, pieces = await server.previews.run(lambda: _pieces(prompts, path, document.text, chosen))
    return [
        types.Diagnostic(
            range=client_range(context.documents, path, piece.range),
            message=f"{harness} does not send this{', because of a limit' if piece.cut else ''}: {piece.why}.",
            severity=types.DiagnosticSeverity.Hint,
            code=CODE,
            source="promptls",
            tags=[types.DiagnosticTag.Unnecessary],
        )
        for piece in pieces
    ]


def _pieces(prompts: Sequence[Prompt], path: str, text: str, chosen: str) -> tuple[str, list[LeftOut]]:
    """What is lost, and the harness that loses it: the chosen one, or if that does not read the file, the only reader.

    Where several others read it, each in its own way, nothing is lost for sure.
    """
    readers: dict[str, list[FileInPrompt]] = {}
    host = HERE.host()
    for prompt in prompts:
        found = file_in_prompt(prompt, names_of([prompt], path, host), text)
        if found.sent or any(each.reason != "unknown" for each in found.left_out):
            readers.setdefault(prompt.session.harness, []).append(found)
    harness = next(iter(readers), chosen) if len(readers) == 1 else chosen
    lost = never_sent(readers.get(harness, ()))
    return harness, [each for each in lost if each.reason in FADED and not (each.cut and each.cut.is_ours)]
