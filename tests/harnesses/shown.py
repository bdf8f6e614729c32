"""A session in a folder of a test, and what its preview shows."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Segment, Session, Turn, reading
from promptls.core.settings import Settings
from promptls.sessions.detect import in_use
from promptls.sessions.start import Overrides, Place, session_of
from tests.folder import lay_out
from tests.path_sizes import size_of
from tests.wire.case import CAPTURED

Files = dict[str, str | bytes | dict[str, object]]


def preview(top: Path, harness: str, files: Files, *, env: dict[str, str] | None = None, **session: Any) -> Prompt:
    """The prompt of a session in a folder; names that begin with ~/ are in the home directory. ``cwd``: below it."""
    files = dict(files)
    home = lay_out(top / "home", {name[2:]: files.pop(name) for name in list(files) if name[:2] == "~/"}, git=False)
    folder = lay_out(top / "folder", files)
    reads = tuple(str(folder / each) for each in session.pop("reads", ()))
    started = Session(harness, str(folder / session.pop("cwd", "")), **{"turns": reading(reads), **session})
    host = Host(
        home=str(home),
        env=CAPTURED.get(harness, {}) | (env or {}),
        platform="linux",
        clock=lambda: datetime(2026, 11, 21, 12, tzinfo=UTC),
    )
    return harnesses.preview(started, host)


def session_at(host: Host, place: Place, settings: Settings, asked: Overrides | None = None) -> Session:
    """The session that is shown at a place."""
    found = in_use(host, place.directory, place.top, settings)
    return session_of(place, settings, found, asked or Overrides())


def segments(prompt: Prompt) -> list[Segment]:
    return [each for message in prompt.messages for each in message.segments]


def text_of(prompt: Prompt, name: str) -> str:
    """What is sent of a file."""
    return "".join(each.text for each in segments(prompt) if (each.origin.path or "").endswith(name) and not each.frame)


def outcome(prompt: Prompt, name: str) -> str:
    return next(each.outcome for each in prompt.candidates if (each.path or "").endswith(name))


def outcomes(prompt: Prompt, *ends: str) -> list[str]:
    """What became of each file whose path has one of these ends: ``name outcome``, in the order of the preview."""
    return [
        f"{(each.path or '').rpartition('/')[2]} {each.outcome}"
        for each in prompt.candidates
        if (each.path or "").endswith(ends)
    ]


def titles(prompt: Prompt, top: Path) -> list[str]:
    """What is sent, a line each: the title, the size of a text of the program's own, a short text of another's."""
    return [_line(prompt, each, top) for each in segments(prompt) if not each.frame]


def _line(prompt: Prompt, segment: Segment, top: Path) -> str:
    title, text = short(segment.title, top), short(segment.text, top)
    if segment.elided is not None:
        return f"{title} {size_of(prompt, segment.elided)}".rstrip()
    return f"{title} {text!r}" if len(text) <= LONGEST else f"{title} {len(text)}"


def short(text: str, top: Path) -> str:
    """``text`` with paths as they are below the folder and the home directory."""
    return text.replace(f"{top}/folder/", "").replace(f"{top}/folder", ".").replace(f"{top}/home/", "~/")


LONGEST = 60


def changed(top: Path, harness: str, plain: Files, files: Files, **session: Any) -> str:
    """What ``files`` or a session change: ``-line +line``, in the order of the prompt; skills in a row are counted.

    A session of which nothing is sent says why.
    """
    session["turns"] = (Turn("hi"),)
    alike = {name: session[name] for name in ("turns", "version") if name in session}
    before = titles(preview(top / "1", harness, plain, **alike), top / "1")
    prompt = preview(top / "2", harness, {**plain, **files}, **session)
    if prompt.stopped:
        return f"nothing is sent: {short(prompt.stopped, top / '2')}"
    after = titles(prompt, top / "2")
    lines = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    rows = [[*each] for _, each in groupby(lines, lambda line: (line[0], "of the skill" in line or line))]
    return " ".join(f"{row[0][0]}{len(row)} skills" if len(row) > 1 else row[0].replace(" ", "", 1) for row in rows)
