"""What the scenarios as text files cannot show: texts to the letter, numbers, and a file that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.files import Contents
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Range, Session, Turn
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


class Unreadable(Host):
    """A host on which one file may not be read."""

    locked = ""

    def read(self, path: str) -> Contents:
        return Contents("unreadable") if path == self.locked else super().read(path)

    def head(self, path: str) -> Contents:
        return Contents("unreadable") if path == self.locked else super().head(path)


def preview(top: Path, locked: str = "") -> Prompt:
    host = Unreadable(home=str(top / "home"), env={})
    host.locked = str(top / "repo" / locked)
    return harnesses.preview(Session("codex", str(top / "repo/pkg")), host)


def write(top: Path, config: str) -> None:
    lay_out(top / "home", {".codex/config.toml": config}, git=False)
    files: dict[str, str | bytes | dict[str, object]] = {
        "AGENTS.md": "root\n",
        "pkg/AGENTS.override.md": "éé\n",
        "pkg/AGENTS.md": "shadowed\n",
    }
    lay_out(top / "repo", files)


def test_a_cut_names_what_is_kept_and_the_place_of_the_setting(tmp_path: Path) -> None:
    write(tmp_path, "# budget\nproject_doc_max_bytes = 8\n")
    prompt = preview(tmp_path)
    sent = next(message for message in prompt.messages if "<INSTRUCTIONS>" in message.text)
    assert sent.text == (
        f"# AGENTS.md instructions for {tmp_path}/repo/pkg\n\n<INSTRUCTIONS>\nroot\n\n\né\ufffd\n</INSTRUCTIONS>"
    )
    cut = next(segment.cut for segment in sent.segments if segment.cut)
    assert (cut.kept, cut.total, cut.unit) == (3, 5, "bytes")
    assert cut.limit == f"project_doc_max_bytes is 8 in {tmp_path}/home/.codex/config.toml:2"
    assert cut.setting
    assert cut.setting.path == f"{tmp_path}/home/.codex/config.toml"
    assert cut.setting.range == Range(1, 24, 1, 25)


def test_a_dropped_file_is_named_with_its_size(tmp_path: Path) -> None:
    write(tmp_path, "project_doc_max_bytes = 5\n")
    dropped = [c for c in preview(tmp_path).candidates if c.outcome == "dropped"]
    assert [(c.path, c.cut and (c.cut.kept, c.cut.total)) for c in dropped] == [
        (f"{tmp_path}/repo/pkg/AGENTS.override.md", (0, 5))
    ]


def test_one_file_that_cannot_be_read_loses_all_of_the_project(tmp_path: Path) -> None:
    write(tmp_path, "")
    prompt = preview(tmp_path, locked="pkg/AGENTS.override.md")
    assert not any("<INSTRUCTIONS>" in message.text for message in prompt.messages)
    lost = {c.path: (c.outcome, c.other) for c in prompt.candidates if c.path and c.outcome in ("failed", "dropped")}
    locked = f"{tmp_path}/repo/pkg/AGENTS.override.md"
    assert lost == {f"{tmp_path}/repo/AGENTS.md": ("dropped", locked), locked: ("failed", None)}


def test_a_file_that_cannot_be_read_loses_none_that_took_all_of_the_budget(tmp_path: Path) -> None:
    write(tmp_path, "project_doc_max_bytes = 5\n")
    prompt = preview(tmp_path, locked="pkg/AGENTS.override.md")
    assert any("<INSTRUCTIONS>\nroot\n" in message.text for message in prompt.messages)


def test_a_line_that_is_no_utf_8_is_named_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path, "")
    (tmp_path / "home/.codex/config.toml").write_bytes(b"\n# caf\xe9\nb = 2\n")
    by = preview(tmp_path).stopped_by
    assert by is not None
    assert by.range == Range(1, 0, 2, 0)


def test_a_skill_that_cannot_be_read_loses_itself_alone(tmp_path: Path) -> None:
    write(tmp_path, "")
    skills = {f".agents/skills/{name}/SKILL.md": f"---\ndescription: {name}\n---\n" for name in "ab"}
    lay_out(tmp_path / "repo", {**skills}, git=False)
    prompt = preview(tmp_path, locked=".agents/skills/a/SKILL.md")
    assert [each.outcome for each in prompt.candidates if each.use == "skill"] == ["failed", "loaded"]


def test_what_the_files_of_a_project_need_of_their_budget(tmp_path: Path) -> None:
    write(tmp_path, "project_doc_max_bytes = 8\n")
    assert [(each.used, each.most) for each in preview(tmp_path).limits if each.name == "project files"] == [(10, 8)]
    (tmp_path / "repo/pkg/AGENTS.override.md").write_text(" \n", encoding="utf-8")
    assert [(each.used, each.most) for each in preview(tmp_path).limits if each.name == "project files"] == [(5, 8)]


def test_a_sub_command_of_its_own_is_named_and_a_prompt_is_not(tmp_path: Path) -> None:
    for words, said in (("resume",), True), (("exec", "resume"), True), (("hello", "resume"), False):
        session = Session("codex", str(tmp_path), args=words)
        prompt = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
        assert any("does not model resume" in each.why for each in prompt.candidates) is said


def test_a_sub_agent_on_the_screen_has_no_collaboration_mode(tmp_path: Path) -> None:
    write(tmp_path, "")
    given = '{"agent_type": "worker", "message": "look"}'
    call = Call(tool="spawn_agent", input=given, namespace="multi_agent_v1", steps=())

    def said(*steps: tuple[Call, ...]) -> str:
        turns = (Turn(prompt="go on", steps=steps),)
        session = Session("codex", str(tmp_path / "repo"), turns=turns, model="gpt-5.4", interactive=True)
        found = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
        return "".join(message.text for message in found.messages)

    assert "<collaboration_mode>" in said()
    assert "look" in said((call,))
    assert "<collaboration_mode>" not in said((call,))


def test_roles_are_counted_as_the_json_that_they_stand_in(tmp_path: Path) -> None:
    """Seen by verify: breaks and quotation marks are escaped, also those of the program's own roles."""
    repo = lay_out(tmp_path / "repo", {"a": "x"})

    def size(roles: dict[str, str]) -> int:
        files: dict[str, str | bytes | dict[str, object]] = {
            f".codex/agents/{name}.toml": f"description = '{says}'\ndeveloper_instructions = 'x'\n"
            for name, says in roles.items()
        }
        home = lay_out(tmp_path / "-".join(["home", *roles]), files, git=False)
        found = harnesses.preview(Session("codex", str(repo)), Host(home=str(home), env={}))
        return next(each.size or 0 for each in found.tools or () if each.name == "collaboration")

    own = "Use it."
    frame = "own: {\n\n}\n"
    listed = f"Available roles:\n{frame}default: {{\n\n}}\nexplorer: {{\n\n}}\nworker: {{\n\n}}"
    texts = 147 + 14 + 1005 + 1036 + len(own)
    escapes = 1 + 6 + 7 + 2 + listed.count("\n")
    parameter = len('"agent_type":{"type":"string","description":""},')
    assert size({"own": own}) - size({}) == parameter + texts + len(listed) + escapes
    assert size({"quoting": 'an "own" one'}) - size({"quoting": "an +own+ one"}) == 2
