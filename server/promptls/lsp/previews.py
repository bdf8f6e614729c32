"""Previews for the editor: made off the loop, cached as long as nothing they looked at changes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from promptls.core import prompt_json, render
from promptls.core.files import expand_home
from promptls.core.host import Buffers, Moment
from promptls.core.model import reading
from promptls.core.paths import from_home
from promptls.core.session_line import session_line, session_line_json
from promptls.core.values import replace
from promptls.core.visible import visible
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.git.revision import Revision, revision
from promptls.lsp.arrived import ARRIVED
from promptls.lsp.git_states import GitStates
from promptls.lsp.uris import path_of, uri_of
from promptls.lsp.virtual import PreviewRequest
from promptls.sessions.detect import concerned, versions
from promptls.sessions.of_file import Asked, of_file
from promptls.sessions.start import Overrides, place_of
from promptls.workspace.machine import home, load_harnesses
from promptls.workspace.request import Sources, answered, delegated, look, look_at
from promptls.workspace.verdicts import Explained, explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from promptls.checks.folder import Found
    from promptls.core.host import Fetch, Host
    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings
    from promptls.lsp.context import Context
    from promptls.lsp.documents import Document
    from promptls.sessions.arrivals import Arrival
    from promptls.sessions.start import Place
    from promptls.workspace.recordings import Record
    from promptls.workspace.request import Answer, Here

_T = TypeVar("_T")

# Previews that are kept besides those that are shown; the least recently used one is dropped first.
KEPT = 128
# Places of which is kept what is known; each takes about 100 kB.
PLACES = 32


@dataclass(frozen=True, slots=True)
class Basis:
    """What a view depends on besides the request: the settings, and the folder that contains the document."""

    settings: Settings
    root: str | None


@dataclass(frozen=True)  # without slots, because what is drawn is cached in it
class View:
    """A preview and what was derived from it. ``version`` grows with each change of the session's prompt.

    What is drawn from it is made at the first use: to count the tokens may take most of a second.
    """

    request: PreviewRequest
    key: str
    version: int
    answer: Answer
    basis: Basis
    # The source of its files, if not the current disk.
    past: Revision | None = None
    # The recorded session that it is the prompt of, and what came of each instruction file.
    record: Record | None = None
    arrivals: tuple[Arrival, ...] = ()

    @property
    def prompt(self) -> Prompt:
        """The prompt that is shown."""
        return self.answer.prompt

    @property
    def host(self) -> Host:
        """The lookups for the prompt."""
        return self.answer.host

    @property
    def detection(self) -> Host:
        """The lookups that determined the harness."""
        return self.answer.here.host

    @cached_property
    def found(self) -> Found:
        """The prompt, and the problems that it shows by itself."""
        return self.answer.found()

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the prompt, as ``preview`` has them."""
        return self.answer.problems(self.found)

    @cached_property
    def json(self) -> Mapping[str, Any]:
        """The JSON of ``preview``."""
        evidence = [{"name": each.name, "evidence": list(each.evidence)} for each in self.answer.here.found]
        base, host = self.answer.here.place.workspace, self.answer.host
        named = session_line_json(self.answer.session_facts, base, host.home)
        json = prompt_json.to_json(self.prompt, self.problems, evidence, named)
        return json if self.record is None else {**json, "recorded": self.record.as_json(self.arrivals)}

    @property
    def text(self) -> str:
        """The text of the virtual document."""
        return self._drawn[0]

    @property
    def first_own_line(self) -> int:
        """The line of the virtual document at which the user's own text begins; 0 if there is none."""
        return self._drawn[1]

    @cached_property
    def _drawn(self) -> tuple[str, int]:
        """Both in one pass, because the lines are not kept."""
        texts: list[str] = []
        heading = 0
        first: int | None = None
        for number, line in enumerate(self._markdown()):
            texts.append(visible(line.text, keep_tabs=True))
            if first is None:
                heading = number if line.style == "segment" else heading
                first = heading if render.is_of_user(line) else None
        return "".join(f"{text}\n" for text in texts), first or 0

    @cached_property
    def lines(self) -> tuple[render.Line, ...]:
        """The lines of the virtual document; made only on demand, because there may be very many."""
        return tuple(self._markdown())

    @property
    def _session_line(self) -> str:
        return session_line(self.answer.session_facts, self.answer.here.place.workspace, self.answer.host.home)

    def _markdown(self) -> Iterator[render.Line]:
        reads = self.prompt.session.reads
        title = f"Effective prompt of {os.path.basename(reads[0])}" if reads else "Effective prompt"
        title += f" at {self.request.rev}" if self.request.rev else ""
        title += f" for the sub-agent {self.request.subagent}" if self.request.subagent else ""
        if self.record is not None:
            yield from self.record.markdown(self.arrivals, self.prompt)
        home = self.answer.host.home
        for line in render.to_markdown(self.prompt, self.problems, title, self._session_line):
            # What is sent stays as it is.
            is_far = line.segment is None and bool(home) and home in line.text
            yield replace(line, text=from_home(line.text, home)) if is_far else line

    def is_current(self, basis: Basis, round_: LookupRound, past: Revision | None) -> bool:
        """Whether it would still be the same."""
        is_same = self.basis == basis and self.past == past
        return is_same and round_.is_current(self.host) and round_.is_current(self.detection)

    def looked_at(self) -> frozenset[str]:
        """Every path that it depends on."""
        noted = {f"{self.past.git_directory}/HEAD"} if self.past else set()
        return self.host.looked_at() | self.detection.looked_at() | noted


