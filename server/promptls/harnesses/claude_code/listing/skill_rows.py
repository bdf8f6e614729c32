"""What the list of skills of Claude Code says of one of them: its words and their width (surfaces, 3 and 4)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.text import units
from promptls.kit.javascript import SPACE, as_string, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Value
    from promptls.harnesses.claude_code.listing.skills import Skill

# What is sent where neither front matter nor text says anything (case skills-body-description).
NOTHING_SAID = {"skill": "Skill", "command": "Custom command", "workflow": ""}


def description(skill: Skill, limit: int) -> tuple[str, int, int]:
    """What the list says of a skill, in one line, and where its file says so; ``limit`` is for a line of the body."""
    given, when = skill.front.get("description"), skill.front.get("when_to_use")
    text = one_line(skill.value("description") or "")
    if given is not None and text:
        start, end = skill.front.span(given)
    else:
        text, start, end = _first_line(skill, limit)
    # The blanks around it stay (wire: skill-when-to-use).
    more = _visible_text(_joined(when)) if when is not None else ""
    return (f"{text} - {more}" if more else text), start, end


def has_words(skill: Skill) -> bool:
    """Whether its front matter says anything (captured: plugin-desc-rules)."""
    return any(_joined(value) for key in ("description", "when_to_use") if (value := skill.front.get(key)) is not None)


# A sequence that steers a terminal is left out.
_ESCAPE = regex(r"\x1b(?:\[[0-?]*[ -/]*)?[@-~]")
# Categories of Unicode whose letters are not shown: control, format, and the two that part lines and paragraphs.
_UNSEEN = ("Cc", "Cf", "Zl", "Zp")
_NOT_ASCII = regex(r"[^\x00-\x7f]")
# A carriage return ends no line, and one in a heading leaves it as it is (wire: skill-line-ends).
_LINE = regex(rf"[^{SPACE}][^\n]*")
_HEADING = regex(rf"#+[{SPACE}]+([^\n\r\u2028\u2029]+)")


def _first_line(skill: Skill, limit: int) -> tuple[str, int, int]:
    """The first line of the body that is not blank, at most so long (case skills-body-description)."""
    body = skill.front.body
    found = _LINE.search(skill.text, body)
    line = found[0].strip(SPACE) if found else ""
    heading = _HEADING.fullmatch(line)
    line = heading[1].strip(SPACE) if heading else line
    if found is None:
        return NOTHING_SAID[skill.kind], body, body
    if units(line) > limit:
        line = f"{line[: head(line, limit - len(ENDS))]}{ENDS}"
    # White space that it has been trimmed of does not come back (captured: skill-utf-16).
    return _visible_text(line), found.start(), found.end()


ENDS = "..."


def one_line(text: str) -> str:
    """Letters that are not shown as one blank, several in a row too (wire: skill-line-ends)."""
    return _visible_text(text).strip(SPACE)


def _visible_text(text: str) -> str:
    if text.isprintable():
        return text
    import itertools  # noqa: PLC0415 - few descriptions have such letters
    import unicodedata  # noqa: PLC0415 - the same

    runs = itertools.groupby(_ESCAPE.sub("", text), lambda letter: unicodedata.category(letter) in _UNSEEN)
    return "".join(" " if is_unseen else "".join(letters) for is_unseen, letters in runs)


def _joined(value: Value) -> str:
    """``String(value)`` of a scalar or list (case skills-fence-variants)."""
    if value.kind == "array":
        return ",".join(as_string(item) or "" for item in value.items)
    return as_string(value) or ""


def columns(text: str) -> int:
    """The columns of a text in a terminal: wide letters have two, line breaks none (case skills-budget-wide-482)."""
    others = _NOT_ASCII.findall(text)
    plain = len(text) - len(others) - text.count("\n")
    if not others:
        return plain
    import unicodedata  # noqa: PLC0415 - few lists have such letters

    known = (_width(unicodedata.east_asian_width(letter), unicodedata.category(letter)) for letter in others)
    return plain + sum(known)


def _width(width: str, category: str) -> int:
    if category in ("Mn", "Me", "Cf"):
        return 0
    return 2 if width in ("W", "F") else 1
