"""A scenario on Windows is that of POSIX, but for the paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.test_cases import HERE, lay_out, preview, read
from tests.wire.test_windows import same

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize("path", sorted(HERE.glob("*/*.txt")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path, tmp_path: Path) -> None:
    scenario = read(path)
    places = lay_out(scenario, tmp_path)
    wanted = preview(scenario, *places)
    for file in (each for each in tmp_path.rglob("*") if each.is_file() and not each.is_symlink()):
        # What is configured has paths of Windows, too.
        file.write_bytes(file.read_bytes().replace(str(places[0]).encode(), f"C:{places[0]}".encode()))
    same(preview(scenario, *places, "C:"), wanted)
