"""How far promptls searches: limits of ours, which the preview names where they end a search."""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sized

# A directory is as many steps as it has entries, and then some.
MAX_STEPS = 400_000
STEPS_OF_A_DIRECTORY = 20


@dataclass(slots=True)
class StepBudget:
    """The steps that are left for all searches of one preview."""

    left: int = MAX_STEPS

    @property
    def is_spent(self) -> bool:
        """Whether the search ends here."""
        return self.left <= 0

    def spend(self, entries: Sized) -> None:
        """Take the steps for a directory with ``entries``."""
        self.left -= STEPS_OF_A_DIRECTORY + len(entries)
