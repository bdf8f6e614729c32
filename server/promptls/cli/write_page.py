"""Writes one page of HTML to a file, or to standard output."""

from __future__ import annotations

import os
from secrets import token_urlsafe

from promptls.cli.arguments import absolute
from promptls.cli.output import complain, write
from promptls.core import files
from promptls.core.paths import parent
from promptls.errors import UsageError
from promptls.system.write_file import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def write_page(file: str, folder: str, make: Callable[[str, str], str]) -> None:
    """Write the page that ``make`` makes of a nonce and the directory that its links start from; ``-`` is the output.

    Raises:
        UsageError: the file cannot be written.
    """
    place = files.realpath(absolute(file)) if file != "-" else None
    text = make(token_urlsafe(16), parent(place) if place else folder)
    if place is None:
        write(text)
        return
    try:
        write_file(place, text.encode("utf-8", "replace"), is_new=not os.path.exists(place))
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}; name another file.") from None
    complain(f"promptls: {file} is written; open it in a browser.")
