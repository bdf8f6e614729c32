"""Forms of front matter that programs take differently, as each was seen to list them (captured: skill-forms)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, preview, segments

pytestmark = pytest.mark.same_everywhere
# What begins each form, and what the programs list of it, in this order: Auggie, Droid, Grok Build and Letta Code.
PROGRAMS = ("auggie", "droid", "grok-build", "letta-code")
NONE = ""
FORMS = {
    "name: one\ndescription: Use this: now": (NONE, "one: Use this: now", "one: Use this: now", "one: Use this: now"),
    "name: one\ndescription: @at": (NONE, "one: @at", "one: @at", "one: @at"),
    "name: one\ndescription: 3.50": ("one: 3.5", NONE, "one: 3.5", "one: 3.50"),
    "name: one\ndescription: true": ("one: true", NONE, "one: true", "one: true"),
    "name: A_b.c\ndescription: d": (NONE, NONE, "a-b-c: d", "A_b.c: d"),
    "name: x  y\ndescription: d": (NONE, NONE, "x-y: d", "x  y: d"),
    "name: -x-\ndescription: d": (NONE, NONE, "folder: d", "-x-: d"),
    "name: a--b\ndescription: d": (NONE, "a--b: d", "a-b: d", "a--b: d"),
    "name: a/b\ndescription: d": (NONE, NONE, "folder: d", "a/b: d"),
    f"name: {'l' * 70}\ndescription: d": (NONE, f"{'l' * 70}: d", "folder: d", f"{'l' * 70}: d"),
    "name: 7\ndescription: d": ("7: d", NONE, "7: d", "7: d"),
    "name: one\ndescription: plain": ("one: plain", "one: plain", "one: plain", "one: plain"),
}


def listed(top: Path, harness: str, text: str) -> str:
    files: Files = {".agents/skills/folder/SKILL.md": text}
    shown = segments(preview(top, harness, files, is_trusted=True))
    there = next(
        (number for number, each in enumerate(shown) if each.title.startswith("skill ") and each.elided is None), None
    )
    if there is None:
        return NONE
    return f"{shown[there].title.removeprefix('skill ')}: {shown[there].text}"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("harness", PROGRAMS)
def test_front_matter(tmp_path: Path, harness: str, form: str) -> None:
    wanted = FORMS[form][PROGRAMS.index(harness)]
    assert listed(tmp_path, harness, f"---\n{form}\n---\nbody\n") == wanted


@pytest.mark.parametrize(
    ("harness", "text", "wanted"),
    [
        ("grok-build", "\ufeff---\nname: one\ndescription: d\n---\nbody\n", "folder: "),
        ("droid", "\ufeff---\nname: one\ndescription: d\n---\nbody\n", NONE),
        ("grok-build", "\n\n---\nname: one\ndescription: d\n---\nbody\n", "one: d"),
        ("grok-build", "first\nline\n\nsecond\n", "folder: first line"),
    ],
)
def test_what_stands_before_it(tmp_path: Path, harness: str, text: str, wanted: str) -> None:
    found = listed(tmp_path, harness, text)
    assert found.startswith(wanted) if wanted else not found
