"""The same problems are found in a folder on Windows, with the same fixes, but for the paths."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptls.core.model import Problem
from tests.cases.test_cases import read
from tests.checks.test_rules import CASES, HEALTHY, check, lay_out_check

pytestmark = pytest.mark.same_everywhere


def posix(found: list[Problem]) -> str:
    # Sizes in a message: a path of Windows is longer.
    return re.sub(r"[\d,]+ (of|tokens)", r"some \1", repr(found).replace("C:", "").replace("\\\\", "/"))


@pytest.mark.parametrize("path", [*CASES, *HEALTHY], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path, tmp_path: Path) -> None:
    scenario = read(path)
    places = lay_out_check(scenario, tmp_path)
    wanted = posix(check(scenario, *places))
    for file in (each for each in places[1].rglob("*") if each.is_file()):
        # What the user has configured for the folder.
        file.write_bytes(file.read_bytes().replace(str(places[0]).encode(), f"C:{places[0]}".encode()))
    assert posix(check(scenario, *places, "C:")) == wanted
