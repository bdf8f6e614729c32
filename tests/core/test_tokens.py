import bpe_openai
import pytest

from promptls.core import tokens
from promptls.core.model import COMPUTED, START, Message, Prompt, Segment, Session, Tool
from promptls.core.tokens import ESTIMATE, counter, estimate, vocabulary
from promptls.core.totals import prompt_tokens

TEXTS = {
    "English": "Run the checks before you say that a task is done, and explain what you changed. " * 20,
    "code": "def total(prices: list[int]) -> int:\n    return sum(price for price in prices if price)\n" * 20,
    "Chinese": "所有导出函数需要注释,测试覆盖率不低于八成。" * 20,
    "Japanese": "関数にはテストが必要です。ドキュメントを書いてください。" * 20,
    "Korean": "모든 함수에는 테스트가 필요합니다. " * 20,
    "Russian": "Все функции должны иметь тесты и документацию. " * 20,
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_estimate_is_near_the_exact_count(language: str) -> None:
    text = TEXTS[language]
    exact = counter("gpt-5")
    assert exact.method == "o200k_base"
    assert 0.6 < estimate(text) / exact(text) < 1.7


def test_a_model_without_a_public_vocabulary_is_estimated_and_says_so() -> None:
    assert counter("anthropic/claude-sonnet-4-5").method == "estimate"
    assert counter(None).method == "estimate"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-5", "o200k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4-32k", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("o3-mini", "o200k_base"),
        ("gemini-2", None),
        (None, None),
    ],
)
def test_the_vocabulary_of_a_model(model: str | None, name: str | None) -> None:
    assert vocabulary(model) == name


@pytest.mark.parametrize(("model", "name"), [("gpt-5", "o200k_base"), ("gpt-4", "cl100k_base")])
def test_the_counts_are_those_of_the_package(model: str, name: str) -> None:
    count, encoding = counter(model), bpe_openai.get_encoding(name)
    assert count.method == name
    for text in (
        "four words of text",
        "Grüße 你好 🎉",
        "x\ud800y",
        "<|endoftext|> a",
        "a" * 5000,
        " \n\n\t\r\n",
        "{}[];",
    ):
        assert count(text) == len(encoding.encode_ordinary(text)), text


def test_nothing_costs_nothing() -> None:
    assert counter(None)("") == 0
    assert counter(None)("a") == counter(None)("é") == 1


def test_a_vocabulary_that_is_not_installed_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_exact", lambda _: None)
    assert (counter("gpt-4o").method, counter("gpt-4o")("four words of text") > 0) == (ESTIMATE, True)


def test_the_tokens_of_one_event_are_those_of_its_messages() -> None:
    def message(text: str, at: str) -> Message:
        return Message("user", (Segment("runtime", "text", text, COMPUTED, "why"),), 0, at=at)

    messages = message("four", START), message("four more words", "read:/w/a")
    tools = (Tool("read", True, "why", 400),)
    shown = Prompt(Session("codex", "/w"), messages, (), tools=tools)
    count = counter("gpt-5")
    assert [prompt_tokens(shown, count, at=at) for at in (START, "read:/w/a", None)] == [101, 3, 104]


@pytest.mark.parametrize(("letter", "tokens"), [("\u4e00", 75), ("\u9fff", 75), ("\u3040", 60), ("\ua000", 33)])
def test_the_weight_of_a_letter_is_that_of_its_script(letter: str, tokens: int) -> None:
    assert estimate(letter * 100) == tokens
