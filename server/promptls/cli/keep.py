"""Keeps what a program sent, in the user's own data directory: later previews of its version show it."""

from __future__ import annotations

import contextlib
import json
import os

from promptls.core import files
from promptls.core.paths import join
from promptls.errors import PromptlsError
from promptls.harnesses import learned
from promptls.harnesses.known_texts import FORMAT, digest, file_of, parsed, worth_keeping
from promptls.system.write_file import write_file
from promptls.workspace.machine import known_texts_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from promptls.core.model import Prompt, VerifiedHere
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture
    from promptls.wire.learn import Lesson

# Bytes that are asked for before anything is run: what is kept of a version has less.
LARGEST = 1 << 17
# Verified prompts of a version that are remembered, the last ones.
MOST = 200


def keep_texts(prompt: Prompt, found: Capture, sides: Sides, date: str, *, is_default: bool) -> str:
    """Keep the program's own texts; what to say of it. ``is_default``: nobody chose the model of ``prompt``.

    Where the preview knows no model, they are also those of the model that the program asked.

    Raises:
        PromptlsError: nothing can be written.
    """
    gaps = [
        (segment, (pair.gaps or {}).get(number, ""))
        for pair in sides.pairs
        for number, segment in enumerate(pair.expected.segments)
    ]
    texts = worth_keeping(gaps)

    def add(kept: dict[str, Any]) -> None:
        for model in {prompt.model or "", "" if is_default else prompt.model or found.model or ""}:
            _object(kept, "models")[model] = texts
        kept["captured"] = date

    path = _change(prompt.session.harness, found.version, add)
    return f"{len(texts)} texts of the program are kept in {path}: previews of this version and model show them."


def keep_verified(prompt: Prompt, here: VerifiedHere, *, is_same: bool) -> None:
    """Remember that the program sent ``prompt``, a preview without kept texts; forget it where it is not the same.

    Raises:
        PromptlsError: nothing can be written.
    """
    name = digest(prompt)

    def change(kept: dict[str, Any]) -> None:
        verified = _object(kept, "verified")
        verified.pop(name, None)
        if is_same:
            mark = {"format": FORMAT, "date": here.date, "all": here.has_all, "unknown": here.unknown}
            verified[name] = mark
        for old in list(verified)[:-MOST]:
            del verified[old]

    _change(prompt.session.harness, here.version, change)


def _object(kept: dict[str, Any], key: str) -> dict[str, Any]:
    """The object at ``key``, made where there is none."""
    found = kept.get(key)
    made: dict[str, Any] = found if isinstance(found, dict) else {}
    kept[key] = made
    return made


def _change(harness: str, version: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Change what is kept of a version; the path of its file."""
    directory = known_texts_directory()
    path = join(directory, file_of(harness, version))
    before = files.read(path)
    kept = parsed(before.data) if before.state == "file" else {}
    change(kept)
    _write(path, json.dumps(kept, ensure_ascii=False).encode())
    return path


def keep_lesson(lesson: Lesson) -> str:
    """Keep what was learned of a version, where only the user can read it; the path of its file.

    Raises:
        PromptlsError: nothing can be written.
    """
    path = learned.file_of(known_texts_directory(), lesson.harness, lesson.version)
    _write(path, json.dumps(lesson.as_json(), indent=1).encode())
    return path


def check_can_be_kept(below: str) -> None:
    """Write a file in a directory of what is kept, and delete it: what is found out takes minutes, and would be lost.

    Raises:
        PromptlsError: nothing can be written.
    """
    path = join(known_texts_directory(), below, f".try-{os.getpid()}")
    try:
        _write(path, b"x" * LARGEST)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _write(path: str, data: bytes) -> None:
    """Write a file where only the user can read it.

    Raises:
        PromptlsError: it cannot be written.
    """
    directory = os.path.dirname(path)
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        os.chmod(directory, 0o700)
        write_file(path, data, is_new=not os.path.exists(path))
        os.chmod(path, 0o600)
    except OSError as error:
        raise PromptlsError(
            f"{path} cannot be written: {error.strerror}. Set PROMPTLS_DATA_DIR to another directory, and try again."
        ) from None


def forget_lessons(which: Iterable[tuple[str, str]]) -> None:
    """Delete what was learned of versions of harnesses.

    Raises:
        PromptlsError: a file cannot be deleted.
    """
    for harness, version in which:
        path = learned.file_of(known_texts_directory(), harness, version)
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise PromptlsError(f"{path} cannot be deleted: {error.strerror}.") from None
