"""What cases of Claude Code's compactions do not say, and their requests show."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterable
from typing import Any

from tests.parts.layout import PartsLayout
from tests.wire.case import Case

# What the model answered where it was asked for a summary, and the session of the case does not say it.
SUMMARY = "MARK-summary: the talk so far."
# A limit counts the path of a skill, too: where the workspace was, about.
PLACES = dict.fromkeys(
    (
        "claude-code/compact-auto-skills-plan",
        "claude-code/compact-skills-budget-again",
        "claude-code/interactive-compact-skill-again",
    ),
    "/xxx",
)
CALLED = re.compile(r'Called the Read tool with the following input: \{"file_path":"([^"]*)"')
# The program tells times apart by the millisecond.
MILLISECOND = 10**6
NEWER = 10**9


def summarised(case: Case) -> Case:
    """The case with what the model answered, in each compaction that has no summary."""
    data = copy.deepcopy(case.data)
    for turn in data["session"].get("turns") or ():
        if turn.get("compact"):
            turn.setdefault("summary", SUMMARY)
        _add_summaries(turn.get("steps") or ())
    return Case(case.path, data)


def _add_summaries(steps: Iterable[Any]) -> None:
    for call in (call for step in steps for call in step):
        if call.get("compact"):
            call.setdefault("summary", SUMMARY)
        _add_summaries(call.get("steps") or ())


def set_times(layout: PartsLayout, case: Case) -> None:
    """Give files the times that decided which of them a compaction sent again: the case has only what was sent."""
    texts = [part["text"] for part in case.data["expect"]["parts"]]
    again = [found[1] for text in texts if (found := CALLED.search(text))]
    for number, name in enumerate(case.data["files"]):
        path = layout.on_disk(layout.fill(name))
        if path.is_file():
            os.utime(path, ns=(number * MILLISECOND, number * MILLISECOND))
    for number, shown in enumerate(reversed(again), 1):
        path = layout.on_disk(layout.fill(shown).removeprefix(f"{layout.at}/"))
        if path.is_file():
            os.utime(path, ns=(0, (NEWER + number) * MILLISECOND))
