"""What PyYAML and js-yaml make of the values of front matter: whatever these are, nothing is raised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptls.core.formats.header import Header, header
from promptls.core.formats.tree import Value
from promptls.kit.yaml_values import as_json, python

pytestmark = pytest.mark.same_everywhere

ODD = (
    *("9" * 5000, f"0x{'f' * 5000}", f"-{'7' * 5000}.0", "0b_", "0x_", "0_", "._", "-._", "1_."),
    *("[0b_]", "\n  ? [a]\n  : b", "\n  ? {a: b}\n  : c", "1e999", ".inf", "&a [*a]", "!!binary x"),
)


def value_of(text: str) -> tuple[Header, Value | None]:
    front = header(f"---\ndescription: {text}\nname: x\n---\n")
    return front, front.value("description")


@pytest.mark.parametrize("text", ODD, ids=lambda text: text[:20].strip())
def test_no_value_is_too_odd(text: str) -> None:
    front, value = value_of(text)
    assert value is not None
    assert str(python(front, value))
    assert as_json(front, value)


@given(st.text(alphabet="0123456789abcdefxbo_.-+eE~:T []{},?*&'\"", max_size=24))
def test_no_value_is_refused(text: str) -> None:
    front, value = value_of(text)
    if value is not None:
        str(python(front, value))
        as_json(front, value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(("12", 12), ("1_000", 1000), ("0x1f", 31), ("0b11", 3), ("017", 15), ("-5", -5), ("1.5", 1.5), (".5", 0.5)),
        *(("yes", True), ("Off", False), ("~", None), ("yEs", "yEs"), ("'12'", "12"), ("0b_", "0b_"), ("._", "._")),
    ],
)
def test_a_plain_scalar_has_the_type_of_pyyaml(text: str, said: object) -> None:
    front, value = value_of(text)
    assert value is not None
    assert python(front, value) == said
