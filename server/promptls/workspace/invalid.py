"""What pydantic finds wrong with a value, in plain words: where, what was expected, and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# What has to be there, by the beginning of pydantic's name for the error.
EXPECTED = {
    "model_": "an object",
    "dict_": "an object",
    "dataclass_": "an object",
    "string_": "a text",
    "list_": "a list",
    "tuple_": "a list",
    "int_": "a whole number",
    "float_": "a number",
    "finite_": "a number",
    "bool_": "true or false",
}
# What is there, by its type in Python.
FOUND: Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
# What pydantic adds to the place of a value that may be of several kinds, one fault for each.
KINDS = {"bool": "true or false", "str": "a text", "dict[str,any]": "an object"}
BOUNDS = {"greater_than_equal": "at least", "less_than_equal": "at most"}
# A key that is longer is shortened: it may be anything.
LONGEST = 100


def first_sentence(faults: Sequence[Mapping[str, Any]]) -> str:
    """The sentence on the first of the faults; on a value that may be of several kinds, with all of these."""
    first = faults[0]
    *place, last = first["loc"] or ("",)
    if last not in KINDS:
        return sentence(first)
    kinds = [KINDS[each["loc"][-1]] for each in faults if [*each["loc"][:-1]] == place and each["loc"][-1] in KINDS]
    return f"{_shown(place)}: this has to be {' or '.join(kinds)}, but it is {found_as(first.get('input'))}"


def sentence(fault: Mapping[str, Any]) -> str:
    """``turns.0.steps: this has to be a list, but it is a text``, without a final stop."""
    return f"{_shown(fault['loc'])}: {clause(fault)}"


def _shown(loc: Sequence[str | int]) -> str:
    place = ".".join(map(str, loc))
    return (place if len(place) <= LONGEST else f"{place[:LONGEST]}…") or "the whole"


def found_as(value: object) -> str:
    """``a list``: what a value of JSON is."""
    return FOUND.get(type(value), "none")


def clause(fault: Mapping[str, Any]) -> str:
    """``this has to be a list, but it is a text``: the same without its place."""
    kind, found, context = fault["type"], fault.get("input"), fault.get("ctx", {})
    if kind == "missing":
        return "this key is missing"
    if kind == "extra_forbidden":
        return "there is no such key"
    if kind in ("too_short", "too_long"):
        number = context.get("min_length" if kind == "too_short" else "max_length")
        return f"this has to have {number} items, but it has {context.get('actual_length')}"
    if kind in BOUNDS:
        return f"this has to be {BOUNDS[kind]} {context.get('ge', context.get('le'))}"
    if kind == "literal_error":
        return f"this has to be {context.get('expected')}"
    expected = next((each for head, each in EXPECTED.items() if kind.startswith(head)), None)
    if expected is not None:
        is_such = FOUND.get(type(found)) == expected
        return f"this has to be {expected}" + ("" if is_such else f", but it is {found_as(found)}")
    says = str(fault["msg"]).removeprefix("Value error, ")
    return says[:1].lower() + says[1:].rstrip(".")
