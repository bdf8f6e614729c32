import pytest

from promptls.harnesses.openclaw.limits import Piece, fit, kept, size, squeeze

TEXT = "\n".join(f"line {number} of a text that says little" for number in range(60))


def sent(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize("limit", [1, 5, 40, 120, 150, 400, 1000])
@pytest.mark.parametrize("name", ["AGENTS.md", "SOUL.md"])
def test_no_more_is_sent_than_the_limit_and_pieces_stand_in_the_file(name: str, limit: int) -> None:
    text = TEXT.replace("little", "😀")
    pieces = fit(name, text, limit)
    assert size(pieces) <= limit
    for piece in pieces:
        assert piece.start is None or text.startswith(piece.text, piece.start)


def test_three_quarters_and_a_quarter_around_the_mark() -> None:
    pieces = fit("SOUL.md", TEXT, 400)
    head, *_, tail = pieces
    assert f"kept {len(head.text)}+{len(tail.text)} chars of {len(TEXT)}" in sent(pieces)
    assert kept(pieces) == len(head.text) + len(tail.text)
    assert len(head.text) // 3 == len(tail.text)


def test_without_rules_an_agents_file_keeps_60_percent() -> None:
    assert kept(fit("AGENTS.md", TEXT, 1000)) == 450 + 150


def test_rules_of_the_first_kind_win_a_place_in_the_digest() -> None:
    rules = ["- an item of a list", "Commit often.", "You must never push.", "text before", "It is required."]
    text = f"{TEXT}\n\n" + "\n".join(rules) + f"\n\n{TEXT}"
    (small,) = [piece.text for piece in fit("AGENTS.md", text, 200) if piece.is_digest]
    assert small == "You must never push."
    assert "[...3 more policy lines omitted...]" in sent(fit("AGENTS.md", text, 200))
    (large,) = [piece.text for piece in fit("AGENTS.md", text, 300) if piece.is_digest]
    assert large == "\n".join(rules)


def test_runs_of_line_ends_are_squeezed_across_pieces() -> None:
    squeezed = squeeze([Piece("a\n\n", 0), Piece("\n"), Piece("\n\n\nb", 7)])
    assert squeezed == [Piece("a\n\n", 0), Piece("b", 10)]
