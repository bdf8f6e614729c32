import pytest

from promptls.core import windows
from promptls.core.windows import window

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-5-5", 1_000_000),
        ("anthropic/claude-sonnet-4-5-20250929", 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("claude-opus-4-9", None),
        ("gpt-5", 400_000),
        ("GPT-5-codex", 400_000),
        ("gpt-5.4-mini", 400_000),
        ("gpt-5.9", None),
        ("openai/o1-mini", 128_000),
        ("o10", None),
        ("stub-model", None),
        ("", None),
        (None, None),
    ],
)
def test_the_window_of_a_model(model: str | None, tokens: int | None) -> None:
    assert window(model) == tokens


@pytest.mark.parametrize("model", windows.WINDOWS)
def test_a_window_is_a_round_number(model: str) -> None:
    tokens = window(model)
    assert tokens is not None
    assert tokens % 1000 == 0 or tokens % 1024 == 0 or (model, tokens) == ("gpt-4.1", 1_047_576)
