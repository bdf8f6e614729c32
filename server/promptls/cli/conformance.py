"""``promptls conformance``: score a program by what coding agents really sent, or answer one case with previews."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys

from promptls import harnesses
from promptls.cli.arguments import Options, Parser, absolute, existing
from promptls.cli.output import show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core import files
from promptls.core.render import Line
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.workspace.machine import load_harnesses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.core.model import Prompt
    from promptls.wire.conformance import Outcome

CASES = "conformance/cases"
MEASURES = ("which", "order", "roles", "times")
MOST_QUESTION = 4 * 1024 * 1024
ENDS = r"(?![A-Za-z0-9_-]*[A-Za-z0-9])"
# So many cases that do not hold are listed as text.
MOST_LISTED = 40


def run(argv: list[str]) -> int:
    """Score, or answer."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.action == "answer":
        if options.command is not None:
            raise UsageError("“promptls conformance answer” takes no command: the case comes on standard input.")
        return _answer()
    if options.command is None:
        raise UsageError("Name the program to score: promptls conformance score “promptls conformance answer”.")
    return _score(options)


def _parser() -> Parser:
    parser = Parser(
        prog="promptls conformance",
        description="Score a program that predicts what coding agents send, with the cases of a folder such as "
        "conformance/, or answer one of them as promptls does.",
    )
    parser.add_argument(
        "action",
        choices=("score", "answer"),
        help="score: ask COMMAND about each case; answer: read a case, say what is sent",
    )
    parser.add_argument("command", nargs="?", metavar="COMMAND", help="the program to score, as one argument")
    parser.add_argument("--cases", metavar="DIR", default=CASES, help=f"where the cases are (default: {CASES})")
    parser.add_argument("--program", metavar="NAME", help="only the cases of this coding agent")
    parser.add_argument("--case", metavar="NAME", help="only the cases of this name")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="how many cases run at once")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser


def _score(options: Options) -> int:
    from promptls.wire.conformance import read_cases, score_all  # noqa: PLC0415 - it starts programs

    # It is run in the directory of each case.
    command = [
        absolute(each) if "/" in each and os.path.exists(each) else each for each in shlex.split(options.command)
    ]
    if not command:
        raise UsageError("The command to score is empty.")
    cases = read_cases(existing(absolute(options.cases), "directory"), options.program, options.case)
    with unwinding():
        outcomes = score_all(cases, command, max(1, options.jobs))
    if options.format == "json":
        write_json(_to_json(outcomes))
    else:
        show(list(_to_text(outcomes)))
    return 0 if all(each.state == "answered" and each.which for each in outcomes) else 1


def _rows(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, dict[str, int]]]:
    """For each program, and at last for all, how many cases there are, and of how many each measure holds."""
    programs = list(dict.fromkeys(each.program for each in outcomes))
    for program in (*programs, ""):
        own = [each for each in outcomes if program in (each.program, "")]
        states = {state: sum(each.state == state for each in own) for state in ("answered", "declined", "failed")}
        yield (
            program,
            {"cases": len(own), **states, **{each: sum(getattr(one, each) for one in own) for each in MEASURES}},
        )


def _to_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    rows = dict(_rows(outcomes))
    return {
        "total": rows.pop(""),
        "programs": rows,
        "cases": [
            {
                "program": each.program,
                "version": each.version,
                "case": each.name,
                "state": each.state,
                **{name: getattr(each, name) for name in MEASURES},
                "detail": each.detail,
            }
            for each in outcomes
        ],
    }


def _to_text(outcomes: Sequence[Outcome]) -> Iterator[Line]:
    names = ("cases", "answered", *MEASURES)
    rows = list(_rows(outcomes))
    widest = max(len(program) for program, _ in rows) + 2
    yield Line(f"{'':{widest}}{''.join(f'{name:>10}' for name in names)}")
    is_one = len({each.program for each in outcomes}) == 1
    for program, row in rows:
        if program or not is_one:
            yield Line(f"{program or 'all':{widest}}{''.join(f'{row[name]:>10}' for name in names)}")
    wrong = [each for each in outcomes if not each.times]
    for each in wrong[:MOST_LISTED]:
        state = "" if each.state == "answered" else f"{each.state}: "
        yield Line(f"{each.program}/{each.name}: {state}{each.detail}")
    if len(wrong) > MOST_LISTED:
        yield Line(f"... and {len(wrong) - MOST_LISTED} more; --format json has all")


def _answer() -> int:
    data = sys.stdin.buffer.read(MOST_QUESTION + 1) if sys.stdin is not None else b""
    try:
        asked = json.loads(data)
        program, version, start, sentinels = (asked[key] for key in ("program", "version", "start", "sentinels"))
    except (ValueError, KeyError, TypeError):
        raise UsageError("Standard input has to be a case as “promptls conformance score” asks it.") from None
    load_harnesses()
    if program not in harnesses.names():
        write_json({"unknown": f"promptls has no previews of {program}"})
        return 0
    write_json(_sentinels_in(_prompt(f"{program}@{version}", start, asked.get("top", "")), sentinels))
    return 0


def _prompt(harness: str, start: dict[str, Any], top: str) -> Prompt:
    from promptls.cli.preview import start_place  # noqa: PLC0415 - not for --help
    from promptls.core.settings import DEFAULT  # noqa: PLC0415 - the same
    from promptls.workspace.request import NO_URLS, Sources, answered, look  # noqa: PLC0415 - the same
    from promptls.workspace.session_file import parse  # noqa: PLC0415 - pydantic costs more than a preview

    session = {key: value for key, value in start.items() if key != "env"}
    asked = parse(json.dumps({"harness": harness, **session}))
    sysroot = top if files.kind_of(files.stat_of(f"{top}/etc")) == "directory" and top else ""
    sources = Sources(with_known_texts=False, with_habits=False, sysroot=sysroot)
    host = sources.host(DEFAULT)
    here = look(start_place(asked.cwd, None, host, may_be_missing=False), sources, NO_URLS, host)
    return answered(here, replace(asked, is_given=True, is_of_file=True)).prompt


def _sentinels_in(prompt: Prompt, sentinels: Sequence[str]) -> dict[str, Any]:
    """Where the sentinels stand in a prompt, in the order of their first places."""
    found: dict[str, dict[str, Any]] = {}
    # Not where one is only the beginning of another word.
    any_of = re.compile(rf"(?:{'|'.join(sorted(map(re.escape, sentinels), key=len, reverse=True))}){ENDS}")
    for message in prompt.messages:
        for each in any_of.findall(message.text) if message.role != "assistant" else ():
            found.setdefault(each, {"sentinel": each, "role": message.role, "times": 0})["times"] += 1
    return {"sentinels": list(found.values())}
