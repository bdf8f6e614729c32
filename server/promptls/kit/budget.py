"""A budget that several texts share: what is left of it, and what to say where it runs out."""

from __future__ import annotations

from promptls.core.model import Cut, Origin
from promptls.core.values import dataclass


@dataclass(slots=True)
class Budget:
    """``total`` units ("bytes", "characters") for all texts together, spent in the order they are offered.

    ``limit`` says in a clause whose limit it is; ``setting`` is where it is set, or by what name it could be, None if
    nothing sets it.
    """

    total: int
    unit: str
    limit: str
    setting: Origin | None
    spent: int = 0

    @property
    def left(self) -> int:
        """What is not spent."""
        return self.total - self.spent

    def fits(self, size: int) -> int:
        """How much of a text of ``size`` units there is room for."""
        return min(size, self.left)

    def spend(self, size: int) -> None:
        """Take ``size`` units."""
        self.spent += self.fits(size)

    def cut(self, kept: int, total: int) -> Cut | None:
        """What the budget took of a text: None where it took nothing."""
        if kept >= total:
            return None
        return Cut(kept, total, self.unit, self.limit, self.setting, is_fixed=self.setting is None)
