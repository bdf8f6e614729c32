"""Sessions that new processes took up: the texts of the last request and the size of each tool.

The cases are those of ``tests/surfaces`` with ``session.turns``, whose turns say ``resume``; some have
``expect.blocks`` and are in ``tests/whole``. ``not-yet.txt`` names those that are not exact yet, a line each with the
reason; one that has become exact has to be taken off the list.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.surfaces.surface import Surface, differences, preview
from tests.whole.test_whole import tools
from tests.wire.case import Case

HERE = Path(__file__).parent
ALL = [Case(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(HERE.glob("cases/*/*.json"))]
LINES = (HERE / "not-yet.txt").read_text(encoding="utf-8").splitlines()
NOT_YET = {line.partition(": ")[0] for line in LINES}


def _marked(case: Case) -> object:
    return pytest.param(case, id=case.id, marks=[pytest.mark.xfail(strict=True)] if case.id in NOT_YET else [])


@pytest.mark.parametrize("case", [_marked(case) for case in ALL])
def test_the_preview_is_what_was_sent(case: Case, tmp_path: Path) -> None:
    layout = Surface(case, tmp_path / "case")
    prompt = preview(layout)
    assert [*differences(layout, prompt), *tools(case, prompt)] == []
