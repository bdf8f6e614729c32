"""Comments that suppress: in each text, the lines marked with ! have a problem that is left, those with . none."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.checks.suppressions import suppressions, unsuppressed
from promptls.core.host import Host
from promptls.core.model import Problem, Range
from tests.folder import lay_out

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
    "behind front matter": f"---\na: . whole file\n---\n{COMMENT}\n. one\n\n! two\n",
    "not the first": f"---\na: ! whole file\n---\nx\n\n{COMMENT}\n. one\n",
    "nothing behind it": f"! one\n\n{COMMENT}",
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
def test_a_comment_that_silences_nothing_is_told(
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
