"""A session in a folder of a test, and what its preview shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Segment, Session, reading
from tests.folder import lay_out

Files = dict[str, str | bytes | dict[str, object]]


def preview(top: Path, harness: str, files: Files, *, env: dict[str, str] | None = None, **session: Any) -> Prompt:
    """The prompt of a session in a folder; names that begin with ~/ are in the home directory."""
    files = dict(files)
    home = lay_out(top / "home", {name[2:]: files.pop(name) for name in list(files) if name[:2] == "~/"}, git=False)
    folder = lay_out(top / "folder", files)
    reads = tuple(str(folder / each) for each in session.pop("reads", ()))
    started = Session(harness, str(folder), **{"turns": reading(reads), **session})
    return harnesses.preview(started, Host(home=str(home), env=env or {}))


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
