"""The virtual documents that the client was given, so that it can be told when one changes."""

from __future__ import annotations

from collections import OrderedDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.lsp.previews import View
    from promptls.lsp.virtual import Request

# A client does not say when it closes one: only those given last are followed.
FOLLOWED = 16


class Shown:
    """Virtual documents by URI, each with the version that the client has."""

    def __init__(self) -> None:
        self._shown: OrderedDict[str, tuple[Request, int]] = OrderedDict()

    def add(self, uri: str, request: Request, view: View, *, has_text: bool) -> None:
        """The client knows of this document; ``has_text`` says whether it shows this version now."""
        before = self._shown.pop(uri, None)
        version = view.version if has_text or before is None else before[1]
        self._shown[uri] = (request, version)
        while len(self._shown) > FOLLOWED:
            self._shown.popitem(last=False)

    def requests(self) -> list[Request]:
        """The requests that are followed."""
        return list(dict.fromkeys(request for request, _ in self._shown.values()))

    def outdated(self, request: Request, view: View) -> list[str]:
        """The documents of a request of which the client has another version than ``view``; it is told once."""
        uris = [uri for uri, (r, version) in self._shown.items() if r == request and version != view.version]
        for uri in uris:
            self._shown[uri] = (request, view.version)
        return uris
