"""Code lenses: above an instruction file, what it costs and when it is read; a click shows the prompt.

Above that of an agent, its prompt as a sub-agent; above what sessions of the user could have, in how many it stood.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from promptls.core import describe, files, places, specs
from promptls.core.paths import join, parent, with_relative
from promptls.core.totals import is_at_least
from promptls.core.values import replace
from promptls.core.visible import visible
from promptls.lsp import written
from promptls.lsp.context import DocumentEvent
from promptls.lsp.convert import line_range
from promptls.lsp.features import how
from promptls.lsp.names import agents
from promptls.lsp.server import PromptServer
from promptls.lsp.virtual import PreviewRequest
from promptls.sessions.explain import explanation_of
from promptls.sessions.of_file import Asked as File
from promptls.sessions.verdict import Asked, verdicts
from promptls.workspace.request import HERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from promptls.core.model import Prompt
    from promptls.lsp.view import View
    from promptls.workspace.request import Here

COMMAND, SUBAGENT, RULES = "promptls.preview", "promptls.previewSubagent", "promptls.showRules"
AS_SUBAGENT = "Preview as sub-agent"
# No more files or directories than this are counted: a code lens must appear at once.
COUNTED = 300


def register(server: PromptServer) -> None:
    """Claim the request, and the command if the client does not have its own."""
    context, events = server.context, server.context.events
    offered: dict[str, list[types.Command]] = {}

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        # What is counted while the answer is made is told as well.
        offered.setdefault(uri, [])
        offered[uri] = await _commands(server, uri)
        return [types.CodeLens(line_range(0), each) for each in offered[uri]]

    @events.rules_counted.listen
    @events.previews_checked.listen
    def checked(_: None) -> None:
        if offered and context.client.code_lens_refresh:
            server.spawn(_refresh(server, offered), "the refresh of lenses")

    @events.document_changed.listen
    def closed(event: DocumentEvent) -> None:
        if event.kind == "closed":
            offered.pop(event.document.uri, None)

    @events.initializing.listen
    def offer_command(_: None) -> None:
        # A client that shows virtual documents has this command itself, in the extension.
        if not context.client.text_document_content:

            @server.command(COMMAND)
            async def show(uri: str) -> dict[str, Any]:
                return await _show(server, PreviewRequest(uri), uri)

            @server.command(SUBAGENT)
            async def show_subagent(uri: str, harness: str, agent: str) -> dict[str, Any]:
                request = PreviewRequest(uri, harness=harness, reads=(), subagent=agent)
                return await _show(server, request, f"{uri} as sub-agent")


async def _commands(server: PromptServer, uri: str) -> list[types.Command]:
    document = server.context.documents.get(uri)
    path = document.path if document else None
    if document is None or path is None:
        return []
    views, here = await server.previews.views_of_file_and_here(path)
    text, root = document.text, here.place.workspace
    stood = _counted(server, here, path)

    def work() -> list[types.Command]:
        prompts = [view.prompt for view in views]
        names = places.names_of(prompts, path, HERE.host())
        found = describe.lenses(prompts, path, text, _files_beside(path), names)
        titles = [*_verdict(prompts, File(here.host, root, path)), *found] if found else []
        shown = [
            types.Command(each, COMMAND, describe.LEGEND if describe.SIZES in each else None, [uri]) for each in titles
        ]
        # All are on one line, which may be narrow: what only a lens shows is before the sizes.
        unknown = how.commands(each for each in prompts if is_at_least(each)) if found else ()
        return [*_subagents(views, path, uri), *shown[:1], *stood(uri), *shown[1:], *unknown]

    return await server.previews.run(work)


def _subagents(views: Sequence[View], path: str, uri: str) -> list[types.Command]:
    """One for each harness that can start the agent of the file."""
    known = {each.prompt.session.harness: name for each in views for name, file in agents(each) if file == path}
    able = {harness: name for harness, name in known.items() if specs.of(harness).delegation is not None}
    return [
        types.Command(
            AS_SUBAGENT if len(able) == 1 else f"{AS_SUBAGENT} of {specs.of(harness).title}",
            SUBAGENT,
            arguments=[uri, harness, name],
        )
        for harness, name in able.items()
    ]


def _counted(server: PromptServer, here: Here, path: str) -> Callable[[str], list[types.Command]]:
    """In how many recorded sessions the file stood, as far as that has been counted: nobody waits for it."""
    own = [each.harness for each in here.habits.own if each.recent is not None]
    is_on = not here.habits.off and not server.context.settings.untrusted and here.settings.habits
    tables = server.rule_counts.at_hand(here.place.workspace, own) if own and is_on else []
    is_shown = server.context.client.text_document_content

    def commands(uri: str) -> list[types.Command]:
        from promptls.workspace.rules_table import stood_in  # noqa: PLC0415 - only where sessions are recorded

        title = visible(with_relative(stood_in(tables, path), here.place.workspace)) if tables else ""
        # Another client has no command for the table.
        command = RULES if is_shown else COMMAND
        return [types.Command(title, command, describe.LEGEND_OF_SESSIONS, [uri])] if title else []

    return commands


def _verdict(prompts: Sequence[Prompt], file: File) -> Iterator[str]:
    """Whether the program that is shown gets the file, and all for which the same is true."""
    by_harness: dict[str, list[Prompt]] = {}
    for each in prompts:
        by_harness.setdefault(each.session.harness, []).append(each)
    judged = verdicts(
        [explanation_of(each, file) for each in by_harness.values()], Asked(file.path, file.root, file.root)
    )
    first = judged[0]
    alike = tuple(name for each in judged if each.clause == first.clause for name in each.harnesses)
    yield visible(with_relative(replace(first, harnesses=alike).line, file.root))


def _files_beside(path: str) -> int | None:
    """How many other files are in and below the directory of ``path``; None if there are too many."""
    number = 0
    waiting = [parent(path)]
    for directory in waiting:
        for entry in files.entries(directory):
            if entry.name.startswith(".") or entry.name == "node_modules":
                continue
            if entry.is_directory:
                waiting.append(join(directory, entry.name))
            else:
                number += join(directory, entry.name) != path
        if number > COUNTED or len(waiting) > COUNTED:
            return None
    return number


async def _refresh(server: PromptServer, offered: dict[str, list[types.Command]]) -> None:
    """Make the client ask again, once, if one of its code lenses would change."""
    for uri in list(offered):
        commands = await _commands(server, uri)
        if uri in offered and commands != offered[uri]:
            offered[uri] = commands
            server.workspace_code_lens_refresh(None)
            return


async def _show(server: PromptServer, request: PreviewRequest, uri: str) -> dict[str, Any]:
    """A preview: as the result, and as a file if the client can show one."""
    view, _ = await server.previews.view(request, drawn=True)
    if server.context.client.show_document:
        await written.show(server, uri, view.text)
    return {"text": view.text}
