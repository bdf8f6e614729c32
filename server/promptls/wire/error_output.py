"""What a program that has ended said last."""

from __future__ import annotations

from promptls.core.lazy import regex

# Node.js ends with its own version, below the error and where it was.
_END = regex(r"Node\.js v\d")
_ERROR = regex(r"(?:Uncaught )?[A-Z]\w*(?:Error|Exception)\b.*|Error: .*|ERROR\b.*")


def last_error(text: str) -> str:
    """The last line of ``text``, or the error that Node.js wrote above it; "" if there is none."""
    lines = [each.strip() for each in text.splitlines() if each.strip()]
    if not lines or not _END.match(lines[-1]):
        return lines[-1] if lines else ""
    return next((each for each in reversed(lines) if _ERROR.fullmatch(each)), lines[-1])


def last_lines(text: str, most: int) -> list[str]:
    """The last lines of ``text``, at most so many; from the last error on, where only what is below it is last."""
    lines = [each for each in text.splitlines() if each.strip()]
    errors = [at for at, each in enumerate(lines) if _ERROR.fullmatch(each.strip())]
    at = min(len(lines) - most, errors[-1] if errors else len(lines))
    return lines[max(at, 0) :][:most]
