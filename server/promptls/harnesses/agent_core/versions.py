"""What is known of each version of agent-core: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.model import Timeouts
from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. ``is_design``: the documented design with what it plans; else the public program as it runs."""

    version: Version
    is_design: bool
    # Characters of the built-in rules (wire: rules-empty; captured: rules-missing).
    default_rules: int = 270
    # The design names no limit for a URL (a limit of ours).
    url: Timeouts = Timeouts(headers=5.0, total=5.0)


DESIGN = Facts(Version("design", note="the design document with what it plans"), is_design=True)
PUBLIC = Facts(Version("344500a", verified=True, note="the public program (tong_work) of 2026-03-23"), is_design=False)
ROWS = (DESIGN, PUBLIC)
