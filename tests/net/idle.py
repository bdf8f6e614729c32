from __future__ import annotations

import asyncio

from promptls.net.background import _TOGETHER, Background
from tests.net.loopback import BOUND


def wait_idle(fetch: Background) -> None:
    """Wait until nothing runs and every change has been reported."""
    if fetch._thread is not None:
        fetch._thread.submit(_idle()).result(BOUND)


async def _idle() -> None:
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)
    # Changes are reported this long after the last answer; the loop calls in order of time.
    await asyncio.sleep(_TOGETHER)
