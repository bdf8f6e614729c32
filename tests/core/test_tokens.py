import weakref
from collections.abc import Callable

import pytest

from promptls.core import specs, tokens
from promptls.core.model import COMPUTED, START, Elided, Message, Prompt, Segment, Session, Tool
from promptls.core.phrases import tokens_text
from promptls.core.tokens import ESTIMATE, FAMILIES, WEIGHTS, counter, estimate, family_of
from promptls.core.totals import offered_tokens, prompt_tokens, tool_tokens, total_counter
from promptls.core.values import replace
from promptls.core.vocabularies import Vocabulary, exact

pytestmark = pytest.mark.same_everywhere
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
    least, most = (0.8, 1.2) if text.isascii() else (0.6, 1.7)  # little of the others was measured
    assert least < estimate(text) / exact(text) < most


def test_a_listing_of_directories_is_nearly_the_exact_count() -> None:
    lines = ["├───src/", "│   ├───index.ts", "│   └───parts/", "│       └───table.py", "└───README.md"] * 20
    text = "\n".join(lines)
    assert 0.9 < estimate(text, FAMILIES["o200k_base"]) / counter("gpt-5")(text) < 1.1


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
        ("gpt-6", "gpt"),
        ("gemini-2", "gemma-3"),
        ("qwen3-coder-plus", "qwen-3"),
        ("deepseek-chat", "deepseek-3"),
        ("mistralai/devstral-small", "tekken"),
        ("claude-3-5-sonnet-20241022", "claude"),
        ("anthropic/claude-sonnet-4-5", "claude"),
        ("claude-sonnet-4.6", "claude"),
        ("claude-haiku-4-5-20251001", "claude"),
        ("us.anthropic.claude-opus-4-6-v1:0", "claude"),
        ("claude-opus-4-20250514", "claude"),
        ("claude-opus-4-7", "claude-4-7"),
        ("claude-opus-4.8", "claude-4-7"),
        ("claude-sonnet-5", "claude-4-7"),
        ("claude-fable-5[1m]", "claude-4-7"),
        ("nobody-knows", None),
        (None, None),
    ],
)
def test_the_family_of_a_model(model: str | None, name: str | None) -> None:
    assert family_of(model) == name


def test_a_newer_claude_model_has_about_a_third_more_tokens() -> None:
    text = TEXTS["English"]
    assert 1.3 < counter("claude-opus-4-8")(text) / counter("claude-opus-4-6")(text) < 1.6


def test_an_estimate_says_how_far_it_may_be_off() -> None:
    assert tokens_text(12, counter("claude-opus-4-8")) == "~12 tokens (estimate ±10 %)"
    assert tokens_text(1, counter(None)) == "~1 token (estimate ±30 %)"
    assert tokens_text(1, counter("gpt-5")) == "1 token (o200k_base)"
    assert counter("gpt-5").error == 0


def test_a_total_is_counted_like_its_weakest_part() -> None:
    def prompt(*segments: Segment, tools: tuple[Tool, ...] = ()) -> Prompt:
        return Prompt(Session("codex", "/w"), (Message("user", segments, 0),), (), tools=tools, model="gpt-5")

    text = Segment("runtime", "text", "four", COMPUTED, "why")
    elided = Segment("runtime", "text", "", COMPUTED, "why", elided=Elided("text", 400))
    assert total_counter(prompt(text)).method == "o200k_base"
    for weaker in (prompt(text, elided), prompt(text, tools=(Tool("read", True, "why", 400),))):
        assert (total_counter(weaker).method, total_counter(weaker).error) == (ESTIMATE, 4)


def test_a_program_that_asks_one_family_is_counted_like_it_where_no_model_is_known() -> None:
    assert [counter(None, usual).error for usual in ("", "gemma-3", "gpt")] == [30, 15, 15]
    assert counter(None, "gemma-3")(TEXTS["code"]) == counter("gemini-3-pro")(TEXTS["code"])
    assert counter("gpt-5", "gemma-3").method == "o200k_base"
    every = {name: specs.of(name).usual_family for name in specs.names()}
    assert {name: usual for name, usual in every.items() if usual} == {
        "codex": "gpt",
        "gemini-cli": "gemma-3",
        "qwen-code": "qwen-3",
        "mistral-vibe": "tekken",
        "mini-claude-code": "claude",
        "learn-claude-code": "claude",
    }


def test_every_family_has_a_weight_for_everything() -> None:
    columns = sorted({family.column for family in FAMILIES.values()})
    assert {len(row) for row in WEIGHTS.values()} == {len(columns)}
    assert columns == list(range(len(columns)))
    text = "Ab 12 + é ж € ├─ か 漢 한 ＡＢ \u0e01\n \n\tend"
    everywhere = len(tokens._everywhere(text))
    assert {*list(WEIGHTS)[:everywhere], *tokens._beyond_ascii(text)} == {*WEIGHTS}
    assert 0 not in (*tokens._everywhere(text.replace("Ab", "Abcdefghij")), *tokens._beyond_ascii(text).values())


