"""``make quick ONLY=...`` runs what belongs to a word, and nothing else."""

from __future__ import annotations

import pytest

from tests import only

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("word", "belonging", "others"),
    [
        ("lsp", ["tests/lsp/test_map.py::test_a"], ["tests/cli/test_map.py::test_a", "tests/test_lsp.py::test_a"]),
        (
            "pi",
            [
                "tests/wire/test_wire.py::test_a[pi/case-variants]",
                "tests/hostile/test_linear.py::test_a[markdown: rules of pi]",
                "tests/harnesses/test_specs.py::test_a[pi-AGENTS.md]",
                "tests/harnesses/test_pi.py::test_a",
                "tests/harnesses/test_pi_turns.py::test_a",
            ],
            [
                "tests/wire/test_wire.py::test_a[openclaw/pi-2]",
                "tests/wire/test_wire.py::test_a[openclaw/api]",
                "tests/harnesses/test_pictures.py::test_a",
            ],
        ),
        (
            "claude-code",
            [
                "tests/harnesses/test_claude_code_turns.py::test_a",
                "tests/cases/test_cases.py::test_case[claude-code/a]",
            ],
            ["tests/harnesses/test_mini_claude_code.py::test_a", "tests/a/test_b.py::test_a[mini-claude-code-a]"],
        ),
        (
            "limits",
            ["tests/checks/test_limits.py::test_a", "tests/checks/test_rules.py::test_a[cut/fires-a]"],
            ["tests/checks/test_rules.py::test_a[healthy/cut-a]", "tests/cases/test_cases.py::test_case[codex/cut]"],
        ),
        (
            "cut",
            [
                "tests/checks/test_rules.py::test_a[cut/fires-a]",
                "tests/checks/test_rules.py::test_a_trait",
                "tests/checks/test_public.py::test_a[web]",
                "tests/checks/test_catalogue.py::test_a_row[limits]",
                "tests/checks/test_fixes.py::test_the_catalogue",
            ],
            [
                "tests/checks/test_rules.py::test_a[cut-short/fires-a]",
                "tests/checks/test_fixes.py::test_a[dropped/fires-a]",
                "tests/checks/test_limits.py::test_a",
            ],
        ),
    ],
)
def test_what_belongs_to_a_word(word: str, belonging: list[str], others: list[str]) -> None:
    belongs = only.belongs(word)
    assert belongs is not None
    assert [each for each in belonging if not belongs(each)] == []
    assert [each for each in others if belongs(each)] == []


@pytest.mark.parametrize("word", only.FAMILIES)
def test_every_family_is_a_word(word: str) -> None:
    assert only.belongs(word) is not None


def test_a_word_that_names_nothing_is_told() -> None:
    says = only.unknown(["codex", "nonsense"])
    assert says is not None
    assert "'nonsense'" in says
    assert "codex" in says
    assert only.unknown(["codex", "lsp", "limits", "cut"]) is None


@pytest.mark.parametrize(
    ("path", "words", "is_left_out"),
    [
        ("cli", "lsp", True),
        ("cli/test_map.py", "lsp page", True),
        ("test_cost.py", "lsp", True),
        ("lsp/test_hover.py", "lsp page", False),
        ("cli", "lsp codex", False),
        ("cli", "cut", True),
        ("checks/test_rules.py", "cut limits", False),
        ("wire", "cut codex", False),
        ("cli", "", False),
        ("", "lsp", False),
    ],
)
def test_other_folders_are_not_imported(path: str, words: str, is_left_out: bool) -> None:
    assert only.is_left_out(only.TESTS / path, words.split()) == is_left_out
