"""The virtual documents that the client has received, so that it can be notified when one changes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from promptls.lsp.virtual import PreviewRequest

# What the client has open is followed. Not every client says so for virtual documents, and a view of its own is none:
# of the others, those given last are followed.
FOLLOWED = 64


class Shown:
    """Virtual documents by URI, each with the version that the client has."""

    def __init__(self, is_open: Callable[[str], bool]) -> None:
        """``is_open`` says whether the client has a document open."""
        self._is_open = is_open
        self._shown: dict[str, tuple[PreviewRequest, int]] = {}

    def add(self, uri: str, request: PreviewRequest, version: int, *, has_text: bool) -> None:
        """Note that the client knows this document; ``has_text``: it shows this version now."""
        before = self._shown.pop(uri, None)
        self._shown[uri] = (request, version if has_text or before is None else before[1])
        given = [each for each in self._shown if not self._is_open(each)]
        for each in given[:-FOLLOWED]:
            del self._shown[each]

    def __len__(self) -> int:
        """How many are followed."""
        return len(self._shown)

    def requests(self) -> list[PreviewRequest]:
        """The requests that are followed."""
        return list(dict.fromkeys(request for request, _ in self._shown.values()))

    def outdated(self, request: PreviewRequest, version: int) -> list[str]:
        """The documents of a request of which the client has another version; it is notified once."""
        uris = [uri for uri, (asked, given) in self._shown.items() if asked == request and given != version]
        for uri in uris:
            self._shown[uri] = (request, version)
        return uris
