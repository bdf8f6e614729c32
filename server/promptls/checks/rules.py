"""The catalogue: every code that a check can report, and how grave it is."""

from __future__ import annotations

from promptls.core.model import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Range, Severity

SEVERITY: dict[str, Severity] = {
    "config-invalid": "error",
    "config-type": "error",
    "config-key": "warning",
    "instruction-missing": "error",
    "symlink-broken": "warning",
    "not-a-file": "warning",
    "glob-empty": "warning",
    "url-slow": "warning",
    "url-timeout": "error",
    "url-unreachable": "error",
    "url-status": "error",
    "url-empty": "warning",
    "suppression-unused": "warning",
}


def problem(code: str, path: str, where: Range, message: str) -> Problem:
    """A problem of a code in the catalogue."""
    return Problem(path, where, code, SEVERITY[code], message)
