"""What several harnesses do with skills, agents and commands: of a name one counts, and a list has a row for each."""

import pytest

from promptls.core.model import Candidate, Origin
from promptls.kit.candidates import own
from promptls.kit.named import Named, Row, fitting, take

pytestmark = pytest.mark.same_everywhere
ROW = Row("A program", "skill", "it lists them", before="<{name}>", after="</{name} {{{place}}}>", between=", ")


def _skill(path: str, words: str = "what it is for") -> Named:
    return Named("a", words, path, Origin("file", path=path), own("it looks here", use="skill"))


@pytest.mark.parametrize(("is_last", "counts", "other"), [(False, "/one", "/two"), (True, "/two", "/one")])
def test_of_a_name_one_counts_and_the_other_says_why_not(is_last: bool, counts: str, other: str) -> None:
    found: dict[str, Named] = {}
    told: list[Candidate] = []
    for path in ("/one", "/two"):
        take(found, _skill(path), told.append, is_last=is_last)
    assert [each.path for each in found.values()] == [counts]
    assert [(each.outcome, each.path, each.other) for each in told] == [("shadowed", other, counts)]
    assert told[0].reason == f"{counts} has the same name and comes first"


def test_what_is_built_in_has_no_candidate() -> None:
    told: list[Candidate] = []
    take({"a": Named("a", size=3)}, _skill("/one"), told.append, is_last=True)
    assert told == []


def test_a_row_has_its_frame_and_the_words_or_their_size() -> None:
    found = [_skill("/one", "what {it} is for"), Named("b", size=30, place="inside")]
    said, own_words = [*ROW.rows(found)][1], [*ROW.rows(found)][4]
    assert "".join(each.text for each in ROW.rows(found) if not each.elided) == (
        "<a>what {it} is for</a {/one}>, <b></b {inside}>"
    )
    assert (said.title, said.why, own_words.elided and own_words.elided.size) == ("skill a", "it lists them", 30)
    assert [ROW.size(each) for each in found] == [len("<a>what {it} is for</a {/one}>"), len("<b></b {inside}>") + 30]


def test_rows_are_listed_as_long_as_there_is_room() -> None:
    assert [fitting([3, 3, 1], room) for room in (0, 3, 5, 6, 7)] == [0, 1, 1, 2, 3]
