"""The problems of whole folders, as ``promptls check`` finds them, refreshed after changes.

The folders are checked one after the other, each in a process of its own. What came out is kept until the next run
has ended: of a file that has changed since, only problems whose text is still where it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from promptls.checks.rules import rule_of
from promptls.core import files
from promptls.core.text import LineIndex, decode
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.lsp.checker import Checker, CheckFailedError, StoppedError
from promptls.lsp.checker_process import CheckRequest, digest, is_empty, text_at
from promptls.lsp.events import Event
from promptls.lsp.folders import holding
from promptls.lsp.schedule import Schedule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from promptls.core.host import Fetch
    from promptls.core.model import FetchResult, Problem
    from promptls.core.settings import Settings
    from promptls.lsp.checker_process import Found, Outcome, Wanted
    from promptls.lsp.context import Context, DocumentEvent
    from promptls.lsp.folders import Folder
    from promptls.lsp.progress import Progress
    from promptls.lsp.schedule import Spawn

_log = logging.getLogger(__name__)

# Seconds without typing before a run; if the last run took longer than this, typing starts none.
QUIET = 1.0
# Unprompted re-checks may use at most this share of the time.
SHARE = 0.02


class FolderChecks:
    """Checks the folders of the workspace and keeps the last results."""

    def __init__(
        self,
        context: Context,
        fetch: Fetch,
        spawn: Spawn,
        show_progress: Callable[[str, Callable[[], object]], Progress],
    ) -> None:
        self._context = context
        self._fetch = fetch
        self._show_progress = show_progress
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="folders")
        self._found: dict[str, Outcome] = {}
        self._run: Checker | None = None
        self._schedule = Schedule(self._check, self._stop, self._tell_what_is_fresh, spawn)
        # Files that changed since the run began that found what is kept, and those that had when the last one began.
        self._touched: set[str] = set()
        self._touched_before: frozenset[str] = frozenset()
        self._took = 0.0
        self._has_failed = False
        self._ended = 0.0
        self._ready = asyncio.Event()
        self.changed: Event[frozenset[str]] = Event()
        """A run has ended, or its results are no longer shown; the files whose problems may have changed."""
        self.news = asyncio.Event()
        """Set at the next change; each change has its own."""
        self.changed.listen(self._tell)

    # When.

    def due(self, _: object = None) -> None:
        """Something changed that a check may depend on."""
        self._schedule.soon()

    def document(self, event: DocumentEvent) -> None:
        """A document was opened, changed, saved or closed."""
        if event.document.path is not None:
            if event.kind == "closed":  # the file's text may differ
                self._touched.add(event.document.path)
            if self._knows(event.document.path, event):
                return
            if event.kind != "changed":
                self._schedule.soon()
            elif self._took < QUIET:
                self._schedule.after_typing(QUIET)

    def now_and_then(self, _: object = None) -> None:
        """The client does not report changed files: check again, less often the longer it takes."""
        if self._took < SHARE * (time.monotonic() - self._ended):
            self._schedule.soon()

    def _knows(self, path: str, event: DocumentEvent) -> bool:
        """Whether the last run knew this, and any other change will be reported."""
        check = self._check_of(path)
        if check is None or event.kind == "saved" or not (self._context.client.reports_files and self._is_settled()):
            return False
        info = files.stat_of(path)
        is_other = info is not None and info.st_ino not in check.inodes  # by no name a file whose text matters
        return is_other or (event.kind == "opened" and self.is_fresh(path, event.document.text))

    def touched(self, paths: frozenset[str]) -> None:
        """These files have changed on the disk, as far as is known."""
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

    def _stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    def _tell_what_is_fresh(self) -> None:
        """No other run follows, so what is known is of now again."""
        self._ready.set()
        if self._found:
            self.changed.emit(self._touched_before)

    async def _check(self) -> None:
        self._run = run = Checker()
        self._touched_before = frozenset(self._touched)
        try:
            await self._context.settings.ready()
            if self._ready.is_set():
                await self._check_folders(run, None)
            else:
                async with self._show_progress("promptls: checking the workspace", run.stop) as progress:
                    await self._check_folders(run, progress)
            if not run.is_stopped:
                self._touched -= self._touched_before
        finally:
            run.stop()
            self._run = None
            self._ended = time.monotonic()

    async def _check_folders(self, run: Checker, progress: Progress | None) -> None:
        loop = asyncio.get_running_loop()
        folders = self._wanted()
        for uri in [uri for uri in self._found if uri not in folders]:
            self._take(uri, None)
        documents = {document.path: document.text for document in self._context.documents if document.path}

        def say(what: str) -> None:
            if progress is not None:
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(progress.report, what)

        for uri, (path, settings) in folders.items():
            request = CheckRequest(path, settings, not self._context.settings.untrusted, documents, {})
            begun = time.monotonic()
            try:
                outcome, is_all = await loop.run_in_executor(
                    self._worker, _look, run, request, self._found.get(uri), self._fetch, say
                )
            except StoppedError:
                return
            except UsageError as error:  # the settings name a harness that does not exist
                _log.info("%s", error)
                continue
            except CheckFailedError as error:
                self._warn(path, error)
                self._take(uri, None)
                continue
            self._has_failed = False
            self._took = time.monotonic() - begun
            self._take(uri, outcome)
            if not is_all:
                self._schedule.follow()

    def _take(self, uri: str, outcome: Outcome | None) -> None:
        """Keep the outcome of a folder, or drop the previous one."""
        old = self._found.pop(uri, None)
        if outcome is not None:
            self._found[uri] = outcome
        before, now = old.by_path if old else {}, outcome.by_path if outcome else {}
        changed = {path for path in {*before, *now} if before.get(path) != now.get(path)}
        if changed:
            self.changed.emit(frozenset(changed))

    def _warn(self, path: str, error: CheckFailedError) -> None:
        """Report it once until it works again: it is retried after each change."""
        if not self._has_failed:
            says = "The check of %s failed; until it succeeds, problems are shown only in open documents: %s"
            _log.warning(says, path, error)
        self._has_failed = True

    def _wanted(self) -> dict[str, tuple[str, Settings]]:
        """The folders to check, by URI: path and settings."""
        settings = self._context.settings
        return {
            folder.uri: (folder.path, settings.of(folder))
            for folder in self._context.folders
            if folder.path is not None and settings.of(folder).check_workspace
        }

    # What.

    def is_fresh(self, path: str, text: str) -> bool:
        """Whether the file at ``path``, with this text, and all else is as it was in the last run."""
        check = self._check_of(path)
        return check is not None and self._is_settled() and check.digests.get(path) == digest(text)

    def _is_settled(self) -> bool:
        return self._schedule.is_idle

    def paths(self) -> list[str]:
        """The files with problems."""
        return list(dict.fromkeys(path for check in self._found.values() for path in check.by_path if self._of(path)))

    def still_true(self, path: str, text: str | None = None) -> list[Problem]:
        """The problems of the file at ``path`` that still apply; ``text`` is that of an open document."""
        found = self._of(path)
        check = self._check_of(path)
        if not found or check is None:
            return []
        if text is None:
            if path not in self._touched:
                return [each.problem for each in found]
            text = decode(files.read(path).data, keep_bom=False)
        if check.digests.get(path) == digest(text):
            return [each.problem for each in found]
        lines = LineIndex(text)
        return [_with_fitting(each, lines) for each in found if _stands(each, lines)]

    def _of(self, path: str) -> Sequence[Found]:
        check = self._check_of(path)
        return check.by_path.get(path, ()) if check else ()

    def _check_of(self, path: str) -> Outcome | None:
        """The check of the innermost folder that holds ``path`` and is checked."""
        folders: list[Folder] = [each for each in self._context.folders if each.uri in self._found]
        folder = holding(folders, path)
        return self._found[folder.uri] if folder else None


def _look(
    run: Checker, request: CheckRequest, before: Outcome | None, fetch: Fetch, say: Callable[[str], None]
) -> tuple[Outcome, bool]:
    """The outcome for a folder, and whether it is final: a URL may have an answer that no check has requested yet."""
    answers = _answers(before.urls if before else (), fetch)
    outcome = run.check(replace(request, answers=answers), say)
    more = _answers((each for each in outcome.urls if each not in answers), fetch)
    return outcome, all(answer.state == "pending" for answer in more.values())


def _answers(wanted: Iterable[Wanted], fetch: Fetch) -> dict[Wanted, FetchResult]:
    return {(url, timeouts): fetch([url], timeouts)[0] for url, timeouts in wanted}


def _stands(found: Found, lines: LineIndex) -> bool:
    """Whether a problem's text is still in the same place."""
    where = found.problem.range
    if is_empty(where):
        return rule_of(found.problem.code).of_place
    return text_at(lines, where) == found.text


def _with_fitting(found: Found, lines: LineIndex) -> Problem:
    """The problem, without its fixes if one of them would now remove different text."""
    fits = all(not is_empty(edit.range) and text_at(lines, edit.range) == text for edit, text in found.replaced)
    return found.problem if fits else replace(found.problem, fixes=())
