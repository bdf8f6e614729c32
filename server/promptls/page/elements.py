"""Elements of HTML, escaped by the standard library: no text of a workspace can become markup."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.etree.ElementTree import Element, tostring

from promptls.core.paths import is_absolute, is_below, relative
from promptls.core.values import dataclass
from promptls.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Child = Element | str
    from xml.etree.ElementTree import Element


ELSEWHERE, A_URL = "a file elsewhere", "a URL"


def element(tag: str, *children: Child, **attributes: str | None) -> Element:
    """An element; ``class_`` and ``data_path`` are ``class`` and ``data-path``, and None leaves an attribute out."""
    made = Element(
        tag,
        {name.rstrip("_").replace("_", "-"): visible(value) for name, value in attributes.items() if value is not None},
    )
    add(made, children)
    return made


def raw(tag: str, text: str, **attributes: str) -> Element:
    """A style or script of our own, whose text HTML takes as it is.

    Raises:
        ValueError: the text would end the element, or be changed.
    """
    if any(each in text for each in ("</", "<!--", "##")):
        raise ValueError(f"the {tag} has to do without </, <!-- and ##")
    made = Element(tag, attributes)
    made.text = text
    return made


def add(to: Element, children: Iterable[Child]) -> None:
    """Add texts and elements to the end of an element."""
    for child in children:
        if not isinstance(child, str):
            to.append(child)
        elif len(to):
            to[-1].tail = (to[-1].tail or "") + visible(child)
        else:
            to.text = (to.text or "") + visible(child)


def document(html: Element) -> str:
    """The whole page. The log of a CI service finds no commands in it: two hashes are the start of one."""
    text = tostring(html, encoding="unicode", method="html")
    return f"<!DOCTYPE html>\n{text.replace('##', '#&#35;')}\n"


def table(caption: str, head: Element, *parts: Element) -> Element:
    """A table that can be scrolled with the keyboard: the row ``head``, then its bodies and foot."""
    made = element("table", element("caption", caption), element("thead", head), *parts)
    return element("div", made, class_="scroll", tabindex="0", role="region", aria_label=caption)


def heads(*names: str) -> Element:
    """A row with a heading for each column."""
    return element("tr", *(element("th", each, scope="col") for each in names))


@dataclass(frozen=True, slots=True)
class Links:
    """Links to files of the folder ``root``, relative to the directory ``base`` that the page is in.

    ``is_shared``: the page is for others, who have no such files: it has no links, and names no place elsewhere.
    ``is_there``: whether a file can be opened; a change may have removed it.
    """

    root: str
    base: str
    is_shared: bool = False
    is_there: Callable[[str], bool] = bool

    def name(self, path: str) -> str:
        """The file as it is called on the page: by its path from the folder."""
        return ELSEWHERE if self.is_shared and not is_below(path, self.root) else relative(path, self.root)

    def shown(self, name: str) -> str:
        """The same for what may be no file, such as a URL."""
        if is_absolute(name, self.root):
            return self.name(name)
        return A_URL if self.is_shared and "://" in name else name

    def link(self, path: str, text: str = "", line: int | None = None, **attributes: str | None) -> Element:
        """A link to a line, from 0, of the file at ``path``; a URL is only named: its server is the user's business."""
        shown = text or self.name(path)
        is_file = is_below(path, "/") or path[1:2] == ":"
        if self.is_shared or not is_file or not self.is_there(path):
            return element("span", self.shown(text) if text else shown, **attributes)
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
