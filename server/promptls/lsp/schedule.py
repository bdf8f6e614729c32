"""When a long run is made: soon after what it is due for, or when typing has paused; one at a time."""

from __future__ import annotations

import asyncio
from enum import Enum, auto

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Spawn = Callable[[Coroutine[Any, Any, object], str], None]

# Seconds: changes that come closer together lead to one run.
TOGETHER = 0.1


class State(Enum):
    """What becomes of the run that is under way."""

    IDLE = auto()
    """There is none."""
    RUNNING = auto()
    """It is stopped if something changes."""
    STOPPED = auto()
    """It was stopped: a newer one follows."""
    SPARED = auto()
    """The one before it was stopped, so it runs to its end: files may change all the time."""


class Schedule:
    """Begins and stops runs; on the loop only."""

    def __init__(
        self,
        run: Callable[[], Coroutine[Any, Any, object]],
        stop: Callable[[], object],
        ended: Callable[[], object],
        spawn: Spawn,
    ) -> None:
        """``stop`` ends the run that is under way; ``ended`` hears that no other one follows."""
        self._run = run
        self._stop = stop
        self._ended = ended
        self._spawn = spawn
        self._state = State.IDLE
        self._follows = False
        self._due: asyncio.TimerHandle | None = None
        self._typing: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs and nothing is due."""
        return self._state is State.IDLE and self._due is None and self._typing is None

    def soon(self) -> None:
        """A run is due."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(TOGETHER, self._begin_or_follow)

    def after_typing(self, pause: float) -> None:
        """A run is due when this was not called for ``pause`` seconds."""
        if self._typing is not None:
            self._typing.cancel()
        self._typing = asyncio.get_running_loop().call_later(pause, self._pause)

    def follow(self) -> None:
        """The run that is under way goes on, and another one follows."""
        self._follows = True

    def _pause(self) -> None:
        self._typing = None
        self.soon()

    def _begin_or_follow(self) -> None:
        self._due = None
        if self._state is State.IDLE:
            self._begin(State.RUNNING)
            return
        self._follows = True
        if self._state is State.RUNNING:
            self._state = State.STOPPED
            self._stop()

    def _begin(self, state: State) -> None:
        self._state = state
        self._follows = False
        self._spawn(self._to_the_end(), "the check of a folder")

    async def _to_the_end(self) -> None:
        try:
            await self._run()
        except asyncio.CancelledError:  # the server ends
            self._follows = False
            raise
        finally:
            if self._follows:
                self._begin(State.RUNNING if self._state is State.RUNNING else State.SPARED)
            else:
                self._state = State.IDLE
                self._ended()
