"""Files that Claude Code sends again after a compaction, where several were changed at the same time.

The orders are those of the real program, for the same tree with the same times.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
FILES: dict[str, str | bytes | dict[str, object]] = {
    "CLAUDE.md": "Root.\n",
    ".claude/rules/always.md": "Always.\n",
    ".claude/rules/docs.md": "---\npaths: docs/**\n---\nDocs.\n",
    "docs/m.md": "Text.\n",
    "pkg/CLAUDE.md": "See @imp.md\n",
    "pkg/imp.md": "Imported.\n",
    "pkg/a.py": "1\n",
    "pkg/b.py": "1\n",
}
A, B, M = "pkg/a.py", "pkg/b.py", "docs/m.md"
ALWAYS, DOCS, OWN, IMPORTED = ".claude/rules/always.md", ".claude/rules/docs.md", "pkg/CLAUDE.md", "pkg/imp.md"


def previewed(
    tmp_path: Path, steps: list[list[str]], later: Mapping[str, int], before: tuple[Turn, ...] = ()
) -> Prompt:
    """``later``: files that were changed five seconds after the others, and nanoseconds on top of that."""
    root = lay_out(tmp_path / "w", FILES)
    for name in FILES:
        os.utime(root / name, ns=(0, 10**18 + (5 * 10**9 + later[name] if name in later else 0)))
    said = Turn(prompt="one", steps=tuple(tuple(Call(read=each) for each in step) for step in steps))
    turns = (*before, said, Turn(compact=""), Turn(prompt="two"))
    session = Session("claude-code", str(root), turns=turns, interactive=True, is_trusted=True)
    return harnesses.preview(session, Host(home=str(tmp_path), env={}))


def restored(
    tmp_path: Path, steps: list[list[str]], later: Mapping[str, int] | None = None, before: tuple[Turn, ...] = ()
) -> list[str]:
    texts = [message.text for message in previewed(tmp_path, steps, later or {}, before).messages]
    called = [text.split('"file_path":"', 1)[1].split('"')[0] for text in texts if "Called the Read tool" in text]
    return [os.path.relpath(each, tmp_path / "w").replace(os.sep, "/") for each in called]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([[A]], [IMPORTED, OWN, ALWAYS, A]),
        ([[M], [A], [B]], [A, DOCS, ALWAYS, M, OWN]),
        ([[A], [M], [A]], [M, IMPORTED, OWN, ALWAYS, DOCS]),
        ([[A, M]], [DOCS, IMPORTED, OWN, ALWAYS, A]),
    ],
)
def test_the_last_one_that_it_has_looked_at_is_first(tmp_path: Path, steps: list[list[str]], said: list[str]) -> None:
    assert restored(tmp_path, steps) == said


def test_a_millisecond_is_the_same_time(tmp_path: Path) -> None:
    assert restored(tmp_path, [[A]], {A: 9000, OWN: 5000}) == [OWN, A, IMPORTED, ALWAYS]


def test_a_cleared_session_knows_nothing_of_the_start(tmp_path: Path) -> None:
    before = (Turn("zero", steps=((Call(read=B),),)), Turn("/clear"))
    assert restored(tmp_path, [[A]], before=before) == [IMPORTED, OWN, A]


@pytest.mark.parametrize(("apart", "is_said"), [(1000, True), (10**7, False)])
def test_an_order_that_the_program_does_not_know_is_said(tmp_path: Path, apart: int, *, is_said: bool) -> None:
    """What has come back once comes back again in any order."""
    later = {A: 0, B: apart, OWN: 5 * 10**7, IMPORTED: 4 * 10**7, ALWAYS: 3 * 10**7}
    again = (Turn("zero", steps=((Call(read=A), Call(read=B)),)), Turn(compact=""))
    notes = [previewed(tmp_path / str(len(before)), [[A]], later, before).notes for before in ((), again)]
    assert [any("the same millisecond" in each for each in some) for some in notes] == [False, is_said]


@pytest.mark.parametrize(("apart", "is_said"), [(1000, True), (10**7, False)])
def test_those_of_the_start_have_no_order_where_nothing_was_read(tmp_path: Path, apart: int, *, is_said: bool) -> None:
    more = tmp_path / "w/.claude/rules/more.md"
    more.parent.mkdir(parents=True)
    more.write_text("More.\n", encoding="utf-8")
    os.utime(more, ns=(0, 10**18 + apart))
    notes = previewed(tmp_path, [], {}).notes
    assert any("the same millisecond" in each for each in notes) == is_said


@pytest.mark.parametrize(("apart", "is_said"), [(1000, True), (10**7, False)])
def test_which_one_is_the_last_of_five_may_be_unknown(tmp_path: Path, apart: int, *, is_said: bool) -> None:
    later = {A: 6 * 10**7, DOCS: 5 * 10**7, ALWAYS: 4 * 10**7, M: 3 * 10**7, OWN: 10**7 + apart, IMPORTED: 10**7}
    again = (Turn("zero", steps=((Call(read=M),),)), Turn(compact=""))
    notes = previewed(tmp_path, [[A], [B]], later, again).notes
    assert any("the same millisecond" in each for each in notes) == is_said
