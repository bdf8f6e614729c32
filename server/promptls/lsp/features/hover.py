"""Hover: what a name means to the harnesses in use, and on the first line of an instruction file who reads it."""

from __future__ import annotations

from lsprotocol import types

from promptls.core import describe, places
from promptls.core.formats.header import header
from promptls.core.render import short
from promptls.harnesses.globs import Steps, is_magic, match
from promptls.local import local_host
from promptls.lsp.convert import holds, inner
from promptls.lsp.server import PromptServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.places import Named
    from promptls.harnesses.explain import Explanation
    from promptls.lsp.documents import Document
    from promptls.lsp.previews import View

# The keys that say what a rule is for, by harness.
SCOPES = ("applyTo", "globs", "paths")
# Steps that the search for a rule's files may take.
STEPS = 20_000


def register(server: PromptServer) -> None:
    """Claim the request."""
    explained: dict[str, str] = {}

    def forget(_: object) -> None:
        nonlocal explained
        explained = {}

    server.document_changed.listen(forget)
    server.files_changed.listen(forget)
    for event in (server.time_passed, server.settings_changed, server.folders_changed):
        event.listen(forget)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document, views = await server.previews.of_document(params.text_document.uri)
        if document is None or document.path is None:
            return None
        found = await server.previews.run(lambda: _named(server, document, views, params.position))
        if found is not None or params.position.line > 0:
            return found
        if not places.is_read((view.prompt for view in views), document.path):
            return None
        known = explained  # what changes meanwhile makes another
        if document.path not in known:
            folder = server.folder_of(document.path)
            readers = await server.previews.explain(document.path, folder.path if folder else None)
            known[document.path] = _readers(readers)
        return _markdown(known[document.path], None)


def _named(
    server: PromptServer, document: Document, views: Sequence[View], position: types.Position
) -> types.Hover | None:
    for named in places.named_in((view.prompt for view in views), document.path or ""):
        if holds(document.range(named.range), position):
            latest = server.fetch.latest
            parts = [*_count(server, document, named), describe.named(named, lambda path: _size(views, path), latest)]
            return _markdown("\n\n---\n\n".join(parts), inner(document, named.range))
    return None


def _count(server: PromptServer, document: Document, named: Named) -> Iterator[str]:
    """How many files a pattern matches: those that an entry brought, or those that a rule is for."""
    path = document.path or ""
    if any(each.candidate.path != path for each in named.meanings):
        if is_magic(named.name):
            there = [each.candidate for each in named.meanings if each.candidate.outcome not in places.ABSENT]
            yield describe.matched(len({each.path for each in there}))
        return
    head = header(document.text)
    patterns = [each for key in SCOPES if head.range(key) == named.range for each in head.patterns(key)]
    folder = server.folder_of(path)
    if folder is None or folder.path is None or not any(map(is_magic, patterns)):
        return
    host, steps = local_host(buffers=server.previews.buffers()), Steps(STEPS)
    # As most harnesses read it: below the folder, and a pattern without a directory anywhere in it.
    readings = [each.lstrip("/") if "/" in each else f"**/{each}" for each in patterns]
    found = [match(host, each, folder.path, dot=True, steps=steps) for each in readings]
    yield describe.matched(len({file for each in found for file in each.paths}), is_cut=any(e.is_cut for e in found))


def _size(views: Sequence[View], path: str) -> int | None:
    """The bytes of a file that a view looked at."""
    view = next((view for view in views if view.host.has_looked_at(path)), None)
    contents = view.host.read(path) if view else None
    return contents.size if contents and contents.state == "file" else None


def _readers(explained: Sequence[Explanation]) -> str:
    """Who reads a file: every harness that does, and of those in use also why not."""
    lines = ["**Who reads this file**", ""]
    for each in explained:
        name = f"{each.harness} {each.version}" + ("" if each.is_found else " (not in use here)")
        if each.uses:
            for use in each.uses:
                at = "on reading a file near it" if use.at == "read" else "at start"
                how = f"{at}, started in {describe.code(use.cwd)}, as {use.layer} in the {use.role} message"
                lines.append(f"- **{name}**: {how}. {describe.plain(use.why)}.")
        elif each.is_found:
            instead = f" Instead: {describe.code(short(each.other, ''))}" if each.other else ""
            lines.append(f"- **{name}**: not loaded. {describe.plain(each.why)}.{instead}")
    return "\n".join(lines)


def _markdown(text: str, where: types.Range | None) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), where)
