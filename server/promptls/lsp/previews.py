"""Previews for the editor: made off the loop, cached as long as nothing they looked at changes."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from promptls.core.host import Buffers
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.lsp.arrived import ARRIVED
from promptls.lsp.git_states import GitStates
from promptls.lsp.lookup_round import Basis, LookupRound
from promptls.lsp.uris import path_of, uri_of
from promptls.lsp.view import View, make_view
from promptls.lsp.virtual import PreviewRequest
from promptls.sessions.detect import concerned, versions
from promptls.sessions.of_file import Asked, of_file
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import Sources, look_at
from promptls.workspace.verdicts import Explained, explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.host import Fetch
    from promptls.core.model import Problem, Prompt
    from promptls.lsp.context import Context
    from promptls.lsp.documents import Document
    from promptls.workspace.request import Here

_T = TypeVar("_T")

# Previews that are kept besides those that are shown; the least recently used one is dropped first.
KEPT = 128


class Previews:
    """Makes and caches views. One thread makes them, so that the loop never waits for a slow disk."""

    def __init__(self, context: Context, fetch: Fetch) -> None:
        self._context = context
        self._fetch = fetch
        self._git = GitStates()
        load_harnesses()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="previews")
        self._views: OrderedDict[PreviewRequest, View] = OrderedDict()
        # Those that the thread has made and the loop has not kept yet.
        self._new: dict[PreviewRequest, View] = {}
        # The newest round, with the texts and the trust that it is of.
        self._newest: tuple[object, LookupRound] | None = None
        # What is known of places; only for the thread.
        self._heres: dict[object, Here] = {}

    def _round(self) -> LookupRound:
        """An editor asks for many things at once, and for each there are steps: they share what was seen since then."""
        of = self._context.settings.untrusted, self._texts()
        if self._newest is None or self._newest[0] != of or not self._newest[1].serves(ARRIVED.get()):
            self._newest = of, LookupRound(self.sources(), self._heres)
        return self._newest[1]

    def sources(self) -> Sources:
        """Where lookups go now; git is only run in a folder that the user trusts."""
        is_trusted = not self._context.settings.untrusted
        return Sources(fetch=self._fetch, buffers=self.buffers(), git=self._git, is_trusted=is_trusted)

    async def view(self, request: PreviewRequest, *, drawn: bool = False) -> tuple[View, bool]:
        """The view of a request, and whether it was cached. ``drawn``: its JSON and text are ready too.

        Raises:
            UsageError: the request names a harness, version or revision that does not exist.
        """
        await self._context.settings.ready()
        if request.rev and self._context.settings.untrusted:
            raise UsageError(f"Git is not run in an untrusted folder; trust the folder to see {request.rev}.")
        if request.recorded and self._context.settings.untrusted:
            raise UsageError("Recorded sessions are not read in an untrusted folder; trust the folder to see them.")
        round_ = self._round()
        basis = self._basis(request)

        def work() -> View:
            view = self._make_view(request, basis, round_)
            return view.drawn() if drawn else view

        view = await self.run(work)
        return view, not self._keep(view)

    async def starts(self, path: str) -> list[View]:
        """The start of each harness whose problems with a file are relevant: in the workspace folder.

        And where the file is, if that one does not look at it.
        """
        await self._context.settings.ready()
        place = self.place(path)
        basis, own = self._basis(PreviewRequest(place)), self._basis(PreviewRequest(uri_of(path)))
        round_ = self._round()

        def work() -> list[View]:
            here = round_.look(path, own)
            usual = here.start if here.start != here.place.workspace else None
            found: list[View] = []
            for harness in versions(concerned(here.found, path, here.host), here.settings):
                for cwd in dict.fromkeys((usual, None, os.path.dirname(path))):
                    request = PreviewRequest(place, cwd=cwd, harness=harness, reads=())
                    try:
                        found.append(self._make_view(request, basis, round_))
                    except UsageError:  # the settings name a harness that does not exist; the preview says so
                        continue
                    if found[-1].host.has_looked_at(path):
                        break
            return found

        found = await self.run(work)
        for view in found:
            self._keep(view)
        return found

    async def in_use(self, path: str) -> list[str]:
        """The harnesses in use at the place of a file, with their versions."""
        here = await self.detected(path)
        return versions(here.found, here.settings)

    async def detected(self, path: str) -> Here:
        """The harnesses that are relevant at the place of a file, and the settings there."""
        await self._context.settings.ready()
        round_, basis = self._round(), self._basis(PreviewRequest(uri_of(path)))
        return await self.run(lambda: round_.look(path, basis))

    async def explain(self, path: str, root: str | None) -> Explained:
        """What each harness does with a file, the verdicts for its reader, and which sessions these are about."""
        sources, basis = self.sources(), self._basis(PreviewRequest(uri_of(path)))

        def files(top: str) -> list[str]:
            with Listing(top, is_trusted=sources.is_trusted) as listing:
                return listing.files()

        def work() -> Explained:
            here = look_at(path, root, sources, basis.settings)
            return explained(path, here, files, here.place.workspace, root=root)

        return await self.run(work)

    async def views_of_file(self, path: str) -> list[View]:
        """What the harnesses in use do with the file at ``path``, the start first."""
        return (await self.views_of_file_and_here(path))[0]

    async def views_of_file_and_here(self, path: str) -> tuple[list[View], Here]:
        """The same, with what is known of the place."""
        await self._context.settings.ready()
        place = self.place(path)
        basis, own = self._basis(PreviewRequest(place)), self._basis(PreviewRequest(uri_of(path)))
        round_ = self._round()

        def work() -> tuple[list[View], Here]:
            here = round_.look(path, own)
            host, root = here.host, here.place.workspace
            found: list[View] = []
            for harness in versions(concerned(here.found, path, host), here.settings):

                def ask(cwd: str, reads: tuple[str, ...], harness: str = harness) -> Prompt | None:
                    start = cwd if cwd != root else None
                    request = PreviewRequest(place, cwd=start, harness=harness, reads=reads)
                    try:
                        found.append(self._make_view(request, basis, round_))
                    except UsageError:  # the settings name no harness; the preview says so
                        return None
                    return found[-1].prompt

                for _ in of_file(Asked(host, root, path, start=here.start), harness, ask, is_brief=True):
                    pass
            return found, here

        found, here = await self.run(work)
        for view in found:
            self._keep(view)
        return found, here

    def _make_view(self, request: PreviewRequest, basis: Basis, round_: LookupRound) -> View:
        """The view of a request; on the thread, where what has just been made is known before the loop hears of it."""
        round_.begin()
        before = self._new.get(request) or self._views.get(request)
        view = make_view(request, basis, round_, before)
        if view is not before:
            self._new[request] = view
            while len(self._new) > KEPT:  # those that nobody waited for
                self._new.pop(next(iter(self._new)), None)
        return view

    def _keep(self, view: View) -> bool:
        """Keep a view; returns whether it has changed."""
        before = self._views.get(view.request)
        if self._new.get(view.request) is view:
            self._new.pop(view.request, None)
        self._views[view.request] = view
        self._views.move_to_end(view.request)
        while len(self._views) > KEPT + len(self._context.shown):
            self._views.popitem(last=False)
        if view is not before:
            self._context.events.previews_made.emit(None)
        return view is not before

    def place(self, path: str) -> str:
        """The URI for requests that specify all but the folder: views of a session serve all its files."""
        folder = self._context.folder_of(path)
        return folder.uri if folder else uri_of(path)

    async def problems(self, views: Sequence[View]) -> list[tuple[str, tuple[Problem, ...]]]:
        """The problems of each of the views of one folder, which disprove those of each other; with the harness."""

        def work() -> list[tuple[str, tuple[Problem, ...]]]:
            beside = [view.found for view in views]
            return [(each.prompt.session.harness, each.answer.problems(each.found, lambda: beside)) for each in views]

        return await self.run(work)

    async def of_document(self, uri: str) -> tuple[Document | None, list[View]]:
        """The open document of ``uri``, if it is one of a file, and the views around it."""
        document = self._context.documents.get(uri)
        if document is None or document.path is None:
            return None, []
        return document, await self.views_of_file(document.path)

    def at_hand(self) -> list[View]:
        """The cached views of the current files; what they looked at may have changed since."""
        return [view for view in self._views.values() if view.past is None]

    def looked_at(self) -> frozenset[str]:
        """Every path that a cached view depends on."""
        return frozenset(path for view in self._views.values() for path in view.looked_at())

    def buffers(self) -> Buffers:
        """The open documents."""
        return Buffers(self._texts())

    def _texts(self) -> dict[str, str]:
        return {document.path: document.text for document in self._context.documents if document.path}

    async def run(self, work: Callable[[], _T]) -> _T:
        """Do ``work`` on the thread of the previews."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, work)
        except asyncio.CancelledError:
            self._newest = None  # it may never begin, and would wait for who asks much later
            raise

    def _basis(self, request: PreviewRequest) -> Basis:
        path = path_of(request.uri) if request.uri else None
        folder = self._context.folder_of(path) if path else None
        if folder is None and path is None:
            folder = next(iter(self._context.folders), None)
        return Basis(self._context.settings.of(folder), folder.path if folder else None)
