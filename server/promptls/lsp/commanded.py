"""A command line in a process of its own, for what takes long or much memory; it ends with the request."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE
from contextlib import suppress

from promptls.errors import PromptlsError, UsageError
from promptls.system.processes import ATTENDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Collection, Sequence

ROOT = os.path.abspath(os.sep)
# Seconds in which the process ends all that it has started.
END_SECONDS = 20.0


class CommandFailedError(PromptlsError):
    """The process has ended without an answer."""


async def commanded(arguments: Sequence[str], codes: Collection[int] = (0,)) -> bytes:
    """What ``promptls`` prints. A task that is cancelled first ends all that was started for it.

    Raises:
        UsageError: there is no answer; the sentence is that of the command line.
        CommandFailedError: the process has failed.
    """
    process = await asyncio.create_subprocess_exec(
        *ATTENDED, *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=ROOT, start_new_session=True
    )
    try:
        # Its input stays open for as long as somebody waits.
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        assert process.stderr is not None  # noqa: S101 - the same
        answer, complaint = await asyncio.gather(process.stdout.read(), process.stderr.read())
        code = await process.wait()
    finally:
        await _end(process)
    if code in codes and answer:
        return answer
    says = complaint.decode("utf-8", "replace").strip().removeprefix("promptls: ")
    if says and "\n" not in says:
        raise UsageError(says)
    raise CommandFailedError(f"promptls {arguments[0]} has failed: {says.rpartition(chr(10))[2] or f'code {code}'}")


async def _end(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), END_SECONDS)
    except TimeoutError:
        with suppress(ProcessLookupError):  # it has just ended
            process.kill()
