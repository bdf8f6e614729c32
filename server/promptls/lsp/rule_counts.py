"""In how many recorded sessions each rule of a folder stood: counted in a process, kept for a while."""

from __future__ import annotations

import asyncio
import json

from promptls.lsp.commanded import commanded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    Spawn = Callable[[Coroutine[Any, Any, object], str], None]

# Sessions of each program that are counted, and seconds after which they are counted anew.
LAST, AGE = 50, 600.0


class RuleCounts:
    """The tables of ``promptls sessions --rules``, by folder. Of the loop; who asks at once gets the last ones."""

    def __init__(self, spawn: Spawn, counted: Callable[[], None]) -> None:
        """``counted`` is called when there is a new table."""
        self._spawn = spawn
        self._counted = counted
        self._tables: dict[str, tuple[float, list[Any]]] = {}
        self._running: set[str] = set()

    def at_hand(self, folder: str, names: Sequence[str]) -> list[Any]:
        """What was counted last for these programs, [] before that; it is counted anew where that is long ago."""
        counted = self._tables.get(folder)
        is_old = counted is None or asyncio.get_running_loop().time() - counted[0] > AGE
        if is_old and folder not in self._running:
            self._running.add(folder)
            self._spawn(self._count(folder, names), "the count of recorded sessions")
        return [] if counted is None else counted[1]

    async def _count(self, folder: str, names: Sequence[str]) -> None:
        try:
            tables = await count(folder, names)
        finally:
            # A failure is not tried again at every look.
            before = self._tables.get(folder, (0.0, []))[1]
            self._tables[folder] = asyncio.get_running_loop().time(), before
            self._running.discard(folder)
        self._tables[folder] = asyncio.get_running_loop().time(), tables
        if tables != before:
            self._counted()


async def count(folder: str, names: Sequence[str] = ()) -> list[Any]:
    """The tables of a folder, of these programs or of all.

    Raises:
        PromptlsError: there is no answer.
    """
    only = [f"--harness={name}" for name in names]
    answer = await commanded(["sessions", "--rules", f"--last={LAST}", "--format=json", *only, f"{folder}/"])
    found: list[Any] = json.loads(answer)["programs"]
    return found
