"""The file whose read stands for a directory of a map."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.sessions import by_directory as directories
from promptls.sessions.of_folder import FEW
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
THERE = (
    "a.md",
    "a/.b/x.py",
    "a/.x.py",
    "a/b-c/x.py",
    "a/b/x.py",
    "a/b/y.py",
    "a/b0.py",
    "a/c.py",
    "only/a.md",
    "only/b.md",
    "z.py",
)


@pytest.mark.parametrize(
    ("directory", "others", "file"),
    [
        ("", (), "a/b-c/x.py"),
        ("", ("a",), "z.py"),
        ("", ("a", "a/b"), "z.py"),
        ("a", (), "a/b-c/x.py"),
        ("a", ("a/b-c", "a/b"), "a/b0.py"),
        ("a", ("a/b-c", "a/b/deeper"), "a/b/x.py"),
        ("a/b", (), "a/b/x.py"),
        ("a/.b", (), "a/.b/x.py"),
        ("only", (), "only/b.md"),
        ("gone", (), None),
    ],
)
def test_a_file_of_a_directory_and_of_none_below(
    tmp_path: Path, directory: str, others: tuple[str, ...], file: str | None
) -> None:
    folder = lay_out(tmp_path, dict.fromkeys(THERE, "x"), git=False)
    listed = sorted(f"{folder}/{name}" for name in THERE)
    own, *below = (f"{folder}/{name}".rstrip("/") for name in (directory, *others))
    found = directories._a_file(Host(home="/h", env={}), listed, own, {own, *below}, {f"{folder}/only/a.md"})
    assert found == ([f"{folder}/{file}"] if file else [])


@pytest.mark.parametrize(("gone", "is_found"), [(FEW - 1, True), (FEW, False)])
def test_few_files_are_tried(tmp_path: Path, gone: int, *, is_found: bool) -> None:
    (tmp_path / "z.py").write_text("x")
    listed = [*(f"{tmp_path}/{number:03}.py" for number in range(gone)), f"{tmp_path}/z.py"]
    found = directories._a_file(Host(home="/h", env={}), listed, str(tmp_path), {str(tmp_path)}, ())
    assert found == [f"{tmp_path}/z.py"] * is_found
