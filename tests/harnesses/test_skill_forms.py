"""Forms of front matter that programs take differently, as each was seen to list them (captured: skill-forms)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harnesses.shown import Files, preview, segments

pytestmark = pytest.mark.same_everywhere
# What begins each form, and what the programs list of it, in this order: Auggie, Droid, Grok Build and Letta Code.
# Each of these was listed so by the real programs (captured: front-forms).
MORE = json.loads(Path(__file__).with_name("data").joinpath("front_matter_forms.json").read_text("utf-8"))
PLACES = {"gptme": "skills", "hermes": "~/.hermes/skills"}
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
    files: Files = {f"{PLACES.get(harness, '.agents/skills')}/folder/SKILL.md": text, "AGENTS.md": "x"}
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


@pytest.mark.parametrize("form", MORE)
def test_rare_front_matter(tmp_path: Path, form: str) -> None:
    text, wanted = MORE[form]["text"], MORE[form]["listed"]
    assert {each: listed(tmp_path / each, each, text) for each in wanted} == wanted


def test_gptme_lists_no_skill_where_a_description_has_no_length(tmp_path: Path) -> None:
    plain, wrong = (
        "---\nname: {}\ndescription: {}\n---\n".format(*each) for each in (("a", "words"), ("b", "2026-01-02"))
    )
    prompt = preview(tmp_path, "gptme", {"skills/a/SKILL.md": plain, "skills/b/SKILL.md": wrong})
    assert not [each for each in segments(prompt) if each.title.startswith("skill ")]
    failed = [each.reason for each in prompt.candidates if each.outcome == "failed"]
    assert [each.endswith("so gptme lists no skill at all") for each in failed] == [True, True]


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("---\ntype: MANUAL\n---\nx\n", None),
        ("---\ntype: [manual]\n---\nx\n", "type=0 description=None"),
        ("---\ndescription: [a, b]\n---\nx\n", 'type=2 description=["a","b"]'),
        ("---\ndescription: 2026-01-02\n---\nx\n", 'type=2 description="2026-01-02T00:00:00.000Z"'),
        ("---\ndescription: a: b\n---\nx\n", "type=0 description=None"),
        ("---\ndescription: |\n  a\n---\nx\n", "type=2 description=a\n"),
        ("---\nname: x\n---", "type=0 description=None"),
    ],
)
def test_a_rule_of_auggie(tmp_path: Path, text: str, about: str | None) -> None:
    prompt = preview(tmp_path, "auggie", {".augment/rules/r.md": text})
    sent = "".join(each.text for message in prompt.messages for each in message.segments)
    assert (about in sent) if about is not None else ".augment/rules/r.md" not in sent


def test_droids_are_listed_as_the_disk_has_them_and_without_what_is_no_text(tmp_path: Path) -> None:
    forms = {
        "list": "description: [a, b]",
        "none": "name: none",
        "lines": "description: !a b",
        "date": "name: 2026-01-02",
    }
    files: Files = {f".factory/droids/{name}.md": f"---\n{said}\n---\nx\n" for name, said in forms.items()}
    sent = "".join(each.text for each in segments(preview(tmp_path, "droid", files)))
    for row in ("- list: (loc", "- none: (loc", "- lines: !a b (loc", "- date: (loc"):
        assert row in sent
