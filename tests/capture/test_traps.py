"""Nothing of a folder or a home is run by a program that is captured, whatever the program runs."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from promptls.harnesses import catalogue
from tests.capture.conftest import Run
from tests.capture.fakes import install, newest
from tests.capture.traps import TRAPS, plant, started, works
from tests.conftest import WRITABLE

PROGRAMS = [name for name in catalogue.FOLDERS if catalogue.program(name)]
INSTEAD = "from tests.capture.traps import run_everything\nrun_everything({!r})"
# At least so many kinds are started where they may be.
SOME = 3


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One whose path no shell splits: traps are written in many languages, and none is quoted."""
    path = tmp_path_factory.mktemp("traps")
    if not re.search(r"[^\w/.-]", str(path), re.ASCII):
        yield path
        return
    above = next(each for each in WRITABLE if os.access(each, os.W_OK))
    with tempfile.TemporaryDirectory(prefix="promptls-", dir=above) as short:
        yield Path(short)


def test_each_trap_works_when_it_is_started(tmp_path: Path) -> None:
    controls = plant(tmp_path / "top", tmp_path / "shared")
    assert len(controls) == len(TRAPS), "each has a name of its own"
    silent = {"git include", "attributes"}
    assert {name for name, commands in controls.items() if not commands} <= silent
    has_node = shutil.which("node") is not None
    for name, commands in controls.items():
        for command in commands:
            assert (command[0] == "node" and not has_node) or works(command, tmp_path / "shared/marks"), name


@pytest.mark.parametrize("harness", PROGRAMS)
def test_a_program_that_runs_whatever_it_finds_runs_nothing(harness: str, place: Path, run: Run) -> None:
    shared = place / "bin" / "shared"
    plant(place, shared)
    install(place / "bin", harness, version=newest(harness), instead=INSTEAD.format(str(shared)))
    code, out, err = run("verify", "--harness", harness, "--prompt", "/go")
    assert (shared / "was-here").exists(), (code, out, err)
    assert started(shared / "marks") == []


@pytest.mark.parametrize("harness", ["claude-code", "opencode"])
def test_the_same_program_runs_much_where_it_may(harness: str, place: Path, run: Run) -> None:
    """So what it finds is found; with --run-workspace the folder is the folder."""
    shared = place / "bin" / "shared"
    plant(place, shared)
    install(place / "bin", harness, version=newest(harness), instead=INSTEAD.format(str(shared)))
    run("verify", "--harness", harness, "--prompt", "/go", "--run-workspace")
    assert len(started(shared / "marks")) > SOME
