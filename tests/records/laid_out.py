"""The sessions that real programs recorded, at home in a folder, with the workspace that they are about.

``python -m tests.records.laid_out claude-code short FOLDER`` makes FOLDER/home and FOLDER/workspace, to try commands.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).parent
SHORT, LONG = HERE / "short", HERE / "long"
UPDATES = (
    "update session set directory = replace(directory, ?, ?)",
    "update message set data = replace(data, ?, ?)",
    "update part set data = replace(data, ?, ?)",
)
FILES: dict[str, str] = json.loads((SHORT / "workspace.json").read_text(encoding="utf-8"))["files"]


def lay_out(program: str, top: Path, fixtures: Path = SHORT) -> tuple[Path, Path]:
    """The home directory with the records of a program, and the folder that they are about."""
    home, folder = top / "home", top / "workspace"
    shutil.copytree(fixtures / program / "home", home)
    for path in [each for each in home.rglob("*") if each.is_file()]:
        if path.suffix == ".db":
            with closing(sqlite3.connect(path)) as connection, connection:
                for update in UPDATES:
                    connection.execute(update, ("/mnt/workspace", str(folder)))
        elif path.suffix in (".json", ".jsonl", ".yaml", ""):
            text = path.read_text(encoding="utf-8")
            path.write_text(
                text.replace("/mnt/workspace", str(folder)).replace("/mnt/home", str(home)), encoding="utf-8"
            )
    for slug in home.glob(".claude/projects/-mnt-workspace*"):
        plain = "".join(each if each.isascii() and each.isalnum() else "-" for each in str(folder))[:200]
        slug.rename(slug.with_name(plain + slug.name.removeprefix("-mnt-workspace")))
    for name, text in FILES.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / ".git").mkdir(exist_ok=True)
    return home, folder


if __name__ == "__main__":
    _, which, length, where = sys.argv
    lay_out(which, Path(where).resolve(), HERE / length)
