"""Counts made right by what a program reported: of requests of one program and model, two factors and an anchor.

A service counts with its own tokenizer, and adds what it writes around messages and tools. So the tools and the text of
a request have a factor each, and the total of a request that is like a recorded one is what was reported of that, with
the difference between them.

How far that is off is measured on the requests themselves: those of each session by the factors of all others. Nine of
ten lie within the error (make bench, services that count with two other tokenizers: of 4 to 50 requests, 90 to 100 of
100).
"""

from __future__ import annotations

from functools import lru_cache

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Requests that count, the last ones; those that a tokenizer is judged by, at least and at most.
MOST, JUDGES, JUDGED = 50, 5, 20
# A request that is smaller, or further from its estimate, is no measure: a title, an image, a placeholder of a record.
LEAST, LOWEST, HIGHEST = 2_000, 0.4, 2.5
# Requests for two factors and an anchor, and sessions for an error of their own.
ENOUGH, SESSIONS = 3, 3
# How strongly both factors are drawn to the ratio of the whole, in requests of one kind.
PULL = 0.02
# The tools of an anchor differ by less than this part.
NEAR = 0.1
# The error: this part of the residuals, in percent, never less than one. Few requests show less than there is, so it is
# wider by this number over their square; and an anchor that was near each time need not be near the next time, so that
# of a whole request is at least this part of the error of its parts.
PART, SMALLEST = 0.95, 1.0
FEW, LEAST_OF_PARTS = 60, 0.5
# Another tokenizer: this many requests in a row are off by more than a part, and more than the usual spread.
IN_A_ROW, JUMP, SPREADS = 2, 0.05, 4.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A recorded request: what promptls counts of its tools and its text, and what the program reported."""

    session: str
    at: str
    tools: int
    text: int
    reported: int

    @property
    def ratio(self) -> float:
        """What was reported of each token that was counted."""
        return self.reported / (self.tools + self.text)


@dataclass(frozen=True, slots=True)
class Factors:
    """By what tools and text have to be multiplied."""

    tools: float
    text: float

    def of(self, tools: float, text: float) -> float:
        """The tokens of tools and text that were counted."""
        return self.tools * tools + self.text * text


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the requests of a program and a model say.

    ``error`` is in percent, for the sum of parts and for the whole request; None from less than three sessions.
    ``since``: when the tokenizer or what is around the text changed, "" if it did not.
    """

    measured: tuple[Measured, ...]
    factors: Factors
    error: float | None
    error_of_whole: float | None
    sessions: int
    since: str = ""

    @property
    def requests(self) -> int:
        """How many requests it is from."""
        return len(self.measured)

    @property
    def spread(self) -> float:
        """How far its sessions are from each other, in percent: the error, but for what few requests add to it."""
        return (self.error or 0) / _wider(self.requests)

    def whole(self, tools: int, text: int) -> int:
        """What the service will report of a request with so many tokens of tools and text."""
        return round(_whole(self.measured, self.factors, tools, text))


@lru_cache(maxsize=64)
def calibrate(requests: tuple[Measured, ...], *, is_exact: bool = False) -> Calibration | None:
    """What ``requests``, the oldest first, say; None if there is none that counts.

    ``is_exact``: the text was counted with the vocabulary of the model, so its factor is one.
    """
    usable = tuple(filter(_is_measure, requests))
    kept, since = _of_one_tokenizer(usable, is_exact=is_exact)
    kept = kept[-MOST:]
    if not kept:
        return None
    factors = _fit(kept, is_exact=is_exact)
    errors: list[list[float]] = [[], []]
    names = list(dict.fromkeys(each.session for each in kept))
    for name in names if len(names) >= SESSIONS else ():
        others = [each for each in kept if each.session != name]
        fitted = _fit(others, is_exact=is_exact)
        for each in kept:
            if each.session == name:
                found = fitted.of(each.tools, each.text), _whole(others, fitted, each.tools, each.text)
                for values, value in zip(errors, found, strict=True):
                    values.append(abs(value / each.reported - 1))
    of_parts = _error(errors[0])
    of_whole = _error(errors[1], least=LEAST_OF_PARTS * (of_parts or 0))
    return Calibration(kept, factors, of_parts, of_whole, len(names), since)


def _is_measure(each: Measured) -> bool:
    return each.tools + each.text >= LEAST and LOWEST <= each.ratio <= HIGHEST


def _of_one_tokenizer(requests: tuple[Measured, ...], *, is_exact: bool) -> tuple[tuple[Measured, ...], str]:
    """The requests since the tokenizer has changed, and when that was; all of them, and "", if it has not."""
    first, since, row = 0, "", 0
    for at, each in enumerate(requests):
        before = requests[first : at - row][-JUDGED:]
        if len(before) < JUDGES:
            continue
        usual = _fit(before, is_exact=is_exact)
        spread = SPREADS * median([abs(_off(one, usual)) for one in before])
        row = row + 1 if abs(_off(each, usual)) > max(JUMP, spread) else 0
        if row == IN_A_ROW:
            first, row = at + 1 - IN_A_ROW, 0
            since = requests[first].at
    return requests[first:], since


def _off(each: Measured, factors: Factors) -> float:
    """The part by which a request is larger than the factors say."""
    return each.reported / factors.of(each.tools, each.text) - 1


def _fit(requests: Sequence[Measured], *, is_exact: bool) -> Factors:
    """The factors by which the relative errors are least, drawn to the ratio of the whole."""
    usual = median([each.ratio for each in requests])
    if is_exact:
        rests = [max(each.reported - each.text, 0) / each.tools for each in requests if each.tools]
        return Factors(_bounded(median(rests)) if rests else 1.0, 1.0)
    if len(requests) < ENOUGH:
        return Factors(usual, usual)
    pull = PULL * len(requests)
    parts = [(each.tools / each.reported, each.text / each.reported) for each in requests]
    squares = sum(tools * tools for tools, _ in parts) + pull, sum(text * text for _, text in parts) + pull
    both = sum(tools * text for tools, text in parts)
    of_tools, of_text = sum(tools for tools, _ in parts) + pull * usual, sum(text for _, text in parts) + pull * usual
    whole = squares[0] * squares[1] - both * both
    return Factors(
        _bounded((of_tools * squares[1] - of_text * both) / whole),
        _bounded((of_text * squares[0] - of_tools * both) / whole),
    )


def _whole(requests: Iterable[Measured], factors: Factors, tools: int, text: int) -> float:
    """By the request that is most like it, if there is one."""
    near = [each for each in requests if abs(each.tools - tools) <= NEAR * max(each.tools, tools)]
    found = factors.of(tools, text)
    if not near:
        return found
    anchor = min(reversed(near), key=lambda each: abs(factors.of(each.tools, each.text) - found))
    return anchor.reported + found - factors.of(anchor.tools, anchor.text)


def _error(residuals: Sequence[float], least: float = 0.0) -> float | None:
    if not residuals:
        return None
    ordered = sorted(residuals)
    high = ordered[min(int(PART * len(ordered)), len(ordered) - 1)]
    return max(round(100 * _wider(len(residuals)) * high, 1), round(least, 1), SMALLEST)


def _wider(requests: int) -> float:
    return 1 + FEW / requests**2


def _bounded(factor: float) -> float:
    return min(max(factor, LOWEST), HIGHEST)


def median(values: Iterable[float]) -> float:
    """The middle one, or the mean of both."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
