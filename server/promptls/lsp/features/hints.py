"""Inlay hints: the token count of each section of an instruction file, after its heading. Off by default."""

from __future__ import annotations

from lsprotocol import types

from promptls.core.phrases import tokens_text
from promptls.core.places import is_read, names_of
from promptls.core.totals import counter_of
from promptls.lsp.server import PromptServer
from promptls.workspace.request import HERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.lsp.documents import Document
    from promptls.lsp.view import View


def register(server: PromptServer) -> None:
    """Claim the request."""
    context = server.context

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        document, views = await server.previews.of_document(params.text_document.uri)
        if document is None or document.path is None:
            return []
        if not context.settings.of(context.folder_of(document.path)).inlay_hints:
            return []
        lines = range(params.range.start.line, params.range.end.line + 1)
        return await server.previews.run(lambda: list(_hints(document, views, lines)))

    before: set[str | None] = set()

    @context.events.settings_changed.listen
    def changed(_: None) -> None:
        wanted = {
            each.uri if each else None for each in (*context.folders, None) if context.settings.of(each).inlay_hints
        }
        if wanted != before and context.client.inlay_refresh:
            server.workspace_inlay_hint_refresh(None)
        before.clear()
        before.update(wanted)


def _hints(document: Document, views: Sequence[View], lines: range) -> Iterator[types.InlayHint]:
    from promptls.core.formats import markdown  # noqa: PLC0415 - too slow for the start

    prompts, path = [view.prompt for view in views], document.path or ""
    if not is_read(prompts, path, names_of(prompts, path, HERE.host())):
        return
    count = counter_of(views[0].prompt)
    for heading in markdown.headings(document.text):
        line, _ = document.lines.position(heading.start)
        if line in lines:
            tokens = count(document.text[heading.start : heading.end])
            end = document.text.find("\n", heading.start)
            after = types.Position(*document.lines.position(len(document.text) if end < 0 else end))
            yield types.InlayHint(after, tokens_text(tokens, count).partition(" (")[0], padding_left=True)
