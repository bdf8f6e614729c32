"""Writes the list of a public vocabulary as ``core/vocabularies.py`` reads it, from the package bpe-openai (MIT).

    python tools/vocabulary.py o200k_base

A token stands among those of its length, in order, so that it is found without reading the rest: for each length from
1 to 128 how many there are (4 bytes, the smallest first), then the tokens, then the lowest byte of each one's rank,
then the next and the highest: so a wheel compresses it to 1.1 MB.
"""

from __future__ import annotations

import base64
import gzip
import sys
from importlib.resources import files
from pathlib import Path

LONGEST = 128
TO = Path(__file__).parent.parent / "server/promptls/core/vocabularies"


def packed(name: str) -> bytes:
    """The list of a vocabulary."""
    listed = gzip.decompress((files("bpe_openai") / "data" / f"{name}.tiktoken.gz").read_bytes())
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, listed.splitlines())}
    ordered = sorted(ranks, key=lambda token: (len(token), token))
    counts = [0] * (LONGEST + 1)
    for token in ordered:
        counts[len(token)] += 1
    return b"".join(
        (
            *(count.to_bytes(4, "little") for count in counts[1:]),
            *ordered,
            *(bytes(ranks[token] >> shift & 0xFF for token in ordered) for shift in (0, 8, 16)),
        )
    )


if __name__ == "__main__":
    (TO / f"{sys.argv[1]}.bin").write_bytes(packed(sys.argv[1]))
