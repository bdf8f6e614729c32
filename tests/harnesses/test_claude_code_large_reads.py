"""What Claude Code sends of a file that has more tokens than a read answers with, near the edges of each rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Segment, Session, Turn
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere

LINE = "a" * 39 + "\n"
UNEVEN = ("L" * 99 + "\n") * 1500 + "ab\n" * 2000
VARIABLE = "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS"


def _read(folder: Path, name: str, text: str, env: dict[str, str] | None = None, **given: object) -> Prompt:
    root = lay_out(folder / "w", {})
    (root / name).write_text(text, encoding="utf-8", newline="")
    call = Call(tool="Read", input=json.dumps({"file_path": str(root / name), **given}))
    return _shown(folder, Turn("hi", steps=((call,),)), env)


def _shown(folder: Path, turn: Turn, env: dict[str, str] | None = None, model: str | None = None) -> Prompt:
    session = Session("claude-code", str(folder / "w"), turns=(turn,), model=model)
    return harnesses.preview(session, Host(home=str(folder / "home"), env=env or {}))


def _file(prompt: Prompt) -> Segment:
    return next(s for m in prompt.messages if m.role == "tool" for s in m.segments)


def _all(prompt: Prompt) -> str:
    return "\n".join(message.text for message in prompt.messages)


@pytest.mark.parametrize(
    ("name", "text", "kept", "total", "tokens"),
    [
        ("a.txt", LINE * 4000, 2125, 4001, 40_000),
        ("a.txt", LINE * 2500 + "bb", 2125, 2501, 25_001),
        ("a.json", LINE * 1250 + "bbbb", 1063, 1251, 25_002),
        ("A.JSON", LINE * 1251, 1063, 1252, 25_020),
        # Fewer lines while the page is too large.
        ("a.txt", UNEVEN, 933, 3501, 39_000),
        ("a.json", UNEVEN, 466, 3501, 78_000),
        # Letters beyond the first plane are two; a line end is one.
        ("a.txt", ("\U0001f600" * 39 + "\n") * 1500, 1076, 1501, 29_625),
        ("a.txt", ("q" * 38 + "\r\n") * 4000, 2180, 4001, 39_000),
        ("a.txt", "x" * 60_000 + "\n" + "y" * 90_000, 1, 2, 37_500),
    ],
)
def test_a_page_of_lines(name: str, text: str, kept: int, total: int, tokens: int, tmp_path: Path) -> None:
    """Each as the program sent it."""
    prompt = _read(tmp_path, name, text)
    found = _file(prompt)
    assert found.cut is not None
    assert (found.cut.kept, found.cut.total, found.cut.unit) == (kept, total, "lines")
    assert found.text.count("\n") + 1 == kept
    assert found.text.rpartition("\n")[2].startswith(f"{kept}\t")
    assert f"showing lines 1-{kept} of {total} total ({tokens} tokens, cap 25000). " in _all(prompt)


@pytest.mark.parametrize(
    ("text", "kept", "tokens"),
    [("x" * 150_001, 85_000, 37_500), ("x" * 130_000 + "\n" + "y" * 9000 + "\nzz\n", 85_000, 34_751)],
)
def test_of_a_long_line_the_beginning(text: str, kept: int, tokens: int, tmp_path: Path) -> None:
    prompt = _read(tmp_path, "a.txt", text)
    assert _file(prompt).text == "1\t" + "x" * kept
    shown = f"showing the first {kept} of {len(text)} characters ({tokens} tokens, cap 25000); "
    assert shown in _all(prompt)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", LINE * 2500), ("a.txt", LINE * 2500 + "b"), ("a.json", LINE * 1249), ("a.json5", LINE * 2500)],
)
def test_at_the_limit_all_lines_are_sent(name: str, text: str, tmp_path: Path) -> None:
    found = _file(_read(tmp_path, name, text))
    assert found.cut is None
    assert found.text.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"offset": 100}, "File content (39010 tokens) exceeds maximum allowed tokens (25000). "),
        ({"limit": 3500}, "File content (35000 tokens) exceeds maximum allowed tokens (25000). "),
        ({"offset": 2126, "limit": 2125}, "2126\t"),
        ({"offset": 1}, "1\taa"),
        ({"limit": 9000}, "File content (40000 tokens) exceeds maximum allowed tokens (25000). "),
    ],
)
def test_lines_that_are_asked_for_are_sent_or_refused(given: dict[str, Any], says: str, tmp_path: Path) -> None:
    prompt = _read(tmp_path, "a.txt", "\n".join([LINE[:-1]] * 4000), **given)
    assert _file(prompt).text.startswith(says)


def test_a_model_may_insist_on_all_of_it(tmp_path: Path) -> None:
    prompt = _read(tmp_path, "a.txt", LINE * 4000, allow_large=True)
    assert _file(prompt).text.endswith("\n4001\t")
    assert not prompt.notes


def test_a_file_of_too_many_bytes_is_refused(tmp_path: Path) -> None:
    prompt = _read(tmp_path, "a.txt", LINE * 7000)
    assert _file(prompt).text == "File content (273.4KB) exceeds maximum allowed size (256KB). "


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        *((each, 425) for each in ("5000", " 5000", "5e3", "5000.7", "5000x")),
        *((each, None) for each in ("0", "-1", "x")),
    ],
)
def test_a_variable_sets_the_limit(value: str, kept: int | None, tmp_path: Path) -> None:
    found = _file(_read(tmp_path, "a.txt", LINE * 1000, {VARIABLE: value}))
    assert (found.cut.kept if found.cut is not None else None) == kept
    assert kept is None or (found.cut is not None and found.cut.setting is not None)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (625, None),
        # Words of which the service counts more than one for four characters.
        (2400, "of which it sends "),
        (4000, "of which it sends "),
    ],
)
def test_a_note_says_that_the_service_counts(lines: int, says: str | None, tmp_path: Path) -> None:
    prompt = _read(tmp_path, "a.py", "for (a, b) in c.d: e[f] = 1; g += 'h'\n" * lines)
    notes = [note for note in prompt.notes if "the service counts them" in note]
    assert bool(notes) is (says is not None)
    assert says is None or says in notes[0]


def test_of_a_mention_some_lines_or_a_sentence(tmp_path: Path) -> None:
    lay_out(tmp_path / "w", {"m.txt": LINE * 3000, "l.txt": "x" * 150_000})
    prompt = _shown(tmp_path, Turn("see @m.txt and @l.txt and @m.txt#L5-2999"))
    users = [(m.index, m.text) for m in prompt.messages if m.role == "user"]
    assert "\n2000\t" in users[1][1]
    assert "\n2001\t" not in users[1][1]
    assert "has been truncated to the first 2000 lines. " in users[2][1]
    assert '"offset":5,"limit":2000}' in users[3][1]
    assert "\n2004\t" in users[4][1]
    assert "truncated to the first 2000 lines of the range. " in users[5][1]
    # The lines of the first one are a message of their own.
    assert [index for index, _ in users[:4]] == [1, 2, 3, 3]
    assert "/l.txt (146.5KB). " in _all(prompt)
    assert [each.outcome for each in prompt.candidates if (each.path or "").endswith("l.txt")] == ["dropped"]


def test_the_sentence_stands_among_the_files_where_reminders_are_inline(tmp_path: Path) -> None:
    lay_out(tmp_path / "w", {"l.txt": "x" * 150_000, "a.txt": "a\n"})
    prompt = _shown(tmp_path, Turn("see @l.txt and @a.txt"), model="claude-sonnet-4-5")
    users = [m for m in prompt.messages if m.role == "user"]
    assert "/l.txt (146.5KB). " in users[0].text
    assert users[0].index == users[1].index
