"""A text without what a program would run: commands in it, and keys of its front matter that nobody listed."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.wire.configurations import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

# A mark before something in backquotes, or after a fence of them: a command whose output is put there.
_COMMAND = regex(r"!+(?=`)|(?<=```)!+")
# The text of a file may end with such a mark.
_BEFORE_COMMAND = regex(r"\{file:[^{}\n]*\}(?=[`{])")
_COMMAND_OF_TOML = regex(r"!+(?=\{)")
_LINE = regex("[^\n\r\x85\u2028\u2029]*(?:\r\n|[\n\r\x85\u2028\u2029]|$)")
_KEY = regex(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]|[\r\n\x85\u2028\u2029]|$)")
_BLANK = regex(r"[ \t]*(?:#.*)?[\r\n\x85\u2028\u2029]*$")
# Where some program sees front matter, whatever follows the dashes: a language, for one, which it then runs.
_FENCE = regex(r"([\s\ufeff]*+---)(?!-)([^\n\r\x85\u2028\u2029]*)(\r\n|[\n\r\x85\u2028\u2029]|$)")
_END = regex(r"(?<![^\n\r\x85\u2028\u2029])---[^\S\n\r\x85\u2028\u2029]*(?:\r\n|[\n\r\x85\u2028\u2029]|\Z)")
# How a text is encoded that begins with these bytes.
ENCODINGS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def read_text(data: bytes) -> tuple[str, str]:
    """A text, and how it is encoded."""
    encoding = next((name for mark, name in ENCODINGS.items() if data.startswith(mark)), "utf-8")
    return data.decode(encoding, "surrogateescape" if encoding == "utf-8" else "replace"), encoding


def written_text(text: str, encoding: str) -> bytes:
    """The bytes of a text, encoded as ``read_text`` said."""
    return text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")


def without_commands(text: str) -> str:
    """A text in which no program finds a command that it would run, and else the same."""
    apart = _BEFORE_COMMAND.sub(r"\g<0> ", text) if "{file:" in text else text
    return _COMMAND_OF_TOML.sub("", _COMMAND.sub("", apart)) if "!" in text else apart


def without_keys(text: str, allowed: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """A text whose front matter has only keys of ``allowed``, and the names of the others.

    A key counts where a line begins with it, plainly written; what is written in another way is left out with all that
    follows up to the next key. Fences are written plainly: some programs run what follows a language. A text that
    begins with one and has no other gets a line before it, where no program takes it for one.
    """
    opening = _FENCE.match(text)
    if opening is None:
        return text, ()
    closing = _END.search(text, opening.end())
    dropped = [f"---{opening[2].strip()}"] if opening[2].strip() else []
    if closing is None:
        end = opening
        while dropped and (following := _FENCE.match(text, end.end())) is not None:
            end = following
        return f"\n{'' if dropped else '---'}{opening[3]}{text[end.end() :]}", tuple(dropped)
    kept = list(_kept_lines(_lines(text, opening.end(), closing.start()), allowed, dropped))
    if not dropped and not opening[2]:
        return text, ()
    rest = text[closing.end() - len(closing[0].lstrip("-").lstrip(" \t")) :]
    return f"{opening[1]}{opening[3]}{''.join(kept)}---{rest}", tuple(dropped)


def _kept_lines(lines: Iterable[str], allowed: Collection[str], dropped: list[str]) -> Iterator[str]:
    """The lines of keys of ``allowed``; what others begin with comes to ``dropped``."""
    is_kept = False
    for line in lines:
        is_first = line[0] not in " \t-]})"
        if is_first and not _BLANK.match(line):
            key = _KEY.match(line)
            is_kept = key is not None and key[1] in allowed and key[1] not in RUN
        if is_kept or _BLANK.match(line):
            yield line
        elif is_first or not dropped:
            key = _KEY.match(line)
            dropped.append(key[1] if key else line.strip()[:40])


def _lines(text: str, start: int, end: int) -> Iterator[str]:
    while start < end:
        found = _LINE.match(text, start, end)
        if found is None or found.end() == start:
            return
        yield found[0]
        start = found.end()
