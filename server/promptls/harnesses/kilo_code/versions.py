"""The versions of Kilo Code: a row for each."""

from __future__ import annotations

from promptls.core.model import Timeouts
from promptls.core.values import dataclass, replace
from promptls.kit.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. What says "source" was read in the program's package."""

    version: Version
    # The characters of the definition of each tool, counted in a captured request without own agents.
    tools: Mapping[str, int]
    # The time in what follows a prompt.
    time: int  # (parts: prompt-in-quotes)
    # What it says before the list of skills, and the description of each that it brings; None where it is not known.
    skills_intro: int
    built_in_skills: Mapping[str, int | None]
    # What the read tool answers at most (source).
    read_lines: int
    read_line: int
    read_bytes: int
    # How long an answer of a URL may take (source).
    url: Timeouts


V7_7_7 = Facts(
    Version("7.7.7", verified=True),
    tools={
        "apply_patch": 1400,
        "background_process": 3512,
        "bash": 6043,  # without the path of its directory for temporary files
        "board_post": 2087,
        "board_read": 1558,
        "cancel_wakeup": 967,
        "edit": 1927,
        "glob": 1083,
        "grep": 1959,
        "kilo_local_recall": 2367,
        "read": 1703,
        "schedule_wakeup": 2136,
        "skill": 645,
        "task": 4588,
        "todowrite": 2997,
        "webfetch": 1262,
        "write": 995,
    },
    time=20,
    skills_intro=145,  # (captured: skills)
    built_in_skills={"kilo-config": 439},  # (captured: skills)
    read_lines=2000,
    read_line=2000,
    read_bytes=50 * 1024,
    url=Timeouts(headers=5.0, total=5.0),
)
# What differs from V7_7_7 (captured: 11 sessions of promptls learn).
NEWEST = replace(
    V7_7_7,
    version=Version("7.7.9", verified=True),
    tools={
        **V7_7_7.tools,
        "background_process": 4933,
        "cron_create": 2849,
        "cron_delete": 623,
        "cron_list": 440,
        "goal": 896,
        "link_pr": 690,
    },
    built_in_skills={"kilo-config": None},
)


ROWS = (NEWEST, V7_7_7)
