"""Elements of HTML, escaped by the standard library: no text of a workspace can become markup."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, tostring

from promptls.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    Child = Element | str


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
