"""Code actions: fixes of problems, all safe fixes of a document at once, changes that bring a file, and sections."""

from __future__ import annotations

from lsprotocol import types

from promptls.checks.fixes import with_fixes
from promptls.core import specs
from promptls.core.changes import safe_fix, together
from promptls.core.paths import with_relative
from promptls.lsp.convert import workspace_edit
from promptls.lsp.features import how, show, trim, unify
from promptls.lsp.features.diagnostics import diagnostic, problems_of
from promptls.lsp.features.sections import EXTRACT, MOVE, refactorings
from promptls.lsp.server import PromptServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Fix, Problem
    from promptls.lsp.documents import Document

FIX_ALL = "source.fixAll.promptls"
# Changes after which a program gets a file.
REMEDY = "refactor.rewrite"
KINDS = [types.CodeActionKind.QuickFix, EXTRACT, MOVE, REMEDY, FIX_ALL, how.KIND, show.KIND]


def register(server: PromptServer) -> None:
    """Claim the request."""
    context = server.context

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(KINDS)))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = context.documents.get(params.text_document.uri)
        if document is None or not context.client.code_action_literals:
            return []
        only = params.context.only
        problems = await problems_of(server, document)
        if not (only and _wants(only, FIX_ALL)):
            problems = [each for each in problems if _touch(diagnostic(server, each).range, params.range)]
        found = await server.previews.run(lambda: [each for each in _with_fixes(server, problems) if each.fixes])
        wants_refactoring = document.path is not None and any(_wants(only, kind) for kind in (EXTRACT, MOVE))
        is_first = document.path is not None and params.range.start.line == 0
        wants_how, wants_views, wants_rewrite = (
            is_first and _wants(only, kind) for kind in (how.KIND, show.KIND, unify.KIND)
        )
        needs_views = wants_refactoring or wants_how or wants_rewrite
        views = await server.previews.views_of_file(document.path or "") if needs_views else []
        remedies = (
            list(await _remedies(server, document)) if params.range.start.line == 0 and _wants(only, REMEDY) else []
        )
        return await server.previews.run(
            lambda: [
                *(_quick_fixes(server, found, params) if _wants(only, "quickfix") else ()),
                *remedies,
                # Offered only by its kind: it is not an action for one place.
                *(_fix_all(server, found) if only and _wants(only, FIX_ALL) else ()),
                *(
                    action
                    for action in refactorings(server, document, views, params.range.start.line)
                    if _wants(only, action.kind or "")
                ),
                *(
                    action
                    for feature in ((unify, trim) if wants_rewrite else ())
                    for action in feature.actions(server, document, [view.prompt for view in views])
                ),
                *(show.actions(server, document.uri) if wants_views else ()),
                *(how.actions(view.prompt for view in views) if wants_how else ()),
            ]
        )


def _with_fixes(server: PromptServer, problems: Sequence[Problem]) -> list[Problem]:
    """The problems with fixes for the text as it is: previews bring few, and typing makes those of a check stale."""
    host = server.previews.sources().host()
    return [problem if problem.fixes else with_fixes([problem], host)[0] for problem in problems]


async def _remedies(server: PromptServer, document: Document) -> Iterator[types.CodeAction]:
    """On the first line: what was tried in memory, and brings the file to a program that goes without it."""
    path, context = document.path, server.context
    if path is None or not any(place.search(path) for place in specs.text_places()):
        return iter(())
    _, verdicts = await server.judged.of(path)
    found: dict[Fix, str] = {}
    for each in verdicts:
        if each.remedy is not None and each.remedy.fix is not None:
            found[each.remedy.fix] = f"{found[each.remedy.fix]}, {each.who}" if each.remedy.fix in found else each.who
    top = server.judged.top(path)
    edits = ((fix, who, workspace_edit(context.documents, context.client, fix.edits)) for fix, who in found.items())
    return (
        types.CodeAction(f"{with_relative(fix.title, top) if top else fix.title}, for {who}", REMEDY, edit=edit)
        for fix, who, edit in edits
        if edit is not None
    )


def _wants(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    """Whether ``kind`` or one of its parents is requested."""
    asked = [each.value if isinstance(each, types.CodeActionKind) else each for each in only or ("",)]
    return any(each in {"", kind} or kind.startswith(each + ".") for each in asked)


def _quick_fixes(
    server: PromptServer, found: Sequence[Problem], params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    context = server.context
    for problem in found:
        shown = diagnostic(server, problem)
        if not _touch(shown.range, params.range):
            continue
        given = [each for each in params.context.diagnostics if (each.range, each.code) == (shown.range, shown.code)]
        for number, fix in enumerate(problem.fixes):
            edit = workspace_edit(context.documents, context.client, fix.edits)
            if edit is not None:
                yield types.CodeAction(
                    fix.title,
                    types.CodeActionKind.QuickFix,
                    diagnostics=given or [shown],
                    is_preferred=fix.is_safe and number == 0,
                    edit=edit,
                )


def _fix_all(server: PromptServer, found: Sequence[Problem]) -> Iterator[types.CodeAction]:
    context = server.context
    every = [fix for problem in found if (fix := safe_fix(problem)) is not None]
    # One that the client cannot apply must not prevent the others.
    safe = [fix for fix in every if workspace_edit(context.documents, context.client, fix.edits) is not None]
    edit = workspace_edit(context.documents, context.client, together(safe)) if safe else None
    if edit is not None:
        yield types.CodeAction("Apply all safe promptls fixes", FIX_ALL, edit=edit)


def _touch(one: types.Range, other: types.Range) -> bool:
    def place(position: types.Position) -> tuple[int, int]:
        return position.line, position.character

    return place(one.start) <= place(other.end) and place(other.start) <= place(one.end)
