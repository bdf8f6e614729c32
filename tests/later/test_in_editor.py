"""Sessions that an editor runs over the program's protocol (seen by verify; its starts are wire cases)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.habits import Habits, Own, Recent
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from promptls.core.settings import DEFAULT
from promptls.harnesses import catalogue
from promptls.sessions.start import Overrides, Place, session_of
from promptls.workspace.session_file import parse
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
BODY = "Use $ARGUMENTS, $1, $0, $ARGUMENTS[0] and $2.\n"
FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "Root.\n",
    "pkg/AGENTS.md": "Nested.\n",
    "pkg/a.py": "1\n",
    ".github/skills/args/SKILL.md": f"---\nname: args\ndescription: d\n---\n{BODY}",
    ".github/skills/sign/SKILL.md": "---\nname: sign\ndescription: d\n---\nPay \\$1.\n",
    ".github/skills/plain/SKILL.md": "---\nname: plain\ndescription: d\n---\nDo it.\n",
    ".claude/commands/go.md": "---\ndescription: go\n---\nGo $ARGUMENTS now.\n",
    ".opencode/command/there.md": "There $ARGUMENTS.\n",
    ".gemini/commands/fix.toml": 'prompt = "Fix {{args}}"\n',
}


def shown(tmp_path: Path, harness: str, *turns: Turn, editor: bool = True, model: str | None = None) -> Prompt:
    root = tmp_path / "w"
    if not root.exists():
        lay_out(root, FILES)
    own = {"editor": True} if editor else {"interactive": True}
    session = Session(harness, str(root), turns=turns, is_trusted=True, model=model, **own)  # type: ignore[arg-type]
    return harnesses.preview(session, Host(home=str(tmp_path), env={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}))


def reads(tmp_path: Path) -> Turn:
    return Turn("go", steps=((Call(read=str(tmp_path / "w/pkg/a.py")),),))


def text(found: Prompt) -> str:
    return "\n".join(message.text for message in found.messages)


def tools(found: Prompt) -> set[str]:
    return {each.name for each in found.tools or () if each.enabled}


def test_copilot_cli_brings_nothing_when_a_file_is_viewed(tmp_path: Path) -> None:
    assert "Nested." in text(shown(tmp_path, "copilot-cli", reads(tmp_path), editor=False))
    found = shown(tmp_path, "copilot-cli", reads(tmp_path))
    assert "Nested." not in text(found)
    nested = [each for each in found.candidates if each.path == str(tmp_path / "w/pkg/AGENTS.md")]
    assert [(each.outcome, each.reason) for each in nested] == [
        ("unscoped", "in an editor, Copilot CLI adds nothing when a file is viewed")
    ]


def test_copilot_cli_has_none_of_its_own_skills_and_without_any_no_tool_for_them(tmp_path: Path) -> None:
    assert "skill" in tools(shown(tmp_path, "copilot-cli"))
    bare = lay_out(tmp_path / "bare", {"a.py": "1\n"})
    session = Session("copilot-cli", str(bare), editor=True)
    assert "skill" not in tools(harnesses.preview(session, Host(home=str(tmp_path / "home"), env={})))


@pytest.mark.parametrize("editor", [True, False])
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ('/args one "two three"', 'Use one "two three", two three, one, one and .\n\n</skill-context>'),
        ("/args", "Use , , ,  and .\n\n</skill-context>"),
        ("/args it's so", "Use it's so, , its so, its so and .\n\n</skill-context>"),
        (r"/args a\ b", "Use a\\ b, b, a\\, a\\ and .\n\n</skill-context>"),
        ("/sign one", "Pay $1.\n\n\nARGUMENTS: one\n</skill-context>"),
        ("/plain one", "Do it.\n\n\nARGUMENTS: one\n</skill-context>"),
        ("/plain", "Do it.\n\n</skill-context>"),
        (
            "/go far",
            "Related files (use view tool to read):\n  - {w}/.claude/commands/go.md\n\nGo far now.\n\n</skill-",
        ),
    ],
)
def test_what_is_typed_behind_a_skill_of_copilot_cli_is_put_into_it(
    tmp_path: Path, typed: str, wanted: str, *, editor: bool
) -> None:
    found = text(shown(tmp_path, "copilot-cli", Turn(typed), editor=editor))
    assert wanted.format(w=tmp_path / "w") in found


def test_gemini_cli_calls_no_command_and_reads_no_mention(tmp_path: Path) -> None:
    assert "Fix it" in text(shown(tmp_path, "gemini-cli", Turn("/fix it"), editor=False))
    found = shown(tmp_path, "gemini-cli", Turn("/fix it"), Turn("see @AGENTS.md"))
    assert [message.text for message in found.messages[-2:]] == ["/fix it", "see @AGENTS.md"]
    assert "ask_user" not in tools(found)


def test_opencode_sends_a_prompt_as_it_is_and_calls_commands(tmp_path: Path) -> None:
    found = shown(tmp_path, "opencode", Turn("say ok"))
    assert found.messages[-1].text == "say ok"
    assert "question" not in tools(found)
    assert shown(tmp_path, "opencode", Turn("/there far")).messages[-1].text == "There far."


def test_codex_is_in_its_mode_from_the_first_turn_on_and_has_nothing_of_the_screen(tmp_path: Path) -> None:
    assert "mcp__codex_tui" in text(shown(tmp_path, "codex", Turn("go"), editor=False))
    assert "mcp__codex_tui" not in text(shown(tmp_path, "codex", Turn("go")))


def test_claude_code_takes_its_user_to_be_there_and_keeps_one_list(tmp_path: Path) -> None:
    found = shown(tmp_path, "claude-code", model="claude-sonnet-4-5")
    assert {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "TodoWrite"} <= tools(found)
    assert not {"TaskCreate", "TaskList"} & tools(found)
    (own,) = [each for m in found.messages for each in m.segments if each.title == "text of the editor"]
    assert own.elided is not None
    assert own.elided.size is None


def test_what_is_said_to_a_program_that_prints_is_not_said_in_an_editor(tmp_path: Path) -> None:
    for harness, title in (("kimi-code", "mode of permissions"), ("auggie", "rule of its own")):
        found = {editor: shown(tmp_path, harness, Turn("go"), editor=editor) for editor in (True, False)}
        assert [any(each.title == title for m in found[way].messages for each in m.segments) for way in found] == [
            False,
            True,
        ]
    assert text(shown(tmp_path, "auggie", Turn("go"))).startswith("rule path=")


@pytest.mark.parametrize("said", ["0", "false", "no", "off"])
def test_a_variable_gives_claude_code_one_tool_for_a_list(tmp_path: Path, said: str) -> None:
    root = lay_out(tmp_path / "w", {"a.py": "1\n"})
    session = Session("claude-code", str(root), model="claude-sonnet-4-5")
    host = Host(home=str(tmp_path), env={"CLAUDE_CODE_ENABLE_TASKS": said})
    assert "TodoWrite" in tools(harnesses.preview(session, host))
    assert "TodoWrite" not in tools(harnesses.preview(session, Host(home=str(tmp_path), env={})))


@pytest.mark.parametrize("harness", specs.names())
def test_another_program_is_shown_as_it_is_elsewhere(tmp_path: Path, harness: str) -> None:
    spec = specs.of(harness)
    notes = [each for each in shown(tmp_path, harness, Turn("go")).notes if "panel of an editor" in each]
    elsewhere = "on its screen" if "interactive" in spec.later else "where it prints an answer"
    wanted = f"What {spec.title} sends in the panel of an editor is not modelled: this is what it sends {elsewhere}."
    assert notes == ([] if "editor" in spec.later else [wanted])


@pytest.mark.parametrize("harness", catalogue.FOLDERS)
def test_what_is_modelled_can_be_run(harness: str) -> None:
    program = catalogue.program(harness)
    is_driven = program is not None and "editor" in program.drives
    assert is_driven == ("editor" in specs.of(harness).later)
    assert is_driven == (program is not None and program.speaks is not None)


def test_the_session_can_say_it() -> None:
    asked = parse(json.dumps({"harness": "codex", "cwd": "/w", "editor": True}))
    session = session_of(Place("/w", "/w", "/w"), DEFAULT, [], asked)
    assert (session.editor, session.interactive) == (True, None)


def test_the_default_is_what_the_user_last_did_and_an_option_comes_before_it() -> None:
    last = Recent("codex", "/w", started="2026-11-26T08:00:00Z", editor=True)
    habits = Habits((Own("codex", command="/bin/codex", recent=last),))
    place = Place("/w", "/w", "/w")
    assert session_of(place, DEFAULT, [], Overrides(harness="codex"), habits).editor is True
    asked = Overrides(harness="codex", interactive=True)
    assert session_of(place, DEFAULT, [], asked, habits).editor is None
