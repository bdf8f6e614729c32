import os

import pytest

from promptls.lsp.uris import path_of, uri_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b", "/a/b"),
        ("FILE:///a/b", "/a/b"),
        ("file://localhost/a", "/a"),
        ("file:/a", "/a"),
        ("file:///a%20b%23c%3F%25", "/a b#c?%"),
        ("file:///%C3%A9", "/é"),
        ("file:///a+b", "/a+b"),
        ("file:///a?query#fragment", "/a"),
        ("file://host/a", None),
        ("file:a", None),
        ("untitled:Untitled-1", None),
        ("vscode-notebook-cell:/a#b", None),
        ("promptls:/a", None),
        ("/a", None),
        ("", None),
    ],
)
def test_paths_of_uris(uri: str, path: str | None) -> None:
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize("path", ["/", "/a b", "/a#b?c%d", "/é/😀", "/a\\b", "/a\nb", os.fsdecode(b"/\xff")])
def test_paths_come_back(path: str) -> None:
    uri = uri_of(path, windows=False)
    assert uri.isascii()
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/a%20b", "C:/a b"),
        ("file:///C:/a", "C:/a"),
        ("file:///c:", "C:/"),
        ("file://host/share/a", "//host/share/a"),
        ("file://localhost/C:/a", "C:/a"),
    ],
)
def test_windows(uri: str, path: str) -> None:
    assert path_of(uri, windows=True) == path
    assert path_of(uri_of(path, windows=True), windows=True) == path


@pytest.mark.parametrize("path", ["C:/Users/me/AGENTS.md", "c:\\Users\\me\\AGENTS.md"])
def test_a_uri_is_spelled_as_vs_code_does(path: str) -> None:
    assert uri_of(path, windows=True) == "file:///c%3A/Users/me/AGENTS.md"
