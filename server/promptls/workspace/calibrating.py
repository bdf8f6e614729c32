"""Learns from recorded sessions how the services of the user's models count: numbers only, kept in the data directory.

Bounded: a few sessions of each program, those that are new, within a time.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import zlib

from promptls import __version__
from promptls.core import files
from promptls.core.calibration import MOST
from promptls.core.values import dataclass
from promptls.harnesses import catalogue, names
from promptls.harnesses.calibrations import FORMAT, calibration_of, content_of, is_near
from promptls.harnesses.known_texts import counts_of
from promptls.sessions.habits import NOT_SET
from promptls.sessions.measured import measured
from promptls.system.write_file import write_file
from promptls.workspace.machine import home, known_texts_directory
from promptls.workspace.record_store import LocalStore
from promptls.workspace.recordings import folder_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from promptls.core.calibration import Calibration
    from promptls.core.host import Host
    from promptls.kit.recording import Recorded

# Sessions of one program that are read, and seconds for all programs.
SESSIONS, SECONDS = 12, 2.0


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What is kept of a model; ``is_used``: its sessions are alike enough to say something of another one."""

    harness: str
    model: str
    found: Calibration
    is_used: bool

    def says(self) -> str:
        """It in a sentence."""
        found = self.found
        of = f"{_number(found.requests, 'request')}, {_number(found.sessions, 'session')}"
        if not self.is_used:
            return f"not used: these differ by {found.error:g} % ({of})"
        error = f"±{found.error:g} %" if found.error is not None else "too few for an error of their own"
        factors = f"tools times {found.factors.tools:.2f}, text times {found.factors.text:.2f}"
        since = f"; another tokenizer since {found.since[:10]}" if found.since else ""
        return f"{error} ({of}; {factors}{since})"

    def as_json(self) -> dict[str, Any]:
        """It as JSON."""
        found = self.found
        return {
            "harness": self.harness,
            "model": self.model,
            "requests": found.requests,
            "sessions": found.sessions,
            "error": found.error,
            "tools": round(found.factors.tools, 3),
            "text": round(found.factors.text, 3),
            "since": found.since or None,
            "used": self.is_used,
        }


def calibrated(harnesses: Sequence[str]) -> list[Calibrated]:
    """What is kept of these harnesses, for each of their models."""
    made: list[Calibrated] = []
    for harness in harnesses:
        data = files.read(counts_of(known_texts_directory(), harness))
        known = content_of(data.data) if data.state == "file" else {}
        for model in known.get("models") or ():
            found = calibration_of(known, model)
            if found is not None:
                made.append(Calibrated(harness, model, found, is_near(found, model)))
    return made


def _number(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def learn(folder: str, new_host: Callable[[], Host], only: Sequence[str] = (), seconds: float = SECONDS) -> None:
    """Keep what the recorded sessions of a folder report; what cannot be read or written is left out.

    Where CI is set in the environment, nothing is the user's own.
    """
    if os.environ.get("CI", "").lower() not in NOT_SET:
        return
    until = time.monotonic() + seconds
    store = LocalStore(home(), os.environ)
    store.wants_texts = True
    with contextlib.closing(store):
        for name in only or names():
            reader = catalogue.records(name)
            if reader is not None:
                with contextlib.suppress(Exception):  # a record of a shape that nobody knows
                    _learn(name, _within(reader(store, folder_of(folder)), until), store, new_host, until)


def _within(sessions: Iterator[Recorded], until: float) -> Iterator[Recorded]:
    """The first ones, as many as there is time to read."""
    for _ in range(SESSIONS):
        found = next(sessions, None) if time.monotonic() < until else None
        if found is None:
            return
        yield found


def _learn(
    harness: str, sessions: Iterator[Recorded], store: LocalStore, new_host: Callable[[], Host], until: float
) -> None:
    path = counts_of(known_texts_directory(), harness)
    before = files.read(path)
    known = content_of(before.data) if before.state == "file" else {}
    counts: dict[str, int] = dict(known.get("measured") or {})
    models: dict[str, Any] = dict(known.get("models") or {})
    has_new = False
    for each in sessions:
        # Of a large record only both ends are read: what was said between them is not known.
        name = str(zlib.crc32(each.id.encode("utf-8", "replace")))
        is_known = store.is_part(each) or counts.get(name) == len(each.requests)
        if each.parent is not None or not each.requests or is_known or time.monotonic() > until:
            continue
        has_new = True
        counts[name] = len(each.requests)
        for about in models.values():
            about["requests"] = [row for row in about["requests"] if row[0] != name]
        for model, base, found in measured(each, new_host()):
            about = models.setdefault(model, {"base": base, "requests": []})
            if about["base"] != base:
                about.update(base=base, requests=[])
            row = [name, found.at, found.tools, found.text, found.reported]
            about["requests"] = sorted([*about["requests"], row], key=lambda row: str(row[1]))[-2 * MOST :]
    if has_new:
        shown = {"format": FORMAT, "promptls": __version__, "measured": counts, "models": models}
        _write(path, json.dumps(shown).encode("utf-8", "replace"), is_new=before.state != "file")


def _write(path: str, data: bytes, *, is_new: bool) -> None:
    """Replace the file, which nobody else may read; a directory that is full or read-only keeps what it has."""
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, data, is_new=is_new)
        os.chmod(path, 0o600)
