"""Links from a page to the files that it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from promptls.core.paths import is_below, relative
from promptls.core.values import dataclass
from promptls.page.elements import element

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


@dataclass(frozen=True, slots=True)
class Links:
    """Links to files of the folder ``root``, relative to the directory ``base`` that the page is in."""

    root: str
    base: str

    def name(self, path: str) -> str:
        """The file as it is called on the page: by its path from the folder."""
        return relative(path, self.root)

    def link(self, path: str, text: str = "", line: int | None = None, **attributes: str | None) -> Element:
        """A link to a line, from 0, of the file at ``path``; a URL is only named: its server is the user's business."""
        shown = text or self.name(path)
        if not is_below(path, "/") and path[1:2] != ":":
            return element("span", shown, **attributes)
        return element(
            "a",
            shown,
            href=self._href(path),
            data_path=self.name(path),
            data_line=str(line) if line else None,
            **attributes,
        )

    def _href(self, path: str) -> str:
        """Relative, and with each letter that means something in a URL escaped, so that no name can be a scheme."""
        return f"./{quote(relative(path, self.base), errors='replace')}"
