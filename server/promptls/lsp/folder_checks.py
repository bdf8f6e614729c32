"""The problems of whole folders, as ``promptls check`` finds them, made anew after changes.

One thread checks the folders one after the other and gives way to everything else. What came out is kept until the
next run has ended: of a file that has changed since, only problems whose text still stands where it stood.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby

from promptls.core import files
from promptls.core.text import LineIndex, decode
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.folder_check import check_folder
from promptls.listing import list_files
from promptls.lsp.events import Event
from promptls.lsp.folders import holding
from promptls.lsp.giving_way import unobtrusive
from promptls.lsp.progress import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from promptls.core.host import Buffers, Host
    from promptls.core.model import Fix, Problem, Range
    from promptls.core.settings import Settings
    from promptls.lsp.folders import Folder
    from promptls.lsp.server import DocumentEvent, PromptServer

_log = logging.getLogger(__name__)

# Seconds: changes that come closer together lead to one run.
TOGETHER = 0.1
# Seconds without typing before a run; where the last one took longer than this, typing leads to none.
QUIET = 1.0
# How much longer than a run, at least, nothing is looked at without a reason.
PAUSE = 5
# A report of progress for so many prompts.
STEP = 100
# What is said of a file because of where it stands or how it is called: its text does not matter.
OF_PLACE = frozenset(("never-loaded", "shadowed", "outside-root", "case-mismatch", "prompt-unused"))


class _Stopped(Exception):  # noqa: N818 - no error: another run begins
    """The run is not wanted any more."""


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """What came of a folder: its problems by file, and what that rests on."""

    by_path: Mapping[str, tuple[Problem, ...]]
    host: Host
    settings: Settings
    files: int
    """A hash of their names."""


@dataclass(slots=True)
class _Run:
    """A run, to be stopped from any thread."""

    server: PromptServer
    buffers: Buffers
    stopped: threading.Event = field(default_factory=threading.Event)
    thread: int = 0

    def pause(self) -> None:
        """Give way; raises if the run was stopped. Nothing for other threads, which may look at its host later."""
        if threading.get_ident() == self.thread:
            if self.stopped.is_set():
                raise _Stopped
            self.server.giving_way.give_way()


class FolderChecks:
    """Checks the folders of the workspace; what was found last is at hand."""

    def __init__(self, server: PromptServer) -> None:
        self._server = server
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="folders")
        self._found: dict[str, FolderCheck] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._typing: asyncio.TimerHandle | None = None
        self._run: _Run | None = None
        self._again = False
        self._spared = False
        self._touched: set[str] = set()
        self._took = 0.0
        self._ended = 0.0
        self._ready = asyncio.Event()
        self.changed: Event[frozenset[str]] = Event()
        """A run has ended, or what it found is not shown any more; the files whose problems may be others now."""
        self.news = asyncio.Event()
        """Set at the next change; each has one of its own."""
        self.changed.listen(self._tell)

    # When.

    def due(self, _: object = None) -> None:
        """Something changed that a check may depend on."""
        self._soon()

    def document(self, event: DocumentEvent) -> None:
        """A document was opened, changed, saved or closed."""
        if event.document.path is not None:
            if event.kind == "closed":  # the file may have another text
                self._touched.add(event.document.path)
            if event.kind != "changed":
                self._soon()
            elif self._took < QUIET:
                self._when_quiet()

    def now_and_then(self, _: object = None) -> None:
        """The client tells nothing of files that change: look again, the less often the longer it takes."""
        if time.monotonic() - self._ended > PAUSE * self._took:
            self._soon()

    def touched(self, paths: frozenset[str]) -> None:
        """These files changed on the disk, as far as is known."""
        known = {path for path in paths if self._of(path)}
        self._touched |= known
        if known:
            self.changed.emit(frozenset(known))
        self.due()

    async def ready(self) -> None:
        """Wait until each folder was checked once."""
        await self._ready.wait()

    def _tell(self, _: object) -> None:
        self.news.set()
        self.news = asyncio.Event()

    def _soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TOGETHER, self._start)

    def _when_quiet(self) -> None:
        if self._typing is not None:
            self._typing.cancel()
        self._typing = asyncio.get_running_loop().call_later(QUIET, self._quiet)

    def _quiet(self) -> None:
        self._typing = None
        self._soon()

    def _start(self) -> None:
        self._timer = None
        if self._run is None:
            self._server.spawn(self._check(), "the check of a folder")
            return
        # The older run ends, but not again and again: files may change all the time.
        self._again = True
        if not self._spared:
            self._spared = True
            self._run.stopped.set()

    async def _check(self) -> None:
        self._run = run = _Run(self._server, self._server.previews.buffers())
        self._again = False
        seen = frozenset(self._touched)
        try:
            await self._server.settings.ready()
            if self._ready.is_set():
                await self._check_folders(run, None)
            else:
                async with Progress(self._server, "promptls: checking the workspace", run.stopped.set) as progress:
                    await self._check_folders(run, progress)
            if not run.stopped.is_set():
                self._touched -= seen
        except asyncio.CancelledError:
            self._again = False
            raise
        finally:
            run.stopped.set()
            self._run = None
            self._ended = time.monotonic()
            if self._again:
                self._server.spawn(self._check(), "the check of a folder")
            else:
                self._spared = False
                self._ready.set()
                if self._found:  # what is known of it is fresh again
                    self.changed.emit(frozenset())

    async def _check_folders(self, run: _Run, progress: Progress | None) -> None:
        loop = asyncio.get_running_loop()
        folders = self._wanted()
        gone = {uri: self._found.pop(uri) for uri in list(self._found) if uri not in folders}
        for check in gone.values():
            self.changed.emit(frozenset(check.by_path))
        for uri, (path, settings) in folders.items():
            before = self._found.get(uri)

            def step(harness: str, prompts: int) -> None:
                if progress is not None and prompts % STEP == 0:
                    with contextlib.suppress(RuntimeError):  # the loop has ended
                        loop.call_soon_threadsafe(progress.report, f"{prompts} prompts, {harness}")

            def work(path: str = path, settings: Settings = settings, key: str = uri) -> FolderCheck:
                run.thread = threading.get_ident()
                with unobtrusive():
                    return self._look(run, path, settings, self._found.get(key), step)

            begun = time.monotonic()
            try:
                check = await loop.run_in_executor(self._worker, work)
            except _Stopped:
                return
            except UsageError as error:  # the settings name a harness that does not exist
                _log.info("%s", error)
                continue
            if check is not before:
                self._took = time.monotonic() - begun
                self._found[uri] = check
                self.changed.emit(frozenset({*check.by_path, *(before.by_path if before else ())}))

    def _wanted(self) -> dict[str, tuple[str, Settings]]:
        """The folders to check, by URI: path and settings."""
        settings = self._server.settings
        return {
            folder.uri: (folder.path, settings.of(folder))
            for folder in self._server.folders
            if folder.path is not None and settings.of(folder).check_workspace
        }

    def _look(
        self,
        run: _Run,
        path: str,
        settings: Settings,
        before: FolderCheck | None,
        step: Callable[[str, int], None],
    ) -> FolderCheck:
        """What is wrong in a folder now; ``before`` itself if nothing that it looked at has changed."""
        names = list_files(path, is_trusted=not self._server.settings.untrusted, pause=run.pause)()
        run.pause()
        key = hash(tuple(names))
        if before and (before.settings, before.files) == (settings, key) and before.host.is_current(run.buffers):
            return before
        checked = check_folder(
            path,
            lambda: names,
            fetch=self._server.fetch,
            buffers=run.buffers,
            settings=settings,
            step=step,
            pause=run.pause,
        )
        checked.host.rest()  # it is kept as long as the server runs
        inside = [each for each in checked.problems if each.path.startswith(path.rstrip("/") + "/")]
        by_path = {path: tuple(found) for path, found in groupby(inside, key=lambda each: each.path)}
        return FolderCheck(by_path, checked.host, settings, key)

    # What.

    def is_fresh(self, path: str, text: str) -> bool:
        """Whether the file at ``path``, with this text, and all else is as it was in the last run."""
        check = self._check_of(path)
        if check is None or self._run or self._timer or self._typing:
            return False
        return check.host.has_read(path) and _text(check.host, path) == text

    def paths(self) -> list[str]:
        """The files with problems."""
        return list(dict.fromkeys(path for check in self._found.values() for path in check.by_path if self._of(path)))

    def standing(self, path: str, text: str | None = None) -> list[Problem]:
        """The problems of the file at ``path`` that still stand; ``text`` is that of an open document."""
        found = self._of(path)
        check = self._check_of(path)
        if not found or check is None:
            return []
        if text is None:
            if path not in self._touched:
                return list(found)
            text = decode(files.read(path).data, keep_bom=False)
        return _standing(found, _text(check.host, path), text)

    def _of(self, path: str) -> Sequence[Problem]:
        check = self._check_of(path)
        return check.by_path.get(path, ()) if check else ()

    def _check_of(self, path: str) -> FolderCheck | None:
        """The check of the innermost folder that holds ``path`` and is checked."""
        folders: list[Folder] = [each for each in self._server.folders if each.uri in self._found]
        folder = holding(folders, path)
        return self._found[folder.uri] if folder else None


def _text(host: Host, path: str) -> str:
    return decode(host.read(path).data, keep_bom=False)


def _standing(found: Sequence[Problem], before: str, now: str) -> list[Problem]:
    if before == now:
        return list(found)
    old, new = LineIndex(before), LineIndex(now)

    def stands(problem: Problem) -> bool:
        where = problem.range
        if _is_empty(where):
            return problem.code in OF_PLACE
        return _slice(old, where) == _slice(new, where)

    def fits(problem: Problem, fix: Fix) -> bool:
        """Whether what the fix takes away is still what it was made for."""
        return all(
            not _is_empty(edit.range) and _slice(old, edit.range) == _slice(new, edit.range)
            for edit in fix.edits
            if edit.path == problem.path and not edit.rename
        )

    return [
        problem if all(fits(problem, fix) for fix in problem.fixes) else replace(problem, fixes=())
        for problem in found
        if stands(problem)
    ]


def _is_empty(where: Range) -> bool:
    return (where.start_line, where.start_character) == (where.end_line, where.end_character)


def _slice(index: LineIndex, where: Range) -> str:
    start = index.offset(where.start_line, where.start_character)
    return index.text[start : index.offset(where.end_line, where.end_character)]
