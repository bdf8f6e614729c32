"""A plain command line is read without argparse, and means what argparse makes of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from commands import declared
from hypothesis import given
from hypothesis import strategies as st

from promptls import cli
from promptls.cli.arguments import Options, Parser
from promptls.errors import UsageError

NAMES = ("", *(each for each in cli.COMMANDS if each != "serve"))
parser_of = lru_cache(declared)  # each imports its command


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("preview", ""),
        ("preview", "a.py --harness codex --read b.py --read c.py --no-network"),
        ("preview", "--print --mode plan --format json a.py"),
        ("check", "one two --harness codex --fail-on error --no-network"),
        ("check", "--fix"),
        ("explain", "AGENTS.md:3 --all"),
        ("find", "a text --format json"),
        ("find", "text folder"),
        ("diff", "HEAD~1 HEAD --mine"),
        ("rule", "empty"),
        ("schema", "preview"),
        ("", "a.py"),
    ],
)
def test_plain(name: str, words: str) -> None:
    _same(parser_of(name), words.split(), is_plain=True)


@pytest.mark.parametrize(
    "words",
    [
        "--harn codex",
        "--harness=codex",
        "--session -",
        "--format yaml",
        "--harness",
        "--harness --all",
        "--unknown",
        "a.py b.py",
        "a.py --all b.py",
        "--print --interactive",
        "--help",
        "-x",
        "-- a.py",
    ],
)
def test_only_argparse_can_tell(words: str) -> None:
    assert parser_of("preview").plainly(words.split()) is None


@given(st.data())
def test_it_means_what_argparse_makes_of_it(data: st.DataObject) -> None:
    parser = parser_of(data.draw(st.sampled_from(NAMES)))
    names = [name for (names, _), _ in parser.each() for name in names if name.startswith("-")] or ["--help"]
    values = [value for (_, how), _ in parser.each() for value in how.get("choices", ())]
    value = st.sampled_from([*values, "a", "b/c.py", "", "5", "two words", "-", "--", "-1", "--form", "--format=json"])
    words = data.draw(st.lists(st.one_of(st.sampled_from(names), value), max_size=5))
    _same(parser, words)


def _same(parser: Parser, words: list[str], *, is_plain: bool = False) -> None:
    found = parser.plainly(words)
    assert found is not None or not is_plain
    if found is not None:
        assert vars(found) == vars(_by_argparse(parser, words))


def _by_argparse(parser: Parser, words: list[str]) -> Any:
    try:
        return parser.full().parse_args(words, Options())
    except (UsageError, SystemExit) as error:
        pytest.fail(f"argparse refuses {words}: {error}")
