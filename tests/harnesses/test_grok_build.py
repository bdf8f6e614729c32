"""Grok Build: what the list says of a skill."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import preview

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("description", "row"),
    [
        ("Review changes. Use when asked to.", "- s: Review changes\n  Use when: asked to.\n"),
        ("Clean up.\n  Use when\n  a file grows.", "- s: Clean up\n  Use when: a file grows.\n"),
        ("MUST USE when reviewing.", "- s: MUST\n  Use when: reviewing.\n"),
        ("Clean up. Only use this skill when told.", "- s: Clean up. Only\n  Use when: told.\n"),
        ("Use when editing.", "- s: Use when editing.\n"),
        ("Use for reviews. Use this when creating.", "- s: Use for reviews. Use this when creating.\n"),
    ],
)
def test_a_description_may_say_itself_when_to_use_the_skill(tmp_path: Path, description: str, row: str) -> None:
    skill = f"---\nname: s\ndescription: |\n  {description}\n---\nbody\n"
    prompt = preview(tmp_path, "grok-build", {".agents/skills/s/SKILL.md": skill}, is_trusted=True)
    assert row in "".join(message.text for message in prompt.messages)


def test_when_to_use_of_the_front_matter_leaves_the_description_as_it_is(tmp_path: Path) -> None:
    skill = "---\nname: s\ndescription: Review. Use when asked.\nwhen-to-use: always\n---\nbody\n"
    prompt = preview(tmp_path, "grok-build", {".agents/skills/s/SKILL.md": skill}, is_trusted=True)
    assert "- s: Review. Use when asked.\n  Use when: always\n" in "".join(each.text for each in prompt.messages)
