"""Texts as programs in Python read them: each line ends with a line feed, and ``strip`` knows what white space is."""

from __future__ import annotations

from promptls.core.model import Origin
from promptls.core.text import LineIndex, decode, newlines
from promptls.core.values import replace
from promptls.kit.candidates import our_cut
from promptls.kit.draft import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.host import Host
    from promptls.kit.candidates import Rule


def stripped(path: str, text: str, begin: int = 0) -> tuple[str, Origin]:
    """What is sent of the text of a file from ``begin`` on, without the white space around it, and where that is."""
    kept = text[begin:].strip()
    start = text.index(kept, begin)
    return newlines(kept), Origin("file", path=path, range=LineIndex(text).range(start, start + len(kept)))


def look_stripped(host: Host, path: str, rule: Rule, *, keep_bom: bool = True, blank: str = "it is blank") -> Found:
    """Read the file at ``path`` for its text without white space around it; ``blank`` is what a blank one means."""
    contents = host.read(path)
    if contents.state != "file":
        return Found(rule.unread(path, contents.state))
    text, origin = stripped(path, decode(contents.data, keep_bom=keep_bom))
    return Found(rule.read(path, contents), text, origin, our_cut(contents)) if text else Found(rule.empty(path, blank))


def marked_again(host: Host, paths: Iterable[str], path: str, origin: Origin) -> Origin:
    """The origin of the text of ``path``, which by links may be that of one of ``paths`` in the same message again."""
    return replace(origin, again=any(host.is_same(path, each) for each in paths))
