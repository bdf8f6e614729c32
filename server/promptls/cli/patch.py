"""Changes to files as a patch that ``git apply`` takes, and what of it must not be shown."""

from __future__ import annotations

import os

from promptls.core.secrets import masked_file
from promptls.core.visible import inert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def not_shown(path: str, before: str, after: str) -> str:
    """Why the patch of a file is not shown, as a clause; "" if it is."""
    written = "".join(hunks(before, after))
    shown = "".join(hunks(masked_file(path, before), masked_file(path, after)))
    if written != shown:
        return "a secret is next to the change"
    lines = written.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return "control characters are next to the change" if any(_commands(line) for line in lines) else ""


def _commands(line: str) -> bool:
    return inert(line) != line or any(letter < " " or "\x7f" <= letter < "\xa0" for letter in line.replace("\t", ""))


def hunks(before: str, after: str) -> Iterator[str]:
    """The changed lines with those around them, each with its line end."""
    import difflib  # noqa: PLC0415 - only for a patch

    for line in list(difflib.unified_diff(_lines(before), _lines(after)))[2:]:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """The lines as git breaks them: at line feeds alone."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def quoted(path: str) -> str:
    """A path as git writes it: in quotes if it contains characters that would end or break the line."""
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    escapes = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    octal = "".join(
        escapes.get(chr(byte)) or (chr(byte) if " " <= chr(byte) < "\x7f" else f"\\{byte:03o}")
        for byte in os.fsencode(path)
    )
    return f'"{octal}"'


def named(quoted: str) -> str:
    """A tab ends a name that contains spaces, as in git."""
    return f"{quoted}\t" if " " in quoted and not quoted.startswith('"') else quoted
