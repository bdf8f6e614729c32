"""The server: puts the parts together, and is where features join in.

A feature is a module of ``features`` with ``register(server)``. There it claims LSP methods
(``@server.feature``), requests of our own (``@server.request``) and commands (``@server.command``), and
listens to the events of ``server.context``. Its handlers read the state and call the core; they hold none of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property
from typing import Any, TypeVar

from lsprotocol import converters, types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.lsp.server import LanguageServer

from promptls import __version__
from promptls.lsp.context import Context
from promptls.lsp.progress import Progress
from promptls.lsp.protocol import PromptProtocol
from promptls.lsp.virtual import SCHEME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.lsp.custom import ModelSource
    from promptls.lsp.folder_checks import FolderChecks
    from promptls.lsp.judged import Judged
    from promptls.lsp.previews import Previews
    from promptls.lsp.rule_counts import RuleCounts
    from promptls.net.background import Background

_F = TypeVar("_F", bound=Callable[..., Any])


class PromptServer(LanguageServer):
    """The language server. Its state is in ``context``."""

    protocol: PromptProtocol

    def __init__(self) -> None:
        super().__init__(
            "promptls", __version__, protocol_cls=PromptProtocol, converter_factory=converters.get_converter
        )
        self.context = Context()
        self.protocol.on_initialize = self._begin
        self.protocol.on_initialized = self.context.events.initialized.emit

    @cached_property
    def previews(self) -> Previews:
        """Makes and caches previews; imported at the first use, after the start."""
        from promptls.lsp.previews import Previews  # noqa: PLC0415 - see above

        return Previews(self.context, self.fetch)

    @cached_property
    def judged(self) -> Judged:
        """What each harness does with a file; also imported late."""
        from promptls.lsp.judged import Judged  # noqa: PLC0415 - the same

        return Judged(self.context, self.previews)

    @cached_property
    def folder_checks(self) -> FolderChecks:
        """Checks whole folders; also imported late."""
        from promptls.lsp.folder_checks import FolderChecks  # noqa: PLC0415 - the same

        return FolderChecks(self.context, self.fetch, self.spawn, self.show_progress)

    @cached_property
    def rule_counts(self) -> RuleCounts:
        """In how many recorded sessions each rule stood; also imported late."""
        from promptls.lsp.rule_counts import RuleCounts  # noqa: PLC0415 - the same

        return RuleCounts(self.spawn, lambda: self.context.events.rules_counted.emit(None))

    @cached_property
    def fetch(self) -> Background:
        """Fetches URLs, in the background."""
        from promptls.net.background import Background  # noqa: PLC0415 - the same

        loop, events = asyncio.get_running_loop(), self.context.events

        def changed(_urls: frozenset[str]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(events.urls_changed.emit, None)

        def runs(any_runs: bool) -> None:
            with contextlib.suppress(RuntimeError):  # the same
                loop.call_soon_threadsafe(events.urls_asked.emit, any_runs)

        return Background(changed, on_run=runs)

    def request(self, method: str, params: ModelSource) -> Callable[[_F], _F]:
        """Register the handler of a request of our own.

        ``params`` is the pydantic model of its parameters, or a function that returns it (so that pydantic
        is imported late). The result may be a pydantic model (sent by alias, nulls included), an
        lsprotocol type or plain JSON (sent as it is).
        """

        def register(handler: _F) -> _F:
            self.feature(method)(handler)
            self.protocol.custom.add(method, params)
            return handler

        return register

    def spawn(self, work: Coroutine[Any, Any, object], what: str) -> None:
        """Run ``work`` on the loop until the server ends; a failure is logged as one of ``what``."""
        self.protocol.spawn(work, what)

    def show_progress(
        self, title: str, stop: Callable[[], object] | None = None, token: types.ProgressToken | None = None
    ) -> Progress:
        """The progress of work that may take long, as an asynchronous context manager: see ``Progress``."""
        may_begin = self.context.client.work_done_progress
        return Progress(self.work_done_progress, title, stop, token, may_begin=may_begin)

    def _begin(self, params: Mapping[str, Any]) -> types.ServerCapabilities:
        """Take in ``InitializeParams`` (JSON): what the server offers to this client."""
        self.context.begin(params)
        return self._capabilities()

    def _capabilities(self) -> types.ServerCapabilities:
        """Pygls' view of the features, and what pygls leaves out."""
        client = self.context.client
        builder = ServerCapabilitiesBuilder(
            types.ClientCapabilities(),
            {*self.protocol.fm.features, *self.protocol.fm.builtin_features},
            self.protocol.fm.feature_options,
            list(self.protocol.fm.commands),
            types.TextDocumentSyncKind.Incremental,
            None,
            types.PositionEncodingKind(client.position_encoding),
        )
        found: types.ServerCapabilities = builder.build()  # type: ignore[no-untyped-call] # pygls is half typed
        if client.text_document_content and found.workspace is not None:
            found.workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
        if found.workspace is not None and found.workspace.file_operations is not None:
            renames = self.protocol.fm.feature_options.get(types.WORKSPACE_WILL_RENAME_FILES)
            found.workspace.file_operations.will_rename = renames
        return found

    def report_server_error(self, error: Exception, source: object) -> None:
        """Do nothing: the protocol already replies and logs; a pop-up per malformed message would only annoy."""
