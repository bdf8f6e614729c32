"""Patterns that would be followed for ever: bounded, and said so. Those that only look bad find what they match."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.kit.globs import MAX_DEPTH, match
from tests.folder import lay_out
from tests.limits import at_most

pytestmark = pytest.mark.same_everywhere
LIMIT = 10.0
"""Seconds."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Directories with links back to the top, and a name that has many readings."""
    files: dict[str, str | bytes | dict[str, object]] = {f"d{n}/b/c/x.md": "x" for n in range(6)}
    lay_out(tmp_path, {**files, "a" * 250: "", "x.md": "", "{a,b": "", "[x": "", "aab": ""})
    for n in range(6):
        (tmp_path / f"d{n}/loop").symlink_to(tmp_path)
        (tmp_path / f"d{n}/b/c/self").symlink_to("self")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("**/**/**/**/*.md", 7),
        ("**/" * 5000 + "*.md", 7),
        ("d0/**/x.md", 2),
        ("*a" * 40 + "b", 0),
        ("*" * 10_000, 5),
        ("?" * 10_000, 0),
        ("[x", 1),
        ("{a,b", 1),
        ("[" * 10_000, 0),
        ("[z-a]", 0),
        ("+(a|b)", 2),
        ("@(x|y).md", 1),
        ("a\0*", 0),
        ("\ud800*", 0),
        ("{1..5..0}", 0),
        ("{0..3}" * 4 + "*", 0),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_only_looks_bad(folder: Path, pattern: str, count: int) -> None:
    with at_most(LIMIT):
        found = match(Host(home="", env={}), pattern, str(folder), dot=False)
    assert (len(found.paths), found.is_cut) == (count, False)


@pytest.mark.parametrize(
    "pattern",
    [
        "{1..99999999}",
        "{a,b}" * 20,
        "{" * 5000 + "}" * 5000,
        "{" + ",".join(map(str, range(5000))) + "}",
        "a/" * (MAX_DEPTH + 1) + "*",
        "+(a|aa)c",
        "+(a*)c",
        "*(*(a))c",
        "+(" * 200 + "a" + ")" * 200,
        "!(" * 100 + "a" + ")" * 100,
        "@(a|b)" + "*a" * 30 + "c",
    ],
    ids=lambda pattern: pattern[:30],
)
def test_what_is_given_up(folder: Path, pattern: str) -> None:
    with at_most(LIMIT):
        found = match(Host(home="", env={}), pattern, str(folder), dot=False)
    assert found.is_cut


def test_deeper_than_anybody_goes(tmp_path: Path) -> None:
    (tmp_path / "/".join(["d"] * (MAX_DEPTH + 2))).mkdir(parents=True)
    assert match(Host(home="", env={}), "**/*.md", str(tmp_path), dot=False).is_cut


def test_agents_behind_links_in_loops(tmp_path: Path) -> None:
    lay_out(tmp_path, {".opencode/agents/a.md": "x"})
    for n in range(4):
        (tmp_path / f".opencode/agents/loop{n}").symlink_to(".")
    with at_most(2 * LIMIT):
        prompt = harnesses.preview(Session("opencode", str(tmp_path)), Host(home="/nonexistent", env={}))
    agents = [each.path for each in prompt.candidates if each.use == "agent"]
    assert agents == [f"{tmp_path}/.opencode/agents/a.md"]


def test_a_pattern_that_is_given_up_is_said_to_be(folder: Path) -> None:
    (folder / "opencode.json").write_text('{"instructions": ["{1..99999999}.md"]}', encoding="utf-8")
    prompt = harnesses.preview(Session("opencode", str(folder)), Host(home="/nonexistent", env={}))
    assert prompt.notes == ("The pattern {1..99999999}.md is only partly expanded, because it matches too many paths.",)
    entry = [candidate for candidate in prompt.candidates if candidate.origin.kind == "config"]
    assert [(each.outcome, "stopped expanding" in each.why) for each in entry] == [("failed", True)]
    assert prompt_problems(prompt) == [], "whether it matches anything is not known"


def test_all_patterns_together_are_bounded(folder: Path) -> None:
    entries = ", ".join(f'"**/{n}*.md"' for n in range(2000))
    (folder / "opencode.json").write_text(f'{{"instructions": [{entries}]}}', encoding="utf-8")
    with at_most(2 * LIMIT):
        prompt = harnesses.preview(Session("opencode", str(folder)), Host(home="/nonexistent", env={}))
    assert prompt.notes
