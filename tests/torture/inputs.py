"""Random texts for every parser and pattern reader: none raises, none warns, and none takes long.

``run(seed, count)`` tries ``count`` texts for each.
"""

from __future__ import annotations

import random
import time
import warnings

from tests.hostile.readers import READERS, TEXTS

# A text of so many pieces takes this long at most, in seconds of the processor.
MOST_PIECES, LONGEST = 12, 2.0
LETTERS = (
    *"ab[]{}()<>*?!@#`~_-+=|&:;,.'\"/\\ \t\n\r\0é😀\u2028\ufeff\u200b\ud800",
    *(
        "---\n",
        "```",
        "<!--",
        "-->",
        "/**/",
        "[z-a]",
        "[[:alpha:]]",
        "[:x:]",
        "{1..3}",
        "{a,b}",
        "\r\n",
        "@a.md",
        "~/",
        "../",
    ),
)


class FoundError(AssertionError):
    """A text that a reader did not take, with what is needed to try it again."""


def texts(random_: random.Random, kind: str, count: int) -> list[str]:
    """Texts of a kind: letters, and pieces of that kind, in any order."""
    pieces = [piece if isinstance(piece, str) else "".join(piece) for piece in TEXTS[kind]]
    alphabets = (pieces, LETTERS, [*pieces, *LETTERS])
    return [
        "".join(random_.choices(random_.choice(alphabets), k=random_.randint(0, MOST_PIECES))) for _ in range(count)
    ]


def run(seed: int, count: int) -> None:
    """Try ``count`` texts for each reader.

    Raises:
        FoundError: a reader raised, warned or took too long; it names the reader and the text.
    """
    random_ = random.Random(seed)  # noqa: S311 - the same texts for the same seed
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind, readers in READERS.items():
            for content in texts(random_, kind, count):
                for name, read in readers.items():
                    began = time.process_time()
                    try:
                        read(content)
                    except Exception as error:
                        raise FoundError(f"seed {seed}: {kind}, {name}: {content!r}: {error!r}") from error
                    took = time.process_time() - began
                    if took > LONGEST:
                        raise FoundError(f"seed {seed}: {kind}, {name}: {content!r} took {took:.1f} s")
