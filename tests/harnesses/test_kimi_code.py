"""Kimi Code: what it says of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.model import Turn
from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere


def test_agents_stand_in_the_definition_of_a_tool(tmp_path: Path) -> None:
    """Those of the project first, by their names, whatever their folder (wire: agents-list; seen by verify)."""
    files: Files = {
        ".kimi-code/agents/z.md": "---\nname: zed\ndescription: Of kimi.\nwhenToUse: When asked.\n---\nbody\n",
        ".agents/agents/r.md": "---\nname: rev\ndescription: Of agents.\n---\nbody\n",
        "~/.agents/agents/a.md": "---\nname: ask\ndescription: Of home.\n---\nbody\n",
        "~/.kimi-code/agents/r.md": "---\nname: rev\ndescription: Of home.\n---\nbody\n",
    }
    prompt = preview(tmp_path / "some", "kimi-code", files)
    (said,) = [each.text for each in prompt.messages if each.role == "tools"]
    rows = "\n- rev: Of agents.\n  Tools: all\n- zed: Of kimi. When asked.\n  Tools: all\n- ask: Of home.\n  Tools: all"
    assert said.partition("⟫")[2] == rows
    none = preview(tmp_path / "none", "kimi-code", {"x": ""})
    sizes = [[each.size or 0 for each in one.tools or () if each.name == "Agent"] for one in (prompt, none)]
    assert sizes[0][0] - sizes[1][0] == len(rows.replace("\n", "\\n"))


def test_which_tools_an_agent_has_is_not_known(tmp_path: Path) -> None:
    files: Files = {".kimi-code/agents/r.md": "---\nname: rev\ndescription: d\ntools: [Read]\n---\nbody\n"}
    prompt = preview(tmp_path, "kimi-code", files)
    assert [each.size for each in prompt.tools or () if each.name == "Agent"] == [None]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            "/plain a <b>",
            ('name="plain"', 'args="a &lt;b&gt;"', "plain\n\nARGUMENTS: a &lt;b&gt;\n</skill-loaded>"),
        ),
        ("/skill:plain", ('name="plain"', 'args=""', "MARK plain\n</skill-loaded>")),
        ("/one  two  words ", ('name="one"', 'args="two  words"', "MARK two  words end\n</skill-loaded>")),
    ],
)
def test_a_skill_that_is_typed_in_an_editor(tmp_path: Path, typed: str, said: tuple[str, str, str]) -> None:
    """Its text takes the place of what is typed, in any turn (seen by verify)."""
    front = "---\nname: {}\ndescription: d\n---\n\n"
    files: Files = {
        ".agents/skills/plain/SKILL.md": f"{front.format('plain')}MARK plain\n\n",
        ".kimi-code/skills/one/SKILL.md": f"{front.format('one')}MARK $ARGUMENTS end\n",
    }
    turns = (Turn("hello"), Turn(typed))
    for editor in (True, None):
        text = preview(tmp_path / str(editor), "kimi-code", files, turns=turns, editor=editor).messages[-1].text
        is_loaded = text.startswith(f'User activated the skill "{said[0][6:-1]}". Follow the loaded')
        assert is_loaded is bool(editor)
        assert not editor or all(each in text for each in (*said, 'trigger="user-slash" source="project" dir="'))
