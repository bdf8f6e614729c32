"""Events inside the server: let a feature react to a change without owning the LSP method."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Generic, TypeVar

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class Event(Generic[_T]):
    """A recurring event with a value. Listeners are called in order, on the loop."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[_T], object]] = []

    def listen(self, listener: Callable[[_T], object]) -> Callable[[_T], object]:
        """Call ``listener`` each time; returns it, so it serves as a decorator."""
        self._listeners.append(listener)
        return listener

    def emit(self, value: _T) -> None:
        """Call every listener; one that fails is logged and does not affect the others.

        Raises:
            RuntimeError: this is not the loop. What a worker has found goes back with what it returns.
        """
        asyncio.get_running_loop()
        for listener in self._listeners:
            try:
                listener(value)
            except Exception:  # noqa: BLE001 - listeners are features, and each fails alone
                _log.exception("A listener failed.")
