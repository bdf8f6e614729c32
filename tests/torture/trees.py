"""Random folders: no harness raises, and no result depends on the order in which the disk gives its entries."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

from promptls import checks, harnesses
from promptls.core import files, text_view
from promptls.core.files import Contents, DirectoryEntry
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, reading
from tests.folder import lay_out
from tests.torture import pools

# These take some files in the order of the disk: what they send is the same but for the order of its parts.
BY_THE_DISK = ("claude-code", "kilo-code", "openhands", "opencode")
# And this one takes the first of two files: how many there are is the same.
FIRST_OF_THE_DISK = ("openhands",)


class Shuffled:
    """A disk whose directories give their entries in another order."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated

    def stat_of(self, path: str, /) -> Any:
        return files.stat_of(path)

    def read(self, path: str, /, *, info: Any) -> Contents:
        return files.read(path, info=info)

    def entries(self, path: str, /) -> tuple[DirectoryEntry, ...]:
        found = list(files.entries(path))
        self._chance.shuffle(found)
        return tuple(found)

    def realpath(self, path: str, /) -> str:
        return files.realpath(path)


def run(seed: int, count: int) -> None:
    """``count`` folders, each previewed for every harness with its entries in two orders."""
    chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated
    for at in range(count):
        with tempfile.TemporaryDirectory() as place:
            top = lay_out(Path(place).resolve() / "project", {"app.py": "x\n", "api/deep/x.ts": "x\n"})
            for _ in range(chance.randrange(12)):
                pools.put(chance, top / pools.name(chance))
            for harness in pools.HARNESSES:
                _compare(top, harness, f"seed {seed}, folder {at}, {harness}")


def _compare(top: Path, harness: str, where: str) -> None:
    one, other = (_preview(top, harness, order) for order in (1, 2))
    by_disk = harness in BY_THE_DISK
    if harness in FIRST_OF_THE_DISK:
        assert _counts(one) == _counts(other), where
    else:
        assert _shown(one, by_disk) == _shown(other, by_disk), where
    for prompt in (one, other):
        for message in prompt.messages:
            assert message.text == "".join(segment.text for segment in message.segments), where
        "".join(line.text for line in text_view.to_text(prompt))
    _problems(one, by_disk=by_disk, other=other, where=where)


def _preview(top: Path, harness: str, order: int) -> Prompt:
    host = Host(home=str(top.parent / "home"), env={}, disk=Shuffled(order))
    name, version = harnesses.split(harness)
    read = next((str(top / each) for each in ("api/deep/x.ts", "app.py") if (top / each).exists()), None)
    return harnesses.preview(Session(name, str(top), version, turns=reading((read,) if read else ())), host)


def _shown(prompt: Prompt, by_disk: bool) -> object:
    parts = [(message.role, message.at, segment.text) for message in prompt.messages for segment in message.segments]
    candidates = [(each.path, each.outcome, each.at) for each in prompt.candidates]
    return (sorted(parts), sorted(map(str, candidates))) if by_disk else (parts, candidates)


def _counts(prompt: Prompt) -> object:
    candidates = sorted((str(each.path), str(each.at)) for each in prompt.candidates)
    return [(message.role, message.at, len(message.segments)) for message in prompt.messages], candidates


def _problems(one: Prompt, *, by_disk: bool, other: Prompt, where: str) -> None:
    found = [[(each.path, each.code, each.range) for each in checks.prompt_problems(prompt)] for prompt in (one, other)]
    assert by_disk or found[0] == found[1], where
