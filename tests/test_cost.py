"""What a preview costs in looks at the disk: as many in a large tree as in a small one."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.cli import main
from promptls.core.host import NO_BUFFERS
from promptls.core.model import Session, reading
from promptls.workspace import machine
from promptls.workspace.machine import local_host
from tests.bench.tree import CONFIGS, grow
from tests.looks import counted

SMALL, BIG = 2, 120
FILES = 8


def make_old(top: Path) -> None:
    """Old enough to be trusted by their time stamp, however long it took to write them."""
    for root, _, files in os.walk(top):
        for file in (".", *files):
            os.utime(os.path.join(root, file), (0, 0))


def looks_of_command(path: Path, harness: str) -> Counter[str]:
    arguments = ["preview", str(path), "--no-network", "--harness", harness]
    assert main(arguments) == 0  # imports and caches what does not belong to one preview
    with counted() as counts:
        assert main(arguments) == 0
    return counts


@pytest.mark.parametrize("harness", CONFIGS)
def test_the_command_looks_as_often_in_a_large_tree(
    tmp_path: Path, harness: str, capfd: pytest.CaptureFixture[str]
) -> None:
    small = looks_of_command(grow(tmp_path / "small", SMALL, harness, FILES), harness)
    big = looks_of_command(grow(tmp_path / "big", BIG, harness, FILES), harness)
    assert "packages/0/p0/AGENTS.md" in capfd.readouterr().out
    assert small == big
    # Every harness's evidence is looked for in each directory above the file.
    assert 0 < sum(big.values()) < 30 * len(harnesses.names())


@pytest.mark.parametrize("harness", CONFIGS)
def test_a_look_whether_anything_changed_costs_as_much_in_a_large_tree(tmp_path: Path, harness: str) -> None:
    def looks(packages: int) -> Counter[str]:
        top = tmp_path / str(packages)
        path = str(grow(top, packages, harness, FILES))
        make_old(top)
        host = local_host()
        harnesses.preview(Session(harness, str(top), turns=reading((path,))), host)
        with counted() as counts:
            assert host.is_current(NO_BUFFERS)
        return counts

    small = looks(SMALL)
    assert small == looks(BIG)
    assert "open" not in small


def test_a_pattern_over_everything_is_seen_to_cost_more(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def looks(packages: int) -> int:
        top = tmp_path / str(packages)
        path = grow(top, packages, "opencode", FILES)
        (top / "opencode.json").write_text('{"instructions": ["packages/**/*.md"]}', encoding="utf-8")
        return sum(looks_of_command(path, "opencode").values())

    assert looks(BIG) > looks(SMALL) + BIG
    capfd.readouterr()


@pytest.mark.parametrize("harness", CONFIGS)
def test_a_check_looks_at_instruction_files_and_not_at_the_tree(
    tmp_path: Path, harness: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whether the home directory answers is looked at now and then: on a busy machine in one of the checks only.
    monkeypatch.setattr(machine, "HOLDS", 3600.0)
    monkeypatch.setattr(machine, "_answers", {})

    def looks(packages: int, files: int) -> int:
        top = tmp_path / f"{packages}-{files}"
        grow(top, packages, harness, files)
        make_old(top)
        with counted() as counts:
            assert main(["check", str(top), "--no-network"]) == 0
        return sum(counts.values())

    looks(SMALL, FILES)  # imports and caches
    few, many = looks(BIG // 2, FILES), looks(BIG, FILES)
    assert many == looks(BIG, 5 * FILES)
    assert 0 < many - few <= 10 * (BIG // 2)
    assert f" in {BIG + 1} files" in capfd.readouterr().out
