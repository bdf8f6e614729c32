"""How far totals are from what a service reports, before and after ten recorded requests.

The services are simulated with real tokenizers, and write what they are sent in a way of their own: a part for the
request and for each message, and tools shorter or longer. The texts are of this project: a program has pages of
documentation as its own text, schemas as its tools, and a session adds code and pages in each step.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from promptls.core.calibration import Measured, calibrate
from promptls.core.tokens import counter
from promptls.core.values import dataclass
from tests.bench.turns import Row

PROGRAMS, SESSIONS, RECORDED, LATER = 4, 4, 10, 20
# Goal: nine of ten are not further off, in percent, after ten recorded requests.
GOAL = 3.0


@dataclass(frozen=True, slots=True)
class Service:
    """A tokenizer, the model that promptls takes it for, and what it makes of a request."""

    encoding: str
    model: str
    tools: float
    of_request: int
    of_message: int


SERVICES = {
    "exact text, tools written shorter": Service("o200k_base", "gpt-5", 0.85, 3, 3),
    "a family, its own part with tools": Service("cl100k_base", "gpt-4", 1.05, 346, 6),
    "another tokenizer than is thought": Service("voyage3_base", "nobody-knows", 0.9, 20, 5),
}


@dataclass(frozen=True, slots=True)
class Errors:
    """The error of nine of ten later requests, in percent: without records, by the factors, by the anchor.

    ``within``: how many of a hundred are within the error that is said of them.
    """

    before: float
    parts: float
    whole: float
    within: float


def rows(runs: int) -> Iterator[Row]:
    for name, service in SERVICES.items():
        found = errors(service, runs)
        detail = f"{found.before:.1f} before, {found.parts:.1f} by parts, {found.within:.0f} of 100 within"
        yield Row(f"±%: {name}", f"{RECORDED} requests recorded", found.whole, detail, GOAL)


def errors(service: Service, runs: int) -> Errors:
    """Of all programs, each in so many runs."""
    off: list[list[float]] = [[], [], []]
    within = 0
    for run in range(runs):
        for program in range(PROGRAMS):
            chance = random.Random(f"{run} {program}")  # noqa: S311 - a simulation
            requests = list(_requests(service, program, chance))
            known = calibrate(tuple(requests[:RECORDED]), is_exact=counter(service.model).is_exact)
            assert known is not None
            for each in requests[RECORDED:]:
                found = (
                    each.tools + each.text,
                    known.factors.of(each.tools, each.text),
                    known.whole(each.tools, each.text),
                )
                for values, value in zip(off, found, strict=True):
                    values.append(100 * abs(value / each.reported - 1))
                within += off[2][-1] <= (known.error_of_whole or 0)
    before, parts, whole = (sorted(values)[len(values) * 9 // 10] for values in off)
    return Errors(before, parts, whole, 100 * within / len(off[2]))


def _requests(service: Service, program: int, chance: random.Random) -> Iterator[Measured]:
    """Those of sessions of a program in one project: the recorded ones, and later ones in sessions of their own."""
    tools, own, texts = _program(program)
    count = counter(service.model)
    reports = _reports(service.encoding)
    project = chance.sample(texts, 3)
    for first, number in ((0, RECORDED), (SESSIONS, LATER)):
        sessions = {name: list(project) for name in range(first, first + SESSIONS)}
        for at in range(number):
            name = first + at % SESSIONS
            said = sessions[name]
            said += chance.sample(texts, chance.randrange(4))
            reported = (
                service.tools * reports(tools)
                + reports(own)
                + sum(map(reports, said))
                + service.of_request
                + service.of_message * (2 + len(said))
            )
            text = count.of_prose(len(own)) + sum(map(count, said))
            yield Measured(str(name), f"{first}{at:03}", count.of_tools(len(tools)), text, round(reported))


@lru_cache(maxsize=1)
def _texts() -> dict[str, Any]:
    """Pages, schemas and code of this project as they were once, so that no change of them changes a figure."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "texts.json").read_text(encoding="utf-8"))
    return found


def _program(number: int) -> tuple[str, str, Sequence[str]]:
    """Its tools, its own text, and the texts that are said to it."""
    program = _texts()["programs"][number]
    return program["tools"], program["own"], _texts()["said"]


@lru_cache(maxsize=4)
def _reports(encoding: str) -> Callable[[str], int]:
    import bpe_openai  # noqa: PLC0415 - it takes a second, of each process that collects tests

    found = bpe_openai.get_encoding(encoding)
    return lru_cache(maxsize=4096)(lambda text: len(found.encode_ordinary(text)))
