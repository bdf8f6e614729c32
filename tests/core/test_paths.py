import ntpath
import posixpath

import pytest

from promptls.core.paths import (
    LONGEST,
    from_windows,
    is_absolute,
    is_below,
    is_hidden,
    is_windows,
    join,
    name,
    native,
    parent,
    path_key,
    relative,
    resolve,
    upwards,
    with_relative,
)

pytestmark = pytest.mark.same_everywhere
HOME, SHARE = "C:/Users/me", "//server/share"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("C:\\Users\\me", HOME),
        ("c:/Users\\me", HOME),
        ("C:", "C:/"),
        ("d:\\", "D:/"),
        ("\\\\server\\share\\x", "//server/share/x"),
        ("\\\\?\\C:\\Users\\me", HOME),
        ("\\\\?\\UNC\\server\\share\\x", "//server/share/x"),
        ("docs\\a.md", "docs/a.md"),
    ],
)
def test_a_path_as_windows_writes_it_is_kept_with_slashes(text: str, path: str) -> None:
    assert from_windows(text) == path
    assert from_windows(path) == path


@pytest.mark.parametrize("path", [HOME, "C:/", SHARE, "//server/share/x"])
def test_an_absolute_path_says_that_it_is_of_windows(path: str) -> None:
    assert is_windows(path)
    assert native(path) == ntpath.normpath(path)
    assert from_windows(native(path)) == path


@pytest.mark.parametrize("path", ["/", "/a", "/C:/a", "/a\\b", "a", "a/b", ""])
def test_other_paths_are_not(path: str) -> None:
    assert not is_windows(path)
    assert native(path) == path_key(path) == path


@pytest.mark.parametrize(
    ("base", "path", "found"),
    [
        (HOME, "docs\\a.md", "C:/Users/me/docs/a.md"),
        (HOME, "../you/./a.md", "C:/Users/you/a.md"),
        (HOME, "d:\\x", "D:/x"),
        (HOME, "D:", "D:/"),
        (HOME, "/x", "C:/x"),
        (HOME, "\\x", "C:/x"),
        (HOME, "\\\\server\\share\\x", "//server/share/x"),
        (HOME, "../../../..", "C:/"),
        (SHARE, "x/..", SHARE),
        ("/a", "C:/x", "/a/C:/x"),
        ("/a", "b\\c", "/a/b\\c"),
        ("/a", "//b", "/b"),
        ("a", "b", "a/b"),
    ],
)
def test_resolving(base: str, path: str, found: str) -> None:
    assert resolve(base, path) == found


@pytest.mark.parametrize(
    ("path", "above"),
    [(HOME, "C:/Users"), ("C:/Users", "C:/"), ("C:/", "C:/"), ("//server/share/x", SHARE), ("/a", "/"), ("/", "/")],
)
def test_the_directory_above(path: str, above: str) -> None:
    assert parent(path) == above


@pytest.mark.parametrize("path", ["/a:/b", "/a/b", "/a", "/", "/a//b", "/a/", "a", "a/b"])
def test_the_directory_above_a_posix_path_is_that_of_the_standard_library(path: str) -> None:
    assert parent(path) == posixpath.dirname(path)
    assert name(path) == posixpath.basename(path)


def test_joining() -> None:
    assert join(HOME, "a.md") == "C:/Users/me/a.md"
    assert join("C:/", "a.md") == "C:/a.md"
    assert join(HOME, "D:\\x") == "D:/x"
    assert join(HOME, ".claude", "rules") == "C:/Users/me/.claude/rules"
    assert join("/a", "C:", "/b") == join("/a", "/b") == "/b"


def test_walks_end_at_the_drive_and_at_the_share() -> None:
    assert list(upwards(HOME)) == [HOME, "C:/Users", "C:/"]
    assert list(upwards("//server/share/x")) == ["//server/share/x", SHARE]
    assert list(upwards(HOME, "C:/Users")) == [HOME, "C:/Users"]
    assert list(upwards(HOME, "/")) == [HOME, "C:/Users", "C:/"]


def test_walks_leave_out_what_is_longer_than_a_path() -> None:
    long = "/abc" * LONGEST
    assert list(upwards(long, long)) == [long]
    assert max(map(len, upwards(long))) == LONGEST - 4
    assert list(upwards(long))[-1] == "/"
    assert next(upwards("/" + "a" * (LONGEST - 1))) == "/" + "a" * (LONGEST - 1)


@pytest.mark.parametrize(("name", "hidden"), [(".git", True), ("...", True), ("a", False), (".", False), ("..", False)])
def test_what_listings_leave_out(name: str, hidden: bool) -> None:
    assert is_hidden(name) is hidden


def test_letter_case_counts_on_posix_only() -> None:
    assert is_below("c:/users/ME/a", HOME)
    assert is_below("C:/Users/me", "c:/")
    assert not is_below("C:/Users/meadow", HOME)
    assert not is_below("D:/Users/me/a", HOME)
    assert not is_below("/A/b", "/a")
    assert path_key("c:\\Users\\ME\\") == path_key(HOME)


def test_what_is_absolute_depends_on_the_system() -> None:
    for text in ("C:\\x", "C:/x", "\\x", "/x", "\\\\server\\share"):
        assert is_absolute(text, HOME)
        assert is_absolute(text, "/home/me") == text.startswith("/")
    assert not any(is_absolute(text, HOME) for text in ("x", "C:x", "~/x", ""))


def test_from_one_directory_to_another() -> None:
    assert relative("C:/Users/you/a", "c:/users/me") == "../you/a"
    assert relative("D:/a", HOME) == "D:/a"
    assert relative("/a/b", "/a/c") == "../b"


def test_a_sentence_has_paths_below_a_folder_relative_to_it() -> None:
    assert with_relative("Move “/w/a/b.md” to /w/c.md, not /mnt/w/d or /w2/e.", "/w") == (
        "Move “a/b.md” to c.md, not /mnt/w/d or /w2/e."
    )
    assert with_relative("See /a.md.", "/") == "See /a.md."
