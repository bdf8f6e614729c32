"""A preview with 1,000 skills, against the same preview without any."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from promptls import harnesses
from tests.bench.command import PROMPTLS
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
LIMIT = 3.0


def rows(runs: int) -> list[Row]:
    """One row for each harness that lists skills."""
    return [_row(name, runs) for name in harnesses.names() if name in PLACES]


def _row(harness: str, runs: int) -> Row:
    with tempfile.TemporaryDirectory() as top:
        none, many = Path(top, "none"), Path(top, "many")
        for folder, count in ((none, 0), (many, SKILLS)):
            _lay_out(folder, PLACES[harness], count)
        work = {
            str(folder): partial(processor_time, (PROMPTLS, "preview", str(folder), "--harness", harness), top)
            for folder in (none, many)
        }
        taken = turns(runs, work)
    least, most = median(taken[str(none)]), median(taken[str(many)])
    return Row(f"preview, {harness}, {SKILLS} skills", "none", most / least, f"{most * 1000:.0f} ms", LIMIT)


def _lay_out(folder: Path, place: str, count: int) -> None:
    folder.mkdir()
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / "AGENTS.md").write_text("A rule.\n", encoding="utf-8")
    for number in range(count):
        directory = folder / place / f"skill-{number:04}"
        directory.mkdir(parents=True)
        text = f"---\nname: skill-{number:04}\ndescription: Does thing {number}.\n---\n\n{'A step of it. ' * 200}\n"
        (directory / "SKILL.md").write_text(text, encoding="utf-8")
