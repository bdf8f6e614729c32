"""Measures how many characters of a program's own texts are a token, and prints the row of its spec.

    python tools/own_text.py codex [--tokenizers DIR] [OPTIONS ...]

The installed program is started as ``promptls capture`` does it, in an empty folder: once, and once for each OPTIONS,
such as ``" --model gpt-5.5"`` (a blank first). Nothing of its texts is kept. ``DIR`` has the file ``tokenizer.json`` of
each family that is public, as ``claude.json``, ``gemma-3.json``; the package ``tokenizers`` reads them.
"""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path

import bpe_openai

from promptls.cli import capture
from promptls.cli.unwinding import unwinding
from promptls.core.tokens import FAMILIES, REFERENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from promptls.core.tokens import Family

# Families whose lists the package bpe-openai has.
LISTED = ("o200k_base", "cl100k_base")


def texts_of(harness: str, lines: Iterable[str]) -> tuple[set[str], set[str]]:
    """The definitions of its tools, and its prose: each once."""
    tools: set[str] = set()
    prose: set[str] = set()
    parser = capture.session_parser("own_text", "")
    for line in ("", *lines):
        options, args = capture.split(parser, ["--harness", harness, "--cwd", os.getcwd(), *shlex.split(line)])
        with unwinding():
            found = capture.captured(options, args)
        tools.update(each.definition for each in found.capture.offered)
        prose.update(
            text
            for pair in found.sides.pairs
            for number, text in (pair.gaps or {}).items()
            if pair.expected.segments[number].elided and pair.expected.segments[number].layer != "runtime"
        )
    return tools, prose - {""}


def counters(lists: Path | None) -> dict[str, Callable[[str], int]]:
    """What counts the tokens of a text, for each family that is known here."""
    found: dict[str, Callable[[str], int]] = {}
    for name in LISTED:
        found[name] = partial(_listed, bpe_openai.get_encoding(name))
    for file in sorted(lists.glob("*.json") if lists is not None else ()):
        # No dependency of the project.
        read = import_module("tokenizers").Tokenizer
        found[file.stem] = partial(_count, read.from_file(str(file)))
    return found


def _listed(encoding: Any, text: str) -> int:
    return len(encoding.encode_ordinary(text))


def _count(tokenizer: Any, text: str) -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


def per_token(texts: set[str], count: Callable[[str], int]) -> float:
    """The characters of a token in ``texts``."""
    return round(sum(map(len, texts)) / max(sum(map(count, texts)), 1), 3)


def main(harness: str, lists: Path | None, lines: list[str]) -> None:
    """Print the row of a harness, and how far its texts are from what the row without it says."""
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        tools, prose = texts_of(harness, lines)
    known = counters(lists)
    rows = {name: (per_token(tools, count), per_token(prose, count)) for name, count in known.items()}
    own = rows[REFERENCE]
    sizes = [sum(map(len, texts)) for texts in (tools, prose)]
    print(f"{harness}: {len(tools)} tools of {sizes[0]:,} characters, {len(prose)} texts of {sizes[1]:,}")
    print(f"    own_text={own},  # tools/own_text.py")
    for name, row in rows.items():
        before, after = (_off(FAMILIES[name], each, row) for each in (None, own))
        print(f"{name:12} {row}  without the row: {before}  with it: {after}")


def _off(family: Family, own: tuple[float, float] | None, row: tuple[float, float]) -> str:
    """How far counts are off with what is said of a program."""
    usual = FAMILIES[REFERENCE]
    tool, prose = own or (usual.per_tool, usual.per_prose)
    off = row[0] * usual.per_tool / (family.per_tool * tool), row[1] * usual.per_prose / (family.per_prose * prose)
    return ", ".join(f"{100 * each - 100:+.1f} %" for each in off)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("harness")
    parser.add_argument("--tokenizers", type=Path, metavar="DIR")
    parser.add_argument("lines", nargs="*", metavar="OPTIONS")
    given = parser.parse_args()
    main(given.harness, given.tokenizers and given.tokenizers.absolute(), given.lines)
