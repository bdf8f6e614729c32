"""A folder check in a separate process: its request, its answer, and its ``main``.

So a check takes neither the memory of the server nor the time of who types. The server asks for URLs, this process
never does; and it sees the documents that were open when it began. Both ends are the same program, so they speak in
pickles: a request, then any number of ``("says", sentence)``, then ``("outcome", Outcome)``, ``("refused", sentence)``
or ``("failed", traceback)``.
"""

from __future__ import annotations

import gc
import os
import pickle
import threading
import zlib
from contextlib import suppress
from itertools import groupby

from promptls.core import files
from promptls.core.host import Buffers
from promptls.core.model import FetchResult
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.errors import UsageError
from promptls.git.listing import Listing
from promptls.system.streams import take_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO, NoReturn

    from promptls.core.host import Host
    from promptls.core.model import Edit, Problem, Range, Timeouts
    from promptls.core.settings import Settings
    from promptls.workspace.folder_prompts import Say

    # A URL, and how long the harness waits for it.
    Wanted = tuple[str, Timeouts]


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Check the folder at ``root``.

    ``documents``: the text of each open one, by path; ``answers``: what is known of URLs. Others are ``pending``.
    """

    root: str
    settings: Settings
    is_trusted: bool
    documents: Mapping[str, str]
    answers: Mapping[Wanted, FetchResult]


@dataclass(frozen=True, slots=True)
class Found:
    """A problem, the text at its place, and the texts that its fixes remove from the same file."""

    problem: Problem
    text: str
    replaced: tuple[tuple[Edit, str], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for a folder: its problems, by file and place, and what they depend on.

    ``digests``: of the text of each file that was read and is there, by path; ``inodes`` of the same files; ``urls``:
    all that were asked for.
    """

    by_path: Mapping[str, tuple[Found, ...]]
    digests: Mapping[str, int]
    inodes: frozenset[int]
    urls: tuple[Wanted, ...]


def digest(text: str) -> int:
    """Identifies a text by checksum and length; nobody changes a text to deceive its author."""
    data = text.encode("utf-8", "replace")
    return len(data) << 32 | zlib.crc32(data)


def look(request: CheckRequest, say: Say) -> Outcome:
    """The problems in a folder.

    Raises:
        UsageError: the settings name a harness or version that does not exist.
    """
    asked: dict[Wanted, None] = {}

    def fetch(urls: Sequence[str], timeouts: Timeouts) -> list[FetchResult]:
        from promptls.core.secrets import without_userinfo  # noqa: PLC0415 - only where there is a URL

        keys = [(url, timeouts) for url in urls]
        asked.update(dict.fromkeys(keys))
        return [
            request.answers.get(key) or FetchResult(without_userinfo(key[0]), "pending", detail="not answered yet")
            for key in keys
        ]

    from promptls.workspace.request import OF_TEAM, project_of  # noqa: PLC0415 - not for the server

    project = project_of(request.root)
    with Listing(project, is_trusted=request.is_trusted) as listing:  # git works while the rest is imported
        from promptls.workspace.folder_check import below, check_folder  # noqa: PLC0415 - see above

        buffers = Buffers(request.documents)
        sources = replace(OF_TEAM, fetch=fetch, buffers=buffers, is_trusted=request.is_trusted)
        checked = check_folder(project, listing, sources, settings=request.settings, say=say)
    inside = below(request.root, checked.problems)
    by_path = {
        path: tuple(_with_text(checked.host, path, found))
        for path, found in groupby(inside, key=lambda each: each.path)
    }
    # What is missing is not kept: of a large folder, that would be six times as much as what is there.
    read = {path: seen for path, seen in checked.host.has_read().items() if seen.state != "missing"}
    digests = {path: digest(decode(seen.data, keep_bom=False)) for path, seen in read.items()}
    infos = [files.stat_of(path) for path in read]
    return Outcome(by_path, digests, frozenset(info.st_ino for info in infos if info), tuple(asked))


def _with_text(host: Host, path: str, found: Iterator[Problem]) -> Iterator[Found]:
    index = LineIndex(decode(host.read(path).data, keep_bom=False))
    for problem in found:
        edits = [edit for fix in problem.fixes for edit in fix.edits if edit.path == path and not edit.rename]
        replaced = tuple((edit, text_at(index, edit.range)) for edit in edits)
        yield Found(problem, text_at(index, problem.range), replaced)


def is_empty(where: Range) -> bool:
    """Whether a range is empty."""
    return (where.start_line, where.start_character) == (where.end_line, where.end_character)


def text_at(index: LineIndex, where: Range) -> str:
    """The text in a range."""
    start = index.offset(where.start_line, where.start_character)
    return index.text[start : index.offset(where.end_line, where.end_character)]


def main() -> NoReturn:
    """Answer the request on standard input; exit when it is closed, finished or not."""
    source, sink = take_streams()
    gc.disable()  # hundreds of thousands of values are made, none in a circle, and the process ends soon

    def tell(kind: str, what: object) -> None:
        pickle.dump((kind, what), sink, pickle.HIGHEST_PROTOCOL)
        sink.flush()

    with suppress(OSError):  # the server is gone
        try:
            request = pickle.load(source)  # noqa: S301 - our own server wrote it
            threading.Thread(target=_end_with, args=(source,), daemon=True).start()
            tell("outcome", look(request, lambda sentence: tell("says", sentence)))
        except UsageError as error:
            tell("refused", str(error))
        except Exception:  # noqa: BLE001 - whatever it is, the server's log has it
            import traceback  # noqa: PLC0415 - only where something is wrong

            tell("failed", traceback.format_exc())
    os._exit(0)  # skip the destruction of all values


def _end_with(source: BinaryIO) -> None:
    """Exit at the end of ``source``, with all child processes: the server has exited."""
    from promptls.system.processes import end_own_group  # noqa: PLC0415 - takes as long as all of threading

    source.read()
    with suppress(OSError):  # it does not lead its own group
        end_own_group()
    os._exit(1)
