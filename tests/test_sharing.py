"""Several processes run the tests of a session, each test once, and what goes wrong in any of them fails it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
CONFTEST = """
import pytest
from tests import sharing

def pytest_addoption(parser):
    parser.addoption("--processes", default="1")

@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    return sharing.run(session, sharing.count(session.config.getoption("--processes")))
"""
# Says in which process it ran, and where its temporary files are.
RECORDS = """
import os, sys, pytest
kept = sys.stderr

@pytest.mark.parametrize("number", range(3))
def test_it(number, tmp_path):
    with open({record!r}, "a") as record:
        record.write(f"{{__name__}} {{number}} {{os.getpid()}} {{tmp_path.parent}}\\n")
    print("this is printed")
    os.write(1, b"and this")
    kept.write("and this as well, printed")
"""
FIXTURE = "import pytest\n@pytest.fixture\ndef it():\n    {}\n"
# Fails at the end of each process that is not the first.
ENDS_BADLY = """
import os
first = os.getpid()

def pytest_unconfigure(config):
    assert os.getpid() == first
"""


def run(place: Path, files: dict[str, str], *options: str, code: int) -> str:
    """What pytest says of these files in two processes."""
    for name, text in {"conftest.py": CONFTEST, **files}.items():
        (place / name).write_text(text, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        "--rootdir",
        str(place),
    ]
    # Other plugins take most of the time of a start.
    env = os.environ | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(place), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, "--processes", "2", *options, str(place)],
        cwd=place,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_each_test_runs_once_and_each_file_in_one_process(tmp_path: Path) -> None:
    record = tmp_path / "record"
    names = [f"test_{letter}" for letter in "abcdefgh"]
    said = run(tmp_path, {f"{name}.py": RECORDS.format(record=str(record)) for name in names}, code=0)
    ran = [line.split() for line in record.read_text(encoding="utf-8").splitlines()]
    assert sorted((name, number) for name, number, *_ in ran) == [(name, str(n)) for name in names for n in range(3)]
    assert len({(name, pid) for name, _, pid, _ in ran}) == len(names)
    pids = {pid for *_, pid, _ in ran}
    assert len({(pid, place) for *_, pid, place in ran}) == len(pids) == len({place for *_, place in ran}) == 2
    assert "printed" not in said
    assert "24 passed" in said


def test_what_fails_is_shown_as_ever(tmp_path: Path) -> None:
    files = {
        "test_a.py": "def test_a():\n    print('the words of a')\n    assert [1] == [2]\n",
        "test_b.py": FIXTURE.format("raise OSError") + "def test_b(it): ...\ndef test_c(): ...\n",
        "test_c.py": FIXTURE.format("yield; raise OSError") + "def test_d(it): ...\n",
        "test_d.py": "import pytest\ndef test_e():\n    pytest.skip('not here')\n",
    }
    said = run(tmp_path, files, "-ra", code=1)
    assert "1 failed, 2 passed, 1 skipped, 2 errors" in said
    assert "assert [1] == [2]" in said
    assert "the words of a" in said
    assert re.search(r"SKIPPED \[1\] .*test_d.py:3: not here", said)
    assert "stopping after" in run(tmp_path, {}, "-x", code=1)


@pytest.mark.parametrize(
    ("ending", "says"), [("os._exit(3)", "3"), ("os._exit(0)", "0"), ("os.kill(os.getpid(), 9)", "-9")]
)
def test_a_process_that_dies_fails_all(tmp_path: Path, ending: str, says: str) -> None:
    files = {"test_a.py": f"import os\ndef test_a():\n    {ending}\n", "test_b.py": "def test_b(): ...\n"}
    assert f"A process ended with {says}, in test_a.py." in run(tmp_path, files, code=1)


def test_what_fails_in_the_end_of_a_process_fails_all(tmp_path: Path) -> None:
    files = {
        "conftest.py": CONFTEST + ENDS_BADLY,
        "test_a.py": "def test_a(): ...\n",
        "test_b.py": "def test_b(): ...\n",
    }
    assert "A process ended with 1, in none of the files." in run(tmp_path, files, code=1)
