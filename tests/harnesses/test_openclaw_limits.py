import pytest

from promptls.harnesses.openclaw import limits
from promptls.harnesses.openclaw.limits import Piece, fit, kept_size, size, squeeze

pytestmark = pytest.mark.same_everywhere
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
    assert kept_size(pieces) == len(head.text) + len(tail.text)
    assert len(head.text) // 3 == len(tail.text)


def test_without_rules_an_agents_file_keeps_60_percent() -> None:
    assert kept_size(fit("AGENTS.md", TEXT, 1000)) == 450 + 150


def test_rules_of_the_first_kind_win_a_place_in_the_digest() -> None:
    rules = ["- an item of a list", "Commit often.", "You must never push.", "text before", "It is required."]
    text = f"{TEXT}\n\n" + "\n".join(rules) + f"\n\n{TEXT}"
    (small,) = [piece.text for piece in fit("AGENTS.md", text, 200) if piece.is_digest]
    assert small == "You must never push."
    assert "[...3 more policy lines omitted...]" in sent(fit("AGENTS.md", text, 200))
    (large,) = [piece.text for piece in fit("AGENTS.md", text, 300) if piece.is_digest]
    assert large == "\n".join(rules)


@pytest.mark.parametrize(
    ("limit", "chosen", "omitted"),
    [
        (173, (), None),
        (174, (), 4),
        (182, (), 4),
        (183, (0,), 3),
        (197, (0,), 3),
        (198, (2,), 3),
        (204, (2,), 3),
        (205, (0, 2), 2),
        (210, (0, 2), 2),
        (211, (0, 1, 2, 3, 4), None),
    ],
)
def test_the_digest_takes_all_the_room_that_there_is(limit: int, chosen: tuple[int, ...], omitted: int | None) -> None:
    rules = ["- item", "Commit often.", "You must never push.", "text before", "It is required."]
    pieces = fit("AGENTS.md", f"{TEXT}\n\n" + "\n".join(rules) + f"\n\n{TEXT}", limit)
    assert "".join(piece.text for piece in pieces if piece.is_digest) == "\n".join(rules[at] for at in chosen)
    assert ("more policy lines omitted" in sent(pieces)) is (omitted is not None)
    assert omitted is None or f"[...{omitted} more policy lines omitted...]" in sent(pieces)


def test_runs_of_line_ends_are_squeezed_across_pieces() -> None:
    squeezed = squeeze([Piece("a\n\n", 0), Piece("\n"), Piece("\n\n\nb", 7)])
    assert squeezed == [Piece("a\n\n", 0), Piece("b", 10)]


@pytest.mark.parametrize(
    ("limit", "head", "tail", "sent_units"),
    [
        (19, 0, 0, 19),
        (20, 0, 0, 20),
        (21, 1, 0, 21),
        (23, 2, 0, 22),
        (24, 3, 1, 24),
        (30, 7, 2, 29),
        (100, 58, 19, 99),
        (120, 16, 5, 119),
        (126, 21, 7, 126),
        (127, 21, 7, 126),
        (130, 24, 8, 130),
        (138, 30, 9, 137),
        (140, 30, 10, 139),
        (233, 100, 33, 233),
        (500, 500, 0, 500),
    ],
)
def test_what_is_kept_of_500_characters(limit: int, head: int, tail: int, sent_units: int) -> None:
    text = "".join(f"{number:04d}\n" for number in range(100))
    pieces = fit("SOUL.md", text, limit)
    own = [piece for piece in pieces if piece.start is not None]
    assert [len(piece.text) for piece in own] == [each for each in (head, tail) if each]
    assert size(pieces) == sent_units
    if head != len(text) and limit > 19:
        assert (f"truncated {head}+{tail}/500" in sent(pieces)) is (limit < 120)
        assert (f"kept {head}+{tail} chars of 500" in sent(pieces)) is (limit >= 120)


SHORTENED = "x\n[...truncated, read AGENTS.md for full content...]\n"
MARK = "…(truncated AGENTS.md: kept 1+policy 0+0 chars of 802)…"


@pytest.mark.parametrize(
    ("limit", "is_sent"),
    [
        (5, "x\n[.."),
        (143, f"{SHORTENED}{MARK}"),
        (144, f"{SHORTENED}[...1 more policy lines omitted...]\n{MARK}"),
    ],
)
def test_the_digest_is_the_last_to_go(limit: int, is_sent: str) -> None:
    rule = f"- {'y' * 198}"
    assert sent(fit("AGENTS.md", f"{'x' * 300}\n{rule}\n{'z' * 300}", limit)) == is_sent


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("# Title", ["# Title"]),
        ("####### no title", []),
        ("- item", ["- item"]),
        ("-no item", []),
        ("2) item", ["2) item"]),
        ("prose\n- item", ["prose\n- item"]),
        ("prose\n\n- item", ["- item"]),
        ("prose\n```\n- item", ["- item"]),
        ("prose\nmore\n* item\n* next", ["more\n* item", "* next"]),
        ("  +   item\twith   space ", ["+ item with space"]),
        ("You MUST\r\n", ["You MUST"]),
        ("mustard", []),
        ("~~~\n", []),
    ],
)
def test_lines_that_are_like_rules(line: str, rules: list[str]) -> None:
    assert [each.text for each in limits._rules(line, 100)] == rules


def test_a_long_rule_is_cut() -> None:
    assert [each.text for each in limits._rules("- abcdefgh\n- abcdefg", 9)] == ["- abcdef…", "- abcdefg"]


@pytest.mark.parametrize(
    ("budget", "digest", "omitted"),
    [
        (0, "", 0),
        (2, "", 3),
        (3, "- a", 2),
        (6, "- a", 2),
        (7, "- a\n- b", 1),
        (10, "- a\n- b", 1),
        (11, "- a\n- b\n- c", 0),
    ],
)
def test_a_digest_fits_its_budget_to_the_character(budget: int, digest: str, omitted: int) -> None:
    rules = list(limits._rules("- a\n- b\n- c", 100))
    assert limits._digest(rules, budget) == (digest, omitted)
