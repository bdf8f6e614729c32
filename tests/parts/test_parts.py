import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.model import Prompt
from promptls.core.totals import definitions_size, is_at_least
from promptls.harnesses import catalogue
from promptls.harnesses.known_texts import file_of, worth_keeping
from promptls.wire.offers import offers
from promptls.wire.request_formats import Offered
from tests.parts.layout import CASES, PartsLayout, differences, part_cases, preview
from tests.wire.case import AT, Case

ALL = part_cases()
# The cases that are not exact yet, a line each with the reason; one that has become exact has to be taken off the list.
LINES = (Path(__file__).parent / "not-yet.txt").read_text(encoding="utf-8").splitlines()
NOT_YET = {line.partition(": ")[0] for line in LINES}
# What running programs said in a case, by the names of the placeholders.
SAID: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "said.json").read_text(encoding="utf-8"))

# The characters of all definitions of tools in the request of a case, without those of servers, which did not run.
TOOLS: dict[str, int] = json.loads((Path(__file__).parent / "tools.json").read_text(encoding="utf-8"))


# A limit counts the paths in a list: where the workspace was, about.
PLACES = {"copilot-vscode/skills-tool": f"/Users/{'x' * 43}"}


def _marked(case: Case) -> object:
    return pytest.param(case, id=case.id, marks=[pytest.mark.xfail(strict=True)] if case.id in NOT_YET else [])


Look = Callable[[Case], tuple[PartsLayout, Prompt]]


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory) -> Look:
    """Lays out a case and previews it, once for all tests: several look at it, and none changes it."""
    top = tmp_path_factory.mktemp("parts")

    @cache
    def look(number: int) -> tuple[PartsLayout, Prompt]:
        layout = PartsLayout(ALL[number], top / str(number), PLACES.get(ALL[number].id, AT))
        return layout, preview(layout)

    return lambda case: look(ALL.index(case))


@pytest.mark.parametrize("case", [_marked(case) for case in ALL])
def test_the_preview_is_what_was_sent(case: Case, look: Look) -> None:
    layout, prompt = look(case)
    assert differences(layout, prompt) == []


@pytest.mark.parametrize("case", [case for case in ALL if case.id not in NOT_YET], ids=lambda case: case.id)
def test_segments_tile_the_text(case: Case, look: Look) -> None:
    for message in look(case)[1].messages:
        assert message.text == "".join(segment.text for segment in message.segments)
        assert all(segment.text for segment in message.segments)


@pytest.mark.parametrize("case", [case for case in ALL if case.id in TOOLS], ids=lambda case: case.id)
def test_the_definitions_of_tools_have_the_size_of_those_that_were_sent(case: Case, look: Look) -> None:
    _, prompt = look(case)
    size = definitions_size(prompt)
    assert abs(size - TOOLS[case.id]) <= 0.01 * TOOLS[case.id] or (size > TOOLS[case.id] and is_at_least(prompt))


@pytest.mark.parametrize("name", SAID)
def test_with_what_running_programs_said_the_preview_is_what_was_sent(name: str, tmp_path: Path) -> None:
    layout = PartsLayout(
        Case(path := CASES / f"{name}.json", json.loads(path.read_text(encoding="utf-8"))), tmp_path / "case"
    )
    prompt, said = preview(layout), SAID[name]
    gaps = [
        (each, said[each.elided.name])
        for m in prompt.messages
        for each in m.segments
        if each.elided and each.elided.name in said
    ]
    assert {each.elided.name for each, _ in gaps if each.elided} == set(said)
    kept = {"captured": "2026-11-22", "models": {prompt.model or "": worth_keeping(gaps)}}
    file = tmp_path / "kept" / file_of(layout.case.data["harness"], layout.case.data["version"])
    file.parent.mkdir()
    file.write_text(json.dumps(kept), encoding="utf-8")
    host = layout.host()
    host.known_texts = str(file.parent)
    assert differences(layout, harnesses.preview(layout.session(), host)) == []


@pytest.mark.parametrize("case", [case for case in ALL if case.id not in NOT_YET], ids=lambda case: case.id)
def test_the_tools_are_those_that_the_text_names(case: Case, look: Look) -> None:
    """What is compared with a request is compared with the text of the preview itself."""
    (_, prompt), program = look(case), catalogue.program(case.data["harness"])
    sent = [Offered(tool.name, "", tool.size or 0) for tool in prompt.tools or () if tool.enabled and tool.size != 0]
    texts = [message.text for message in prompt.messages]
    found = offers(prompt.tools, sent, texts, program.named if program else "")
    assert prompt.stopped or (found.only_sent, found.only_shown) == ((), ())


def test_each_reason_is_said() -> None:
    assert all(line.partition(": ")[2] for line in LINES)


def test_the_list_names_cases() -> None:
    assert {case.id for case in ALL} >= NOT_YET
    assert {path.parent.name for path in CASES.glob("*/*.json")} == {case.data["harness"] for case in ALL}
