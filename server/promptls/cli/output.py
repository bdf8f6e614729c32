"""Standard output: always UTF-8, and without control sequences of a terminal."""

from __future__ import annotations

import os
import sys

from promptls.errors import PromptlsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import NoReturn

    from promptls.core.render import Line, Style
    from promptls.core.session_line import SessionFacts

STYLES = {
    "title": "bold",
    "message": "bold cyan",
    "segment": "bold green",
    "why": "dim green",
    "note": "dim",
    "source": "dim",
    "problem": "bold red",
    "added": "green",
    "removed": "red",
}
# The same for a line of a patch, by its first letter.
PATCH_STYLES: dict[str, Style] = {"d": "title", "@": "note", "+": "added", "-": "removed"}

# Columns of a table: with fewer it says nothing, with more it is hard to follow.
NARROWEST, WIDEST = 60, 160


def shown(line: Line) -> str:
    """The text of a line, without commands for the terminal or the log of a CI service."""
    from promptls.core.visible import inert, visible  # noqa: PLC0415 - not for the help and the version

    return inert(visible(line.text, keep_tabs=line.segment is not None or line.style == "source"))


def complain(sentence: str) -> None:
    """Write ``sentence`` to standard error."""
    from promptls.core.secrets import masked  # noqa: PLC0415 - only when something is wrong
    from promptls.core.visible import inert, visible  # noqa: PLC0415 - the same

    print(inert(visible(masked(sentence))), file=sys.stderr)


def write_json(value: object) -> None:
    """Write a value as JSON in printable ASCII: all else is escaped exactly, also lone surrogates."""
    write(as_json(value) + "\n")


def as_json(value: object) -> str:
    """A value as JSON in printable ASCII."""
    import json  # noqa: PLC0415 - not needed for text

    text = json.dumps(value, ensure_ascii=True, indent=2)
    # Two hashes may start a CI service's command, anywhere in a line.
    return text.replace("\x7f", "\\u007f").replace("##", "#\\u0023")


def write(text: str) -> None:
    """Write ``text`` as it is.

    Raises:
        BrokenPipeError: the reader, such as a pager or head, has exited.
        PromptlsError: it cannot be written.
    """
    if sys.stdout is None:
        raise PromptlsError("Standard output is closed; open it or redirect it to a file.")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()
    except OSError as error:
        _fail(error)


def show(lines: Iterable[Line]) -> None:
    """Write lines for people: in colour on a terminal."""
    write(as_text(lines, is_coloured=takes_colour()))


def takes_colour() -> bool:
    """Whether standard output is a terminal that the user wants colours on."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width(otherwise: int) -> int:
    """The columns that COLUMNS names, or those of the terminal, within reason; ``otherwise`` where there is neither."""
    try:
        columns = int(os.environ.get("COLUMNS") or 0)
        if columns <= 0 and sys.stdout is not None and sys.stdout.isatty():
            columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (ValueError, OSError):
        return otherwise
    return min(max(columns, NARROWEST), WIDEST) if columns > 0 else otherwise


def as_text(lines: Iterable[Line], *, is_coloured: bool) -> str:
    """Lines as they are written."""
    if is_coloured:
        return _coloured(lines)
    # Nearly every line can be written as it is, and there may be thousands.
    texts = [
        text if (text := line.text).isprintable() and "::" not in text and "##" not in text else shown(line)
        for line in lines
    ]
    return "\n".join([*texts, ""])


def show_patch(lines: Iterable[str]) -> None:
    """Write the lines of a patch: in colour on a terminal, unchanged elsewhere."""
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
        console.print(Text(shown(line), STYLES.get(line.style, "")))
    return text.getvalue()


def _fail(error: OSError) -> NoReturn:
    # Otherwise the rest of the buffer would be written, and fail again, at exit.
    import contextlib  # noqa: PLC0415 - rarely needed, and slow to import

    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    if isinstance(error, BrokenPipeError):
        raise error
    raise PromptlsError(f"The output cannot be written: {error.strerror}.") from error


def session_lines(told: SessionFacts, here: str, home: str, *, is_verbose: bool = False) -> Iterator[Line]:
    """The line that says which session an answer is about; verbose: and what each part of it was taken from."""
    from promptls.core.render import Line  # noqa: PLC0415 - not for every command
    from promptls.core.session_line import session_line, session_sources  # noqa: PLC0415 - not for every command

    yield Line(session_line(told, here, home), "title")
    yield from (Line(f"  {each}", "note") for each in (session_sources(told, here, home) if is_verbose else ()))
