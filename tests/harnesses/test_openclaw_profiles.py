"""Which configuration OpenClaw reads, as the environment names a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, preview


@pytest.mark.parametrize(
    ("profile", "folder"),
    [(None, ".openclaw"), ("", ".openclaw"), ("Default", ".openclaw"), ("work", ".openclaw-work")],
)
def test_the_configuration_of_a_profile(tmp_path: Path, profile: str | None, folder: str) -> None:
    files: Files = {f"~/{each}/openclaw.json": {} for each in (".openclaw", ".openclaw-work", ".openclaw-Default")}
    env = {} if profile is None else {"OPENCLAW_PROFILE": profile}
    found = preview(tmp_path, "openclaw", files, env=env)
    looked = {Path(each.path or "").parent.name for each in found.candidates if (each.path or "").endswith("claw.json")}
    assert looked == {folder}
