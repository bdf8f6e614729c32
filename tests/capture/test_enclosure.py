"""No way out of an enclosure: every one that works outside is tried inside, by each means and as each user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from promptls.wire import enclosing
from promptls.wire.call_filter import MACHINES, call_filter
from promptls.wire.enclosure import BWRAP, HOLDS, MOVES, SAYS, sandbox_profile
from promptls.wire.visible_disk import Enclosure
from tests.capture import probe
from tests.capture.fakes import is_held
from tests.capture.probing import SOMEBODY
from tests.limits import at_most

if TYPE_CHECKING:
    from promptls.wire.enclosure import Means

pytestmark = pytest.mark.ordinary_too

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has namespaces")
TESTS = Path(__file__).parents[2]


@LINUX
@pytest.mark.parametrize(("by", "user"), [("namespaces", "root"), ("namespaces", "somebody"), ("bwrap", "somebody")])
def test_no_way_leads_out(by: str, user: str, tmp_path: Path) -> None:
    is_root = os.geteuid() == 0
    if user == "root" and not is_root:
        pytest.skip("these tests are not run as root")
    python, env = _python_of(user if is_root else "self")
    command = [python, "-m", "tests.capture.probing", by, user, str(tmp_path)]
    with at_most(100):
        ran = subprocess.run(command, capture_output=True, text=True, cwd=TESTS, env=env, timeout=200, check=False)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    if "lacks" in told:
        pytest.skip(f"this system has no {by} for {user}")
    assert {name for name, came_through in told["inside"].items() if came_through} == set()
    assert told["inside"].keys() == probe.WAYS.keys()
    assert told["code"] == 0, "what encloses it has not ended early"
    assert told["is_root"] is (user == "root")
    missed = {name for name, came_through in told["outside"].items() if not came_through} - probe.MAY_LACK
    assert missed <= _beyond(told), "the control: outside, each of these leads somewhere"


def _beyond(told: dict[str, Any]) -> set[str]:
    """What even outside the user of a test cannot do."""
    found = set() if told["is_root"] else {*probe.ROOT_ONLY}
    found |= set() if told["by_root"] else {*probe.ROOT_MADE}
    return found | (set() if shutil.which("ip") else {"link address", "interfaces"})


def _python_of(user: str) -> tuple[str, dict[str, str]]:
    """A Python that a user can start, with what it needs: that of these tests may be in the home of root."""
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    if user != "somebody":
        return sys.executable, env
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    packages = [each for each in sys.path if "site-packages" in each]
    env["PYTHONPATH"] = os.pathsep.join((str(TESTS), str(TESTS / "server"), *packages))
    for python in (os.path.realpath(sys.executable), f"/usr/bin/python{version}"):
        given = [python, "-c", "import promptls.wire.enclosing, tests.capture.probing"]
        try:
            ran = subprocess.run(
                given, user=SOMEBODY, group=SOMEBODY, extra_groups=[], env=env, cwd="/", check=False, timeout=60
            )
        except OSError:
            continue
        if ran.returncode == 0:
            return python, env
    pytest.skip("there is no Python that another user can start")


@LINUX
def test_bubblewrap_is_tried_only_where_it_is_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "bwrap"
    own.write_text("#!/bin/sh\n", "utf-8")
    own.chmod(0o777)
    monkeypatch.setattr("promptls.wire.enclosure.BWRAP", (str(own),))
    assert enclosing.bwrap() is None
    assert all(os.path.isabs(each) for each in BWRAP)


@LINUX
def test_root_does_not_use_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def works(by: str) -> bool:
        asked.append(by)
        return False

    monkeypatch.setattr(enclosing, "works", works)
    for user, tried in ((0, ["namespaces"] * 2), (1000, ["bwrap", "namespaces"] * 2)):
        asked.clear()
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert enclosing.means.__wrapped__() in ("landlock", "asked")
        assert asked == tried


@LINUX
def test_a_link_of_a_copy_may_say_the_same_place_in_another_way(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/one").symlink_to("../lib/one")
    shown = ((str(tmp_path), "/home/x", True),)
    enclosing.prepare(Enclosure(shown, (("/home/x/bin/one", "/home/x/lib/one"), ("/home/x/bin/two", "/y/two"))))
    assert [os.readlink(tmp_path / "bin" / each) for each in ("one", "two")] == ["../lib/one", "/y/two"]
    with pytest.raises(enclosing.EncloseError, match=r"is not as it was; nothing was run\."):
        enclosing.prepare(Enclosure(shown, (("/home/x/bin/one", "/home/y/lib/one"),)))


@LINUX
@pytest.mark.parametrize("place", ["a link", "a link above", "a file"])
def test_a_link_that_a_program_left_leads_nothing_out(place: str, tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    if place == "a file":
        (home / "a").write_text("", "utf-8")
    else:
        (home / "a").symlink_to(outside)
    below = "/home/x/a" if place == "a link" else "/home/x/a/b"
    seen = Enclosure(((str(home), "/home/x", True), ("/usr", below, False)))
    with pytest.raises(enclosing.EncloseError, match=r"is not as it was; nothing was run\."):
        enclosing.prepare(seen)
    assert list(outside.iterdir()) == []


@LINUX
def test_nothing_that_ran_is_left(tmp_path: Path) -> None:
    by = enclosing.means()
    if by not in HOLDS:
        pytest.skip("this system encloses nothing")
    held = tmp_path / "held"
    held.write_text("", "utf-8")
    held.chmod(0o666)
    # Two that have left their session, and one that ends.
    code = "flock /held sh -c 'echo; setsid setsid sleep 600 & setsid sleep 600 & wait'"
    seen = enclosing.visible_system(((str(held), "/held", True),))
    order = enclosing.Order(
        ["/bin/sh", "-c", code], "/", {"PATH": "/usr/bin:/bin"}, subprocess.PIPE, subprocess.DEVNULL
    )
    started = enclosing.start(by, seen, order)
    started.listener.close()
    with at_most(20):
        assert started.process.stdout is not None
        started.process.stdout.readline()
        started.end()
        started.process.stdout.close()
    with at_most(20):
        assert not is_held(held)


@pytest.mark.parametrize("machine", list(MACHINES))
def test_a_filter_refuses_what_it_does_not_know(machine: str) -> None:
    lines = call_filter(machine)
    assert len(lines) % 8 == 0
    assert call_filter("vax") == b""
    for at in range(0, len(lines), 8):
        # No jump leads past the end.
        assert at // 8 + 1 + max(lines[at + 2], lines[at + 3]) < len(lines) // 8 or lines[at : at + 2] == b"\x06\x00"


def test_the_profile_of_macos() -> None:
    seen = Enclosure((("/opt/x", "/opt/x", False), ('/a"b', "/h", True), ("", "/tmp", True)))  # noqa: S108 - its name
    profile = sandbox_profile(seen, 4711)
    lines = profile.splitlines()
    assert lines[1] == "(deny default)"
    assert '(allow file-read* (subpath "/opt/x"))' in lines
    assert '(allow file-write* (subpath "/a\\"b"))' in lines
    assert not any("file-write*" in line and "/opt/x" in line for line in lines)
    assert [line for line in lines if "network-outbound" in line] == [
        '(allow network-outbound (remote tcp "localhost:4711"))'
    ]
    assert profile.count("(") == profile.count(")")


def test_each_means_has_a_sentence_of_its_own() -> None:
    assert len(set(SAYS.values())) == len(SAYS)
    assert all("no network but the recording server" in SAYS[each] for each in HOLDS)


@LINUX
@pytest.mark.parametrize("by", MOVES)
def test_a_link_in_a_directory_that_is_seen_is_there_already(by: Means, tmp_path: Path) -> None:
    if not enclosing.works(by):
        pytest.skip(f"this system has no {by}")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "link").symlink_to("../other")
    binds = ((str(tmp_path / "package"), "/x/package", False),)
    seen = enclosing.visible_system(binds)
    seen = Enclosure(seen.binds, (*seen.links, ("/x/package/link", "../other"), ("/x/new", "package/link")))
    order = enclosing.Order(
        ["/bin/readlink", "/x/package/link", "/x/new"], "/", {}, subprocess.PIPE, subprocess.DEVNULL
    )
    for _ in range(2):
        started = enclosing.start(by, seen, order)
        started.listener.close()
        assert started.process.stdout is not None
        assert started.process.stdout.read() == b"../other\npackage/link\n"
        started.process.stdout.close()
        started.end()


@LINUX
def test_a_program_may_end_before_anybody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    if not enclosing.works("namespaces"):
        pytest.skip("this system has no namespaces")
    hears, tells = enclosing._hear, enclosing._tell
    begun: list[subprocess.Popen[bytes]] = []

    def told(*given: Any) -> Any:
        process, control = tells(*given)
        begun.append(process)
        return process, control

    def heard(*given: Any) -> Any:
        found = hears(*given)
        begun[-1].wait()
        return found

    monkeypatch.setattr(enclosing, "_tell", told)
    monkeypatch.setattr(enclosing, "_hear", heard)
    with at_most(20):
        assert enclosing.works("namespaces")
