"""The server: what it knows of the client, and where features join in.

A feature is a module of ``features`` with ``register(server)``. There it claims LSP methods
(``@server.feature``), requests of our own (``@server.request``) and commands (``@server.command``), and
listens to the events below. Its handlers read the state and call the core; they hold none of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

from lsprotocol import converters, types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.lsp.server import LanguageServer

from promptls import __version__
from promptls.lsp.capabilities import ClientFeatures
from promptls.lsp.documents import Document, Documents
from promptls.lsp.events import Event
from promptls.lsp.folders import Folder, folders_of, holding
from promptls.lsp.protocol import PromptProtocol
from promptls.lsp.settings import FolderSettings
from promptls.lsp.shown import Shown
from promptls.lsp.virtual import SCHEME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.lsp.custom import ModelSource
    from promptls.lsp.folder_checks import FolderChecks
    from promptls.lsp.previews import Previews
    from promptls.net.background import Background

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """What happened to an open document; ``document`` is how it is now (or was, when closed)."""

    kind: Literal["opened", "changed", "saved", "closed"]
    document: Document


class PromptServer(LanguageServer):
    """The language server. Its state changes on the loop only."""

    protocol: PromptProtocol

    def __init__(self) -> None:
        super().__init__(
            "promptls", __version__, protocol_cls=PromptProtocol, converter_factory=converters.get_converter
        )
        self.client = ClientFeatures()
        self.documents = Documents()
        self.folders: tuple[Folder, ...] = ()
        self.options: Mapping[str, Any] = {}
        """The client's ``initializationOptions``, not yet checked."""
        self.initializing: Event[None] = Event()
        """The client is known, the capabilities are not yet: register here what depends on the client."""
        self.initialized: Event[None] = Event()
        """The connection stands: slow work starts here, with ``spawn``."""
        self.document_changed: Event[DocumentEvent] = Event()
        self.folders_changed: Event[None] = Event()
        self.settings_changed: Event[None] = Event()
        self.files_changed: Event[frozenset[str]] = Event()
        """A file or directory that may matter changed; those that are known, the previews find out themselves."""
        self.time_passed: Event[None] = Event()
        """Files may have changed: the client cannot tell."""
        self.urls_changed: Event[None] = Event()
        self.urls_asked: Event[bool] = Event()
        """URLs are being asked for, or none is any more."""
        self.previews_made: Event[None] = Event()
        """A preview was made: it may have looked at places that none looked at before."""
        self.previews_checked: Event[None] = Event()
        """After a change, everything that is shown was made anew where it had to be."""
        self.settings = FolderSettings()
        self.shown = Shown()

    @cached_property
    def previews(self) -> Previews:
        """What makes and keeps previews; imported at the first use, after the start."""
        from promptls.lsp.previews import Previews  # noqa: PLC0415 - see above

        return Previews(self)

    @cached_property
    def folder_checks(self) -> FolderChecks:
        """What checks whole folders; imported late, too."""
        from promptls.lsp.folder_checks import FolderChecks  # noqa: PLC0415 - the same

        return FolderChecks(self)

    @cached_property
    def fetch(self) -> Background:
        """What asks for URLs, in the background."""
        from promptls.net.background import Background  # noqa: PLC0415 - the same

        loop = asyncio.get_running_loop()

        def changed(_urls: frozenset[str]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self.urls_changed.emit, None)

        def runs(any_runs: bool) -> None:
            with contextlib.suppress(RuntimeError):  # the same
                loop.call_soon_threadsafe(self.urls_asked.emit, any_runs)

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

    def folder_of(self, path: str) -> Folder | None:
        """The innermost folder of the workspace that holds ``path``."""
        return holding(self.folders, path)

    def begin(self, params: Mapping[str, Any]) -> None:
        """Take in ``InitializeParams`` (JSON)."""
        self.client = ClientFeatures.of(params.get("capabilities"))
        self.documents.encoding = self.client.position_encoding
        self.folders = folders_of(params)
        options = params.get("initializationOptions")
        self.options = options if isinstance(options, dict) else {}
        self.initializing.emit(None)

    def capabilities(self) -> types.ServerCapabilities:
        """What the server offers to this client: pygls' view of the features, and what pygls leaves out."""
        builder = ServerCapabilitiesBuilder(
            types.ClientCapabilities(),
            {*self.protocol.fm.features, *self.protocol.fm.builtin_features},
            self.protocol.fm.feature_options,
            list(self.protocol.fm.commands),
            types.TextDocumentSyncKind.Incremental,
            None,
            types.PositionEncodingKind(self.client.position_encoding),
        )
        found: types.ServerCapabilities = builder.build()  # type: ignore[no-untyped-call] # pygls is half typed
        if self.client.text_document_content and found.workspace is not None:
            found.workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
        if found.workspace is not None and found.workspace.file_operations is not None:
            renames = self.protocol.fm.feature_options.get(types.WORKSPACE_WILL_RENAME_FILES)
            found.workspace.file_operations.will_rename = renames
        return found

    def report_server_error(self, error: Exception, source: object) -> None:
        """Say nothing: the protocol answers and logs, and a popup for each odd message would help nobody."""
