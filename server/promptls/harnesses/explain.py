"""Is this instruction file loaded: by which harness, from where, when and as what; and if not, what prevents it."""

from __future__ import annotations

from promptls import harnesses
from promptls.core.model import START, Session
from promptls.core.render import segment_tokens
from promptls.core.tokens import counter
from promptls.core.values import dataclass
from promptls.harnesses.detect import detect, workspace_of
from promptls.harnesses.paths import join, parent, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt


MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Use:
    """A file is in the prompt: of a session that starts in ``cwd``, ``at`` start or the read that brings it.

    ``invalidates`` is what a change of the file costs where the provider caches prompts: the tokens of the prompt
    from its first place on, and ``of`` how many.
    """

    cwd: str
    at: str
    role: str
    layer: str
    why: str
    invalidates: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one harness does with a file. Without ``uses``, ``outcome`` and ``why`` say what prevents it.

    ``other`` is the file that takes its place. ``is_found`` says whether the workspace is set up for the harness.
    """

    harness: str
    version: str
    is_verified: bool
    is_found: bool
    uses: tuple[Use, ...]
    outcome: str = ""
    why: str = ""
    other: str | None = None

    def json(self) -> dict[str, Any]:
        """As JSON; keys are stable."""
        return {
            "harness": {"name": self.harness, "version": self.version, "verified": self.is_verified},
            "found": self.is_found,
            "loaded": [
                {
                    "cwd": use.cwd,
                    "at": use.at,
                    "role": use.role,
                    "layer": use.layer,
                    "why": use.why,
                    "invalidates": {"tokens": use.invalidates, "of": use.of},
                }
                for use in self.uses
            ],
            "outcome": self.outcome if not self.uses else "loaded",
            "why": self.uses[0].why if self.uses else self.why,
            "other": self.other,
        }


def explain(path: str, make_host: Callable[[], Host], workspace: str | None = None) -> list[Explanation]:
    """Ask every harness about the file at ``path``; those that the workspace is set up for come first."""
    host = make_host()
    directory = parent(path)
    root = workspace or workspace_of(host, directory, directory)
    found = [each.name for each in detect(host, directory, root)]
    explained = [_ask(name, path, root, make_host, is_found=name in found) for name in harnesses.names()]
    return sorted(explained, key=lambda each: found.index(each.harness) if each.is_found else len(found))


def _ask(name: str, path: str, root: str, make_host: Callable[[], Host], *, is_found: bool) -> Explanation:
    harness = harnesses.get(name)
    version = harness.versions[0]
    uses: list[Use] = []
    others: list[Candidate] = []
    for session in _sessions(name, path, root, make_host()):
        prompt = harnesses.preview(session, make_host())
        uses += [use for use in _uses(prompt, path) if (use.at, use.role) not in {(u.at, u.role) for u in uses}]
        others += [each for each in prompt.candidates if each.path == path]
    if uses:
        return Explanation(name, version.name, version.verified, is_found, tuple(uses))
    # The most telling first: what a harness meant to load is worth more than a place that it passed over.
    telling = sorted(others, key=lambda each: each.outcome in ("missing", "outside", "excluded"))
    if telling:
        first = telling[0]
        outcome, why, other = first.outcome, first.why, first.other
    else:
        outcome, other = "excluded", None
        why = f"{harness.title} does not look for a file of this name in this place"
    return Explanation(name, version.name, version.verified, is_found, (), outcome, why, other)


def _sessions(name: str, path: str, root: str, host: Host) -> Iterator[Session]:
    """Where a user would start, and a file whose reading may bring this one.

    Users start in the workspace, in a directory that is set up for the harness, or where the file is.
    """
    directory = parent(path)
    evidence = harnesses.get(name).evidence
    between = [place for place in upwards(directory, root) if place not in (directory, root)]
    set_up = [place for place in between if any(host.kind(join(place, entry)) for entry in evidence)]
    starts = list(dict.fromkeys((root, *reversed(set_up), directory)))
    yield from (Session(name, start) for start in starts)
    read = file_below(host, directory, path) or path
    yield from (Session(name, start, reads=(read,)) for start in starts if start != directory)


def file_below(host: Host, directory: str, path: str) -> str | None:
    """Any file in or below ``directory`` other than ``path``, not far down."""
    level = [directory]
    for _ in range(MAX_DEPTH):
        entries = [(join(place, entry.name), entry) for place in level for entry in host.entries(place)]
        for file, entry in entries:
            if not entry.is_directory and file != path:
                return file
        level = [place for place, entry in entries if entry.is_directory and not entry.name.startswith(".")]
    return None


def _uses(prompt: Prompt, path: str) -> Iterator[Use]:
    count = counter(prompt.model)
    whole = [segment_tokens(segment, count) for message in prompt.messages for segment in message.segments]
    before = 0
    for message in prompt.messages:
        for segment in message.segments:
            if segment.origin.path == path and not segment.frame and segment.layer != "runtime":
                at = START if message.at == START else "read"
                cwd, cost = prompt.session.cwd, sum(whole) - before
                yield Use(cwd, at, message.role, segment.layer, segment.why, cost, sum(whole))
            before += segment_tokens(segment, count)
