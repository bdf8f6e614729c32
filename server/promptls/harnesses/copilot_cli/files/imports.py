"""How Copilot CLI puts files named by ``@path`` into an instruction file (2; wire: settle-imports-*).

The ``@path`` stays, and the other file's text follows it at once, also within a sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.core.lazy import regex
from promptls.core.model import START, Origin, Range, Segment
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.copilot_cli.versions import ROWS
from promptls.kit.candidates import Rule
from promptls.kit.draft import look_for_text
from promptls.kit.javascript import SPACE, trim_end
from promptls.kit.mentions import Mention
from promptls.kit.paths import is_absolute, is_below, native, parent, resolve
from promptls.kit.segments import escaped, head, tail
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import CacheClass
    from promptls.kit.draft import Draft, Found

WHY_IMPORT = "Copilot CLI puts the text of a file after the @path that names it"

_RUN = rf"@([^{SPACE}`<>\"']+)"
_MENTION = regex(rf"(?<![A-Za-z0-9_.%+-]){_RUN}")
_ANY = regex(_RUN)
_OF_ADDRESS = regex(r"[A-Za-z0-9_.%+-]")
_AFTER_PATH = ".,;:!?)]}"
_FENCE = regex(rf"[{SPACE}]*(```|~~~)")
_TICKS = regex(r"`+")


def mentions(text: str) -> Iterator[Mention]:
    """Every ``@path`` of ``text`` that is treated as an import, in order."""
    for mention, reason in _found(text, _MENTION):
        if not reason:
            yield mention


def unrecognised(text: str) -> Iterator[tuple[Mention, str]]:
    """What looks like an import and is none, with the reason."""
    for mention, reason in _found(text, _ANY):
        if reason or _OF_ADDRESS.match(text, mention.start - 1, mention.start):
            yield mention, reason or "the letter before the @ makes it part of an address"


def _found(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[Mention, str]]:
    """What ``pattern`` finds that holds a ``/`` or ``.``, and why it is no import if it is in code."""
    return iter(_looked_through(text, pattern)) if "@" in text else iter(())


# The same text is looked through for each session that has it.
@lru_cache(maxsize=128)
def _looked_through(text: str, pattern: re.Pattern[str]) -> tuple[tuple[Mention, str], ...]:
    return tuple(_each(text, pattern))


def _each(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[Mention, str]]:
    code = iter(code_stretches(text))
    start, end = next(code, (len(text), len(text)))
    for found in pattern.finditer(text):
        target = found[1].rstrip(_AFTER_PATH)
        while end <= found.start():
            start, end = next(code, (len(text), len(text)))
        if "/" in target or "." in target:
            yield (
                Mention(found.start(), found.start(1) + len(target), target),
                ("it is in code" if start <= found.start() else ""),
            )


def code_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where code is, in order: fences by their first three characters, spans within one line.

    In a list or quotation no fence opens; indented text is no code.
    """
    opened: re.Match[str] | None = None
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        fence = _FENCE.match(text, at, end)
        if opened:
            if fence and fence[1] == opened[1]:
                yield opened.start(), end
                opened = None
        elif fence:
            opened = fence
        else:
            yield from _spans(text, at, end)
        at = end
    if opened:
        yield opened.start(), len(text)


