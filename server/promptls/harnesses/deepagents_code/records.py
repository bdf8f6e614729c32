"""The sessions that Deep Agents Code records: one SQLite database for all of them.

Seen of 0.1.57 (tests/records: deepagents-code). Its messages are objects of Python, in MessagePack, and stay unread:
no read of a file brings instructions. What stands beside them says where and when a session was started.
"""

from __future__ import annotations

from promptls.kit.paths import is_below, join
from promptls.kit.recording import Recorded, parsed, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.kit.recording import Store

# The first checkpoint of each thread: identifiers of checkpoints ascend.
SESSIONS = (
    "select thread_id, cast(metadata as text) from checkpoints where checkpoint_ns = '' and checkpoint_id in"
    " (select min(checkpoint_id) from checkpoints where checkpoint_ns = '' group by thread_id)"
    " order by checkpoint_id desc"
)
# The agent that is started where none is named.
USUAL = "agent"
UNSEEN = (
    "Deep Agents Code records its messages in a form that promptls does not read, and neither its"
    " settings and command line, nor the files of its start."
)


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    path = join(store.home, ".deepagents", ".state", "sessions.db")
    for row in store.rows(path, SESSIONS):
        if store.is_asked(str(row[0])):
            found = _session(path, row)
            if found.cwd and is_below(found.cwd, folder):
                yield found


def _session(path: str, row: Sequence[Any]) -> Recorded:
    name, about = str(row[0]), parsed(str(row[1]))
    found = Recorded("deepagents-code", path, name, text_at(about, "cwd"), unseen=UNSEEN)
    found.started = text_at(about, "updated_at").replace("+00:00", "Z")
    found.version = text_at(about, "ls_integration_version")
    found.branch = text_at(about, "git_branch") or None
    found.commit = text_at(about, "git_commit_sha") or None
    agent = text_at(about, "agent_name")
    found.agent = agent if agent != USUAL else None
    return found
