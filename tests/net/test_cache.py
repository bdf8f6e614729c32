from __future__ import annotations

import json
import os
import pwd
import stat
from pathlib import Path

import pytest

from promptls.net.cache import Cache, CachedAnswer
from promptls.net.now import fetch_now
from tests.net.loopback import Answer, Server
from tests.net.test_now import LONG

URL = "https://docs.invalid/rules.md"
ENTRY = CachedAnswer("text\ufeff\u2028", 200, URL, 0.1, 0.2, 1.0, etag='"1"', last_modified=None, truncated=True)


def test_an_entry_comes_back_as_it_was(cache: Cache) -> None:
    assert cache.load(URL) is None
    cache.store(URL, ENTRY)
    assert cache.load(URL) == ENTRY
    assert os.listdir(cache.directory) == [os.path.basename(cache.path(URL))]


def test_userinfo_names_no_other_file(cache: Cache) -> None:
    assert cache.path("https://user:secret@docs.invalid/rules.md") == cache.path(URL)


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"\x00\xff",
        b"null",
        b"[]",
        b"{}",
        b"[" * 200_000,
        b'{"format": 1, "text": "a"}',
        b'{"format": 1, "text": "a", "unknown": 1}',
    ],
)
def test_junk_is_no_entry(cache: Cache, junk: bytes) -> None:
    cache.store(URL, ENTRY)
    Path(cache.path(URL)).write_bytes(junk)
    assert cache.load(URL) is None


def test_a_half_written_file_is_no_entry(cache: Cache) -> None:
    cache.store(URL, ENTRY)
    file = Path(cache.path(URL))
    whole = file.read_bytes()
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        assert cache.load(URL) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", "\ud800"),
        ("text", ""),
        ("text", None),
        ("status", "200"),
        ("final_url", "\udfff"),
        ("total_seconds", float("nan")),
        ("total_seconds", float("inf")),
        ("headers_seconds", -1),
        ("etag", 1),
        ("truncated", 1),
        ("format", 2),
    ],
)
def test_a_wrong_value_makes_it_no_entry(cache: Cache, name: str, value: object) -> None:
    cache.store(URL, ENTRY)
    file = Path(cache.path(URL))
    data = json.loads(file.read_bytes())
    assert name in data
    data[name] = value
    file.write_text(json.dumps(data), encoding="utf-8")
    assert cache.load(URL) is None


def test_a_fifo_in_its_place_does_not_block(cache: Cache) -> None:
    os.makedirs(cache.directory)
    os.mkfifo(cache.path(URL))
    assert cache.load(URL) is None


@pytest.mark.parametrize("place", ["cache", "cache/urls"])
def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, place: str) -> None:
    # A file where the directory should be: permissions would not stop root.
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("in the way")
    cache = Cache(str(tmp_path / "cache"))
    cache.store(URL, ENTRY)
    assert cache.load(URL) is None


@pytest.mark.parametrize("home", ["relative", None])
def test_without_a_home_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    def unknown(_: object) -> None:
        raise KeyError("no such user")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("PROMPTLS_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    cache = Cache()
    cache.store(URL, ENTRY)
    assert cache.load(URL) is None
    assert os.listdir(tmp_path) == []


def test_a_read_only_directory_is_still_read(cache: Cache) -> None:
    cache.store(URL, ENTRY)
    os.chmod(cache.directory, stat.S_IRUSR | stat.S_IXUSR)
    if os.access(cache.directory, os.W_OK):
        pytest.skip("root may write anywhere")
    try:
        cache.store("https://docs.invalid/other.md", ENTRY)
        assert cache.load(URL) == ENTRY
        assert cache.load("https://docs.invalid/other.md") is None
    finally:
        os.chmod(cache.directory, stat.S_IRWXU)


def test_a_failing_disk_leaves_the_old_entry_and_no_rest(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store(URL, ENTRY)

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fails)
    cache.store(URL, CachedAnswer("new", 200, URL, 0.1, 0.2, 2.0))
    assert cache.load(URL) == ENTRY
    assert len(os.listdir(cache.directory)) == 1


def test_the_oldest_go_first_and_nothing_that_is_not_ours(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path), limit_bytes=2500)
    urls = [f"https://docs.invalid/{number}" for number in range(4)]
    for age, url in enumerate(reversed(urls)):
        cache.store(url, CachedAnswer("x" * 800, 200, url, 0, 0, 0))
        os.utime(cache.path(url), (1_000_000 + age, 1_000_000 + age))
    other = Path(cache.directory, "notes.json")
    other.write_text("x" * 5000)
    left = Path(cache.path(urls[3]).removesuffix("json") + "x.tmp")
    left.write_text("x" * 2000)
    os.utime(left, (1, 1))
    cache.store(urls[0], CachedAnswer("y" * 800, 200, urls[0], 0, 0, 0))
    assert [cache.load(url) is not None for url in urls] == [True, True, False, False]
    assert other.exists()
    assert not left.exists()


@pytest.mark.parametrize("status", [204, 401, 404, 500])
def test_only_a_successful_answer_is_kept(server: Server, cache: Cache, status: int) -> None:
    [fetched] = fetch_now([server.url("/a", Answer(b"x", status=status))], LONG, cache=cache)
    assert fetched.text == ""
    assert not os.path.isdir(cache.directory) or os.listdir(cache.directory) == []


def test_the_number_of_files_is_bounded_too(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path), limit_files=3)
    for number in range(6):
        cache.store(f"https://docs.invalid/{number}", ENTRY)
    assert len(os.listdir(cache.directory)) == 3
    assert cache.load("https://docs.invalid/5") == ENTRY


def test_what_could_not_be_read_back_is_not_written(cache: Cache) -> None:
    cache.store(URL, CachedAnswer("\0" * 1024 * 1024, 200, URL, 0, 0, 0))
    assert not os.path.exists(cache.directory)


def test_the_environment_names_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path / "mine"))
    assert Cache().directory.startswith(str(tmp_path / "mine"))
    assert Cache(str(tmp_path / "given")).directory.startswith(str(tmp_path / "given"))


def test_else_it_is_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    platformdirs = pytest.importorskip("platformdirs")
    monkeypatch.delenv("PROMPTLS_CACHE_DIR", raising=False)
    assert Cache().directory.startswith(platformdirs.user_cache_dir("promptls"))


def test_no_secret_is_on_the_disk(server: Server, cache: Cache) -> None:
    hidden = "canary-7f3a"
    url = server.url(f"/a?token={hidden}", Answer(status=302, headers={"Location": f"/b?api_key={hidden}"}))
    target = server.url(f"/b?api_key={hidden}", Answer(b"one", etag='"1"'))
    again = url.replace("//", f"//user:{hidden}@")
    for each in (url, again):
        [fetched] = fetch_now([each], LONG, cache=cache)
        assert fetched.text == "one"
        assert fetched.final_url == target.replace(hidden, "***")
    assert fetched.from_cache
    for path in Path(cache.directory).iterdir():
        assert hidden not in path.name + path.read_text(encoding="utf-8")
    # Another secret is another address.
    server.url(f"/a?token={hidden}", Answer(status=302, headers={"Location": "/b?api_key=other"}))
    server.url("/b?api_key=other", Answer(b"two", etag='"1"'))
    [fetched] = fetch_now([url], LONG, cache=cache)
    assert fetched.text == "two"
