"""Measures how many characters of a program's own texts are a token, and prints the row of its spec.

    python tools/own_text.py codex [--tokenizers DIR] [--record FILE] [OPTIONS ...]

The installed program is started as ``promptls capture`` does it, in an empty folder: once, and once for each OPTIONS,
such as ``" --model gpt-5.5"`` (a blank first). Nothing of its texts is kept; ``FILE``, which is
``tests/bench/own_text.json``, gets the counts of each session in place of those of the program before. ``DIR`` has the
file ``tokenizer.json`` of each family that is public, as ``gemma-3.json``, and the package ``tokenizers`` reads them;
``claude.json`` is that of npm's @anthropic-ai/tokenizer, for the package ``tiktoken``.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import tempfile
from base64 import b64decode
from functools import partial
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from unicodedata import normalize

import bpe_openai

from promptls.cli import capture
from promptls.cli.unwinding import unwinding
from promptls.core.tokens import FAMILIES, REFERENCE
from promptls.core.values import dataclass

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.bench.own_text import balanced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from promptls.core.tokens import Family


@dataclass(frozen=True, slots=True)
class Sent:
    """The texts of a program in one session, of which ``line`` are the options."""

    version: str
    line: str
    tools: list[str]
    prose: list[str]

    def of_tools(self) -> list[str]:
        """Its definitions of tools."""
        return self.tools

    def of_prose(self) -> list[str]:
        """Its prose, of which a preview has only the sizes."""
        return self.prose

    def counted(self, harness: str, known: dict[str, Callable[[str], int]]) -> dict[str, Any]:
        """A row of the record: characters of tools and of prose, and their tokens by each list."""
        texts = (self.tools, self.prose)
        sizes = [sum(map(len, each)) for each in texts]
        tokens = {name: [sum(map(count, each)) for each in texts] for name, count in known.items()}
        return {
            "harness": harness,
            "version": self.version,
            "session": self.line,
            "characters": sizes,
            "tokens": tokens,
        }


# Families whose lists the package bpe-openai has.
LISTED = ("o200k_base", "cl100k_base")


def sessions(harness: str, lines: Iterable[str]) -> Iterator[Sent]:
    """What the program sends in each session: the definitions of its tools, and its prose."""
    parser = capture.session_parser("own_text", "")
    for line in ("", *lines):
        options, args = capture.split(parser, ["--harness", harness, "--cwd", os.getcwd(), *shlex.split(line)])
        with unwinding():
            found = capture.captured(options, args)
        pairs = ((pair.expected.segments, pair.gaps or {}) for pair in found.sides.pairs)
        gaps = ((segments[number], text) for segments, texts in pairs for number, text in texts.items() if text)
        prose = [text for each, text in gaps if each.elided and each.layer != "runtime"]
        tools = [each.definition for each in found.capture.offered]
        yield Sent(found.capture.version, line.strip(), tools, prose)


def counters(lists: Path | None) -> dict[str, Callable[[str], int]]:
    """What counts the tokens of a text, for each family that is known here."""
    found: dict[str, Callable[[str], int]] = {}
    for name in LISTED:
        found[name] = partial(_listed, bpe_openai.get_encoding(name))
    for file in sorted(lists.glob("*.json") if lists is not None else ()):
        # No dependencies of the project.
        if file.stem == "claude":
            found[file.stem] = _of_older_claude(json.loads(file.read_text(encoding="utf-8")))
        else:
            found[file.stem] = partial(_count, import_module("tokenizers").Tokenizer.from_file(str(file)))
    return found


def _of_older_claude(said: dict[str, Any]) -> Callable[[str], int]:
    """What counts with the list of Claude up to 2: each line has a sign, a first rank and the tokens from there on."""
    ranks: dict[bytes, int] = {}
    for line in said["bpe_ranks"].splitlines():
        _, first, *tokens = line.split(" ")
        ranks.update((b64decode(token), rank) for rank, token in enumerate(tokens, int(first)))
    encoding = import_module("tiktoken").Encoding(
        "claude", pat_str=said["pat_str"], mergeable_ranks=ranks, special_tokens=said["special_tokens"]
    )
    return lambda text: _listed(encoding, normalize("NFKC", text))


def _listed(encoding: Any, text: str) -> int:
    return len(encoding.encode_ordinary(text))


def _count(tokenizer: Any, text: str) -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


def per_token(texts: set[str], count: Callable[[str], int]) -> float:
    """The characters of a token in ``texts``."""
    return round(sum(map(len, texts)) / max(sum(map(count, texts)), 1), 3)


def main(harness: str, lists: Path | None, record: Path | None, lines: list[str]) -> None:
    """Print the row of a harness, and how far its texts are from what the row without it says."""
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        found = list(sessions(harness, lines))
    known = counters(lists)
    tools, prose = ({text for each in found for text in texts(each)} for texts in (Sent.of_tools, Sent.of_prose))
    rows = {name: (per_token(tools, count), per_token(prose, count)) for name, count in known.items()}
    counted = [each.counted(harness, known) for each in found]
    own = balanced(counted)
    sizes = [sum(map(len, texts)) for texts in (tools, prose)]
    print(f"{harness}: {len(tools)} tools of {sizes[0]:,} characters, {len(prose)} texts of {sizes[1]:,}")
    print(f"    own_text={own},  # tools/own_text.py")
    for name, row in rows.items():
        before, after = (_off(FAMILIES[name], each, row) for each in (None, own))
        print(f"{name:12} {row}  without the row: {before}  with it: {after}")
    if record is not None:
        kept = [row for row in json.loads(record.read_text(encoding="utf-8")) if row["harness"] != harness]
        lined = ",\n ".join(map(json.dumps, sorted(kept + counted, key=itemgetter("harness"))))
        record.write_text(f"[{lined}]\n", encoding="utf-8")


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
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument("lines", nargs="*", metavar="OPTIONS")
    given = parser.parse_intermixed_args()
    main(
        given.harness,
        given.tokenizers and given.tokenizers.absolute(),
        given.record and given.record.absolute(),
        given.lines,
    )
