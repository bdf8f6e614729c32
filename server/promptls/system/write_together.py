"""Changes several files, all or none: what is to be done is noted first, so that it can be finished after a kill."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import sys

from promptls.core import files
from promptls.core.paths import is_below, name, parent, relative, resolve
from promptls.errors import PromptlsError
from promptls.system.write_file import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class ChangedMeanwhileError(Exception):
    """A file is neither as it was nor as it is to be; ``path`` is that file."""

    def __init__(self, path: str) -> None:
        """``path``: the file."""
        super().__init__(path)
        self.path = path


def write_together(
    texts: Mapping[str, bytes | None], links: Mapping[str, str], note: str | None, before: Mapping[str, bytes | None]
) -> None:
    """Give each file its bytes, None to remove it, and make ``links``: paths to what each says.

    ``before``: what the files were; ``note``: the file that says what is to be done until all of it is, None for none.

    Raises:
        ChangedMeanwhileError: a file is not as it was; nothing has been changed.
        OSError: a file could not be written; ``finish`` does the rest.
    """
    for path, data in before.items():
        if _digest(path) != _digest_of(data):
            raise ChangedMeanwhileError(path)
    if links:
        _try_link(note or next(iter(links)))
    plan = {
        "texts": {path: None if data is None else base64.b64encode(data).decode() for path, data in texts.items()},
        "links": dict(links),
        "before": {path: _digest_of(data) for path, data in before.items()},
    }
    if note is not None:
        write_file(note, json.dumps(plan).encode(), is_new=True)
        _sync(os.path.dirname(note))
    _carry_out(texts, links)
    if note is not None:
        os.unlink(note)


def finish(note: str, root: str) -> None:
    """Do the rest of what ``note`` says, and remove it. The note may be anybody's, as it comes with a copied folder.

    Raises:
        ChangedMeanwhileError: somebody has changed one of the files since.
        PromptlsError: it is not a note of ours about files below ``root``.
        OSError: a file could not be written.
    """
    try:
        plan = json.loads(files.read(note, sys.maxsize).data)
        texts = {path: None if data is None else base64.b64decode(data) for path, data in plan["texts"].items()}
        links, before = dict(plan["links"]), dict(plan["before"])
        is_ours = all(_is_inside(path, root) and path in before for path in (*texts, *links))
        is_ours = is_ours and all(_is_inside(resolve(parent(path), links[path]), root) for path in links)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise PromptlsError(f"{note} is no note of promptls about files of this folder; remove it.")
    for path, digest in before.items():
        done = f"link {links[path]}" if path in links else _digest_of(texts.get(path))
        if _digest(path) not in (digest, done):
            raise ChangedMeanwhileError(path)
    _carry_out(texts, links)
    os.unlink(note)


def _carry_out(texts: Mapping[str, bytes | None], links: Mapping[str, str]) -> None:
    """New texts come first and what goes comes last, so that no moment has less than before."""
    for path, data in texts.items():
        if data is not None and _digest(path) != _digest_of(data):
            write_file(path, data, is_new=not os.path.exists(path))
    for path, target in links.items():
        if _digest(path) != f"link {target}":
            beside = f"{path}.promptls-link"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)
            os.symlink(target, beside)
            os.replace(beside, path)
    for path, data in texts.items():
        if data is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    for directory in {os.path.dirname(path) for path in (*texts, *links)}:
        if os.path.isdir(directory):
            _sync(directory)
    for directory in _emptied(texts):
        with contextlib.suppress(OSError):  # it is not empty
            os.rmdir(directory)


def _emptied(texts: Mapping[str, bytes | None]) -> Iterator[str]:
    """The directories of the files that are gone, and those above them, as git has no empty ones."""
    kept = {os.path.dirname(path) for path, data in texts.items() if data is not None}
    for path, data in texts.items():
        directory = os.path.dirname(path)
        while data is None and directory not in kept and os.path.basename(directory).startswith("."):
            yield directory
            directory = os.path.dirname(directory)


def _is_inside(path: str, root: str) -> bool:
    """Whether a file is below a folder, links resolved, and not in git's directory."""
    real = resolve(files.realpath(parent(path)), name(path))
    return is_below(real, root) and ".git" not in relative(real, root).split("/")


def _try_link(beside: str) -> None:
    """Find out whether links can be made here."""
    trial = f"{beside}.promptls-link"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(trial)
    os.symlink(os.path.basename(beside), trial)
    os.unlink(trial)


def _sync(directory: str) -> None:
    with contextlib.suppress(OSError):  # not on every system
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _digest(path: str) -> str | None:
    """What tells a file from another one; None if nothing is there."""
    if os.path.islink(path):
        return f"link {os.readlink(path)}"
    found = files.read(path, sys.maxsize)
    return _digest_of(found.data) if found.state == "file" else None


def _digest_of(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
