"""Random trees of instruction files are trimmed: no program may lose a line, or get one more often."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from promptls.core.host import Host
from promptls.harnesses import preview
from promptls.sessions.by_directory import and_of_folder, sessions_of_each
from promptls.sessions.trim import found_in
from promptls.sessions.trimming import removals, trimmed
from promptls.sessions.unneeded import beyond_limits
from promptls.system.write_together import write_together
from promptls.workspace.folder_prompts import folder_prompts
from promptls.workspace.request import NO_URLS, OF_TEAM
from tests.folder import lay_out
from tests.torture.unified import HARNESSES, PLACES, Walked, lines_in, put

SHARED = (
    b"\n## Shared\n\n- Run all of the tests.\n",
    b"\n## Shared\n\n- Run all of the tests.\n- And all of the checks.\n\n# Last\n\nSee to all of this.\n",
    b"\n## Shared\n\n```sh\n# Not a heading\n\n# Nor this\nmake test now\n```\n\n- Run all of the tests.\n",
)


def run(seed: int, count: int) -> None:
    """``count`` folders."""
    chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated
    changed = 0
    for at in range(count):
        with tempfile.TemporaryDirectory() as place:
            changed += _trial(chance, Path(place).resolve(), f"seed {seed}, folder {at}")
    assert changed > count // 8, f"seed {seed}: only {changed} of {count} folders are changed"


def _trial(chance: random.Random, place: Path, where: str) -> bool:
    top = lay_out(place / "project", {"src/a.ts": "1\n", "src/more.md": "More of it.\n"})
    for path in chance.sample(PLACES, chance.randrange(3, 10)):
        put(chance, top, path)
        file = top / path
        if file.is_file() and not file.is_symlink() and chance.random() < 0.6:
            file.write_bytes(file.read_bytes() + chance.choice(SHARED))
    only = chance.sample(HARNESSES, chance.randrange(2, 8))
    looked = folder_prompts(str(top), Walked(top), OF_TEAM, settings=NO_URLS, only=only)
    every = sessions_of_each(looked.host, looked.places, looked.by_harness())
    beyond = beyond_limits([each for several in every for each in several], looked.host)
    wanted = removals(found_in(every, looked.host), beyond, ())
    proof = and_of_folder(every, looked.by_harness())
    found = trimmed(wanted, proof, looked.host, str(top), listed=set(Walked(top).files()))
    prompts = [*looked.prompts, *(each for several in every for each in several)]
    # Nobody starts a program in a folder of some program's, such as .claude.
    prompts = [each for each in prompts if "/." not in each.session.cwd]
    before = [(each, lines_in(each)) for each in prompts]
    write_together(found.texts, {}, None, {path: Path(path).read_bytes() for path in found.texts})
    host = Host(home=looked.host.home, env=looked.host.env)
    for prompt, had in before:
        has = lines_in(preview(prompt.session, host))
        lost = [line for line in had if line not in has and not line.startswith(("---", "@"))]
        assert not lost, f"{where}, {prompt.session.harness} {prompt.session.reads}: {found.gone} loses {lost}"
        more = {line: n for line, n in has.items() if n > had[line] > 0}
        assert not more, f"{where}, {prompt.session.harness}: {found.gone} sends {more} again"
    return bool(found.texts)
