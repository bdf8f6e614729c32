"""The order in which a disk lists a directory changes nothing, but for the programs that take it over."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.files import DirectoryEntry
from tests.cases.test_cases import HERE, lay_out, preview, read, reasons, shown, texts
from tests.disk import Drive
from tests.torture.trees import BY_THE_DISK

pytestmark = pytest.mark.same_everywhere


class Backwards(Drive):
    """The disk, its directories listed the other way around."""

    def entries(self, path: str, /) -> tuple[DirectoryEntry, ...]:
        return super().entries(path)[::-1]


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(HERE.glob("*/*.txt")) if path.parent.name not in BY_THE_DISK],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_case(path: Path, tmp_path: Path) -> None:
    scenario = read(path)
    places = lay_out(scenario, tmp_path)
    one, other = preview(scenario, *places), preview(scenario, *places, disk=Backwards(""))
    for view in (shown, reasons, texts):
        assert view(other, *places) == view(one, *places)
