"""CODEOWNERS as GitHub documents it: who owns a file. The last line that matches wins; a wrong line has no effect.

Patterns are those of .gitignore, but ``!``, ``[ ]`` and an escaped ``#`` do not work, and ``docs/*`` means no files in
directories below (docs.github.com, "About code owners").
"""

from __future__ import annotations

from promptls.core.formats.patterns import path_matcher
from promptls.core.lazy import regex

# Where GitHub looks, the first that is there, and how long it may be.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
MOST = 3 * 1024 * 1024
# Blanks in a pattern are escaped.
_WORD = regex(r"(?:\\.|[^\s\\])+")


def owners(text: str, path: str) -> tuple[str, ...]:
    """Who owns ``path``, which is relative to the repository; () where nobody does."""
    for line in reversed(text.split("\n")):
        pattern, *named = _WORD.findall(line.partition(" #")[0].partition("\t#")[0]) or [""]
        is_wrong = not pattern or pattern[0] in "#!" or pattern.startswith("\\#") or "[" in pattern
        if not is_wrong and all("@" in each for each in named) and _matches(pattern.replace("\\ ", " "), path):
            return tuple(named)
    return ()


def _matches(pattern: str, path: str) -> bool:
    named = pattern.strip("/")
    if not named:
        return False
    if "/" not in pattern.rstrip("/"):
        named = f"**/{named}"
    ways = [] if pattern.endswith("/") else [named]
    ways += [] if pattern.endswith("/*") else [f"{named}/**"]
    return any(path_matcher(each, dot=True)(path) for each in ways)
