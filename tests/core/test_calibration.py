"""What recorded requests say of counts, in services that count with another tokenizer and frame what they are sent."""

import random

import pytest

from promptls.core.calibration import Calibration, Measured, calibrate


def recorded(
    tools: float, text: float, *, constant: int = 300, count: int = 12, sessions: int = 4, of: int = 9000
) -> tuple[Measured, ...]:
    """Requests of a service that counts so many tokens for each of ours."""
    found = []
    for number in range(count):
        own = 4000 + 700 * (number // sessions) + 13 * number
        reported = round(of * tools + own * text + constant)
        found.append(Measured(f"s{number % sessions}", f"2026-11-{number + 1:02}", of, own, reported))
    return tuple(found)


def known(requests: tuple[Measured, ...], *, is_exact: bool = False) -> Calibration:
    found = calibrate(requests, is_exact=is_exact)
    assert found is not None
    return found


def test_nothing_is_said_without_a_request() -> None:
    assert calibrate(()) is None


def test_one_request_gives_one_factor_and_no_error() -> None:
    found = known((Measured("s", "", 9000, 3000, 15600),))
    assert (found.factors.tools, found.factors.text) == (1.3, 1.3)
    assert (found.error, found.error_of_whole, found.requests, found.sessions) == (None, None, 1, 1)


def test_a_request_like_a_recorded_one_is_what_was_reported_and_the_difference() -> None:
    found = known(recorded(0.85, 1.0))
    assert found.whole(9000, 6000) == pytest.approx(9000 * 0.85 + 6000 + 300, rel=0.01)
    assert found.error_of_whole == 1.0


def test_a_request_with_other_tools_goes_by_the_factors() -> None:
    found = known(recorded(1.3, 1.3, constant=0))
    assert found.whole(2000, 6000) == pytest.approx(8000 * 1.3, rel=0.01)


def test_text_that_is_counted_exactly_keeps_its_count() -> None:
    found = known(recorded(0.85, 1.0, constant=0), is_exact=True)
    assert (found.factors.text, round(found.factors.tools, 2)) == (1.0, 0.85)


@pytest.mark.parametrize(
    "odd",
    [
        Measured("s", "2026-12-01", 9000, 3000, 1),  # a placeholder of a record
        Measured("s", "2026-12-01", 9000, 3000, 175_000),  # an image
        Measured("s", "2026-12-01", 0, 300, 500),  # a title
    ],
)
def test_what_is_no_measure_does_not_count(odd: Measured) -> None:
    usual = recorded(1.1, 1.1)
    assert calibrate((*usual, odd)) == calibrate(usual)


def test_another_tokenizer_is_noticed_after_two_requests() -> None:
    before = recorded(1.0, 1.0)
    after = tuple(Measured("t", f"2026-12-0{day}", 9000, 5000, round(14_300 * 1.3)) for day in (1, 2))
    assert known((*before, *after[:1])).since == ""
    found = known((*before, *after))
    assert (found.requests, found.since) == (2, "2026-12-01")
    assert found.factors.text == pytest.approx(1.33, abs=0.01)


def test_one_request_that_differs_is_no_other_tokenizer() -> None:
    usual = recorded(1.0, 1.0)
    odd = Measured("t", "2026-11-06T12", 9000, 5000, 20_000)
    found = known((*usual[:6], odd, *usual[6:]))
    assert (found.since, found.requests) == ("", 13)


@pytest.mark.parametrize("recorded", [4, 6, 10, 40])
def test_nine_of_ten_of_later_sessions_that_grow_lie_within_the_error(recorded: int) -> None:
    chance, within, tried = random.Random(7), 0, 0  # noqa: S311 - a simulation
    for _ in range(100):
        every, said = [], [chance.randrange(2000, 6000) for _ in range(8)]
        for number in range(recorded + 12):
            # Each session has text of a kind of its own, and more of it in each step.
            session = number % 4 if number < recorded else 4 + number % 4
            said[session] += chance.randrange(3000)
            kind = 1.1 + 0.03 * random.Random(f"{tried} {session}").gauss(0, 1)  # noqa: S311 - the same
            every.append(
                Measured(str(session), f"{number:02}", 9000, said[session], round(11_000 + said[session] * kind))
            )
        found = known(tuple(every[:recorded]))
        for each in every[recorded:]:
            tried += 1
            within += abs(found.whole(each.tools, each.text) / each.reported - 1) <= (found.error_of_whole or 0) / 100
    assert within / tried > 0.9


def test_nine_of_ten_lie_within_the_error() -> None:
    chance, within, tried = random.Random(5), 0, 0  # noqa: S311 - a simulation
    for _ in range(60):
        tools, text = chance.uniform(0.8, 1.4), chance.uniform(0.9, 1.5)
        every = [
            Measured(f"s{number % 5}", f"{number:02}", 9000, own, round((9000 * tools + own * text) * noise))
            for number in range(20)
            for own, noise in [(chance.randrange(3000, 20_000), chance.gauss(1, 0.02))]
        ]
        found = known(tuple(every[:12]))
        assert found.error is not None
        for each in every[12:]:
            tried += 1
            within += abs(found.factors.of(each.tools, each.text) / each.reported - 1) <= found.error / 100
    assert within / tried > 0.9
