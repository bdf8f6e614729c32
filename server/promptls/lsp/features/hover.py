"""Hover: what a name means to the harnesses in use, and on the first line of an instruction file, who reads it."""

from __future__ import annotations

from lsprotocol import types

from promptls.core import describe, places, specs
from promptls.core.formats.header import header
from promptls.core.host import StepBudget
from promptls.core.how import Ways, first_of_each_kind, of_entries
from promptls.core.paths import with_relative
from promptls.core.phrases import cut_says
from promptls.core.servers import entry_at
from promptls.core.totals import server_tools
from promptls.core.uses import ONCE_TRUSTED, WORDS, listed, names_entries
from promptls.core.visible import code, plain
from promptls.kit.globs import is_magic, match
from promptls.kit.unread_files import not_shown
from promptls.lsp.convert import holds, inner
from promptls.lsp.features import how
from promptls.lsp.server import PromptServer
from promptls.workspace.request import HERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from promptls.core.model import Origin
    from promptls.core.places import Named
    from promptls.lsp.documents import Document
    from promptls.lsp.view import View
    from promptls.sessions.explanation import Explanation, Use
    from promptls.sessions.verdict import Verdict

    # The entries of a configuration where the cursor is, by the view that has them.
    Entries: TypeAlias = Sequence[tuple[View, Sequence[Origin]]]

# Steps that the search for a rule's files may take.
STEPS = 20_000


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document, views = await server.previews.of_document(params.text_document.uri)
        if document is None or document.path is None:
            return None
        found = await server.previews.run(lambda: _named(server, document, views, params.position))
        if found is not None or params.position.line > 0:
            return found
        if not await server.previews.run(lambda: _is_read(document, views)):
            return None
        readers, verdicts = await server.judged.of(document.path)
        judged = _judged(verdicts, server.judged.top(document.path))
        return _markdown(f"{judged}\n\n{_readers(readers, is_run=server.context.client.text_document_content)}", None)


def _is_read(document: Document, views: Sequence[View]) -> bool:
    prompts, path = [view.prompt for view in views], document.path or ""
    is_known = any(not_shown(prompt.session.harness, path) for prompt in prompts)
    names = places.names_of(prompts, path, HERE.host())
    is_used = any(
        each.path in names and (each.use in WORDS or each.use == "config") and each.outcome != "missing"
        for prompt in prompts
        for each in prompt.candidates
    )
    is_used = is_used or any(names_entries(prompt, names) for prompt in prompts)
    return is_known or is_used or places.is_read(prompts, path, names)


def _named(
    server: PromptServer, document: Document, views: Sequence[View], position: types.Position
) -> types.Hover | None:
    entries = [(view, _entries_at(document, position, view)) for view in views]
    unknown = [*_offered(server, entries), *_unknown(server, entries)]
    for named in places.named_in((view.prompt for view in views), document.path or ""):
        if holds(document.range(named.range), position):
            latest = server.fetch.latest
            parts = [*_count(server, document, named), describe.named(named, lambda path: _size(views, path), latest)]
            parts += unknown
            return _markdown("\n\n---\n\n".join(parts), inner(document, named.range))
    return _markdown("\n\n".join(unknown), None) if unknown else None


def _count(server: PromptServer, document: Document, named: Named) -> Iterator[str]:
    """How many files a pattern matches: those that an entry loaded, or those that a rule applies to."""
    path = document.path or ""
    if any(each.candidate.path != path for each in named.meanings):
        if is_magic(named.name):
            there = [each.candidate for each in named.meanings if each.candidate.outcome not in places.ABSENT]
            yield describe.matched(len({each.path for each in there}))
        return
    head = header(document.text)
    patterns = [each for key in specs.scope_keys() if head.range(key) == named.range for each in head.patterns(key)]
    folder = server.context.folder_of(path)
    if folder is None or folder.path is None or not any(map(is_magic, patterns)):
        return
    host, steps = server.previews.sources().host(), StepBudget(STEPS)
    # As in most harnesses: below the folder, and a pattern without a slash matches anywhere in it.
    readings = [each.lstrip("/") if "/" in each else f"**/{each}" for each in patterns]
    found = [match(host, each, folder.path, dot=True, steps=steps) for each in readings]
    yield describe.matched(len({file for each in found for file in each.paths}), is_cut=any(e.is_cut for e in found))


