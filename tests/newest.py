"""The versions that previews are of, so that no test has to be changed for a new one."""

from __future__ import annotations

from promptls import harnesses


def newest(name: str) -> str:
    """The version of a harness that is previewed where nobody names another."""
    return harnesses.get(name).versions[0].name
