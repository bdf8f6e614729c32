from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.settings import DEFAULT, Settings, over

pytestmark = pytest.mark.same_everywhere
PACKAGE = Path(__file__).parents[2] / "vscode-extension" / "package.json"


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("inlayHints", "inlay_hints"),
        ("checkWorkspace", "check_workspace"),
        ("fade", "fade"),
        ("urls.enabled", "urls_enabled"),
        ("urls.slowMs", "slow_ms"),
    ],
)
def test_nothing_set_means_the_same_everywhere(key: str, field: str) -> None:
    known = json.loads(PACKAGE.read_text(encoding="utf-8"))["contributes"]["configuration"]
    sections = known if isinstance(known, list) else [known]
    defaults = {
        name: each["default"] for one in sections for name, each in one["properties"].items() if "default" in each
    }
    assert defaults[f"promptls.{key}"] == getattr(DEFAULT, field)


@pytest.mark.parametrize(
    ("above", "below", "together"),
    [
        (Settings(model="m"), Settings(harness="codex", agent="a"), Settings(harness="codex", model="m", agent="a")),
        (Settings(harness="codex"), Settings(model="m"), Settings(harness="codex", model="m")),
        (Settings(harness="codex"), Settings(harness="codex@1", model="m"), Settings(harness="codex@1", model="m")),
        (Settings(harness="codex@2"), Settings(harness="codex@1", model="m"), Settings(harness="codex@2", model="m")),
        # The model is that of another harness.
        (Settings(harness="pi"), Settings(harness="codex", model="m", cwd="x"), Settings(harness="pi", cwd="x")),
    ],
)
def test_settings_over_others(above: Settings, below: Settings, together: Settings) -> None:
    assert over(above, below) == together
