"""Previews for the editor: made off the loop, kept while nothing that they looked at changes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from promptls import harnesses
from promptls.checks import problems
from promptls.checks.folder import settled
from promptls.core import files, render
from promptls.core.files import expand_home
from promptls.core.host import Buffers, no_network
from promptls.core.model import Session
from promptls.core.settings import over
from promptls.errors import UsageError
from promptls.harnesses.detect import choose, detect, workspace_of
from promptls.harnesses.explain import explain, file_below
from promptls.local import home, load_harnesses, local_host
from promptls.lsp.uris import path_of, uri_of
from promptls.lsp.virtual import Request
from promptls.revision import Revision, revision
from promptls.settings_file import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from promptls.core.host import Disk, Fetch, Host
    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings
    from promptls.harnesses.detect import Detected
    from promptls.harnesses.explain import Explanation
    from promptls.lsp.documents import Document
    from promptls.lsp.server import PromptServer

_T = TypeVar("_T")

# Previews that are kept; the one used longest ago goes first.
KEPT = 128


@dataclass(frozen=True, slots=True)
class Basis:
    """What a view rests on besides the request: the settings, and the folder that holds the document."""

    settings: Settings
    root: str | None


@dataclass(frozen=True)  # without slots, as what is drawn is kept in it
class View:
    """A preview and what was made of it. ``version`` grows with each change of the session's prompt.

    What is drawn from it is made at the first use: to count the tokens may take most of a second.
    """

    request: Request
    key: str
    version: int
    prompt: Prompt
    problems: tuple[Problem, ...]
    found: tuple[Detected, ...]
    basis: Basis
    # What was looked at for the prompt, and to find out which harness it is.
    host: Host
    detection: Host
    # Where its files come from, if not from the disk as it is.
    past: Revision | None = None

    @cached_property
    def json(self) -> Mapping[str, Any]:
        """The JSON of ``preview``."""
        evidence = [{"name": each.name, "evidence": list(each.evidence)} for each in self.found]
        return render.to_json(self.prompt, self.problems, evidence)

    @cached_property
    def text(self) -> str:
        """The text of the virtual document."""
        return "".join(f"{line.text}\n" for line in self._markdown())

    @cached_property
    def lines(self) -> tuple[render.Line, ...]:
        """The lines of the virtual document; only made where they are asked for, as they may be very many."""
        return tuple(self._markdown())

    def _markdown(self) -> Iterator[render.Line]:
        reads = self.prompt.session.reads
        title = f"Effective prompt of {os.path.basename(reads[0])}" if reads else "Effective prompt"
        title += f" at {self.request.rev}" if self.request.rev else ""
        return render.to_markdown(self.prompt, self.problems, title)

    def is_current(self, basis: Basis, round_: Round, past: Revision | None) -> bool:
        """Whether it would be the same now."""
        is_same = self.basis == basis and self.past == past
        return is_same and round_.is_current(self.host) and round_.is_current(self.detection)

    def looked_at(self) -> frozenset[str]:
        """Every path that it hangs on."""
        noted = {f"{self.past.git_directory}/HEAD"} if self.past else set()
        return self.host.looked_at() | self.detection.looked_at() | noted


class Round:
    """What views that are made one right after the other share: looks at the same moment, at the same ``disk``."""

    def __init__(self, buffers: Buffers, fetch: Fetch, disk: Disk = files) -> None:
        self.buffers = buffers
        self._disk = disk
        self._env = dict(os.environ)
        self.fetch = fetch
        self._current: dict[int, bool] = {}
        self._detections: dict[object, Host] = {}

    def is_current(self, host: Host) -> bool:
        """Whether each look of ``host`` would get the same answer now; ``host`` lives as long as the round."""
        if id(host) not in self._current:
            self._current[id(host)] = host.is_current(self.buffers)
        return self._current[id(host)]

    def detection(self, place: object) -> Host:
        """What settings and harnesses are looked for with, one for each place."""
        if place not in self._detections:
            self._detections[place] = self.host()
        return self._detections[place]

    def host(self, fetch: Fetch = no_network) -> Host:
        """A host of its own."""
        return local_host(fetch=fetch, buffers=self.buffers, env=self._env, disk=self._disk)


class Previews:
    """Makes and keeps views. One thread makes them, so that neither the loop nor a slow disk waits for the other."""

    def __init__(self, server: PromptServer) -> None:
        self._server = server
        load_harnesses()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="previews")
        self._views: OrderedDict[Request, View] = OrderedDict()

    async def view(self, request: Request, *, drawn: bool = False) -> tuple[View, bool]:
        """The view of a request, and whether it was at hand. ``drawn``: its JSON and text are ready, too.

        Raises:
            UsageError: the request names a harness, version or revision that does not exist.
        """
        await self._server.settings.ready()
        if request.rev and self._server.settings.untrusted:
            raise UsageError(f"Git is not run in a folder that is not trusted; trust it to see {request.rev}.")
        round_ = Round(self.buffers(), self._server.fetch)
        basis = self._basis(request)
        before = self._views.get(request)

        def work() -> View:
            view = _make(request, basis, round_, before)
            return _draw(view) if drawn else view

        view = await self.run(work)
        return view, not self._keep(view)

    async def detected(self, path: str) -> list[Detected]:
        """The harnesses that the place of a file is set up for."""
        buffers = self.buffers()
        root = self._basis(Request(uri_of(path))).root
        return await self.run(lambda: _detect(local_host(buffers=buffers), path, root))

    async def explain(self, path: str, root: str | None) -> list[Explanation]:
        """What each harness does with a file."""
        buffers = self.buffers()
        return await self.run(lambda: explain(path, lambda: local_host(buffers=buffers), root))

    async def around(self, path: str) -> list[View]:
        """What the harnesses in use make of the file at ``path``, the start first.

        Of each: a session that starts in the workspace, one that also reads a file near ``path``, and where none
        of both looks at ``path``, one that starts beside it.
        """
        await self._server.settings.ready()
        setting = self._server.settings.of(self._server.folder_of(path)).harness
        place = self.place(path)
        basis, root = self._basis(Request(place)), self._basis(Request(uri_of(path))).root
        round_ = Round(self.buffers(), self._server.fetch)
        before = dict(self._views)

        def work() -> list[View]:
            host = round_.host()
            names = {each.name: each.name for each in _detect(host, path, root)}
            if setting:
                names[harnesses.split(setting)[0]] = setting
            read = file_below(host, os.path.dirname(path), path)
            found: list[View] = []
            for harness in names.values():
                asked = [Request(place, harness=harness, reads=())]
                asked += [Request(place, harness=harness, reads=(read,))] if read else []
                asked += [Request(place, cwd=os.path.dirname(path), harness=harness, reads=())]
                for request in asked:
                    if request.cwd and any(view.host.has_looked_at(path) for view in found):
                        continue
                    with contextlib.suppress(UsageError):  # the settings name no harness; the preview says so
                        found.append(_make(request, basis, round_, before.get(request)))
            return found

        found = await self.run(work)
        for view in found:
            self._keep(view)
        return found

    def _keep(self, view: View) -> bool:
        """Keep a view; whether it is another one than before."""
        before = self._views.get(view.request)
        self._views[view.request] = view
        self._views.move_to_end(view.request)
        while len(self._views) > KEPT:
            self._views.popitem(last=False)
        if view is not before:
            self._server.previews_made.emit(None)
        return view is not before

    def place(self, path: str) -> str:
        """The URI for requests that say all but the folder: views of a session serve every file of it."""
        folder = self._server.folder_of(path)
        return folder.uri if folder else uri_of(path)

    async def of_document(self, uri: str) -> tuple[Document | None, list[View]]:
        """The open document of ``uri``, if it is one of a file, and the views around it."""
        document = self._server.documents.get(uri)
        if document is None or document.path is None:
            return None, []
        return document, await self.around(document.path)

    def at_hand(self) -> list[View]:
        """The views of now that were made and are kept; what they looked at may have changed since."""
        return [view for view in self._views.values() if view.past is None]

    def looked_at(self) -> frozenset[str]:
        """Every path that a view at hand hangs on."""
        return frozenset(path for view in self._views.values() for path in view.looked_at())

    def buffers(self) -> Buffers:
        """The open documents."""
        return Buffers({document.path: document.text for document in self._server.documents if document.path})

    async def run(self, work: Callable[[], _T]) -> _T:
        """Do ``work`` on the thread of the previews."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def _basis(self, request: Request) -> Basis:
        path = path_of(request.uri) if request.uri else None
        folder = self._server.folder_of(path) if path else None
        if folder is None and path is None:
            folder = next(iter(self._server.folders), None)
        return Basis(self._server.settings.of(folder), folder.path if folder else None)


