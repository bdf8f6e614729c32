"""What opencode recorded before its database: a file for each session, message and part.

Seen of 1.1.65, the last version before 1.2. A later one copies all of it into its database when it first starts.
"""

from __future__ import annotations

from promptls.kit.paths import join, parent
from promptls.kit.recording import number_at, object_at, parsed, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from promptls.kit.recording import Store

    # The path of its file, and what the row of a database has of a session.
    Session = tuple[str, tuple[Any, ...]]

SESSIONS, MESSAGES, PARTS = "session", "message", "part"
ENDING = ".json"


def sessions(store: Store, storage: str, known: Collection[str]) -> list[Session]:
    """Those of all folders but what the database has, too; the newest first."""
    found: list[Session] = []
    for project in store.names(join(storage, SESSIONS)):
        found += _of_project(store, join(storage, SESSIONS, project), known)
    return sorted(found, key=lambda each: (each[1][4], each[1][0]), reverse=True)


def below(store: Store, path: str, name: str) -> list[Session]:
    """Those that the session ``name`` in the file ``path`` has started, the oldest first."""
    found = [each for each in _of_project(store, parent(path), ()) if each[1][1] == name]
    return sorted(found, key=lambda each: (each[1][4], each[1][0]))


def messages(store: Store, path: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """The messages of a session and the parts of each; of a long one only those at its ends. Their names ascend."""
    storage = parent(parent(parent(path)))
    names = sorted(_files(store, join(storage, MESSAGES, name)))
    ends = store.ends(name, len(names))
    for each in [*names[:ends], *names[-ends:]] if ends else names:
        place = join(storage, PARTS, each)
        parts = [store.text(join(place, part + ENDING)) for part in sorted(_files(store, place))]
        yield store.text(join(storage, MESSAGES, name, each + ENDING)), parts


def permission(store: Store, path: str) -> object:
    """What is allowed in a session, where its file says so."""
    return object_at(parsed(store.text(path))).get("permission")


def _of_project(store: Store, directory: str, known: Collection[str]) -> Iterator[Session]:
    for name in _files(store, directory):
        path = join(directory, name + ENDING)
        said = parsed(store.text(path)) if name not in known else None
        if text_at(said, "id") == name:
            above, created = text_at(said, "parentID"), number_at(said, "time", "created")
            yield path, (name, above, text_at(said, "directory"), text_at(said, "version"), created)


def _files(store: Store, directory: str) -> list[str]:
    return [name.removesuffix(ENDING) for name in store.names(directory) if name.endswith(ENDING)]
