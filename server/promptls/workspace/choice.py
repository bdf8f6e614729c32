"""Writes the chosen coding agents: ``harnesses`` in a settings file, the rest of which is unchanged.

What the user has chosen for all their folders is kept in one place, a file of their own, whichever way they say it:
``promptls use``, the terminal's question, and ``prompt/use`` of an editor.
"""

from __future__ import annotations

import os
import re

from promptls import harnesses
from promptls.core import files, specs
from promptls.core.formats import parse_toml
from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.text import BOM
from promptls.errors import UsageError
from promptls.system.write_file import write_file
from promptls.workspace.settings_file import SHARED, of_user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host

KEY = "harnesses"
_HEADER = regex(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*promptls[ \t]*\][^\n]*\n?", re.MULTILINE)
_BELOW = regex(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*promptls\b", re.MULTILINE)


def known(names: Iterable[str]) -> list[str]:
    """The harnesses that are named, each once, by their own names.

    Raises:
        UsageError: there is no such harness or version.
    """
    chosen = list(dict.fromkeys(map(specs.canonical, names)))
    for each in chosen:
        harness, version = harnesses.split(each)
        harnesses.version(harnesses.get(harness), version)
    return chosen


def keep_of_user(host: Host, names: Iterable[str] | None) -> str:
    """Keep which harnesses the user has, for all their folders; the file that says so.

    None forgets it, so it may be asked again; no names: they go by what is found, and are not asked.

    Raises:
        UsageError: there is no such harness or version, or the file cannot be written.
    """
    path = of_user(host.home, host.env)
    keep(path, known(names) if names is not None else None)
    return path


def keep(path: str, names: Sequence[str] | None) -> None:
    """Write the choice into the settings file at ``path``, which need not exist; None takes it out.

    Raises:
        UsageError: it cannot be read or written, or is not valid TOML.
    """
    place = files.realpath(path)
    try:
        before = files.read(place)
        if before.state not in ("file", "missing"):
            raise UsageError(f"{path} is not a readable file; write {_entry(names or ())} to another file.")
        text = before.data.decode("utf-8")
        changed = with_choice(text, names, is_shared=os.path.basename(path) == SHARED)
        if changed != text:
            write_file(place, changed.encode("utf-8"), is_new=before.state == "missing")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 ({error.reason}); fix it first.") from None
    except ValueError as error:
        raise UsageError(f"{path} is not valid TOML ({error}); fix it first.") from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror}); write {_entry(names or ())} to it yourself."
        ) from None


def with_choice(text: str, names: Sequence[str] | None, *, is_shared: bool = False) -> str:
    """``text`` with the choice in it, or without any; ``is_shared``: it is a pyproject.toml.

    Raises:
        ValueError: it is not valid TOML; the message is a clause.
    """
    document = parse_toml(text.removeprefix(BOM))
    if document.flaw is not None:
        raise ValueError(document.flaw.message)
    by = len(text) - len(document.text)
    table = document.root or EMPTY
    for key in ("tool", "promptls") if is_shared else ():
        table = table.get(key) or EMPTY
    value = table.get(KEY)
    if names is None:
        return _without(text, by, table)
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


def _without(text: str, by: int, table: Value) -> str:
    """The text without the lines of the choice."""
    found = next(((key, value) for key, value in table.members if key.data == KEY), None)
    if found is None:
        return text
    start, end = by + found[0].start, by + found[1].end
    after = text.find("\n", end)
    return text[:start] + (text[after + 1 :] if after >= 0 else "")


def _entry(names: Sequence[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"{KEY} = [{quoted}]"