@pytest.mark.parametrize("model", ["claude-opus-4-5", "gpt-5"])
def test_the_texts_of_a_long_list_are_counted_once(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []

    def count(_of: object, text: str) -> int:
        counted.append(text)
        return 1

    monkeypatch.setattr(tokens, "_estimate", count)
    monkeypatch.setattr(Vocabulary, "count", count)
    for each in (tokens._estimates, tokens._exact, exact):
        each.cache_clear()
    # The frame, the words and the end of each row of 4,000 skills, counted by three views.
    texts = [f"{part} {number}" for number in range(4000) for part in ("head", "words", "tail")]
    for _ in range(3):
        for text in texts:
            counter(model)(text)
    assert counted == texts
    for each in (tokens._estimates, tokens._exact, exact):
        each.cache_clear()


class Text(str):  # noqa: SLOT000 - weak references need more than slots
    """A text of which is seen whether it is still there."""


@pytest.mark.parametrize(("length", "most"), [(tokens.SHORT, tokens.FEW), (tokens.LONG, tokens.FEWEST)])
@pytest.mark.parametrize("count", [tokens.kept(len), tokens.estimate])
def test_long_texts_do_not_stay_in_memory(count: Callable[[str], int], length: int, most: int) -> None:
    seen = []
    for number in range(2 * most):
        text = Text(f"{number:04}" + "x" * length)
        seen.append(weakref.ref(text))
        assert count(text) > 0
    del text
    assert sum(each() is not None for each in seen) == most


def test_nothing_costs_nothing() -> None:
    assert counter(None)("") == 0
    assert counter(None)("a") == counter(None)("\n") == 1


def test_the_tokens_of_one_event_are_those_of_its_messages() -> None:
    def message(text: str, at: str) -> Message:
        return Message("user", (Segment("runtime", "text", text, COMPUTED, "why"),), 0, at=at)

    messages = message("four", START), message("four more words", "read:/w/a")
    tools = (Tool("read", True, "why", 400),)
    shown = Prompt(Session("codex", "/w"), messages, (), tools=tools)
    count = counter("gpt-5")
    assert [prompt_tokens(shown, count, at=at) for at in (START, "read:/w/a", None)] == [91, 3, 94]


def test_a_tool_is_counted_by_its_text_where_that_is_known() -> None:
    text = '{"name":"a_tool","description":"Reads a page of the handbook, with its tables."}'
    tools = Tool("known", True, "why", len(text), definition=text), Tool("size", True, "why", 444)
    off = Tool("off", False, "why", len(text), definition=text)
    count = counter("gpt-5")
    assert offered_tokens(tools[0], count) == count(text)
    assert offered_tokens(tools[1], count) == 100
    shown = Prompt(Session("codex", "/w"), (), (), tools=(*tools, off), model="gpt-5")
    assert tool_tokens(shown, count) == count(text) + 100
    assert tool_tokens(replace(shown, stopped="No."), count) == 0


@pytest.mark.parametrize(("letter", "tokens"), [("\u4e00", 82), ("\u9fff", 82), ("\u3040", 63), ("\ua000", 300)])
def test_the_weight_of_a_letter_is_that_of_its_script(letter: str, tokens: int) -> None:
    assert estimate(letter * 100) == tokens


def test_the_own_texts_of_a_program_are_counted_by_what_was_counted_of_them() -> None:
    plain, own = counter("gpt-5"), counter("gpt-5", own=(4.0, 5.0))
    assert (own.of_tools(4000), own.of_prose(5000)) == (1000, 1000)
    assert own.of_definition(TEXTS["English"]) == plain.of_definition(TEXTS["English"])
    # Another family has as much more or less as it usually has.
    usual, other = counter("claude-sonnet-4-5"), counter("claude-sonnet-4-5", own=(4.0, 5.0))
    ratio = usual.of_tools(100_000) / plain.of_tools(100_000)
    assert other.of_tools(100_000) == pytest.approx(25_000 * ratio, abs=1)
    # Nobody has counted other programs.
    assert counter("gpt-5", own=None).of_prose(5000) == plain.of_prose(5000)


def test_what_was_counted_of_programs_is_near_what_is_usual() -> None:
    counted = [own for own in (specs.of(name).own_text for name in specs.names()) if own is not None]
    assert len(counted) >= 9
    usual = FAMILIES["o200k_base"]
    for tool, prose in counted:
        assert 0.9 < tool / usual.per_tool < 1.1
        assert 0.75 < prose / usual.per_prose < 1.1
