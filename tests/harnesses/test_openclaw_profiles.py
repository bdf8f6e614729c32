"""Which configuration OpenClaw reads, as the environment names a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, outcome, preview

pytestmark = pytest.mark.same_everywhere


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


@pytest.mark.parametrize(
    ("agents", "says"), [(("own",), "cut"), (("own", "main"), "loaded"), (("own", "other"), "loaded"), ((), "loaded")]
)
def test_an_agent_that_is_the_only_one_need_not_be_named(tmp_path: Path, agents: tuple[str, ...], says: str) -> None:
    entries = {each: {"bootstrapMaxChars": 10} if each == "own" else {} for each in agents}
    files: Files = {"SOUL.md": "x" * 200, "~/.openclaw/openclaw.json": {"agents": {"entries": entries}}}
    assert outcome(preview(tmp_path, "openclaw", files), "SOUL.md") == says