def _unknown(server: PromptServer, entries: Entries) -> Iterator[str]:
    """The commands that find out what the entry of a configuration there adds to the prompts."""
    is_run = server.context.client.text_document_content
    found = (way for view, at in entries for origin, way in of_entries(view.prompt) if origin in at)
    for way in first_of_each_kind(found):
        yield f"To know what it adds: {how.link(way, is_run=is_run)}"


def _offered(server: PromptServer, entries: Entries) -> Iterator[str]:
    """The tools of the server whose entry is there, for each harness that gets any, and how to ask it again."""
    is_run = server.context.client.text_document_content
    said = set()
    for view, at in entries:
        tools = [each for each in server_tools(view.prompt) if each.size is not None and each.origin in at]
        if tools and view.prompt.session.harness not in said:
            said.add(view.prompt.session.harness)
            yield describe.offered(view.prompt, tools)
            if (way := Ways(view.prompt).of_server()) is not None:
                yield f"To ask it again: {how.link(way, is_run=is_run)}"


def _entries_at(document: Document, position: types.Position, view: View) -> list[Origin]:
    """The entries of a configuration of which the key or the value is there."""
    prompt = view.prompt
    origins = [each.origin for message in prompt.messages for each in message.segments]
    origins += [each.origin for each in prompt.tools or ()]
    found = []
    for origin in dict.fromkeys(each for each in origins if each.path == document.path and each.range is not None):
        where = [origin.range] if origin.range is not None else []
        if (entry := entry_at(view.host.read, origin)) is not None:
            where += [entry[0].range(each) for each in entry[1:]]
        if any(holds(document.range(each), position) for each in where):
            found.append(origin)
    return found


def _size(views: Sequence[View], path: str) -> int | None:
    """The bytes of a file that a view looked at."""
    view = next((view for view in views if view.host.has_looked_at(path)), None)
    contents = view.host.read(path) if view else None
    return contents.size if contents and contents.state == "file" else None


def _judged(verdicts: Sequence[Verdict], top: str | None) -> str:
    """A line for each program of the reader's: whether it gets the file."""
    said = [(each.who, with_relative(each.clause, top) if top else each.clause) for each in verdicts]
    return "  \n".join(f"**{plain(who)}**: {plain(says)}" for who, says in said)


def _readers(explained: Sequence[Explanation], *, is_run: bool) -> str:
    """Which harnesses read a file, and why others that are in use do not."""
    lines = ["**Which harnesses read this file**", ""]
    for each in explained:
        name = f"{each.harness} {each.version}" + ("" if each.is_found else " (not in use here)")
        for use in each.uses:
            at = "on reading a file near it" if use.at == "read" else "at start"
            if use.scope:
                scope = code(use.scope)
                at = f"on reading a file that {scope} matches" if use.at == "read" else f"for {scope}"
            by = f", {plain(use.by)}" if use.by else ""
            words = WORDS.get(use.used_as)
            at = f"{listed(use.used_as)} {at}".lstrip()
            used = f"{at}, started in {code(use.cwd)}, as {use.layer} in the {use.role} message{by}"
            later = f"; {words.later}" if words else ""
            lines.append(f"- **{name}**: {used}{_trusted(use)}. {plain(use.why)}{later}.{_cut(use)}")
        words = WORDS.get(each.used_as)
        if each.is_read:
            offered = words.offered if words else listed(each.used_as)
            begin = f"{offered}{_trusted(each)}. " if offered else ""
            lines.append(f"- **{name}**: {begin}{plain(each.why)}{f'; {words.later}' if words else ''}.{_cut(each)}")
        elif each.is_found and not each.uses:
            instead = f" Instead: {code(each.other)}" if each.other else ""
            refused = words.refused if words else "not loaded"
            lines.append(f"- **{name}**: {refused}. {plain(each.why)}.{instead}{_cut(each)}")
        ways = first_of_each_kind(each.ways)
        lines += [f"  - To know the rest of its prompt: {how.link(way, is_run=is_run)}" for way in ways]
    if any(each.uses for each in explained):
        lines += ["", describe.LEGEND]
    return "\n".join(lines)


def _cut(found: Use | Explanation) -> str:
    return f" {plain(cut_says(found.cut))}." if found.cut else ""


def _trusted(found: Use | Explanation) -> str:
    return f", {ONCE_TRUSTED}" if found.once_trusted else ""


def _markdown(text: str, where: types.Range | None) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), where)
