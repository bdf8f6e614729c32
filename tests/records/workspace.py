"""The fixtures moved to a folder of a test, with the files that their sessions worked on."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.records.test_readers import HERE, WORKSPACE

DIRECTORIES = (".", "pkg", "lib", "src", "late", "doc2")
NAMES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
FILES = ("pkg/mod.py", "lib/util.py", "src/main.py", "src/new.py", "late/l.py", "doc2/notes.md")


def lay_out(program: str, top: Path) -> tuple[Path, Path]:
    """The home directory with the records of a program, and the folder that they are about."""
    home, folder = top / "home", top / "work"
    shutil.copytree(HERE / program / "home", home)
    for path in [each for each in home.rglob("*") if each.is_file()]:
        if path.suffix == ".db":
            _move_rows(path, str(folder))
        else:
            text = path.read_text(encoding="utf-8")
            text = text.replace(WORKSPACE, str(folder)).replace("/mnt/home", str(home))
            path.write_text(text, encoding="utf-8")
    for slug in home.glob(".claude/projects/-mnt-workspace*"):
        plain = "".join(each if each.isascii() and each.isalnum() else "-" for each in str(folder))[:200]
        slug.rename(slug.with_name(plain + slug.name.removeprefix("-mnt-workspace")))
    _fill(folder)
    return home, folder


def _move_rows(path: Path, folder: str) -> None:
    """In every text of every table."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for (table,) in [*connection.execute("select name from sqlite_master where type = 'table'")]:
            for _, column, *_ in [*connection.execute(f"pragma table_info({table})")]:
                of_texts = f"where typeof({column}) in ('text', 'blob')"
                connection.execute(
                    f"update {table} set {column} = replace({column}, ?, ?) {of_texts}",  # noqa: S608 - our own names
                    (WORKSPACE, folder),
                )


def _fill(folder: Path) -> None:
    for directory in DIRECTORIES:
        (folder / directory).mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (folder / directory / name).write_text(f"MARK {directory} {name}\n", encoding="utf-8")
    (folder / ".git").mkdir()
    for path in FILES:
        (folder / path).write_text("x = 1\n", encoding="utf-8")
