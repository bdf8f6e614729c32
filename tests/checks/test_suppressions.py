"""Comments that suppress: in each text, the lines marked with ! have a problem that is left, those with . none."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks.folder import reported_problems
from promptls.checks.suppressions import suppressions, unsuppressed
from promptls.checks.tree import Tree
from promptls.core.host import Host
from promptls.core.model import Problem, Range, Session
from promptls.core.settings import Settings
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
COMMENT = "<!-- promptls: ignore path-dead it is made by the build -->"
CASES = {
    "the next line": f"! one\n\n{COMMENT}\n. two\n\n! three\n",
    "a paragraph": f"{COMMENT}\n. one\n. two\n\n! three\n",
    "after an empty line": f"{COMMENT}\n\n. one\n\n! two\n",
    "a list": f"{COMMENT}\n- . one\n- . two\n\n  . three\n- . four\n\n! five\n",
    "a numbered list": f"{COMMENT}\n1. . one\n2. . two\n\n! three\n",
    "a fence": f"{COMMENT}\n```\n. one\n\n. two\n```\n! three\n",
    "a longer fence": f"{COMMENT}\n~~~~\n. one\n~~~\n. two\n~~~~\n! three\n",
    "its own line": f"! zero\n\n. one {COMMENT}\n. two\n\n! three\n",
    "in code": f"```\n{COMMENT}\n! one\n```\n! two\n",
    "in a code span": f"Write `{COMMENT}`\n! one\n",
    "another code": "<!-- promptls: ignore url-slow x -->\n! one\n",
    "no code": "<!-- promptls: ignore -->\n! one\n",
    "two comments": f"<!-- promptls: ignore url-slow x -->\n{COMMENT}\n. one\n\n! two\n",
    "a comment of many lines": "<!-- promptls: ignore path-dead\nmade by the build -->\n. one\n\n! two\n",
    "after front matter": f"---\na: . whole file\n---\n{COMMENT}\n. one\n\n! two\n",
    "not the first": f"---\na: ! whole file\n---\nx\n\n{COMMENT}\n. one\n",
    "another one further down": f"{COMMENT}\n. one\n\n! two\n\n{COMMENT}\n. three\n",
    "nothing after it": f"! one\n\n{COMMENT}",
    "windows": f"{COMMENT}\r\n. one\r\n\r\n! two\r\n",
}


def problems_in(path: str, text: str) -> list[Problem]:
    return [
        Problem(path, Range(line, 0, line, 1), "path-dead", "hint", written)
        for line, written in enumerate(text.splitlines())
        if "! " in written.replace("<!-- ", "") or ". " in written.replace("1. . ", ". ").replace("2. . ", ". ")
    ]


@pytest.mark.parametrize("name", CASES)
def test_what_a_comment_silences(tmp_path: Path, name: str) -> None:
    text = CASES[name]
    path = str(lay_out(tmp_path, {"AGENTS.md": text.encode()}) / "AGENTS.md")
    found = unsuppressed(problems_in(path, text), Host(home="/", env={}))
    assert [each.message for each in found] == [line for line in text.splitlines() if "! " in line.replace("<!-- ", "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{COMMENT}\nx\n", [("suppression-unused", 0, "No path-dead problem follows any more. Remove this comment.")]),
        (
            "x\n\n<!-- promptls: ignore pathdead y -->\nx\n",
            [
                (
                    "suppression-unused",
                    2,
                    "There is no rule pathdead, so this comment has no effect. Fix the code.",
                )
            ],
        ),
        ("<!-- promptls: ignore url-slow y -->\nx\n", []),
        (f"```\n{COMMENT}\n```\n", []),
    ],
)
def test_a_comment_that_suppresses_nothing_is_reported(
    tmp_path: Path, text: str, expected: list[tuple[str, int, str]]
) -> None:
    path = str(lay_out(tmp_path, {"AGENTS.md": text}) / "AGENTS.md")
    host = Host(home="/", env={})
    found = unsuppressed([], host, [path], is_off=lambda code: code.startswith("url-"))
    assert [(each.code, each.range.start_line, each.message) for each in found] == expected
    assert unsuppressed([], host) == []


def test_where_a_comment_stands(tmp_path: Path) -> None:
    path = str(lay_out(tmp_path, {"AGENTS.md": f"é😀 {COMMENT}\n"}) / "AGENTS.md")
    (found,) = suppressions(Host(home="/", env={}), path)
    assert (found.range.start_character, found.range.end_character) == (4, 4 + len(COMMENT))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{COMMENT}\na\nb\n\nc", (0, 2)),
        (f"x\n\n{COMMENT}\na\nb\n\nc", (2, 4)),
        (f"x\n{COMMENT}\n\n\na", (1, 4)),
        (f"x\n\n{COMMENT}\n- a\n\n  b\n- c\nd\n\ne", (2, 7)),
        (f"x\n\n{COMMENT}\n- a\n\n\tb\n\nc", (2, 5)),
        (f"x\n\n{COMMENT}\n- a\n\n* b\n\nc", (2, 5)),
        (f"x\n\n{COMMENT}\n```\na\n\nb", (2, 6)),
        (f"x\n\n{COMMENT}\n```\na\n~~~\n\n```\nb", (2, 7)),
        (f"x\n\n{COMMENT}\n```\na\n````\nb", (2, 5)),
        (f"x\n\n{COMMENT}\n````\na\n```\nb\n\n````\nc", (2, 8)),
        (f"x\n\n{COMMENT}\n\n{COMMENT}\na\n\nb", (2, 5)),
        (f"x\n\n{COMMENT}", (2, 2)),
        (f"x\n\n{COMMENT}\na", (2, 3)),
        (f"{COMMENT}", (0, 0)),
        (f"---\na: b\n---\n\n{COMMENT}\na\n\nb", (0, 5)),
        (f"---\n---\n{COMMENT}\na\n", (0, 3)),
        (f"a {COMMENT} b\nc\n\nd", (0, 1)),
        ("<!-- promptls: ignore cut x -->\na\n\nb\n\nc", (0, 6)),
        ("x\n\n<!-- promptls: ignore cut x -->\na\n\nb", (2, 3)),
        ("\ufeff<!-- promptls: ignore cut x -->\na\n\nb", (0, 4)),
    ],
)
def test_the_lines_that_a_comment_is_for(tmp_path: Path, text: str, lines: tuple[int, int]) -> None:
    path = str(lay_out(tmp_path, {"AGENTS.md": text}) / "AGENTS.md")
    first = suppressions(Host(home="/", env={}), path)[0]
    assert (first.first, first.last) == lines


def test_comments_before_and_behind_each_other(tmp_path: Path) -> None:
    """A comment within what another is for, and one of another rule."""
    text = f"{COMMENT}\n- a\n- b\n  {COMMENT}\n- c\n\nx\n\n<!-- promptls: ignore url-slow y -->\nd\n"
    path = str(lay_out(tmp_path, {"AGENTS.md": text}) / "AGENTS.md")
    host = Host(home="/", env={})

    def problem(line: int, code: str = "path-dead") -> Problem:
        return Problem(path, Range(line, 0, line, 1), code, "hint", f"{code} {line}")

    every = [problem(6), problem(4), problem(1), problem(9, "url-slow"), problem(9), problem(2, "url-slow")]
    left = unsuppressed(every, host, [path])
    assert [each.message for each in left] == ["path-dead 6", "path-dead 9", "url-slow 2"]
    assert [each.range.start_line for each in unsuppressed([], host, [path])] == [0, 3, 8]
    beside = unsuppressed([problem(6), problem(2)], host, [path])
    assert [(each.code, each.range.start_line) for each in beside] == [
        ("path-dead", 6),
        ("suppression-unused", 3),
        ("suppression-unused", 8),
    ]


@pytest.mark.parametrize(
    ("settings", "code", "is_reported"),
    [
        (Settings(), "url-slow", True),
        (Settings(urls_enabled=False), "url-slow", False),
        (Settings(urls_enabled=False), "path-dead", True),
        (Settings(rules=(("path-dead", "off"),)), "path-dead", False),
        (Settings(), "token-budget", False),
    ],
)
def test_a_comment_for_what_nobody_looks_for_may_stay(
    tmp_path: Path, settings: Settings, code: str, *, is_reported: bool
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": f"Use tabs.\n\n<!-- promptls: ignore {code} x -->\nx\n"})
    prompt = harnesses.preview(Session("opencode", str(folder)), host := Host(home="/", env={}))
    found = reported_problems(Tree(str(folder), (f"{folder}/AGENTS.md",), (prompt,), host), settings)
    assert [each.code for each in found] == ["suppression-unused"] * is_reported
