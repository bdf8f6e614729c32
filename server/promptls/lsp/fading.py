"""What of an open document the shown harness never sends, faded: as diagnostics that are tagged as unnecessary."""

from __future__ import annotations

from lsprotocol import types

from promptls.core.lines import never_sent, standing
from promptls.core.places import names_of
from promptls.harnesses import split
from promptls.harnesses.detect import choose
from promptls.local import local_host
from promptls.lsp.convert import client_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.lines import LeftOut, Reason
    from promptls.core.model import Prompt
    from promptls.lsp.documents import Document
    from promptls.lsp.server import PromptServer

CODE = "not-sent"
# What is surely lost. Another way to the model, or a file that the harness does not want, is no reason to fade.
FADED: tuple[Reason, ...] = ("comment", "front-matter", "cut", "shadowed", "dropped", "disabled")


async def faded(server: PromptServer, document: Document) -> list[types.Diagnostic]:
    """A hint for each piece of a document that no session of the harness that its preview shows is sent.

    None for a client that cannot fade, or if the settings turn it off.
    """
    context, path = server.context, document.path
    if path is None or not context.client.fades:
        return []
    await context.settings.ready()
    if not context.settings.of(context.folder_of(path)).fade:
        return []
    found, settings = await server.previews.detected(path)
    harness = split(choose(found, settings))[0]
    views = [view for view in await server.previews.around(path) if view.prompt.session.harness == harness]
    pieces = await server.previews.run(lambda: _pieces([view.prompt for view in views], path, document.text))
    return [
        types.Diagnostic(
            range=client_range(context.documents, path, piece.range),
            message=f"{harness} does not send this: {piece.why}.",
            severity=types.DiagnosticSeverity.Hint,
            code=CODE,
            source="promptls",
            tags=[types.DiagnosticTag.Unnecessary],
        )
        for piece in pieces
    ]


def _pieces(prompts: Sequence[Prompt], path: str, text: str) -> list[LeftOut]:
    found = never_sent([standing(prompt, names_of([prompt], path, local_host()), text) for prompt in prompts])
    return [each for each in found if each.reason in FADED and not (each.cut and each.cut.is_ours)]
