from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.settings import DEFAULT

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
