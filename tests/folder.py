"""Folders for tests: laid out from a dictionary, so that this repository contains no file named AGENTS.md."""

from __future__ import annotations

import json
from pathlib import Path


def lay_out(top: Path, files: dict[str, str | bytes | dict[str, object]], *, git: bool = True) -> Path:
    """Write ``files`` below ``top``: path to text, bytes or JSON. ``git`` makes it a repository."""
    for name, content in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(json.dumps(content) if isinstance(content, dict) else content, encoding="utf-8")
    if git:
        (top / ".git" / "objects").mkdir(parents=True)
        (top / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return top
