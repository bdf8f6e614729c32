"""The front matter of a SKILL.md, as Codex reads it: strictly at first, then with lines repaired (section 2)."""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.core.formats import parse_yaml
from promptls.core.formats.tree import EMPTY, Flaw
from promptls.core.lazy import regex
from promptls.core.model import Fault, Range
from promptls.core.text import early_range
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Value

# White space to Rust, but for the end of a line.
_BLANK = r"[^\S\r\n]"
_OPENING = regex(rf"{_BLANK}*---{_BLANK}*\r?(?:\n|\Z)")
_CLOSING = regex(rf"^{_BLANK}*---{_BLANK}*\r?$", re.MULTILINE)

NO_FRONT_MATTER = "it has no front matter between two lines ---"
NOTHING = Range()


@dataclass(frozen=True, slots=True)
class SkillHeader:
    """What the front matter says. ``name`` is "" where it says none; ``reason`` is why the skill is left out, if it is.

    ``where`` is the range of the description.
    """

    name: str = ""
    description: str = ""
    where: Range | None = None
    reason: str = ""
    faults: tuple[Fault, ...] = ()


def read_header(text: str) -> SkillHeader:
    """The front matter of ``text``: only these two keys count (parts: skills-front-matter)."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    # At least one line is between the two (parts: skills-front-matter).
    if opening is None or closing is None or closing.start() <= opening.end():
        fault = Fault("front-matter-invalid", NOTHING, f"Codex does not load this skill: {NO_FRONT_MATTER}. Add it.")
        return SkillHeader(reason=NO_FRONT_MATTER, faults=(fault,))
    inside = text[opening.end() : closing.start()]
    found = _parsed(inside)
    if isinstance(found, Flaw):
        where = early_range(text, opening.end() + found.start, opening.end() + found.end)
        fault = Fault("front-matter-invalid", where, f"Codex does not load this skill: {found.message}. Fix it.")
        return SkillHeader(reason=found.message, faults=(fault,))
    name, description, start, end = found
    if not description:
        where = early_range(text, 0, opening.end())
        says = "its front matter has no description"
        fault = Fault("front-matter-invalid", where, f"Codex does not load this skill: {says}. Add one.")
        return SkillHeader(name, reason=says, faults=(fault,))
    return SkillHeader(name, description, early_range(text, opening.end() + start, opening.end() + end))


def one_line(text: str) -> str:
    """``text`` with single blanks for its white space."""
    return " ".join(text.split())


Found = tuple[str, str, int, int]


# The same skills are read for each session.
@lru_cache(maxsize=512)
def _parsed(inside: str) -> Found | Flaw:
    first = _read(inside)
    if not isinstance(first, Flaw):
        return first
    repaired = "\n".join(_repaired(inside.split("\n")))
    again = _read(repaired) if repaired != inside else first
    if isinstance(again, Flaw):
        return first
    name, description, start, _ = again
    # The quotes that were added move what follows; the value begins in the same column of the same line.
    line = repaired.count("\n", 0, start)
    lines = inside.split("\n")
    at = sum(len(each) + 1 for each in lines[:line])
    column = start - repaired.rfind("\n", 0, start) - 1
    return name, description, at + column, at + len(lines[line].rstrip())


_KEYS = ("name", "description")
_SHORT = "short-description"


def _read(inside: str) -> Found | Flaw:
    """What a YAML parser makes of it; both values are scalars, and no key is there twice."""
    document = parse_yaml(inside.replace("\r\n", " \n"))
    if document.flaw is not None:
        return Flaw(document.flaw.start, document.flaw.end, document.flaw.message)
    root = document.root
    if root is not None and root.kind != "object":
        return Flaw(root.start, root.end, "its front matter is no mapping")
    values: dict[str, Value] = {}
    for key, value in root.members if root is not None else ():
        if str(key.data) in values:
            return Flaw(key.start, key.end, f"the key {key.data} is there twice")
        from promptls.core.formats.yaml_reader import odd_anchor  # noqa: PLC0415 - it has read the text

        anchor = odd_anchor(inside, key, value)
        if anchor is not None:
            return anchor
        values[str(key.data)] = value
    for name in _KEYS:
        flaw = _scalar_flaw(inside, name, values.get(name))
        if flaw is not None:
            return flaw
    flaw = _metadata_flaw(inside, values.get("metadata"))
    if flaw is not None:
        return flaw
    place = values.get("description") or EMPTY
    return _text(inside, values.get("name")), _text(inside, values.get("description")), place.start, place.end


def _metadata_flaw(inside: str, value: Value | None) -> Flaw | None:
    """A mapping, or nothing at all; what it says is not sent (wire: skills-metadata)."""
    if value is None or value.start == value.end:
        return None
    if value.kind != "object":
        return Flaw(value.start, value.end, "the metadata is no mapping")
    short: Value | None = None
    for key, each in value.members:
        if key.kind in ("array", "object"):
            return Flaw(key.start, key.end, "a key of the metadata is no text")
        if key.data == _SHORT:
            if short is not None:
                return Flaw(key.start, key.end, f"the key {_SHORT} is there twice")
            short = each
    return _scalar_flaw(inside, _SHORT, short)


def _scalar_flaw(inside: str, name: str, value: Value | None) -> Flaw | None:
    if value is None:
        return None
    written = inside[value.start : value.end]
    if value.kind in ("array", "object"):
        return Flaw(value.start, value.end, f"the {name} is no text")
    if written.startswith(("*", "@", "`", "%")):
        return Flaw(value.start, value.end, f"the {name} begins with {written[0]}, which YAML reserves")
    return None


def _text(inside: str, value: Value | None) -> str:
    """A scalar as text: numbers and words such as ``true`` as they are written (parts: skills-front-matter)."""
    if value is None or value.kind == "null":
        return ""
    return one_line(value.data if isinstance(value.data, str) else inside[value.start : value.end])


_LINE = regex(r"([ \t]*+(?:- )?[\w.-]++:[ \t]++)([^\r\n]*+)(\r?)")
_BLOCK = regex(r"[|>][-+0-9]*+[ \t]*+(?:#.*+)?\Z")


def _repaired(lines: list[str]) -> list[str]:
    """The lines with single quotes around values that YAML reads as something else (captured: skills-yaml-lenient).

    Not inside of blocks, and not where the value has quotes already; a comment stays outside.
    """
    block: int | None = None
    repaired = []
    for line in lines:
        indent = len(line) - len(line.lstrip(" \t"))
        if block is not None and (not line.strip() or indent > block):
            repaired.append(line)
            continue
        block = None
        found = _LINE.fullmatch(line)
        if found is None:
            repaired.append(line)
            continue
        value = _without_comment(found[2])
        if _BLOCK.match(value):
            block = indent
        if _needs_quotes(value):
            quoted = value.replace("'", "''")
            line = f"{found[1]}'{quoted}'{found[2][len(value) :]}{found[3]}"  # noqa: PLW2901 - the line that replaces it
        repaired.append(line)
    return repaired


def _without_comment(value: str) -> str:
    found = re.search(r"[ \t]#", value)
    return (value[: found.start()] if found else value).rstrip()


def _needs_quotes(value: str) -> bool:
    if not value or value[0] in "\"'|>":
        return False
    if ": " in value or value.endswith(":"):
        return True
    return value[0] in "[{@`" and not _is_flow(value)


def _is_flow(value: str) -> bool:
    """Whether a value that begins like a list or a mapping is one."""
    return value[0] in "[{" and parse_yaml(f"x: {value}").flaw is None
