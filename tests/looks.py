"""How often the disk is looked at: every call of ``os`` and ``open`` that goes to it, counted."""

from __future__ import annotations

import builtins
import io
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

CALLS = ("stat", "lstat", "open", "scandir", "listdir", "readlink", "access")


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts the calls made meanwhile, by name."""
    counts: Counter[str] = Counter()

    def counting(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted_call(*args: Any, **kwargs: Any) -> Any:
            counts[name] += 1
            return call(*args, **kwargs)

        return counted_call

    places = [*((os, name) for name in CALLS), (builtins, "open"), (io, "open")]
    with ExitStack() as stack:
        for module, name in places:
            stack.enter_context(mock.patch.object(module, name, counting(name, getattr(module, name))))
        yield counts
