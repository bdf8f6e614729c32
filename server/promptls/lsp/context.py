"""What the server knows, as plain state: the client, its documents, folders and settings, and what happens.

Features, previews and checks of folders read it and listen to its events. Who may run where:

- **The loop only**: handlers of features, ``Context`` and all that is in it (documents, folders, settings, shown),
  events (``Event.emit`` raises elsewhere), the cache of ``Previews``, ``FolderChecks``. None of it waits for a disk.
- **A worker only**: what ``Previews.run`` is given, one at a time. It takes values that were made on the loop (a
  request, a ``Basis``, ``Sources`` with the open documents of that moment), looks at the disk, runs git, and returns a
  value. Of ``Context`` it asks for no more than documents, folders and what the client can, which are values of that
  moment. A host, a ``LookupRound`` and ``GitStates`` belong to it. A map and a table of a folder have sources of their
  own, on a thread beside it; so has the one that waits for the process of a check.
- **A process of its own**: the check of a folder, ``verify``, and what is made of recorded sessions but for their list;
  they get values as pickles or arguments.
- **Either**: values (``Document``, ``Settings``, ``Prompt``, ``View``) and pure functions over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from promptls.core.files import expand_home
from promptls.lsp.capabilities import ClientFeatures
from promptls.lsp.documents import Document, Documents
from promptls.lsp.events import Event
from promptls.lsp.folders import Folder, folders_of, holding
from promptls.lsp.settings import FolderSettings
from promptls.lsp.shown import Shown
from promptls.sessions.start import may_be_of_user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """What happened to an open document; ``document`` is how it is now (or was, when closed)."""

    kind: Literal["opened", "changed", "saved", "closed"]
    document: Document


class Events:
    """Events by which one part of the server reacts to what another part notices."""

    def __init__(self) -> None:
        self.initializing: Event[None] = Event()
        """The client is known, but not the server's capabilities: register here what depends on the client."""
        self.initialized: Event[None] = Event()
        """The handshake is complete: start slow work here, with ``PromptServer.spawn``."""
        self.document_changed: Event[DocumentEvent] = Event()
        self.folders_changed: Event[None] = Event()
        self.settings_changed: Event[None] = Event()
        self.files_changed: Event[frozenset[str]] = Event()
        """A relevant file or directory has changed; previews detect changes of known ones themselves."""
        self.time_passed: Event[None] = Event()
        """Files may have changed: the client cannot tell."""
        self.urls_changed: Event[None] = Event()
        self.urls_asked: Event[bool] = Event()
        """URLs are being fetched, or no longer."""
        self.previews_made: Event[None] = Event()
        """A preview was made: it may have looked at new places."""
        self.rules_counted: Event[None] = Event()
        """In how many recorded sessions each rule stood is known, or known anew."""
        self.previews_checked: Event[None] = Event()
        """After a change, every stale preview that is shown has been refreshed."""


class Context:
    """The state of the server."""

    def __init__(self) -> None:
        self.client = ClientFeatures()
        self.documents = Documents()
        self.folders: tuple[Folder, ...] = ()
        self.options: Mapping[str, Any] = {}
        """The client's ``initializationOptions``, not yet checked."""
        self.settings = FolderSettings()
        self.shown = Shown(lambda uri: self.documents.get(uri) is not None)
        self.events = Events()

    def begin(self, params: Mapping[str, Any]) -> None:
        """Take in ``InitializeParams`` (JSON)."""
        self.client = ClientFeatures.of(params.get("capabilities"))
        self.documents.encoding = self.client.position_encoding
        self.folders = folders_of(params)
        options = params.get("initializationOptions")
        self.options = options if isinstance(options, dict) else {}
        self.events.initializing.emit(None)

    def folder_of(self, path: str) -> Folder | None:
        """The innermost folder of the workspace that holds ``path``; the first for a file that is of every start.

        By paths alone: a home directory on a network may not answer.
        """
        found = holding(self.folders, path)
        is_of_all = found is None and self.folders and may_be_of_user(path, expand_home("~"))
        return self.folders[0] if is_of_all else found