def _make(request: Request, basis: Basis, round_: Round, before: View | None) -> View:
    past = None
    if request.rev:
        place = path_of(request.uri) if request.uri else None
        past = revision(place or basis.root or home(), request.rev)
        round_ = Round(round_.buffers.outside(past.holds), round_.fetch, past)
    if before is not None and before.is_current(basis, round_, past):
        return before
    detection = round_.detection((request.uri, basis.root))
    settings = _settings(request, basis, detection)
    fetch = round_.fetch if settings.urls_enabled else no_network
    host = round_.host(fetch)
    session, found = _session(request, settings, basis.root, detection)
    prompt = harnesses.preview(session, host)
    changed = before is None or before.prompt != prompt
    return View(
        request=request,
        key=hashlib.sha256(repr((prompt.session, past)).encode("utf-8", "replace")).hexdigest()[:16],
        version=(before.version if before else 0) + changed,
        prompt=prompt,
        problems=tuple(settled(problems(prompt, settings), settings, host)),
        found=tuple(found),
        basis=basis,
        host=host,
        detection=detection,
        past=past,
    )


def _draw(view: View) -> View:
    _ = view.json, view.text
    return view


def _settings(request: Request, basis: Basis, detection: Host) -> Settings:
    """The editor's settings, over those of the nearest settings file."""
    place = (path_of(request.uri) if request.uri else None) or basis.root
    if place is None:
        return basis.settings
    directory = place if place == basis.root else os.path.dirname(place)
    workspace = basis.root or workspace_of(detection, directory, directory)
    return over(basis.settings, find(detection, directory, workspace).settings)


