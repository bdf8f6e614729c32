"""Our ``dataclass`` does what the library's does, as far as it goes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from promptls.core import values
from promptls.core.model import Edit, Fix, Problem, Range

pytestmark = pytest.mark.same_everywhere


def make(library: Any, **options: Any) -> Any:
    @library.dataclass(slots=True, **options)
    class Point:
        """A point."""

        x: int
        y: int = 2
        tags: list[str] = library.field(default_factory=list, compare=False, repr=False)

        def total(self) -> int:
            """The sum."""
            return self.x + self.y

    return Point


@pytest.fixture(params=[dataclasses, values], ids=["library", "ours"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("frozen", [False, True])
def test_what_is_equal(library: Any, frozen: bool) -> None:
    point = make(library, frozen=frozen)
    assert point(1) == point(1, 2) == point(y=2, x=1) == point(1, tags=["a"])
    assert point(1) != point(1, 3)
    assert point(1) != make(library)(1)
    assert point(1) != (1, 2)
    assert point(1).total() == 3
    assert point.__slots__ == point.__match_args__ == ("x", "y", "tags")
    assert point.__doc__ == "A point."
    assert repr(point(1)).endswith("Point(x=1, y=2)")
    assert point(1).tags is not point(1).tags


def test_frozen_values_have_a_hash_and_do_not_change(library: Any) -> None:
    point = make(library, frozen=True)
    value = point(1)
    assert {value, point(1, 2, ["b"])} == {value}
    with pytest.raises(AttributeError):
        value.x = 3
    with pytest.raises(AttributeError):
        del value.x
    assert library.replace(value, x=5) == point(5)
    assert value.x == 1


def test_others_change_and_have_no_hash(library: Any) -> None:
    value = make(library)(1)
    value.x = 3
    assert value.x == 3
    with pytest.raises(TypeError):
        hash(value)
    with pytest.raises(AttributeError):
        value.z = 1


def test_frozen_values_are_copied_and_pickled() -> None:
    fix = Fix("Mend it", (Edit("/a", Range(1, 2, 3, 4), "x"),), is_safe=True)
    problem = Problem("/a", Range(1, 2, 3, 4), "code", "error", "It is wrong.", fixes=(fix,))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(problem, protocol)) == problem  # noqa: S301 - it was written right here
    assert copy.deepcopy(problem) == copy.copy(problem) == problem


@pytest.mark.parametrize(("args", "given"), [((), {}), ((1, 2, [], 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_wrong_arguments(library: Any, args: tuple[Any, ...], given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        make(library)(*args, **given)


def test_what_ours_cannot_do_is_refused() -> None:
    class Base:
        pass

    class Child(Base):
        x: int

    class After:
        x: int

        def __post_init__(self) -> None:
            """Would never be called."""

    for cls in (Child, After):
        with pytest.raises(TypeError, match="standard library"):
            values.dataclass(slots=True)(cls)


def test_values_are_the_same_however_many_are_made(library: Any) -> None:
    point = make(library)
    many = [point(at, tags=["a"]) for at in range(1500)]
    assert many[-1] == point(1499) == point(1499, 2) == point(y=2, x=1499)
    assert many[-1].tags == ["a"]
    assert point(1).tags == []
    assert point(1).tags is not point(1).tags
    for wrong in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError):
            point(**wrong)
    with pytest.raises(TypeError):
        point(1, 2, [], 4)
    with pytest.raises(TypeError):
        point(1, x=1)


def test_a_field_may_have_any_name() -> None:
    @values.dataclass(slots=True, frozen=True)
    class Odd:
        own: int
        twin: int
        become: int
        missing: int
        tags: list[str] = values.field(default_factory=list)

    for number in range(300):
        odd = Odd(number, 2, 3, 4)
        assert (odd.own, odd.twin, odd.become, odd.missing, odd.tags) == (number, 2, 3, 4, [])
        assert type(odd) is Odd
        with pytest.raises(AttributeError):
            odd.own = 1  # type: ignore[misc]
