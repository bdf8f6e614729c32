"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest

import promptls
from promptls.core.lazy import regex

pytestmark = pytest.mark.same_everywhere

ROOT = Path(promptls.__file__).parent
MODULES = sorted(path.relative_to(ROOT.parent) for path in ROOT.rglob("*.py") if path.name != "__main__.py")


def test_it_is_compiled_when_it_is_used() -> None:
    number = regex(r"\d+", re.ASCII)
    assert "search" not in vars(number)
    assert number.search("a 12") is not None
    assert "search" in vars(number)
    assert number.sub("n", "1, 2") == "n, n"
    assert number.pattern == r"\d+"


def test_bytes() -> None:
    assert regex(rb"\s").split(b"a b") == [b"a", b"b"]


def test_an_invalid_one_raises_when_it_is_used() -> None:
    broken = regex("[z-a]")
    with pytest.raises(re.error):
        broken.match("z")


def test_it_does_not_pretend_to_have_what_python_asks_for() -> None:
    number = regex(r"\d+")
    assert not hasattr(number, "cache_clear")
    assert "search" not in vars(number)


def calls_at_import(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Every call outside of functions."""
    for node in nodes:
        if isinstance(node, ast.Call):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from calls_at_import(ast.iter_child_nodes(node))


def faults(path: Path) -> Iterator[str]:
    """The expressions of a module that are compiled when it is imported, and those that are invalid."""
    body = ast.parse((ROOT.parent / path).read_text(encoding="utf-8")).body
    calls = [
        (each, each.value.func) for each in body if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
    ]
    for call in calls_at_import(body):
        if ast.unparse(call.func) == "re.compile":
            yield f"{path}: {ast.unparse(call)}"
    names = [ast.unparse(each.targets[0]) for each, made_by in calls if ast.unparse(made_by) == "regex"]
    module = importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__")) if names else None
    for name in names:
        try:
            is_one = bool(cast("re.Pattern[str]", getattr(module, name)).pattern)
        except re.error:
            is_one = False
        if not is_one:
            yield f"{path}: {name}"


def test_those_of_each_module_are_valid_and_compiled_late() -> None:
    assert len(MODULES) > 500
    assert [each for path in MODULES for each in faults(path)] == []
