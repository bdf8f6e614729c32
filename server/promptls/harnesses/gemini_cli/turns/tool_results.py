"""What Gemini CLI's tools answer when a file is read or a directory listed (seen on the wire; limits: source)."""

from __future__ import annotations

import re

from promptls.core.model import Cut, Origin, Segment
from promptls.core.spec import ending
from promptls.core.text import decode, is_binary
from promptls.kit.segments import elided, tail, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.files import Contents
    from promptls.core.host import Host
    from promptls.harnesses.gemini_cli.versions import Facts

LINE_SUFFIX = "... [truncated]"
# Sent as data, not as text; the second, if they are not text (wire: mention-binary).
MEDIA = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".avif", ".heic", ".svgz", ".tif", ".tiff", ".pdf")
SOUND = (".mp3", ".mp4", ".wav")
# Never text (wire: mention-binary; the rest asked of the program by verify).
BINARY = (
    *(".7z", ".a", ".bin", ".bz2", ".class", ".dat", ".dll", ".doc", ".docx", ".dylib", ".exe", ".gz", ".jar", ".lib"),
    *(".o", ".obj", ".odp", ".ods", ".odt", ".ppt", ".pptx", ".pyc", ".pyo", ".rar", ".so", ".tar", ".war", ".wasm"),
    *(".xls", ".xlsx", ".zip"),
)
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")

WHY = "the session reads this file"


def is_text(path: str, contents: Contents) -> bool:
    """Whether a file is sent as text."""
    data = contents.data
    is_other = ending(path) in (*MEDIA, *BINARY)
    return contents.state == "file" and not is_other and not data.startswith(WIDE_MARKS) and not is_binary(data)


def is_media(path: str, contents: Contents) -> bool:
    """Whether a file is sent as data."""
    end = ending(path)
    return end in MEDIA or (end in SOUND and is_binary(contents.data))


def is_known_binary(path: str, contents: Contents) -> bool:
    """Whether a file that is not sent as data is not sent as text either."""
    is_wide = contents.data.startswith(WIDE_MARKS)
    return ending(path) in BINARY or (not is_wide and is_binary(contents.data))


def read_text(facts: Facts, contents: Contents) -> tuple[str, Cut | None]:
    """The text of a file within the limits of the tools that read it."""
    lines = re.split(r"\r?\n", decode(contents.data, keep_bom=False))
    most, longest = facts.read_lines, facts.read_line
    shown = [line if len(line) <= longest else line[:longest] + LINE_SUFFIX for line in lines[:most]]
    limit = f"gemini-cli reads {most} lines of {longest} characters"
    return "\n".join(shown), Cut(len(shown), len(lines), "lines", limit) if shown != lines else None


def read_result(facts: Facts, host: Host, path: str) -> list[Segment]:
    """The result of reading ``path``, which is a file."""
    contents = host.read(path)
    if not is_text(path, contents):
        return [elided("runtime", "gemini-cli", f"result of reading {path}", why=WHY)]
    text, cut = read_text(facts, contents)
    body = Segment("runtime", path, text, Origin("file", path=path), WHY, cache="turn", cut=cut)
    notice = elided("runtime", "gemini-cli", "notice of the cut", why="the file is longer than the tool's limits")
    return [*([notice, tail("\n", "runtime")] if cut is not None else ()), *without_secrets(body)]
