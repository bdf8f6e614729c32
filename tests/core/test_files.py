"""The disk as it is: what is at a path, and how much of it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from promptls.core import files
from promptls.core.files import Contents
from promptls.core.host import Buffers, Host


def test_a_file_over_the_limit_is_read_in_part(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"x" * 11)
    assert files.read(str(path), 11) == Contents("file", b"x" * 11, 11)
    cut = files.read(str(path), 10)
    assert (cut.data, cut.size, cut.is_cut) == (b"x" * 10, 11, True)
    assert not files.read(str(path)).is_cut


def test_of_a_large_file_a_megabyte_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"x" * files.LARGE)
    assert len(files.read(str(path)).data) == files.LARGE
    with path.open("ab") as file:
        file.write(b"x")
    found = files.read(str(path))
    assert (len(found.data), found.size) == (1024 * 1024, 4 * 1024 * 1024 + 1)


def test_a_file_that_is_longer_than_it_says_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x" * 9)
    for likely in (1, 9, 10):
        handle = os.open(tmp_path / "x", os.O_RDONLY)
        assert files._bytes(handle, 100, likely) == b"x" * 9
        os.close(handle)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "broken").symlink_to("nothing")
    names = {name: files.read(str(tmp_path / name)).state for name in ("fifo", "broken", "none", "", "\0")}
    assert names == {"fifo": "special", "broken": "broken-link", "none": "missing", "": "directory", "\0": "missing"}
    assert files.entries(str(tmp_path / "none")) == ()


def test_a_file_that_becomes_a_pipe_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    before = files.stat_of(str(tmp_path / "x"))
    (tmp_path / "x").unlink()
    os.mkfifo(tmp_path / "x")
    assert files.read(str(tmp_path / "x"), info=before) == Contents("special")


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("---\na: b\n---\ntext\n", "---\na: b\n---\n"),
        ("---\n\n---\n---\n", "---\n\n---\n"),
        ("---\r\na: b\r\n---\r\n---\r\n", "---\r\na: b\r\n---\r\n"),
        ("---\na: b\r\n---\r\n---\n", "---\na: b\r\n---\r\n"),
        ("---\na: b\n----\n---\n", "---\na: b\n----\n---\n"),
        # Harnesses differ on these.
        ("---\n---\ntext\n", None),
        ("---\n---\ntext\n---\n", "---\n---\ntext\n---\n"),
        ("---\na: b\n---", None),
        ("---\na: b\n--- \n", None),
        ("--- \na: b\n---\n", None),
        ("text\n---\na: b\n---\n", None),
        (f"---\n{'a' * (files.HEAD - 9)}\n---\n", f"---\n{'a' * (files.HEAD - 9)}\n---\n"),
        (f"---\n{'a' * (files.HEAD - 8)}\n---\n", None),
    ],
)
def test_the_front_matter_that_all_harnesses_find(text: str, head: str | None) -> None:
    assert files.head_of(text.encode()) == (None if head is None else head.encode())


@pytest.mark.parametrize(("text", "starts"), [(b"abcd", True), (b"abc", True), (b"ab", False), (b"xabc", False)])
def test_the_beginning_of_a_file(tmp_path: Path, text: bytes, starts: bool) -> None:
    (tmp_path / "x").write_bytes(text)
    assert files.starts_with(str(tmp_path / "x"), b"abc") is starts


def test_entries_say_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "l").symlink_to("d")
    (tmp_path / "f").write_bytes(b"")
    found = sorted((each.name, each.is_directory, each.is_link) for each in files.entries(str(tmp_path)))
    assert found == [("d", True, False), ("f", False, False), ("l", False, True)]


def test_homes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/x")
    assert files.expand_home("~/a") == "/home/x/a"
    assert files.expand_home("a/~") == "a/~"
    assert files.expand_home("~\0") == files.realpath("~\0") == "~\0"


@pytest.mark.parametrize(("size", "kept"), [(files.LARGE, files.LARGE), (files.LARGE + 1, files.KEPT_OF_LARGE)])
def test_an_open_document_is_kept_as_a_file_is(size: int, kept: int) -> None:
    contents = Host(home="/", env={}, buffers=Buffers({"/x": "x" * size})).read("/x")
    assert (len(contents.data), contents.size) == (kept, size)


@pytest.mark.parametrize(
    ("function", "error", "state"),
    [
        ("open", PermissionError(), "unreadable"),
        ("open", FileNotFoundError(), "missing"),  # since it was looked at
        ("read", OSError(), "unreadable"),
    ],
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, error: OSError, state: str
) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")

    def fail(*_: object) -> int:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(f"os.{function}", fail)
        found = files.read(str(path))
    assert (found.state, found.data) == (state, b"")
    assert files.read(str(path)).data == b"x"