def _session(request: Request, settings: Settings, root: str | None, detection: Host) -> tuple[Session, list[Detected]]:
    """What was asked for, and from the settings and the place of the document what was not."""
    path = path_of(request.uri) if request.uri else None
    base = root or (os.path.dirname(path) if path else os.path.expanduser("~"))
    cwd = os.path.normpath(os.path.join(base, expand_home(request.cwd or settings.cwd or "")))
    found = _detect(detection, path or cwd, root)
    name, version = harnesses.split(request.harness or settings.harness or choose(found))
    # At a revision it may be the file that is new: what reading it would bring is asked for all the same.
    kinds = ("file", None) if request.rev else ("file",)
    is_file = path is not None and detection.kind(path) in kinds
    reads = request.reads if request.reads is not None else (path,) if path and is_file else ()
    return Session(
        harness=name,
        version=version,
        cwd=cwd,
        reads=reads,
        model=request.model or settings.model,
        agent=request.agent or settings.agent,
        args=request.args if request.args is not None else settings.args,
        hints=settings.hints,
        tools=settings.tools,
    ), found


def _detect(host: Host, path: str, root: str | None) -> list[Detected]:
    directory = path if host.kind(path) == "directory" else os.path.dirname(path)
    return detect(host, directory, root or workspace_of(host, directory, directory))
