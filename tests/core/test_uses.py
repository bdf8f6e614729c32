"""What a file is to a harness, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from promptls.core.model import COMPUTED, Candidate
from promptls.core.uses import is_in_effect

if TYPE_CHECKING:
    from promptls.core.model import Outcome, Use


@pytest.mark.parametrize(
    ("outcome", "use", "expected"),
    [
        ("loaded", "instruction", True),
        ("cut", "instruction", True),
        ("unscoped", "instruction", False),
        ("unscoped", "skill", True),
        ("shadowed", "skill", False),
        ("missing", "skill", False),
    ],
)
def test_whether_a_harness_uses_what_it_found(outcome: Outcome, use: Use, expected: bool) -> None:
    assert is_in_effect(Candidate(outcome, "why", COMPUTED, "/w/a.md", use=use)) is expected
