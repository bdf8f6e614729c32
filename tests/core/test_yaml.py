from __future__ import annotations

import itertools

import pytest

from promptls.core.formats import yaml
from promptls.core.formats.tree import Value


@pytest.mark.parametrize(
    ("text", "kind", "data"),
    [
        ("a: |\n", "string", ""),
        ("a: >-\n\n", "string", ""),
        ("a: |\n  x\n", "string", "x\n"),
        ("a: |+\n  x\n\n", "string", "x\n\n"),
        ("a: >\n  x\n  y\n\n  z\n\n\n  é\n   in\n", "string", "x y\nz\n\né\n in\n"),
        ("a: >-\n  é\n  y\n", "string", "é y"),
        ("a: 0x1F\n", "number", 31.0),
        ("a: 0o17\n", "number", 15.0),
        ("a: 5\n", "number", 5.0),
        ("a: 0xZZ\n", "string", "0xZZ"),
        ("a: |+\n\n", "string", "\n"),
        ("a: 'it''s'\n", "string", "it's"),
        ("a: 'x\n  y\n  z'\n", "string", "x y z"),
        ('a: "x\\ty"\n', "string", "x\ty"),
        ("a: True\n", "true", None),
        ("a: false\n", "false", None),
        ("a: ~\n", "null", None),
        ("a:\n", "null", None),
        ("a: 1.5\n", "number", 1.5),
        ("a: 2026-01-02\n", "string", "2026-01-02"),
    ],
)
def test_scalars(text: str, kind: str, data: str | float | None) -> None:
    root = yaml.parse(text).root
    value = root.get("a") if root else None
    assert value
    assert (value.kind, value.data) == (kind, data)


BITS = ("a", "true", "null", "False", ": ", ":", " ", "\n", '"', "'", " #", "é", "x y", "-", "[", "|", "1", "\\", "\t")


def test_plain_lines_are_read_as_the_parser_reads_them() -> None:
    values = ["".join(bits) for bits in itertools.product(BITS, repeat=2)]
    plain = 0
    for text in (*(f"name: {value}\nb: c" for value in values), *(f"b: c\n{value}" for value in values)):
        # A comment keeps a text from being plain.
        found, read = yaml.parse(text), yaml.parse(f"#\n{text}")
        assert (found.flaw is None) == (read.flaw is None)
        if found.root is not None and read.root is not None and found.flaw is None:
            assert _described(found.root, 0) == _described(read.root, 2)
            plain += 1
    assert plain > len(BITS)


def _described(root: Value, moved: int) -> list[tuple[object, ...]]:
    return [(each.kind, each.data, each.start - moved, each.end - moved) for pair in root.members for each in pair]
