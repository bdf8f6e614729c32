"""For each captured session: the preview of what its program would be given is that of its folder, or says why not.

So each key, variable and option that a preview reads is given to the program, or named as left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.model import Prompt
from promptls.core.values import replace
from promptls.harnesses import catalogue
from promptls.wire.copies import lay_out
from promptls.wire.given_arguments import arguments
from promptls.wire.scratch import variables
from tests.disk import Drive
from tests.parts.layout import PartsLayout, part_cases
from tests.requests.test_requests import ALL as REQUESTS
from tests.wire.case import LISTED, Case, Layout, cases

PROGRAMS = {name: found for name in catalogue.FOLDERS if (found := catalogue.program(name)) is not None}
LAYOUTS: list[tuple[type[Layout], Case]] = [
    *((Layout, case) for case in cases()),
    *((PartsLayout, case) for case in (*part_cases(), *REQUESTS)),
]
# Each so many-th by default, and the first that sets a variable; all of them with ``-m property``.
STEP = 20


def _of_system(case: Case) -> bool:
    return any(path.startswith("etc/") for path in case.data["files"])


ALL = [(kind, case) for kind, case in LAYOUTS if case.data["harness"] in PROGRAMS and not _of_system(case)]


def is_held(kind: type[Layout], case: Case, top: Path) -> str:
    """What a preview of the copies lacks, though nothing is named as left out."""
    layout = kind(case, top / "case", str(top / "case"))
    session, host, program = layout.session(), layout.host(), PROGRAMS[case.data["harness"]]
    own = (layout.fill("${WORKSPACE}"), host.home)
    prompt = harnesses.preview(session, host)
    args, dropped = arguments(session.args, program)
    session = replace(session, args=args)
    folder = top / "scratch"
    folder.mkdir()
    laid = lay_out(session, prompt, host, own[0], (), folder=str(folder), runs=False, is_case=True)
    laid.host.env = variables(host.home, host.env, program, "/usr/bin:/bin", own)
    # A copy of a directory may list its files in another order.
    seen_on = laid.host.elsewhere(Drive("", LISTED))
    shown, seen = texts(prompt), texts(harnesses.preview(session, seen_on))
    if shown == seen or dropped or laid.given.left_out:
        return ""
    return next((f"{a!r} is {b!r}" for a, b in zip(shown, seen, strict=False) if a != b), f"{len(shown)}, {len(seen)}")


def texts(prompt: Prompt) -> list[str]:
    """What a preview shows."""
    tools = [f"{each.name} {each.size}" for each in prompt.tools or () if each.enabled]
    return [*(f"{each.role}\n{each.text}" for each in prompt.messages), *tools]


def _by_default() -> list[tuple[type[Layout], Case]]:
    first: dict[tuple[str, str], int] = {}
    for number, (_, case) in enumerate(ALL):
        for variable in case.data["session"].get("env") or ():
            first.setdefault((case.data["harness"], variable), number)
    return [ALL[number] for number in sorted({*range(0, len(ALL), STEP), *first.values()})]


def _params(chosen: list[tuple[type[Layout], Case]]) -> list[object]:
    return [pytest.param(kind, case, id=f"{kind.__name__}-{case.id}") for kind, case in chosen]


@pytest.mark.parametrize(("kind", "case"), _params(_by_default()))
def test_a_program_is_given_what_the_preview_reads(
    kind: type[Layout], case: Case, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A short path: some programs name a directory after the whole of another one.
    assert is_held(kind, case, tmp_path_factory.mktemp("c")) == ""


@pytest.mark.property
def test_it_is_given_that_in_every_case(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if request.config.getoption("markexpr") != "property":
        pytest.skip("all cases take half a minute: -m property")
    found = {}
    for number, (kind, case) in enumerate(ALL):
        top = tmp_path / str(number)
        top.mkdir()
        found[case.id] = is_held(kind, case, top)
    assert {name: says for name, says in found.items() if says} == {}