class LookupRound:
    """Shared by views that are made one after the other: lookups of the same ``sources`` at the same moment.

    ``known``: what earlier rounds have found out of places; it is asked for again only where a lookup says otherwise.
    """

    def __init__(self, sources: Sources, known: dict[object, Here]) -> None:
        self.sources = replace(sources, env=dict(os.environ))
        # When it has looked at something first; None: not yet.
        self._begun: float | None = None
        self._moment = Moment(sources.buffers)
        self._known = known

    def begin(self) -> None:
        """From here on, it looks."""
        if self._begun is None:
            self._begun = time.monotonic()

    def serves(self, arrived: float | None) -> bool:
        """Whether what it has seen was so after a request had ``arrived``; None: whether it has seen nothing."""
        return self._begun is None or (arrived is not None and arrived <= self._begun)

    def is_current(self, host: Host) -> bool:
        """Whether each lookup of ``host`` would get the same answer now."""
        return self._moment.is_current(host)

    def host(self, settings: Settings) -> Host:
        """A host for one preview."""
        return self._moment.joined(self.sources.host(settings))

    def here(self, request: PreviewRequest, cwd: str | None, basis: Basis) -> Here:
        """What is known of the place of a request; its host has the lookups of that, and no others."""
        return self._here(
            (request.uri, cwd, request.rev is not None),
            basis,
            lambda host: look(_place(request, cwd, basis.root, host), self.sources, basis.settings, host),
        )

    def look(self, path: str, basis: Basis) -> Here:
        """What is known of the place of a file; its host is for more lookups, which nobody keeps."""
        self.begin()
        found = self._here(path, basis, lambda host: look_at(path, basis.root, self.sources, basis.settings, host))
        return replace(found, host=self._moment.now(found.host))

    def _here(self, place: object, basis: Basis, find: Callable[[Host], Here]) -> Here:
        key = place, basis, self.sources.is_trusted
        found = self._known.pop(key, None)
        if found is None or not self.is_current(found.host):
            found = find(self._moment.joined(self.sources.host()))
        self._known[key] = found
        while len(self._known) > PLACES:
            self._known.pop(next(iter(self._known)))
        return found


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
            return _draw(view) if drawn else view

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
        view = _make(request, basis, round_, before)
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


def _make(request: PreviewRequest, basis: Basis, round_: LookupRound, before: View | None) -> View:
    past = None
    if request.rev:
        path = path_of(request.uri) if request.uri else None
        past = revision(path or basis.root or home(), request.rev)
        buffers = round_.sources.buffers.outside(past.holds)
        round_ = LookupRound(replace(round_.sources, buffers=buffers, disk=past), {})
    # A record grows while its session runs.
    if before is not None and request.recorded is None and before.is_current(basis, round_, past):
        return before
    record = _record(request, basis)
    asked = _overrides(request, record)
    here = round_.here(request, asked.cwd, basis)
    if request.subagent is not None:
        asked = delegated(here, asked, request.subagent)
    host = round_.host(here.settings)
    answer = answered(here, asked, host)
    prompt = answer.prompt
    changed = before is None or before.prompt != prompt
    return View(
        request=request,
        key=hashlib.sha256(repr((prompt.session, past)).encode("utf-8", "replace")).hexdigest()[:16],
        version=(before.version if before else 0) + changed,
        answer=answer,
        basis=basis,
        past=past,
        record=record,
        arrivals=record.arrived(prompt.session, round_.sources.host) if record is not None else (),
    )


def _draw(view: View) -> View:
    _ = view.json, view.text
    return view


def _place(request: PreviewRequest, cwd: str | None, root: str | None, host: Host) -> Place:
    path = path_of(request.uri) if request.uri else None
    # A folder that is named is about a start there.
    if path is not None and cwd is None and request.rev is None and host.kind(path) == "directory":
        root = path
    return place_of(
        host,
        path,
        root,
        cwd=expand_home(cwd) if cwd is not None else None,
        here=None if path else home(),
        # What reading a file that is new would bring is asked for all the same.
        may_be_missing=request.rev is not None,
    )


def _record(request: PreviewRequest, basis: Basis) -> Record | None:
    if request.recorded is None:
        return None
    from promptls.workspace.recordings import one  # noqa: PLC0415 - few previews are of one

    path = path_of(request.uri) if request.uri else None
    return one(request.recorded, basis.root or path or home(), request.harness)


def _overrides(request: PreviewRequest, record: Record | None) -> Overrides:
    own = record.asked() if record is not None else Overrides()
    if request.session is not None:
        from promptls.workspace.session_file import parse  # noqa: PLC0415 - few previews have one

        own = replace(parse(request.session), is_given=True)
    opened = None
    if request.open is not None:
        from promptls.workspace.session_file import opened_files  # noqa: PLC0415 - the same

        opened = opened_files(request.open)
    return replace(
        own,
        harness=request.harness or own.harness,
        cwd=request.cwd if request.cwd is not None else own.cwd,
        turns=reading(map(expand_home, request.reads)) if request.reads is not None else own.turns,
        model=request.model or own.model,
        agent=request.agent or own.agent,
        args=own.args if request.args is None else request.args,
        open=opened,
    )
