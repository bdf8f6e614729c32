"""`check --fix` killed at any moment: each file is as it was or as it should be, and no other file is left."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.folder import lay_out

FILES = 40
BEFORE = {"instructions": ["docs/style.md", "docs/style.md"]}
LIMIT = 90.0
COMMAND = [sys.executable, "-m", "promptls", "check", "--fix", "--no-network", "."]


def _files() -> dict[str, str | bytes | dict[str, object]]:
    own: dict[str, str | bytes | dict[str, object]] = {"opencode.json": dict(BEFORE), "docs/style.md": "style\n"}
    return own | {f"p{at}/AGENTS.md": f"Rule\u200b {at}.\n" for at in range(FILES)}


def _state(top: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def run(seed: int, count: int) -> None:
    """``count`` kills, spread over the time that a whole run takes."""
    chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated
    with tempfile.TemporaryDirectory() as place:
        whole = lay_out(Path(place).resolve() / "whole", _files())
        before = _state(whole)
        subprocess.run(COMMAND, cwd=whole, capture_output=True, check=False, timeout=LIMIT)
        after = _state(whole)
        assert before != after, "nothing was fixed, so nothing is tried"
        for at in range(count):
            top = lay_out(Path(place).resolve() / f"run{at}", _files())
            process = subprocess.Popen(COMMAND, cwd=top, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(chance.uniform(0.0, 1.2))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(LIMIT)
            found = {path: data for path, data in _state(top).items() if path in before}
            odd = [path for path, data in found.items() if data not in (before[path], after[path])]
            assert found.keys() == before.keys(), f"seed {seed}, run {at}: files are missing"
            assert not odd, f"seed {seed}, run {at}: {odd} are neither old nor new"
            subprocess.run(COMMAND, cwd=top, capture_output=True, check=False, timeout=LIMIT)
            left = {path for path, data in _state(top).items() if after.get(path) != data}
            assert not left, f"seed {seed}, run {at}: another run does not finish the work: {sorted(left)[:5]}"
