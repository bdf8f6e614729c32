"""Which lines of which files stand in a text."""

from __future__ import annotations

import json

import pytest

from promptls.wire.sent_lines import Files, Stood

AGENTS = "# Rules\n\nUse tabs in all files of this project.\nAsk before you add a dependency.\n"
LONG = "".join(f"Rule {number}: this is the rule with the number {number}.\n" for number in range(1, 101))
FILES = {"/w/AGENTS.md": AGENTS, "/w/LONG.md": LONG, "/w/one.md": "Prefer short answers.\n", "/w/empty.md": " \n"}


def found(text: str, files: dict[str, str] | None = None) -> list[Stood]:
    return list(Files(FILES if files is None else files).stood(text))


def lines(stood: Stood) -> list[tuple[int, int]]:
    return [(each.first, each.last) for each in stood.stretches]


def test_a_whole_file_with_what_stands_around_it() -> None:
    text = f"You are an agent.\n<rules>\n{AGENTS}</rules>\nGo on."
    (stood,) = found(text)
    assert (stood.path, stood.is_whole, stood.form, stood.lines) == ("/w/AGENTS.md", True, "as it is", 4)
    assert text[stood.start : stood.end] == AGENTS.strip()
    assert stood.before == "You are an agent.\n<rules>\n"
    assert stood.after == "\n</rules>\nGo on."


def test_a_file_that_is_cut_in_the_middle_of_a_line() -> None:
    (stood,) = found(f"Rules:\n{LONG[:500]}\n[truncated]\n")
    assert (stood.path, stood.is_whole) == ("/w/LONG.md", False)
    assert stood.stretches[0].first == 1
    assert stood.size == 500
    assert stood.after == "\n[truncated]\n"


def test_a_file_whose_middle_is_left_out() -> None:
    all_lines = LONG.splitlines(keepends=True)
    (stood,) = found("".join([*all_lines[:10], "... [80 lines left out] ...\n", *all_lines[90:]]))
    assert (lines(stood), stood.is_whole) == ([(1, 10), (91, 100)], False)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (AGENTS.replace("\n", "\r\n"), "with other line ends"),
        ("".join(f"{at:>6}\t{line}\n" for at, line in enumerate(AGENTS.splitlines(), 1)), "numbered"),
        ("".join(f"{at}→{line}\n" for at, line in enumerate(AGENTS.splitlines(), 1)), "numbered"),
        ("".join(f"    {line}\n" if line else "\n" for line in AGENTS.splitlines()), "indented"),
        (AGENTS.replace("\n\n", "\n"), "changed"),
    ],
)
def test_a_text_that_was_changed(text: str, form: str) -> None:
    (stood,) = found(f"Before.\n{text}After.\n")
    assert (stood.path, stood.is_whole, stood.form) == ("/w/AGENTS.md", True, form)


def test_a_file_in_a_string_of_json() -> None:
    text = json.dumps({"content": AGENTS + 'Say "ok" — and no\tmore.\n', "lines": 5})
    (stood,) = found(text, {"/w/AGENTS.md": AGENTS + 'Say "ok" — and no\tmore.\n'})
    assert (stood.is_whole, stood.form, lines(stood)) == (True, "in JSON", [(1, 5)])
    assert text[stood.start : stood.end].startswith("# Rules\\n\\nUse tabs")
    assert text[stood.start : stood.end].endswith('Say \\"ok\\" \\u2014 and no\\tmore.')
    assert (stood.before, stood.after) == ('{"content": "', '\\n", "lines": 5}')
    (numbered,) = found(json.dumps(["".join(f"{at}\t{line}\n" for at, line in enumerate(AGENTS.splitlines(), 1))]))
    assert (numbered.is_whole, numbered.form) == (True, "numbered")
    (plain,) = found(f"[rules]\n{AGENTS}")
    assert plain.form == "as it is"


def test_a_label_in_the_first_line_and_one_in_the_last() -> None:
    (stood,) = found(f"<file>{AGENTS.strip()}</file>")
    assert (stood.before, stood.after) == ("<file>", "</file>")
    assert lines(stood) == [(1, 4)]
    (stood,) = found("Style: “Prefer short answers.” Go on.")
    assert (stood.path, stood.is_whole, stood.before) == ("/w/one.md", True, "Style: “")


def test_a_line_that_others_have_too_is_of_no_file() -> None:
    assert found("import os\n", {"/w/a.py": "import os\nprint(os.name)\n"}) == []
    assert found("notPrefer short answers.ok") == []


def test_the_file_whose_path_stands_nearest_is_meant() -> None:
    files = {"/w/AGENTS.md": AGENTS, "/w/pkg/AGENTS.md": AGENTS}
    one, other = found(f"# /w/AGENTS.md\n{AGENTS}\n# /w/pkg/AGENTS.md\n{AGENTS}", files)
    assert (one.path, other.path) == ("/w/AGENTS.md", "/w/pkg/AGENTS.md")
    assert one.also == ("/w/pkg/AGENTS.md",)
    (again,) = found(AGENTS, files)
    assert (again.path, again.also) == ("/w/AGENTS.md", ("/w/pkg/AGENTS.md",))


def test_the_order_is_that_of_the_text() -> None:
    assert [each.path for each in found(f"{LONG}\n{AGENTS}\nPrefer short answers.\n")] == [
        "/w/LONG.md",
        "/w/AGENTS.md",
        "/w/one.md",
    ]
