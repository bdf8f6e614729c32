"""The settings of each folder, as the client has them."""

from __future__ import annotations

import asyncio
import logging

from promptls.core.settings import DEFAULT, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptls.lsp.folders import Folder

_log = logging.getLogger(__name__)

# Seconds that a request waits for the client's first settings.
WAIT = 2.0


class FolderSettings:
    """Settings by folder; those without a folder apply where a folder has none."""

    def __init__(self) -> None:
        self.untrusted = False
        self._by_folder: dict[str | None, Settings] = {}
        self._received = asyncio.Event()

    def take(self, raw: Any, folder: Folder | None = None) -> None:
        """Store the settings (JSON) of a folder, or of all."""
        from promptls.workspace.options import resolve  # noqa: PLC0415 - pydantic is too slow for the start

        settings, faults = resolve(raw, untrusted=self.untrusted)
        for fault in faults:
            _log.warning(fault)
        self._by_folder[folder.uri if folder else None] = settings

    def complete(self) -> None:
        """All settings of the client have arrived."""
        self._received.set()

    async def ready(self) -> None:
        """Wait for the client's settings, but not forever."""
        if not self._received.is_set():
            try:
                await asyncio.wait_for(self._received.wait(), WAIT)
            except TimeoutError:
                self._received.set()

    def of(self, folder: Folder | None) -> Settings:
        """The settings of a folder."""
        return self._by_folder.get(folder.uri if folder else None) or self._by_folder.get(None) or DEFAULT

    @property
    def urls_allowed(self) -> tuple[str, ...]:
        """The hosts that the user allows: the settings of a folder do not count."""
        return self._by_folder.get(None, DEFAULT).urls_allowed

    @property
    def urls_enabled(self) -> bool:
        """Whether URLs may be fetched at all: not if any folder forbids it."""
        return not self.untrusted and all(settings.urls_enabled for settings in self._by_folder.values())
