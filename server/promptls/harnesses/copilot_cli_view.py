"""What viewing a file adds to Copilot CLI's prompt: a user message behind the tool's result (section "Lazy")."""

from __future__ import annotations

import re

from promptls.core.model import Candidate, Origin, Segment
from promptls.harnesses import scopes
from promptls.harnesses.base import elided, head, tail
from promptls.harnesses.copilot_cli_search import (
    AGENTS,
    CLAUDE,
    COPILOT,
    GEMINI,
    INSTRUCTIONS,
    NOT_SEEN,
    Scoped,
    Search,
    name_not_read,
    relative,
    unknown_path,
)
from promptls.harnesses.mentions import mentions
from promptls.harnesses.paths import is_below, join, name, parent, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.base import Found

# From each directory, in this order.
NESTED = (COPILOT, AGENTS, CLAUDE)

WHY_MATCH = "viewing a file that a path pattern matches adds the text of that instructions file"
WHY_NESTED = "viewing a file adds what stands in its directory and above it, up to what was loaded at start"


def views(search: Search, scoped: list[Scoped]) -> None:
    """For each file: the result of the view tool, then a user message with what is new (section "Lazy")."""
    sent: set[str] = set()
    index = 2
    for read in search.draft.session.reads:
        at = f"read:{read}"
        result = elided("runtime", "Copilot CLI", f"result of viewing {read}", why="the session views this file")
        search.draft.say("tool", [result], index=index, at=at)
        real = join(search.host.realpath(parent(read)), name(read))
        blocks = []
        if search.host.kind(real) == "file" and is_below(real, search.root):
            blocks = [*_matching(search, scoped, sent, real, at), *_above(search, sent, real, at)]
        joined = [segment for step, block in enumerate(blocks) for segment in (tail("\n" if step else ""), *block)]
        search.draft.say("user", joined, index=index + 1, at=at)
        index += 1 + bool(blocks)


def _matching(search: Search, scoped: list[Scoped], sent: set[str], read: str, at: str) -> Iterator[list[Segment]]:
    for each in scoped:
        pattern = scopes.first_match(each.patterns, read, search.root, scopes.COPILOT_CLI)
        if pattern is None or each.path in sent:
            continue
        sent.add(each.path)
        why = f"{WHY_MATCH}: {pattern}"
        search.draft.candidates.append(Candidate("loaded", why, each.origin, path=each.path, at=at))
        yield _reminder(search, each.path, each.found, why)


def _above(search: Search, sent: set[str], read: str, at: str) -> Iterator[list[Segment]]:
    """Deepest directory first, up to one that was looked at at start; each file once (lazy-read-twice-chain)."""
    for place in upwards(parent(read), search.root):
        if place in (*search.directories, *search.between):
            return
        for path in (join(place, kind) for kind in NESTED):
            if path in sent:
                again = Candidate(
                    "duplicate",
                    f"{WHY_NESTED}: it was sent already",
                    Origin("computed", name=WHY_NESTED),
                    path=path,
                    at=at,
                    other=path,
                )
                search.draft.candidates.append(again)
                continue
            found = search.find(path, WHY_NESTED, at=at)
            if found is not None:
                sent.add(path)
                yield _reminder(search, path, found, WHY_NESTED)
        for kind in (GEMINI, INSTRUCTIONS):
            name_not_read(search, join(place, kind), f"that viewing a file adds it {NOT_SEEN}", at=at)


def _reminder(search: Search, path: str, found: Found, why: str) -> list[Segment]:
    """The frame, and the text with its quotes escaped (wire: lazy-read-nested)."""
    shown = [head(f"{relative(search, path)}", path=path)] if is_below(path, search.root) else [unknown_path(path)]
    if re.search(r"[&<>']", found.text):
        search.note(f"In files that come with a view, quotes are escaped; whether & < > ' are too {NOT_SEEN}.")
    if any(mention.is_path for mention in mentions(found.text)):
        search.note(f"In files that come with a view, @path is shown as it stands; whether it is expanded {NOT_SEEN}.")
    text = found.text.replace('"', "&quot;")
    return [
        head("<system_reminder>\nCustom instructions from "),
        *shown,
        head(". Apply these to any code you write here:\n\n"),
        Segment("instructions", path, text, found.origin, why, cache="turn", cut=found.cut),
        tail("\n</system_reminder>"),
    ]
