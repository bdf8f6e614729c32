from __future__ import annotations

import pytest

from tests.torture import inputs


def test_a_short_run() -> None:
    inputs.run(seed=1, count=60)


def test_the_run_sees_a_reader_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "READERS", {"pattern": {"bad": int}})
    with pytest.raises(inputs.FoundError, match="seed 2: pattern, bad"):
        inputs.run(seed=2, count=10)
