"""How far counts of a program's own texts are from those of a public tokenizer, of which only the sizes are known.

``own_text.json`` has what programs sent in an empty folder, as numbers: the characters of the definitions of tools and
of prose, and their tokens by each public list. ``tools/own_text.py`` counts them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from promptls.core import specs
from promptls.core.tokens import FAMILIES, REFERENCE, counter
from promptls.workspace.machine import load_harnesses
from tests.bench.turns import Row

FILE = Path(__file__).with_suffix(".json")
# No session is further off, in percent.
GOAL, WELL = 2.0, 1.5
# A model of each family that has a public list.
MODELS = {
    "o200k_base": "gpt-5",
    "cl100k_base": "gpt-4",
    "claude": "claude-sonnet-4-5",
    "gemma-3": "gemini-3-pro",
    "qwen-3": "qwen3-coder",
    "deepseek-3": "deepseek-chat",
}
# The lists for models that a program asks, and the one that all are counted with; others ask any.
LISTS = {
    "auggie": ("o200k_base",),
    "claude-code": ("o200k_base", "claude"),
    "codex": ("o200k_base",),
    "gemini-cli": ("o200k_base", "gemma-3"),
    "qwen-code": ("o200k_base", "qwen-3"),
}

Counts = dict[str, Any]


def sessions() -> dict[str, list[Counts]]:
    """The counts of each session, by the harness."""
    found: dict[str, list[Counts]] = {}
    for each in json.loads(FILE.read_text(encoding="utf-8")):
        found.setdefault(each["harness"], []).append(each)
    return found


def rows(_runs: int) -> Iterator[Row]:
    load_harnesses()
    for harness, counts in sessions().items():
        found = dict(errors(counts, specs.of(harness).own_text))
        worst, _ = max(found.items(), key=lambda each: abs(each[1]))
        session = f"{counts[0]['version']}, {len(counts)} sessions" if len(counts) > 1 else counts[0]["version"]
        yield Row(f"±%: own texts of {harness}", session, abs(found[worst]), f"worst: {' '.join(worst)}", GOAL)


def errors(counts: Sequence[Counts], own: tuple[float, float] | None) -> Iterator[tuple[tuple[str, str], float]]:
    """How far each session is off by each list, in percent to a tenth; ``own``: as ``Spec.own_text`` says."""
    for each in counts:
        for name in LISTS.get(each["harness"], tuple(each["tokens"])):
            count = counter(MODELS[name], own=own)
            tools, prose = each["characters"]
            counted = count.of_tools(tools) + count.of_prose(prose)
            yield (name, each["session"]), round(100 * counted / sum(each["tokens"][name]) - 100, 1)


def balanced(counts: Sequence[Counts]) -> tuple[float, float]:
    """The characters of a token in tools and in prose, with which no session is far off.

    They are near those of all sessions together.
    """
    usual = FAMILIES[REFERENCE]
    sums = [sum(each["characters"][kind] for each in counts) for kind in (0, 1)]
    plain = [sums[kind] / max(sum(each["tokens"][REFERENCE][kind] for each in counts), 1) for kind in (0, 1)]
    ways = [
        (round(plain[0] * (1 + one / 400), 3), round(plain[1] * (1 + other / 400), 3), one * one + other * other)
        for one in range(-40, 41)
        for other in range(-40, 41)
    ]
    each = [(one["characters"], one["tokens"], LISTS.get(one["harness"], tuple(one["tokens"]))) for one in counts]

    def worst(tool: float, prose: float) -> float:
        found = 0.0
        for (tools, text), tokens, names in each:
            for name in names:
                family = FAMILIES[name]
                of_tools = tools * usual.per_tool / (family.per_tool * tool)
                of_prose = text * usual.per_prose / (family.per_prose * prose)
                found = max(found, round(abs(100 * (of_tools + of_prose) / sum(tokens[name]) - 100), 1))
        return found

    found = [(worst(tool, prose), off, (tool, prose)) for tool, prose, off in ways]
    # The nearest of those that are well within it, then of those within it; else the one that is least far off.
    for most in (WELL, GOAL):
        if within := [(off, way) for one, off, way in found if one <= most]:
            return min(within)[1]
    return min(found)[2]
