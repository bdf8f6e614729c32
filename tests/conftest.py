import gc
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from promptls.harnesses import faults
from tests import only
from tests.refusing import refusing

# These files take longest: as the last of all, one would keep one process busy while the others wait.
LONG = {
    "tests/capture/test_capture.py",
    "tests/capture/test_learn.py",
    "tests/capture/test_probe.py",
    "tests/capture/test_screen.py",
    "tests/capture/test_traps.py",
    "tests/capture/test_verified_here.py",
    "tests/cases/test_windows.py",
    "tests/checks/test_fixes.py",
    "tests/checks/test_windows.py",
    "tests/cli/test_escapes.py",
    "tests/harnesses/test_learning_sessions.py",
    "tests/harnesses/test_one_folder.py",
    "tests/hostile/test_files.py",
    "tests/hostile/test_harnesses.py",
    "tests/hostile/test_linear.py",
    "tests/hostile/test_memory.py",
    "tests/lsp/test_hostile.py",
    "tests/servers/test_asking.py",
    "tests/test_mcp.py",
    "tests/test_views_agree.py",
    "tests/torture/test_torture.py",
    "tests/wire/test_windows.py",
    "tests/wire/test_wire.py",
}


def pytest_configure(config: pytest.Config) -> None:
    """Start again where names of files are not UTF-8, as promptls itself does: the tests make such files."""
    if sys.getfilesystemencoding() != "utf-8":
        config.pluginmanager.getplugin("capturemanager").stop_global_capturing()
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - this program again


# What the user of this machine has kept of programs must not show in previews.
os.environ["PROMPTLS_DATA_DIR"] = os.path.join(os.path.dirname(__file__), "nothing-kept")


# Nor must what is known of the user of this machine: their programs, homes and records.
os.environ["CI"] = "true"


# What `make hostile-environment` and `make ordinary` ask for, and how a file says that it has nothing of that.
NOT_HERE, MARKED = "not same_everywhere", "\npytestmark = pytest.mark.same_everywhere"
ORDINARY, NAMED = "same_everywhere or ordinary_too", re.compile("same_everywhere|ordinary_too")


# Where Python looks for unused cycles after 700 new objects, as by default, it takes a tenth of the tests' time.
OBJECTS_BEFORE_COLLECTION = 50_000


# Where everybody may write, on most systems.
WRITABLE = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - tests have directories of their own there


@pytest.fixture
def unquoted_path(tmp_path: Path) -> Iterator[Path]:
    """A temporary directory whose path no shell splits: where other programs start what is configured, unquoted."""
    if not re.search(r"[^\w/.-]", str(tmp_path)):
        yield tmp_path
        return
    parent = next((each for each in WRITABLE if os.access(each, os.W_OK)), None)
    if parent is None:
        pytest.skip("the path of each temporary directory here has to be quoted")
    with tempfile.TemporaryDirectory(prefix="promptls-", dir=parent) as place:
        yield Path(place)


@pytest.fixture(autouse=True)
def _harnesses_raise() -> Iterator[None]:
    """What a harness raises is a failure of the test, also where users would get a sentence."""

    def told(_sentence: str, error: Exception) -> None:
        raise error

    faults.tell(told)
    yield
    faults.tell(told)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A process of pytest-xdist reports how a test went; of its setup and teardown, only what has not passed.

    Reports are made, sent and read in Python. With these two, those of a small test took longer than the test.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """What is marked as the same everywhere asks the machine for nothing."""
    mark = item.get_closest_marker("same_everywhere")
    if mark is None or mark.kwargs:
        return (yield)
    with refusing(str(item.config._tmp_path_factory.getbasetemp())):  # type: ignore[attr-defined] # that of tmp_path
        return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="write what the previews of tests/cases show now")
    parser.addoption("--only", default="", help="folders of tests, harnesses, families of checks, codes of rules")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of folders that are asked for, only these are imported, and no file of which every test is left out."""
    asked = config.getoption("-m")
    if (asked == NOT_HERE and is_marked(collection_path)) or (asked == ORDINARY and has_no_mark(collection_path)):
        return True
    return True if only.is_left_out(collection_path, config.getoption("--only").split()) else None


def is_marked(path: Path) -> bool:
    """Whether a file says of all its tests that they are the same everywhere."""
    return path.suffix == ".py" and MARKED in path.read_text(encoding="utf-8")


def has_no_mark(path: Path) -> bool:
    """Whether a file has no test that runs in an ordinary environment."""
    return path.name.startswith("test_") and path.suffix == ".py" and not NAMED.search(path.read_text(encoding="utf-8"))


def pytest_collection() -> None:
    """Nothing of what is imported and collected is garbage, so none is searched for."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was collected stays: without this, the search for garbage walks through 16,000 tests again and again.

    And it comes less often: a test makes hundreds of thousands of objects, hardly one in a cycle.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in LONG)
    words = config.getoption("--only").split()
    if not words:
        return
    says = only.unknown(words)
    if says:
        raise pytest.UsageError(says)
    belong = [found for found in map(only.belongs, words) if found]
    kept = [item for item in items if any(each(item.nodeid) for each in belong)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept
