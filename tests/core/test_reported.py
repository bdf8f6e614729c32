"""What the service will report of a prompt, apart from the tokens of its text."""

from __future__ import annotations

import pytest

from promptls.core.calibration import Measured, calibrate
from promptls.core.model import COMPUTED, Learned, Message, Prompt, Segment, Session, Tool
from promptls.core.phrases import summary
from promptls.core.prompt_json import to_json
from promptls.core.totals import counter_of, prompt_tokens, reported
from promptls.core.values import replace

TOOLS = (Tool("read", True, "why", 18_720), Tool("off", False, "why", 900))


def _prompt(model: str, tools: tuple[Tool, ...] = TOOLS) -> Prompt:
    def message(index: int, block: int = 0) -> Message:
        return Message("user", (Segment("runtime", "text", "four words of text", COMPUTED, "why"),), index, block)

    return Prompt(Session("opencode", "/w"), (message(0), message(0, 1), message(1)), (), tools=tools, model=model)


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("claude-opus-4-6", 346 + 2 * 6),
        ("claude-opus-4-8", 346 + 2 * 6),
        ("gpt-5", 3 + 2 * 3),
    ],
)
def test_a_service_adds_its_own_to_messages_and_tools(model: str, more: int) -> None:
    prompt = _prompt(model)
    found = reported(prompt)
    assert found is not None
    assert found.tokens - prompt_tokens(prompt, counter_of(prompt)) == more
    assert (found.method, found.requests) == ("estimate", 0)


def test_without_tools_nothing_is_added_for_them() -> None:
    found, own = reported(_prompt("claude-opus-4-8", ())), _prompt("claude-opus-4-8", ())
    assert found is not None
    assert found.tokens - prompt_tokens(own, counter_of(own)) == 2 * 6


def test_a_service_may_write_tools_shorter() -> None:
    prompt = _prompt("gemini-3-pro")
    found = reported(prompt)
    assert found is not None
    assert found.tokens == pytest.approx(0.82 * prompt_tokens(prompt, counter_of(prompt)), rel=0.01)


@pytest.mark.parametrize("model", ["qwen3-coder-plus", "nobody-knows", None])
def test_what_is_not_known_of_a_service_is_none(model: str | None) -> None:
    assert reported(replace(_prompt("gpt-5"), model=model)) is None
    assert to_json(replace(_prompt("gpt-5"), model=model))["totals"]["reported"] is None


def test_what_was_reported_of_requests_like_it_counts_for_all_that_is_known_of_services() -> None:
    requests = tuple(Measured(f"s{each}", f"{each}", 4400, 2000 + each, 7300 + each) for each in range(6))
    prompt = replace(_prompt("gpt-5"), calibration=calibrate(requests, is_exact=True))
    found = reported(prompt)
    assert found is not None
    assert (found.method, found.error, found.requests) == ("calibrated", 1.0, 6)
    assert found.tokens == pytest.approx(5300, abs=30)
    assert to_json(prompt)["totals"]["reported"] == {
        "tokens": found.tokens,
        "method": "calibrated",
        "error": 1.0,
        "requests": 6,
        "sessions": 6,
    }
    assert summary(prompt).endswith(f" · the service will report ~{found.tokens:,} (±1 %)")


def test_a_prompt_that_is_not_sent_is_not_reported() -> None:
    assert reported(replace(_prompt("gpt-5"), messages=(), stopped="No.")) is None


def test_sizes_of_another_version_make_the_total_an_estimate() -> None:
    requests = tuple(Measured(f"s{each}", f"{each}", 4400, 2000 + each, 7300 + each) for each in range(6))
    prompt = replace(_prompt("gpt-5"), calibration=calibrate(requests, is_exact=True))
    learned = Learned("2026-11-27", "1.0.0", holds=9, rules=9, inherited=2)
    for each, method in ((learned, "estimate"), (replace(learned, inherited=0), "calibrated")):
        found = replace(prompt, learned=each)
        totals = to_json(found)["totals"]
        assert (totals["token_method"], totals["reported"]["method"]) == (method, method)
        assert totals["tokens"] == to_json(prompt)["totals"]["tokens"]
        assert (", 2 sizes of 1.0.0)" in summary(found)) == (method == "estimate")
