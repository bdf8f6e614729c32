"""Writes the chosen coding agents: ``harnesses`` in a settings file, the rest of which is unchanged."""

from __future__ import annotations

import os
import re

from promptls.cli.fix import write
from promptls.core import files
from promptls.core.formats import toml
from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.text import BOM
from promptls.errors import UsageError
from promptls.workspace.settings_file import SHARED

KEY = "harnesses"
_HEADER = regex(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*promptls[ \t]*\][^\n]*\n?", re.MULTILINE)
_BELOW = regex(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*promptls\b", re.MULTILINE)


def keep(path: str, names: list[str]) -> None:
    """Write the choice into the settings file at ``path``, which need not exist.

    Raises:
        UsageError: it cannot be read or written, or is not valid TOML.
    """
    place = files.realpath(path)
    try:
        before = files.read(place)
        if before.state not in ("file", "missing"):
            raise UsageError(f"{path} is not a readable file; write {_entry(names)} to another file.")
        text = before.data.decode("utf-8").removeprefix(BOM)
        changed = with_choice(text, names, is_shared=os.path.basename(path) == SHARED)
        write(place, changed, is_new=before.state == "missing")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 ({error.reason}); fix it first.") from None
    except ValueError as error:
        raise UsageError(f"{path} is not valid TOML ({error}); fix it first.") from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror}); write {_entry(names)} to it yourself."
        ) from None


def with_choice(text: str, names: list[str], *, is_shared: bool = False) -> str:
    """``text`` with the choice in it; ``is_shared``: it is a pyproject.toml.

    Raises:
        ValueError: it is not valid TOML; the message is a clause.
    """
    document = toml.parse(text.removeprefix(BOM))
    if document.flaw is not None:
        raise ValueError(document.flaw.message)
    by = len(text) - len(document.text)
    table = document.root or EMPTY
    for key in ("tool", "promptls") if is_shared else ():
        table = table.get(key) or EMPTY
    value = table.get(KEY)
    if value is not None:
        return text[: by + value.start] + _entry(names).partition(" = ")[2] + text[by + value.end :]
    end = "\r\n" if "\r\n" in text else "\n"
    line = _entry(names) + end
    if not is_shared:
        return text[:by] + line + text[by:]
    header = _HEADER.search(text)
    if header is not None:
        missing = "" if header[0].endswith("\n") else end
        return text[: header.end()] + missing + line + text[header.end() :]
    below = _BELOW.search(text)
    at = below.start() if below is not None else len(text)
    return f"{text[:at]}[tool.promptls]{end}{line}{end if text[at:] else ''}{text[at:]}"


def _entry(names: list[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"{KEY} = [{quoted}]"
