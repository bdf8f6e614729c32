"""The name that somebody probably meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# How like two names must be, from 0 to 1; of what is typed on a command line, less is enough.
LIKE, TYPED = 0.8, 0.7
# To compare two names takes the square of their length; nobody means one that is longer.
LONGEST = 255


def near(name: str, names: Iterable[str], like: float = LIKE) -> str | None:
    """The most alike of ``names``; None if none is alike. Case, dashes and underscores count for nothing."""
    import difflib  # noqa: PLC0415 - only where something is wrong

    if len(name) > LONGEST:
        return None
    plain = {_plain(each): each for each in names}
    found = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=like)
    return plain[found[0]] if found else None


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
