"""A preview with 1,000 skills, against the start of Python alone."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from promptls import harnesses
from tests.bench.command import NOTHING, PROMPTLS
from tests.bench.turns import Row, median, processor_time, turns

SKILLS = 1000
# The directories where the harnesses look; each is asked with the first that it reads.
PLACES = {
    "claude-code": ".claude/skills",
    "codex": ".agents/skills",
    "opencode": ".agents/skills",
    "gemini-cli": ".gemini/skills",
    "copilot-cli": ".github/skills",
    "copilot-vscode": ".github/skills",
}
# Three times what a preview without any took when this was first measured is 15.4 to 21.7.
LIMIT = 14.0


def rows(runs: int) -> list[Row]:
    """One row for each harness that lists skills."""
    return [_row(name, runs) for name in harnesses.names() if name in PLACES]


def _row(harness: str, runs: int) -> Row:
    with tempfile.TemporaryDirectory() as top:
        _lay_out(Path(top), PLACES[harness])
        preview = (PROMPTLS, "preview", top, "--harness", harness)
        commands = {NOTHING: (sys.executable, "-c", "pass"), harness: preview}
        taken = turns(runs, {name: partial(processor_time, each, top) for name, each in commands.items()})
    least, most = median(taken[NOTHING]), median(taken[harness])
    return Row(f"preview, {harness}, {SKILLS} skills", NOTHING, most / least, f"{most * 1000:.0f} ms", LIMIT)


def _lay_out(folder: Path, place: str) -> None:
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / "AGENTS.md").write_text("A rule.\n", encoding="utf-8")
    for number in range(SKILLS):
        directory = folder / place / f"skill-{number:04}"
        directory.mkdir(parents=True)
        text = f"---\nname: skill-{number:04}\ndescription: Does thing {number}.\n---\n\n{'A step of it. ' * 200}\n"
        (directory / "SKILL.md").write_text(text, encoding="utf-8")
