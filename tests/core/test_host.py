"""What one preview can see, and whether it would still see the same."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from promptls.core.files import Contents
from promptls.core.host import NO_BUFFERS, Buffers, Host, Moment
from promptls.core.model import FetchResult, GitState, Timeouts
from promptls.core.values import replace
from promptls.harnesses.claude_code.listing.skills import SameFiles
from tests.disk import Link, MemoryDisk
from tests.looks import counted

LONG_AGO = 1_000_000_000
URL = "https://rules.example/x"
TIMEOUTS = Timeouts(5, 5)


def aged(path: Path) -> None:
    """As if nothing had changed for a long time: only then may a time stamp say that nothing has."""
    os.utime(path, (LONG_AGO, LONG_AGO))


def laid_out(top: Path) -> Path:
    (top / "d").mkdir()
    (top / "a.md").write_text("text")
    (top / "link.md").symlink_to("a.md")
    for path in (top / "a.md", top / "d", top):
        aged(path)
    return top


def looks_at(top: Path) -> Host:
    host = Host(home=str(top), env={})
    host.read(f"{top}/a.md")
    host.read(f"{top}/gone.md")
    host.entries(str(top))
    host.kind(f"{top}/d")
    host.realpath(f"{top}/link.md")
    return host


def rewritten(top: Path) -> None:
    (top / "a.md").write_text("longer text")


def added(top: Path) -> None:
    (top / "gone.md").write_text("now")
    aged(top / "gone.md")
    aged(top)


def listed(top: Path) -> None:
    (top / "z").write_text("")


def removed(top: Path) -> None:
    (top / "d").rmdir()
    aged(top)


def led_elsewhere(top: Path) -> None:
    (top / "link.md").unlink()
    (top / "link.md").symlink_to("d")
    aged(top)


@pytest.mark.parametrize("change", [rewritten, added, listed, removed, led_elsewhere])
def test_a_preview_is_stale_once_a_lookup_would_find_something_else(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    host = looks_at(laid_out(tmp_path))
    trail = json.loads(json.dumps(host.trail()))
    assert host.is_current(NO_BUFFERS)
    assert Host(home="/", env={}).follows(trail)
    change(tmp_path)
    assert not host.is_current(NO_BUFFERS)
    assert not Host(home="/", env={}).follows(trail)


def test_a_file_that_was_written_again_with_the_same_text_is_the_same(tmp_path: Path) -> None:
    host = looks_at(laid_out(tmp_path))
    (tmp_path / "a.md").write_text("text")
    assert host.is_current(NO_BUFFERS)


def test_a_trail_ends_with_the_day() -> None:
    first, second = (datetime(2026, 5, day, 12, tzinfo=UTC) for day in (1, 2))
    host = Host(home="/", env={}, clock=lambda: first)
    assert (host.trail() or {})["day"] is None
    host.now()
    trail = host.trail()
    assert trail is not None
    assert Host(home="/", env={}, clock=lambda: first).follows(trail)
    assert not Host(home="/", env={}, clock=lambda: second).follows(trail)


def test_there_is_no_trail_of_what_may_change_unseen(tmp_path: Path) -> None:
    host = looks_at(laid_out(tmp_path))
    host.urls([URL], TIMEOUTS)
    assert host.trail() is None
    os.utime(tmp_path / "a.md", (2**33,) * 2)
    assert looks_at(tmp_path).trail() is None  # it was written in the future


def test_a_trail_says_what_git_has_said() -> None:
    def at(branch: str) -> Host:
        return Host(home="/", env={}, git=lambda _: GitState(branch, "main", None, "", ""))

    host = at("main")
    host.git("/")
    trail = host.trail()
    assert trail is not None
    assert at("main").follows(trail)
    assert not at("other").follows(trail)


def test_what_was_only_looked_for_is_not_what_was_read(tmp_path: Path) -> None:
    host = looks_at(laid_out(tmp_path))
    assert host.looked_at() == {f"{tmp_path}{name}" for name in ("/a.md", "/gone.md", "", "/d", "/link.md")}
    assert all(map(host.has_looked_at, host.looked_at()))
    assert not host.has_looked_at(f"{tmp_path}/other")
    assert host.has_read() == {
        f"{tmp_path}/a.md": Contents("file", b"text", 4),
        f"{tmp_path}/gone.md": Contents("missing"),
    }


def test_an_open_document_is_what_counts(tmp_path: Path) -> None:
    host = looks_at(laid_out(tmp_path))
    path = f"{tmp_path}/a.md"
    assert host.is_current(Buffers({path: "text"}))
    assert not host.is_current(Buffers({path: "typed"}))
    opened = Host(home="/", env={}, buffers=Buffers({path: "typed", f"{tmp_path}/new.md": "new"}))
    assert opened.read(path).data == opened.read(f"{tmp_path}/link.md").data == b"typed"
    assert opened.kind(f"{tmp_path}/new.md") == "file"
    assert opened.read(f"{tmp_path}/gone.md").state == "missing"
    only = Buffers({path: "typed"}).outside(lambda each: each == path)
    assert Host(home="/", env={}, buffers=only).read(path).data == b"text"


def test_a_mark_of_byte_order_on_the_disk_stays_in_front_of_an_open_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfa")
    path = f"{tmp_path}/a.md"
    assert Host(home="/", env={}, buffers=Buffers({path: "b"})).read(path).data == b"\xef\xbb\xbfb"
    assert Host(home="/", env={}, buffers=Buffers({path: "\ufeffb"})).read(path).data == b"\xef\xbb\xbfb"


def test_a_file_that_nobody_wants_is_not_read_until_it_is_wanted(tmp_path: Path) -> None:
    laid_out(tmp_path)
    host = Host(home="/", env={})
    path = f"{tmp_path}/a.md"
    host.spare([path])
    assert host.read(path).state == "spared"
    assert host.has_read() == {}
    rewritten(tmp_path)
    assert host.is_current(NO_BUFFERS)
    host.want([path, f"{tmp_path}/other"])
    assert host.read(path).data == b"longer text"
    host.spare([path])
    host.want([path])
    assert host.read(path).data == b"longer text"


def test_the_same_file_by_two_paths(tmp_path: Path) -> None:
    laid_out(tmp_path)
    (tmp_path / "b.md").write_text("text")
    host = Host(home="/", env={})
    assert host.is_same("/gone", "/gone")
    assert host.is_same(f"{tmp_path}/a.md", f"{tmp_path}/link.md")
    assert not host.is_same(f"{tmp_path}/a.md", f"{tmp_path}/b.md")
    assert not host.is_same(f"{tmp_path}/a.md", f"{tmp_path}/gone.md")
    assert not host.is_same(f"{tmp_path}/gone.md", f"{tmp_path}/a.md")
    os.link(tmp_path / "a.md", tmp_path / "hard.md")
    assert not host.is_same(f"{tmp_path}/a.md", f"{tmp_path}/hard.md")


@pytest.mark.parametrize(
    ("path", "real"),
    [("link/x/y.md", "d/x/y.md"), ("link/../a.md", "a.md"), ("d//x", "d/x"), ("d/./x", "d/x"), ("gone/x", "gone/x")],
)
def test_links_are_resolved(tmp_path: Path, path: str, real: str) -> None:
    laid_out(tmp_path)
    (tmp_path / "link").symlink_to("d")
    host = Host(home="/", env={})
    for _ in range(2):
        assert host.realpath(f"{tmp_path}/{path}") == os.path.realpath(tmp_path / real)
    assert host.realpath("/") == "/"


@pytest.mark.parametrize("path", ["x/link", ".", "link/../a", "/" + "link/" * 1000])
def test_a_path_from_nowhere_or_longer_than_any_is_the_system_s_to_resolve(tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to(".")
    assert Host(home="/", env={}).realpath(path) == os.path.realpath(path)


def test_what_is_below_etc_can_stand_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "x.md").write_text("managed")
    host = Host(home="/", env={}, sysroot=f"{tmp_path}/")
    assert host.read("/etc/x.md").data == b"managed"
    assert [each.name for each in host.entries("/etc")] == ["x.md"]
    assert host.kind("/etcetera") is None
    assert host.kind(f"{tmp_path}/etc") == "directory"


def test_links_below_etc_are_those_that_stand_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "real" / "etc").mkdir(parents=True)
    (tmp_path / "real" / "etc" / "inside").symlink_to("x.md")
    (tmp_path / "real" / "etc" / "outside").symlink_to("/nowhere/x.md")
    (tmp_path / "link").symlink_to("real")
    host = Host(home="/", env={}, sysroot=f"{tmp_path}/link")
    assert host.realpath("/etc/inside") == "/etc/x.md"
    assert host.realpath("/etc/outside") == "/nowhere/x.md"


def test_what_is_no_directory_has_no_entries(tmp_path: Path) -> None:
    laid_out(tmp_path)
    assert Host(home="/", env={}).entries(f"{tmp_path}/a.md") == ()
    assert Host(home="/", env={}).entries(f"{tmp_path}/gone") == ()


@pytest.mark.parametrize(("hours", "current"), [(0, True), (11, True), (13, False), (37, False)])
def test_a_preview_that_says_the_date_is_stale_the_next_day(hours: int, current: bool) -> None:
    moments = [datetime(2026, 1, 1, 12, tzinfo=UTC)]
    host = Host(home="/", env={}, clock=lambda: moments[-1])
    other = Host(home="/", env={}, clock=lambda: moments[-1])
    assert host.now() == host.now() == moments[0]
    moments.append(moments[0] + timedelta(hours=hours))
    assert host.now() == moments[0]
    assert host.is_current(NO_BUFFERS) is current
    assert other.is_current(NO_BUFFERS)


@pytest.mark.parametrize(("hours", "current"), [(0, True), (11, True), (13, False), (37, False)])
def test_a_preview_that_says_the_day_is_stale_the_next_day(hours: int, current: bool) -> None:
    moments = [datetime(2026, 1, 1, 12, tzinfo=UTC)]
    host = Host(home="/", env={}, clock=lambda: moments[-1])
    assert host.today()[:3] == (2026, 1, 1)
    moments.append(moments[0] + timedelta(hours=hours))
    assert host.today()[:3] == (2026, 1, 1)
    assert host.is_current(NO_BUFFERS) is current


def test_the_day_of_this_machine() -> None:
    host = Host(home="/", env={})
    days = [datetime.now().astimezone().date()]
    today = host.today()
    days.append(datetime.now().astimezone().date())
    assert date(today.tm_year, today.tm_mon, today.tm_mday) in days
    assert today.tm_wday in [each.weekday() for each in days]


def test_a_url_is_asked_once() -> None:
    asked: list[tuple[str, ...]] = []
    texts = ["one"]

    def fetch(urls: Sequence[str], _timeouts: Timeouts) -> list[FetchResult]:
        asked.append(tuple(urls))
        return [FetchResult(url, "ok", texts[-1]) for url in urls]

    host = Host(home="/", env={}, fetch=fetch)
    found = host.urls([URL, f"{URL}2", URL], TIMEOUTS)
    assert [each.url for each in found] == [URL, f"{URL}2", URL]
    assert host.urls([URL], TIMEOUTS) == found[:1]
    assert asked == [(URL, f"{URL}2")]
    assert host.is_current(NO_BUFFERS)
    texts.append("two")
    assert not host.is_current(NO_BUFFERS)


def test_without_a_network_every_url_is_switched_off() -> None:
    assert [each.state for each in Host(home="/", env={}).urls([URL], TIMEOUTS)] == ["disabled"]


LONG_BODY = "A step of it. " * 1000


def test_of_a_head_only_the_front_matter_is_read(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_bytes(f"---\r\nname: a\r\n---\r\n{LONG_BODY}".encode())
    host = Host(home=str(tmp_path), env={})
    assert host.head(str(path)) == Contents("file", b"---\r\nname: a\r\n---\r\n", 19)
    assert host.read(str(path)).data.endswith(LONG_BODY.encode())
    assert host.head(str(path)).size == 19
    assert host.has_looked_at(str(path))
    assert str(path) in host.looked_at()


@pytest.mark.parametrize(
    "text",
    [
        "no front matter\n---\nx\n---\n",
        "---\nnever ends\n",
        "---\n---\nnothing between\n",
        "--- \na: 1\n---\nblanks after the dashes\n",
        "---\na: 1\n--- \nthe same\n",
        "\ufeff---\na: 1\n---\na byte order mark\n",
        f"---\n{'a: 1' * 1000}\n---\nlong\n",
        "---\ra: 1\r---\rold line ends\r",
        "",
    ],
)
def test_a_head_that_not_all_read_alike_is_the_whole_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "SKILL.md"
    path.write_bytes(text.encode())
    assert Host(home="/", env={}).head(str(path)) == Host(home="/", env={}).read(str(path))


def test_a_head_is_that_of_what_was_read_before_or_is_open(tmp_path: Path) -> None:
    path = str(tmp_path / "SKILL.md")
    Path(path).write_text("---\nname: a\n---\nbody\n")
    host = Host(home="/", env={})
    host.read(path)
    Path(path).write_text("---\nname: b\n---\nbody\n")
    assert b"name: a" in host.head(path).data
    opened = Host(home="/", env={}, buffers=Buffers({path: "---\nname: c\n---\nbody\n"}))
    assert opened.head(path).data == b"---\nname: c\n---\n"


def test_a_preview_of_heads_is_stale_once_one_changes_and_not_with_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_text("---\nname: a\n---\nbody\n")
    aged(path)
    host = Host(home="/", env={})
    host.head(str(path))
    host.head(str(tmp_path / "gone.md"))
    trail = json.loads(json.dumps(host.trail()))
    assert Host(home="/", env={}).follows(trail)
    path.write_text("---\nname: a\n---\nanother body\n")
    assert host.is_current(NO_BUFFERS)
    assert host.is_current(Buffers({str(path): "---\nname: a\n---\n"}))
    assert not host.is_current(Buffers({str(path): "---\nname: b\n---\n"}))
    assert not Host(home="/", env={}).follows(trail)
    path.write_text("---\nname: b\n---\nbody\n")
    assert not host.is_current(NO_BUFFERS)


def test_all_of_a_file_counts_as_read_whose_head_was(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_text("---\nname: a\n---\nbody\n")
    host = Host(home="/", env={})
    host.head(str(path))
    assert host.has_read()[str(path)].data.endswith(b"body\n")


def test_the_head_of_a_file_that_is_spared_is_spared(tmp_path: Path) -> None:
    path = str(tmp_path / "SKILL.md")
    Path(path).write_text("---\nname: a\n---\nbody\n")
    host = Host(home="/", env={})
    host.spare([path])
    assert host.head(path).state == "spared"
    host.want([path])
    assert host.head(path).data.endswith(b"---\n")


@pytest.mark.parametrize("kind", ["missing", "directory", "fifo"])
def test_what_is_no_file_has_no_head(tmp_path: Path, kind: str) -> None:
    path = str(tmp_path / "x")
    if kind == "directory":
        Path(path).mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    host = Host(home="/", env={})
    assert host.head(path) == host.read(path)
    assert host.head(path).state == {"fifo": "special"}.get(kind, kind)


def test_a_path_is_spelled_as_on_the_disk_and_keeps_its_links() -> None:
    disk = MemoryDisk()
    disk.add("C:/Work/Notes.md", b"text")
    disk.add("C:/Work/link.md", Link("C:/Work/Notes.md"))
    host = Host(home="C:/", env={}, platform="win32", disk=disk)
    assert host.spelled("c:/work/notes.md") == "C:/Work/Notes.md"
    assert host.spelled("C:/Work/link.md") == "C:/Work/link.md"
    assert host.spelled("/work/notes.md") == "/work/notes.md"


def test_a_preview_is_stale_once_git_says_something_else() -> None:
    states = [GitState("main", "main", None, "", "")]
    host = Host(home="/", env={}, git=lambda _: states[-1])
    assert host.git("/w") == states[0]
    assert host.is_current(NO_BUFFERS)
    states.append(replace(states[0], status=" M a.md"))
    assert not host.is_current(NO_BUFFERS)


@pytest.mark.parametrize("path", ["/", "/.", "/.."])
def test_nothing_is_above_the_root(path: str) -> None:
    assert Host(home="/", env={}).realpath(path) == "/"


def test_variables_of_windows_have_no_letter_case() -> None:
    env = {"Path": "x"}
    windows, linux = Host(home="C:/", env=env, platform="win32"), Host(home="/", env=env)
    assert (windows.env.get("PATH"), windows.list_separator) == ("x", ";")
    assert windows.env["path"] == "x"
    assert [name in windows.env for name in ("path", "x")] == [True, False]
    assert (linux.env.get("PATH"), linux.list_separator) == (None, ":")


def test_what_was_just_written_may_change_unseen(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    for look in (Host.read, Host.head):
        path.write_text("---\na: b\n---\n")
        host = Host(home="/", env={})
        look(host, str(path))
        path.write_text("---\na: c\n---\n")
        assert not host.is_current(NO_BUFFERS)
    host = Host(home="/", env={})
    host.entries(str(tmp_path))
    assert host.is_current(NO_BUFFERS)
    (tmp_path / "b.md").write_text("")
    assert not host.is_current(NO_BUFFERS)


def test_what_was_missing_stays_so_for_a_host(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    host = Host(home="/", env={})
    assert host.kind(str(path)) is None
    path.write_text("text")
    assert host.read(str(path)).state == "missing"


def test_a_link_that_leads_nowhere_is_not_the_same_as_nothing(tmp_path: Path) -> None:
    host = Host(home="/", env={})
    host.read(f"{tmp_path}/a.md")
    trail = json.loads(json.dumps(host.trail()))
    assert Host(home="/", env={}).follows(trail)
    (tmp_path / "a.md").symlink_to("gone")
    assert not Host(home="/", env={}).follows(trail)


def test_a_file_that_is_spared_leaves_a_trail(tmp_path: Path) -> None:
    host = Host(home="/", env={})
    path = f"{laid_out(tmp_path)}/a.md"
    host.spare([path])
    host.kind(path)
    assert (host.trail() or {})["stamps"] == {}


def test_the_buffers_outside_of_a_place() -> None:
    buffers = Buffers({"/a/x.md": "x", "/b/y.md": "y"}).outside(lambda path: path.startswith("/a/"))
    assert [buffers.get(path, None) for path in ("/a/x.md", "/b/y.md")] == [None, "y"]


def test_all_paths_to_a_file_have_one_place(tmp_path: Path) -> None:
    host = Host(home="/", env={})
    top = laid_out(tmp_path)
    assert host.place(f"{top}/a.md") == host.place(f"{top}/link.md") != host.place(f"{top}/d")
    assert host.place(f"{top}/gone.md") == f"{top}/gone.md"


def test_the_first_of_several_paths_to_a_file_is_found(tmp_path: Path) -> None:
    top = laid_out(tmp_path)
    same = SameFiles(Host(home="/", env={}))
    same.add(f"{top}/a.md")
    same.add(f"{top}/link.md")
    assert [same.find(f"{top}/{name}") for name in ("link.md", "a.md", "d")] == [f"{top}/a.md", f"{top}/a.md", None]


def test_now_is_in_the_local_zone() -> None:
    assert Host(home="/", env={}).now().tzinfo is not None


def test_of_one_moment_each_path_is_looked_at_once(tmp_path: Path) -> None:
    hosts = [looks_at(laid_out(tmp_path)), *(looks_at(tmp_path) for _ in range(4))]
    with counted() as of_one:
        assert Moment(NO_BUFFERS).is_current(hosts[0])
    with counted() as of_all:
        moment = Moment(NO_BUFFERS)
        assert all(map(moment.is_current, hosts[1:]))
    assert of_one == of_all
    rewritten(tmp_path)
    assert not any(map(Moment(NO_BUFFERS).is_current, hosts))


def test_hosts_of_one_moment_that_ask_others_hear_others(tmp_path: Path) -> None:
    laid_out(tmp_path)
    disk = MemoryDisk()
    one, other = Host(home="/", env={}), Host(home="/", env={}, disk=disk)
    for host in (one, other):
        host.kind(f"{tmp_path}/a.md")
    moment = Moment(NO_BUFFERS)
    assert moment.is_current(one)
    assert moment.is_current(other)
    assert Moment(Buffers({f"{tmp_path}/b.md": ""})).is_current(one)
    disk.add(f"{tmp_path}/a.md", b"")
    moment = Moment(NO_BUFFERS)
    assert moment.is_current(one)
    assert not moment.is_current(other)
