"""What a tool for reading gives of a file that it gives whole; how it cuts a larger one is the program's own."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.secrets import is_config, spans
from promptls.core.text import decode, is_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host

WHY = "the session reads this file"


def text_of(host: Host, path: str) -> str | None:
    """The text of a file in UTF-8; None of one that is not there, is no text, or is configuration with secrets.

    In a frame of numbers or of JSON, nobody who looks for secrets would find them.
    """
    contents = host.read(path)
    if contents.state != "file" or contents.is_cut or is_binary(contents.data):
        return None
    text = decode(contents.data, keep_bom=False)
    return None if "\ufffd" in text or (is_config(path) and spans(text)) else text


def shown(path: str, said: str) -> Segment:
    """What the tool says of the text of the file at ``path``."""
    return Segment("runtime", path, said, Origin("file", path=path), WHY, cache="turn")
