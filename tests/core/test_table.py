"""What several harnesses are sent, side by side."""

from __future__ import annotations

import pytest

from promptls.core.model import COMPUTED, Candidate, Cut, Elided, Message, Origin, Prompt, Segment, Session
from promptls.core.table import OWN_NAME, Cell, Table, table

pytestmark = pytest.mark.same_everywhere
LINKS = {"/w/CLAUDE.md": "/w/AGENTS.md"}


def file(path: str, tokens: int, cut: Cut | None = None) -> Segment:
    return Segment("instructions", path, "word " * tokens, Origin("file", path=path), "why", cut=cut)


def start(*segments: Segment) -> Message:
    return Message("system", segments, 0)


def read(*segments: Segment) -> Message:
    return Message("user", segments, 1, at="read:/w/a/b.py")


def prompt(harness: str, *messages: Message, candidates: tuple[Candidate, ...] = ()) -> Prompt:
    return Prompt(Session(harness, "/w", "1"), messages, candidates, model="gemini-2.5-pro")


def made(*prompts: list[Prompt]) -> Table:
    return table(prompts, lambda path: LINKS.get(path, path))


def cells(shown: Table) -> dict[tuple[str, ...], tuple[Cell | None, ...]]:
    return {row.names: row.cells for row in shown.rows}


def test_a_file_has_a_cell_for_each_harness() -> None:
    shown = made(
        [prompt("a", start(file("/w/AGENTS.md", 5), file("/w/x.md", 9)))], [prompt("b", start(file("/w/AGENTS.md", 5)))]
    )
    assert cells(shown) == {("/w/x.md",): (Cell(9), None), ("/w/AGENTS.md",): (Cell(5), Cell(5))}
    assert [(each.harness, each.tokens, each.window) for each in shown.columns] == [
        ("a", 14, 1_048_576),
        ("b", 5, 1_048_576),
    ]


def test_a_link_and_its_file_are_one_row() -> None:
    shown = made(
        [prompt("a", start(file("/w/CLAUDE.md", 5)))],
        [prompt("b", start(file("/w/AGENTS.md", 5), file("/w/CLAUDE.md", 5)))],
    )
    assert cells(shown) == {("/w/CLAUDE.md", "/w/AGENTS.md"): (Cell(5), Cell(10))}


def test_what_a_read_adds_is_marked_and_counts() -> None:
    shown = made([prompt("a", start(file("/w/AGENTS.md", 5)), read(file("/w/a/AGENTS.md", 3)))])
    assert cells(shown) == {("/w/AGENTS.md",): (Cell(5),), ("/w/a/AGENTS.md",): (Cell(3, is_on_read=True),)}
    assert shown.columns[0].tokens == 8


def test_further_prompts_tell_of_files_only_and_do_not_count() -> None:
    further = prompt("a", start(file("/w/AGENTS.md", 5), Segment("runtime", "typed", "word", COMPUTED, "why")))
    nested = prompt("a", start(file("/w/AGENTS.md", 5)), read(file("/w/a/AGENTS.md", 3)))
    shown = made([prompt("a", start(file("/w/AGENTS.md", 5))), further, nested])
    assert cells(shown) == {("/w/AGENTS.md",): (Cell(5),), ("/w/a/AGENTS.md",): (Cell(3, is_on_read=True),)}
    assert shown.columns[0].tokens == 5


def test_what_a_limit_removes_is_marked() -> None:
    ours = Cut(1, 2, "bytes", "the limit of promptls", is_ours=True)
    dropped = Candidate("dropped", "why", COMPUTED, "/w/b.md")
    shown = made(
        [
            prompt(
                "a",
                start(file("/w/AGENTS.md", 5, Cut(20, 30, "bytes", "the limit")), file("/w/a.md", 4, ours)),
                candidates=(dropped,),
            )
        ]
    )
    assert cells(shown) == {
        ("/w/AGENTS.md",): (Cell(5, is_cut=True),),
        ("/w/a.md",): (Cell(4),),
        ("/w/b.md",): (Cell(0, is_cut=True),),
    }


def test_what_a_limit_removes_of_a_read_file_is_marked_where_it_counts() -> None:
    of_a_file = Origin("file", path="/w/long.py")
    result = Segment("runtime", "result", "word word", of_a_file, "why", cut=Cut(2, 9, "bytes", "the limit of a read"))
    shown = made([prompt("a", start(file("/w/AGENTS.md", 5)), read(result))])
    typed = Cell(2, is_on_read=True, is_cut=True)
    assert cells(shown) == {("/w/AGENTS.md",): (Cell(5),), ("typed and read",): (typed,)}


def test_what_belongs_to_the_harnesses_is_one_row_at_the_end() -> None:
    def own(size: int | None) -> Segment:
        return Segment("provider", "own", "⟪own⟫", Origin("builtin", name="own"), "why", elided=Elided("own", size))

    shown = made([prompt("a", start(own(460), file("/w/AGENTS.md", 1)))], [prompt("b", start(own(None)))])
    assert [row.names for row in shown.rows] == [("/w/AGENTS.md",), (OWN_NAME,)]
    assert shown.rows[1].cells == (Cell(100), Cell(0, is_at_least=True))
    assert [each.is_at_least for each in shown.columns] == [False, True]


def test_without_prompts_there_is_nothing() -> None:
    assert made() == Table((), ())
