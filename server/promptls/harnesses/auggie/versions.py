"""What is known of each version of Auggie: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters."""

    version: Version
    # The rule of its own that comes first with --print, with its line (wire: bare).
    own_rule: int
    # A skill with a longer description is left out without a word (wire: skill-long).
    description: int
    # Nor is one with a longer name sent (captured: skill-forms).
    name: int
    # What stands before what is typed with --ask (seen by verify) [source: ymr].
    on_asking: int
    # A longer file is shown in part (seen by verify) [source: "response clipped"].
    read: int


# Variables that change a request in a way that is not modelled (seen by verify, with 0.36.0).
VARIABLES_NOT_MODELLED = ("AUGMENT_WORKSPACE_ROOT",)
NEWEST = Facts(
    Version("0.36.0", verified=True),
    own_rule=377,
    description=1024,
    name=64,
    on_asking=570,  # counted in a request, seen by verify
    read=50_000,
)
ROWS = (NEWEST,)
