"""Which commit each line of a file is from."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from promptls import git
from promptls.core.paths import name, parent
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Blamed:
    """A line without its end: its commit, who wrote it on which day, and the subject."""

    text: str
    commit: str
    author: str
    date: str
    subject: str


def blame(path: str, commit: str) -> list[Blamed] | None:
    """The lines of a file, each with the commit that it is from; None if git does not say.

    ``commit``: the whole name of the one whose text it is.
    """
    arguments = ("blame", "--line-porcelain", "--no-textconv", commit, "--", name(path))
    said = git.answer(parent(path), *arguments)
    return None if said is None else list(_lines(os.fsdecode(said)))


def _lines(said: str) -> Iterator[Blamed]:
    facts: dict[str, str] = {}
    for line in said.split("\n"):
        if line.startswith("\t"):
            day = datetime.fromtimestamp(int(facts.get("author-time", "0")), UTC).date().isoformat()
            text = line[1:].removesuffix("\r")
            yield Blamed(text, facts["commit"], facts.get("author", ""), day, facts.get("summary", ""))
            facts = {}
        elif facts:
            key, _, value = line.partition(" ")
            facts[key] = value
        else:
            facts["commit"] = line.partition(" ")[0]
