from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, reading

pytestmark = pytest.mark.same_everywhere


def preview(cwd: Path, *reads: str) -> Prompt:
    return harnesses.preview(
        Session(harness="learn-claude-code", cwd=str(cwd), turns=reading(reads)), Host(home=str(cwd), env={})
    )


def test_the_first_call_assembles_and_the_later_ones_hit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    notes = preview(tmp_path, "a.txt", "a.txt").notes
    assert len(notes) == 3
    assert "[assembled] sections: identity, tools, workspace (" in notes[0]
    assert all("[cache hit]" in note for note in notes[1:])


def test_the_trace_names_the_memory_section_when_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "MEMORY.md").write_text("x", encoding="utf-8")
    assert "[assembled] sections: identity, tools, workspace, memory (" in preview(tmp_path).notes[0]


def test_the_memory_is_sent_as_python_reads_it(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "MEMORY.md").write_bytes(b"\r\none\r\ntwo\rthree\r\n")
    message = preview(tmp_path).messages[0]
    assert message.text.endswith("Relevant memories:\none\ntwo\nthree")
    where = message.segments[-1].origin.range
    assert where is not None
    assert (where.start_line, where.end_line, where.end_character) == (1, 3, 5)


def test_its_tools_are_always_offered(tmp_path: Path) -> None:
    tools = preview(tmp_path).tools
    assert tools
    assert all(tool.enabled for tool in tools)
