"""Texts that are nearly the same, and such as say the opposite: measured by their words, never by their meaning.

How like two texts are is the share of shingles that they have in common: their words, and their pairs of words. Two
texts are opposed if they have the same words but for numbers, or for a word that negates.
"""

from __future__ import annotations

from itertools import pairwise

from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Literal

    By = Literal["number", "negation"]
    Shingles = frozenset[str | tuple[str, str]]

# From this share on, two texts are nearly the same: in a list of 41 rules that was written twice, 13 are.
LIKE = 0.4
# Words that a text must have to be compared, and the most.
FEWEST, MOST = 4, 200
# Pairs of words that more texts have than this say nothing.
COMMON = 50
# Texts with the same words that another one with these is compared with.
FEW = 4
# Words of a text that is opposed to another, without numbers and words that negate.
ENOUGH = 3
PAIR = 2
_WORD = regex(r"\w+(?:['\u2019]\w+)?")
_NEGATIONS = frozenset(
    {
        "not",
        "never",
        "no",
        "avoid",
        "cannot",
        "without",
        "don't",
        "dont",
        "doesn't",
        "isn't",
        "can't",
        "mustn't",
        "shouldn't",
        "won't",
    }
)
# Words that change nothing beside one that negates.
_FILLERS = frozenset({"always", "do", "does", "please", "prefer", "should", "must", "may", "can", "use", "you"})


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts by their numbers, ``first`` before ``second``; ``like``: how like they are, from 0 to 1."""

    first: int
    second: int
    like: float


def words(text: str) -> list[str]:
    """The words of a text in small letters, without signs."""
    return [each.lower().replace("\u2019", "'") for each in _WORD.findall(text)]


def near_pairs(texts: Sequence[str], may: Callable[[int, int], bool]) -> list[Pair]:
    """The pairs that are nearly the same, the most alike first; ``may``: whether two texts may be a pair."""
    shingles = [_shingles(words(each)) for each in texts]
    found = []
    for one, other in _candidates(shingles, may):
        both = len(shingles[one] & shingles[other])
        like = both / (len(shingles[one]) + len(shingles[other]) - both)
        if like >= LIKE and may(one, other):
            found.append(Pair(one, other, like))
    return sorted(found, key=lambda each: (-each.like, each.first, each.second))


def opposed_pairs(texts: Sequence[str]) -> Iterator[tuple[int, int, By]]:
    """The pairs that have the same words but for a number or a negation; where there are more than two, none is."""
    known: dict[tuple[str, ...], dict[tuple[bool, tuple[str, ...]], int]] = {}
    for number, text in enumerate(texts):
        found = words(text)
        if len(found) > MOST:
            continue
        numbers = tuple(each for each in found if each.isdecimal())
        key = tuple(
            "0" if each.isdecimal() else each for each in found if each not in _NEGATIONS and each not in _FILLERS
        )
        if sum(each != "0" for each in key) >= ENOUGH:
            is_negated = not _NEGATIONS.isdisjoint(found)
            known.setdefault(key, {}).setdefault((is_negated, numbers), number)
    for variants in known.values():
        if len(variants) == PAIR:
            (one_negated, one_numbers), (other_negated, other_numbers) = variants
            if (one_negated != other_negated) != (one_numbers != other_numbers):
                one, other = variants.values()
                yield one, other, "negation" if one_negated != other_negated else "number"


def differing(one: str, other: str) -> list[tuple[str, str]]:
    """The words that differ, in order: those of the one text, and those of the other in their place."""
    import difflib  # noqa: PLC0415 - only for texts that are shown

    mine, theirs = (_WORD.findall(each)[:MOST] for each in (one, other))
    one_low, other_low = ([each.lower() for each in side] for side in (mine, theirs))
    steps = difflib.SequenceMatcher(None, one_low, other_low, autojunk=False).get_opcodes()
    return [
        (" ".join(mine[start:end]), " ".join(theirs[first:last]))
        for what, start, end, first, last in steps
        if what != "equal"
    ]


def _candidates(shingles: Sequence[Shingles], may: Callable[[int, int], bool]) -> set[tuple[int, int]]:
    """The pairs that are worth a comparison: with the same words, or with a pair of words that few texts have."""
    # Texts with the same words are compared with few others, and the first of them with those of other words.
    equal: dict[Shingles, list[int]] = {}
    candidates: set[tuple[int, int]] = set()
    for number, each in enumerate(shingles):
        firsts = equal.setdefault(each, []) if each else []
        before = next((one for one in firsts if may(one, number)), None)
        if before is not None:
            candidates.add((before, number))
        if len(firsts) < FEW:
            firsts.append(number)
    with_pair: dict[tuple[str, str], list[int]] = {}
    for number in sorted(several[0] for several in equal.values()):
        for shingle in shingles[number]:
            if isinstance(shingle, tuple):
                with_pair.setdefault(shingle, []).append(number)
    for holders in with_pair.values():
        if len(holders) <= COMMON:
            candidates.update((one, other) for at, one in enumerate(holders) for other in holders[at + 1 :])
    return candidates


def _shingles(found: Sequence[str]) -> Shingles:
    if not FEWEST <= len(found) <= MOST:
        return frozenset()
    return frozenset({*found, *pairwise(found)})
