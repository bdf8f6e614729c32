"""Standard output: UTF-8 whatever the terminal says, and nothing in it that commands a terminal."""

from __future__ import annotations

import os
import sys

from promptls.errors import PromptlsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

    from promptls.core.render import Line, Style

STYLES = {
    "title": "bold",
    "message": "bold cyan",
    "segment": "bold green",
    "why": "dim green",
    "note": "dim",
    "problem": "bold red",
    "added": "green",
    "removed": "red",
}
# The same for a line of a patch, by its first letter.
PATCH_STYLES: dict[str, Style] = {"d": "title", "@": "note", "+": "added", "-": "removed"}
# Control characters but the tab, as pictures; those of 8 bits have none.
_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if code != ord("\t")},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}


def visible(line: str) -> str:
    """``line`` with control characters as pictures: a file or its name must not command the terminal."""
    return line.translate(_PICTURES)


def write(text: str) -> None:
    """Write ``text`` as it is.

    Raises:
        BrokenPipeError: the reader, a pager or head, has gone.
        PromptlsError: it cannot be written.
    """
    if sys.stdout is None:
        raise PromptlsError("Standard output is closed; open it or write to a file.")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()
    except OSError as error:
        _fail(error)


def show(lines: Iterable[Line]) -> None:
    """Write lines for people: in colour on a terminal, to the letter elsewhere."""
    if sys.stdout is None or not sys.stdout.isatty():
        write("".join(f"{line.text}\n" for line in lines))
    elif os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        write("".join(f"{visible(line.text)}\n" for line in lines))
    else:
        write(_coloured(lines))


def show_patch(lines: Iterable[str]) -> None:
    """Write the lines of a patch: in colour on a terminal, to the letter elsewhere."""
    if sys.stdout is None or not sys.stdout.isatty():
        write("".join(lines))
        return
    from promptls.core.render import Line  # noqa: PLC0415 - only for a terminal

    show(Line(line.removesuffix("\n"), PATCH_STYLES.get(line[:1], "text")) for line in lines if line)


def _coloured(lines: Iterable[Line]) -> str:
    import io  # noqa: PLC0415 - only a terminal is worth the imports

    from rich.console import Console  # noqa: PLC0415 - the same
    from rich.text import Text  # noqa: PLC0415 - the same

    text = io.StringIO()
    console = Console(file=text, force_terminal=True, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text(visible(line.text), STYLES.get(line.style, "")))
    return text.getvalue()


def _fail(error: OSError) -> NoReturn:
    # What is left in the buffer would be written, and fail, once more at the end.
    import contextlib  # noqa: PLC0415 - rarely needed, and slow to import

    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    if isinstance(error, BrokenPipeError):
        raise error
    raise PromptlsError(f"The output cannot be written: {error.strerror}.") from error