def _spans(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Between two runs of as many back-ticks; a run without a partner hides the rest of its line."""
    runs = [found.span() for found in _TICKS.finditer(text, at, end)]
    # From the back: the next run that is as long.
    partner: list[int | None] = [None] * len(runs)
    last: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        length = runs[number][1] - runs[number][0]
        partner[number] = last.get(length)
        last[length] = number
    number = 0
    while number < len(runs):
        closing = partner[number]
        if closing is None:
            yield runs[number][0], end
            return
        yield runs[number][0], runs[closing][1]
        number = closing + 1


# Letters that are not shown, which are left out; others stay, such as the zero width joiner (wire: unseen-letters).
_UNSEEN = regex(
    "[\u00ad\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0001-\U000e007f]"
)


def as_sent(text: str) -> str:
    """The text of an instruction file as it is sent: composed (NFC), without letters that are not shown."""
    if text.isascii():
        return text
    import unicodedata  # noqa: PLC0415 - many files have ASCII only

    return unicodedata.normalize("NFC", _UNSEEN.sub("", text))


@dataclass(slots=True)
class Expansion:
    """One file that is sent, with what it imports. ``inside`` is the real directory that an import must not leave.

    ``base`` is the directory that its imports are relative to; those of a file that is imported are to its real one.
    ``is_escaped``: the whole of it is escaped, as it is where it comes with a view.
    """

    draft: Draft
    host: Host
    inside: str
    base: str
    at: str = START
    is_escaped: bool = False
    # In GEMINI.md the text stays as it is (wire: gemini-without-imports).
    imports: bool = True
    # Each real path once, the top file's own too (wire: settle-imports-deep).
    loaded: set[str] = field(default_factory=set)

    def segments(self, path: str, found: Found, why: str) -> list[Segment]:
        """The text of the top file at ``path`` in pieces, with what it imports between them."""
        real = self.host.realpath(path)
        self.loaded.add(real)
        return list(self._pieces(path, found, why, (real,), len(found.text)))

    def _pieces(self, path: str, found: Found, why: str, chain: tuple[str, ...], end: int) -> Iterator[Segment]:
        """The text up to ``end`` of the last file of ``chain``, in which each file imports the next."""
        lines = LineIndex(found.text)
        at, here = 0, lines.position(0)
        for mention in mentions(found.text) if self.imports else ():
            first, last = lines.position(mention.start), lines.position(mention.end)
            origin = Origin("file", path=chain[-1], range=Range(*first, *last), name=f"@{mention.target}")
            # Elsewhere, in a URL or brackets say, a file that is not there is no mistake.
            is_meant = found.text[mention.start - 1 : mention.start] in SPACE
            target, imported = self._imported(mention.target, chain, origin, is_meant=is_meant)
            if not target:
                continue
            yield self._piece(path, found, why, (at, mention.end), Range(*here, *last))
            yield from self._tag(target, imported, chain)
            at, here = mention.end, last
        yield self._piece(path, found, why, (at, end), Range(*here, *lines.position(end)))
        if self.imports:
            self._name_unrecognised(found, chain)

    def _tag(self, target: str, imported: Found | None, chain: tuple[str, ...]) -> Iterator[Segment]:
        """The frame of an import, and its text; white space before the text is kept, and that after it is not."""
        opening = f'\n\n<imported_custom_instruction source="{escaped(native(target))}"'
        if imported is None:
            yield tail(self._escaped(f'{opening} skipped="already-loaded" />'))
            return
        yield head(self._escaped(f"{opening}>\n"), path=target)
        yield from self._pieces(target, imported, WHY_IMPORT, (*chain, target), len(trim_end(imported.text)))
        yield tail(self._escaped("\n</imported_custom_instruction>"))

    def _place(self, written: str, chain: tuple[str, ...]) -> str:
        return resolve(self.base if len(chain) == 1 else parent(chain[-1]), written)

    def _imported(
        self, written: str, chain: tuple[str, ...], origin: Origin, *, is_meant: bool
    ) -> tuple[str, Found | None]:
        """The real path of the imported file, and the file unless it was there before; "" where the ``@path`` stays."""
        candidates, rule = self.draft.candidates, Rule(WHY_IMPORT, origin, at=self.at)
        if is_absolute(written, self.base) or written.startswith("~/"):
            place = resolve(self.host.home, written[2:]) if written.startswith("~/") else resolve(self.base, written)
            if self.host.kind(place) == "file":
                candidates.append(rule.excluded(place, "absolute paths and ~ are not imported", state="absolute"))
            return "", None
        place = self._place(written, chain)
        kind = self.host.kind(place)
        if written.endswith("/"):  # which resolve takes away, and no file has
            return "", None
        if kind != "file":
            if is_meant and (kind is None or kind == "special"):
                candidates.append(self._look(place, origin).candidate)
            return "", None
        real = self.host.realpath(place)
        if not is_below(real, self.inside):
            candidates.append(rule.outside(place, f"not for a file outside of {self.inside}"))
            return "", None
        most = row(ROWS, self.draft.session.version).import_levels
        if len(chain) > most:
            reason = f"imports are followed for {most} levels only"
            candidates.append(rule.dropped(place, reason, state="too-deep"))
            return "", None
        if real in self.loaded:
            reason = "it is there already, and each file is put in once"
            candidates.append(rule.duplicate(place, reason, of=real, state="cycle" if real in chain else None))
            return real, None
        found = self._look(place, origin)
        candidates.append(found.candidate)
        if found.candidate.outcome not in ("loaded", "cut", "empty"):
            return "", None
        self.loaded.add(real)
        return real, replace(found, origin=replace(found.origin, path=real))

    def _look(self, place: str, origin: Origin) -> Found:
        return look_for_text(self.host, place, why=WHY_IMPORT, origin=origin, keep_bom=False, at=self.at)

    def _piece(self, path: str, found: Found, why: str, part: tuple[int, int], where: Range) -> Segment:
        text = self._escaped(as_sent(found.text[slice(*part)]))
        origin = replace(found.origin, range=where, again=part[0] > 0)
        cache: CacheClass = "turn" if self.at != START else "session"
        return Segment("instructions", path, text, origin, why, cache=cache, cut=found.cut)

    def _escaped(self, text: str) -> str:
        return escaped(text) if self.is_escaped else text

    def _name_unrecognised(self, found: Found, chain: tuple[str, ...]) -> None:
        """What looks like an import and names a file, but is none."""
        lines = LineIndex(found.text)
        for mention, reason in unrecognised(found.text):
            # A fence shows how something is written; a span that is nothing but the mention was meant.
            around = found.text[mention.start - 1 : mention.start] + found.text[mention.end : mention.end + 1]
            if reason == "it is in code" and around != "``":
                continue
            place = self._place(mention.target, chain)
            if self.host.kind(place) == "file":
                where = lines.range(mention.start, mention.end)
                origin = Origin("file", path=chain[-1], range=where, name=f"@{mention.target}")
                rule = Rule(WHY_IMPORT, origin, at=self.at)
                self.draft.candidates.append(rule.excluded(place, reason, state="unrecognised"))
