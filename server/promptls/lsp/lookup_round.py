"""Lookups of the same sources at the same moment, for previews that are made one after the other."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from promptls.core.files import expand_home
from promptls.core.host import Moment
from promptls.core.values import replace
from promptls.lsp.uris import path_of
from promptls.sessions.start import place_of
from promptls.workspace.machine import home
from promptls.workspace.request import Sources, look, look_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from promptls.core.host import Host
    from promptls.core.settings import Settings
    from promptls.lsp.virtual import PreviewRequest
    from promptls.sessions.start import Place
    from promptls.workspace.request import Here

# Places of which is kept what is known; each takes about 100 kB.
PLACES = 32


@dataclass(frozen=True, slots=True)
class Basis:
    """What a view depends on besides the request: the settings, and the folder that contains the document."""

    settings: Settings
    root: str | None


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
