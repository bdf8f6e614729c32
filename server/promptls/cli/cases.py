"""``promptls verify --cases`` and ``--record``: captured sessions against the installed program."""

from __future__ import annotations

import json

from promptls import harnesses
from promptls.cli.arguments import Options, absolute, existing
from promptls.cli.output import complain, show, write_json
from promptls.core.render import Line
from promptls.errors import PromptlsError, UsageError
from promptls.system.write_file import write_file
from promptls.wire.case_of import case_of
from promptls.wire.cases import find, run
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import ask_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.cli.capture import Result
    from promptls.wire.cases import Outcome

SAYS = {"holds": "holds", "moved": "moved", "not-run": "not run"}


def run_cases(options: Options) -> int:
    """Run every case of a harness; 1 if one has moved, 2 if none could be run.

    Raises:
        UsageError: there are no cases.
    """
    if options.harness is None:
        raise UsageError("Name the harness of the cases with --harness.")
    load_harnesses()
    harness = harnesses.get(options.harness)
    place = existing(absolute(options.cases), "file or directory")
    found: list[Outcome] = []
    for path in find(place, harness.name):
        found.append(run(path, ask_git))
        if options.format == "text":
            show(_lines(found[-1]))
    if options.format == "json":
        write_json(_json(harness.name, found))
    else:
        show(_summary(harness.name, found))
    if all(each.state == "not-run" for each in found):
        return 2
    return 1 if any(each.state == "moved" for each in found) else 0


def record(result: Result, path: str, workspace: str) -> None:
    """Write a session as a case.

    Raises:
        PromptlsError: the file is there, or cannot be written.
    """
    import os  # noqa: PLC0415 - rarely asked for

    path = absolute(path if path.endswith(".json") else f"{path}.json")
    if os.path.exists(path):
        raise UsageError(f"{path} exists; choose another name.")
    name = path.rpartition("/")[2].removesuffix(".json")
    case = case_of(name, result.prompt, result.capture, result.sides, result.host, workspace=workspace)
    try:
        write_file(path, f"{json.dumps(case, ensure_ascii=False, indent=1)}\n".encode(), is_new=True)
    except OSError as error:
        raise PromptlsError(f"{path} cannot be written: {error.strerror}.") from None
    complain(f"The session is written as a case to {path}: read it before you keep it.")


def _lines(outcome: Outcome) -> Iterator[Line]:
    yield Line(f"{SAYS[outcome.state]:<8} {outcome.name}", "problem" if outcome.state == "moved" else "text")
    yield from (Line(f"         {each}", "note") for each in outcome.says)


def _summary(harness: str, found: Sequence[Outcome]) -> Iterator[Line]:
    count = {state: sum(each.state == state for each in found) for state in SAYS}
    versions = sorted({each.version for each in found if each.version})
    yield Line("")
    what = f"{count['holds']} hold, {count['moved']} moved, {count['not-run']} were not run"
    many = f"{len(found)} case{'' if len(found) == 1 else 's'}"
    yield Line(f"{harness} {', '.join(versions)} · {many}: {what}".replace("  ", " "), "title")


def _json(harness: str, found: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "harness": harness,
        "versions": sorted({each.version for each in found if each.version}),
        "cases": [{"name": each.name, "state": each.state, "says": list(each.says)} for each in found],
    }
