"""What Gemini CLI's tools answer when a file is read or a directory listed (seen on the wire; limits: source)."""

from __future__ import annotations

import posixpath
import re

from promptls.core.model import Cut, Origin, Segment
from promptls.core.text import decode, is_binary
from promptls.harnesses.base import elided, tail, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host

MAX_LINES = 2000
MAX_LINE = 2000
LINE_SUFFIX = "... [truncated]"
# Sent as data, not as text.
MEDIA = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".avif", ".ico", ".tiff", ".pdf")
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")

WHY = "the session reads this file"


def read_result(host: Host, path: str) -> list[Segment]:
    """The result of reading ``path``, which is a file."""
    contents = host.read(path)
    data = contents.data
    is_media = posixpath.splitext(path)[1].lower() in MEDIA
    if contents.state != "file" or is_media or data.startswith(WIDE_MARKS) or is_binary(data):
        return [elided("runtime", "gemini-cli", f"result of reading {path}", why=WHY)]
    lines = re.split(r"\r?\n", decode(data, keep_bom=False))
    shown = [line if len(line) <= MAX_LINE else line[:MAX_LINE] + LINE_SUFFIX for line in lines[:MAX_LINES]]
    is_cut = shown != lines
    cut = Cut(len(shown), len(lines), "lines", "gemini-cli reads 2000 lines of 2000 characters") if is_cut else None
    body = Segment("runtime", path, "\n".join(shown), Origin("file", path=path), WHY, cache="turn", cut=cut)
    notice = elided("runtime", "gemini-cli", "notice of the cut", why="the file is longer than the tool's limits")
    return [*([notice, tail("\n", "runtime")] if is_cut else ()), *without_secrets(body)]
