import json
from pathlib import Path

import pytest

from promptls.core.totals import definitions_size, is_at_least
from tests.surfaces.surface import CASES, Surface, differences, preview, surfaces
from tests.wire.case import Case

ALL = surfaces()
# The cases that are not exact yet, a line each; one that has become exact has to be taken off the list.
NOT_YET = set((Path(__file__).parent / "not-yet.txt").read_text(encoding="utf-8").split())

# The characters of all definitions of tools in the request of a case, without those of servers, which did not run.
TOOLS: dict[str, int] = json.loads((Path(__file__).parent / "tools.json").read_text(encoding="utf-8"))


# A limit counts the paths in a list: how long that of the workspace was, about.
LENGTHS = {"copilot-vscode/skills-tool": 60}


def _top(case: Case, tmp_path: Path) -> Path:
    """Where the case is laid out."""
    if case.id not in LENGTHS:
        return tmp_path / "case"
    left = LENGTHS[case.id] - len(f"{tmp_path.parent}//workspace")
    if left < 1:
        pytest.skip("temporary files have too long a path here")
    return tmp_path.parent / ("x" * left)


def _marked(case: Case) -> object:
    return pytest.param(case, id=case.id, marks=[pytest.mark.xfail(strict=True)] if case.id in NOT_YET else [])


@pytest.mark.parametrize("case", [_marked(case) for case in ALL])
def test_the_preview_is_what_was_sent(case: Case, tmp_path: Path) -> None:
    layout = Surface(case, _top(case, tmp_path))
    assert differences(layout, preview(layout)) == []


@pytest.mark.parametrize("case", [case for case in ALL if case.id not in NOT_YET], ids=lambda case: case.id)
def test_segments_tile_the_text(case: Case, tmp_path: Path) -> None:
    for message in preview(Surface(case, tmp_path / "case")).messages:
        assert message.text == "".join(segment.text for segment in message.segments)
        assert all(segment.text for segment in message.segments)


@pytest.mark.parametrize("case", [case for case in ALL if case.id in TOOLS], ids=lambda case: case.id)
def test_the_definitions_of_tools_have_the_size_of_those_that_were_sent(case: Case, tmp_path: Path) -> None:
    prompt = preview(Surface(case, tmp_path / "case"))
    size = definitions_size(prompt)
    assert abs(size - TOOLS[case.id]) <= 0.01 * TOOLS[case.id] or (size > TOOLS[case.id] and is_at_least(prompt))


def test_the_list_names_cases() -> None:
    assert {case.id for case in ALL} >= NOT_YET
    assert {path.parent.name for path in CASES.glob("*/*.json")} == {case.data["harness"] for case in ALL}
