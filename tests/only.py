"""Which tests belong to a change: ``make quick ONLY='codex lsp'``.

A word is a folder of tests, a harness, a family of checks, or the code of a rule. A folder is its tests. The others are
found by the names of tests, of their files and of their cases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from promptls.checks import FAMILIES as CHECKS
from promptls.checks.rules import FAMILIES as OF_RULES
from promptls.checks.rules import rules_of
from promptls.checks.rules.catalogue import RULES
from promptls.harnesses.catalogue import FOLDERS

TESTS = Path(__file__).parent
# The modules that find something, and those that say what it is.
FAMILIES = tuple(dict.fromkeys((*OF_RULES, *CHECKS)))
Belongs = Callable[[str], object]


def folders() -> list[str]:
    """The folders that hold tests."""
    return sorted(path.name for path in TESTS.iterdir() if any(path.glob("test_*.py")))


def belongs(word: str) -> Belongs | None:
    """Whether the test with an id (``tests/wire/test_wire.py::test_x[codex/a]``) belongs to ``word``; None: no word."""
    if word in folders():
        return re.compile(rf"tests/{re.escape(word)}/").match
    if word in FOLDERS:
        name, folder = re.escape(word), re.escape(FOLDERS[word])
        # A name may be a part of another one: "pi" is no "api", and "claude-code" no "mini-claude-code".
        # What else varies stands behind it and a hyphen: [codex-AGENTS.md].
        varied = rf"\[(?:.*[^\w-])?{name}(?![\w-])|\[{name}-"
        return re.compile(rf"tests/(?:.*/)?test_{folder}(?![a-z])|[^\[]*(?:{varied})").match
    own = {rule.code for rule in rules_of(word)} if word in OF_RULES else {word}
    codes = [code for code, rule in RULES.items() if code in own or word in rule.found_in]
    if not codes:
        return None
    cases = "|".join(map(re.escape, codes))
    # What compares the rows of all rules with their cases and code, and the folders in which none may be a nuisance.
    of_all = r"test_(?:rules|fixes)\.py::[^\[]*$|test_(?:catalogue|public)\.py"
    own_tests = rf"test_{re.escape(word)}\.py|.*\[(?:.*[^\w-])?(?:{cases})(?![\w-])"
    return re.compile(rf"tests/checks/(?:{own_tests}|{of_all})").match


def is_left_out(path: Path, words: Sequence[str]) -> bool:
    """Whether nothing in a file or folder of tests can belong to ``words``: all of them are in other folders."""
    parts = path.relative_to(TESTS).parts if path.is_relative_to(TESTS) else ()
    return bool(parts) and bool(words) and parts[0] not in map(_folder, words) and not set(words) & set(FOLDERS)


def _folder(word: str) -> str:
    """The folder in which what belongs to a word is; that of a harness is in any."""
    return word if word in folders() else "checks"


def unknown(words: Iterable[str]) -> str | None:
    """What to say of the first word that names nothing."""
    for word in words:
        if belongs(word) is None:
            return (
                f"ONLY: there is nothing that is called {word!r}. Name a folder of tests ({', '.join(folders())}), "
                f"a harness ({', '.join(FOLDERS)}), a family of checks ({', '.join(FAMILIES)}) or the code of a rule."
            )
    return None
