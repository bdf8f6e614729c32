"""A byte order mark at the start of an instruction file: which harness sends it, and which takes it away."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.sessions.start import noting
from tests.cases import test_cases as cases
from tests.folder import lay_out
from tests.harnesses.shown import Files, outcomes, preview, text_of

pytestmark = pytest.mark.same_everywhere
BOM = "\ufeff"


def sent(top: Path, harness: str, name: str, text: str, *reads: str, args: tuple[str, ...] = ()) -> str:
    folder = lay_out(top / "folder", {name: text, "src/a.ts": "x"})
    session = Session(harness, str(folder), turns=noting(harness, [str(folder / each) for each in reads]), args=args)
    prompt = harnesses.preview(session, Host(home=str(top / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    segments = [each for message in prompt.messages for each in message.segments]
    return "".join(each.text for each in segments if (each.origin.path or "").endswith(name) and not each.frame)


@pytest.mark.parametrize(
    ("harness", "name", "is_sent"),
    [
        ("agent-core", "config/environments/default/rules.md", True),
        ("auggie", "AGENTS.md", True),
        ("claude-code", "CLAUDE.md", False),
        ("cline", "AGENTS.md", False),
        ("codex", "AGENTS.md", True),
        ("continue", "AGENTS.md", True),
        ("copilot-vscode", ".github/copilot-instructions.md", False),
        ("crush", "AGENTS.md", True),
        ("cursor", "AGENTS.md", False),
        ("etcode", "AGENTS.md", True),
        ("gemini-cli", "GEMINI.md", False),
        ("deepagents-code", "AGENTS.md", True),
        ("gptme", "AGENTS.md", True),
        ("kimi-cli", "AGENTS.md", True),
        ("mistral-vibe", "AGENTS.md", False),
        ("kilo-code", "AGENTS.md", False),
        ("openclaw", "AGENTS.md", True),
        ("openhands", "AGENTS.md", True),
        ("openhands", ".openhands/skills/x.md", True),
        ("opencode", "AGENTS.md", False),
        ("pi", "AGENTS.md", False),
        ("qwen-code", "QWEN.md", False),
    ],
)
def test_in_instructions(tmp_path: Path, harness: str, name: str, is_sent: bool) -> None:
    text = sent(tmp_path, harness, name, f"{BOM}Be kind.")
    assert "Be kind." in text
    assert text.startswith(BOM) is is_sent


@pytest.mark.parametrize(("harness", "is_sent"), [("etcode", True), ("opencode", False)])
def test_in_what_a_read_brings(tmp_path: Path, harness: str, is_sent: bool) -> None:
    text = sent(tmp_path, harness, "src/AGENTS.md", f"{BOM}Be kind.", "src/a.ts")
    assert "Be kind." in text
    assert text.startswith(BOM) is is_sent


@pytest.mark.parametrize(
    ("harness", "name", "head"),
    [
        ("claude-code", ".claude/rules/x.md", "paths: src/**"),
        ("copilot-vscode", ".github/instructions/x.instructions.md", 'applyTo: "src/**"'),
        ("cursor", ".cursor/rules/x.mdc", "globs: src/**"),
    ],
)
def test_front_matter_may_stand_behind_one(tmp_path: Path, harness: str, name: str, head: str) -> None:
    text = f"{BOM}---\n{head}\n---\nBe kind."
    assert sent(tmp_path / "start", harness, name, text) == ""
    assert "Be kind." in sent(tmp_path / "read", harness, name, text, "src/a.ts")


@pytest.mark.parametrize(("harness", "option"), [("aider", "--read"), ("continue", "--rule")])
def test_in_a_file_that_is_named(tmp_path: Path, harness: str, option: str) -> None:
    args = (option, "CONVENTIONS.md")
    assert sent(tmp_path, harness, "CONVENTIONS.md", f"{BOM}Be kind.", args=args).startswith(f"{BOM}Be kind.")


def test_in_an_env_file_it_is_part_of_the_first_name(tmp_path: Path) -> None:
    """As the version of python-dotenv has it that Aider comes with; a later line counts."""
    files: Files = {"x.md": "Be kind.", "y.md": "Be brief."}
    first, later = (f"{BOM}{above}AIDER_READ=x.md\n" for above in ("", "# mine\n"))
    for number, (env, name) in enumerate(((first, "y.md"), (later, "x.md"))):
        prompt = preview(tmp_path / str(number), "aider", {".env": env, **files}, env={"AIDER_READ": "y.md"})
        assert [text_of(prompt, each) != "" for each in files] == [each == name for each in files]


def test_in_a_system_prompt_of_qwen_code(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "qwen-code", {".qwen/system.md": f"{BOM}Be kind."}, env={"QWEN_SYSTEM_MD": "1"})
    assert text_of(prompt, "system.md") == f"{BOM}Be kind."


def test_before_an_import_of_qwen_code_which_is_none_then(tmp_path: Path) -> None:
    """Only white space may stand before one; what is sent is trimmed."""
    prompt = preview(tmp_path, "qwen-code", {"QWEN.md": f"{BOM}@./x.md", "x.md": "Be kind."})
    assert text_of(prompt, "QWEN.md") == "@./x.md"


@pytest.mark.parametrize("harness", ["cline", "kimi-cli", "opencode", "qwen-code"])
def test_in_a_file_that_is_read(tmp_path: Path, harness: str) -> None:
    prompt = preview(tmp_path, harness, {"x.txt": f"{BOM}Be kind."}, reads=("x.txt",))
    assert BOM not in text_of(prompt, "x.txt")
    assert "Be kind." in text_of(prompt, "x.txt")


@pytest.mark.parametrize(
    ("harness", "name", "text"),
    [
        ("agent-core@344500a", ".tong_work/tong_work.jsonc", '{"activeEnvironment": "x"}'),
        ("crush", "crush.json", "{}"),
        ("qwen-code", ".qwen/settings.json", "{}"),
    ],
)
def test_a_configuration_that_may_not_begin_with_one(tmp_path: Path, harness: str, name: str, text: str) -> None:
    harness, _, version = harness.partition("@")
    for mark, is_read in (("", True), (BOM, False)):
        prompt = preview(tmp_path / str(is_read), harness, {name: f"{mark}{text}"}, version=version)
        assert (f"{Path(name).name} loaded" in outcomes(prompt, name)) is is_read


def test_in_a_rule_it_makes_the_front_matter_text(tmp_path: Path) -> None:
    text = f"{BOM}---\nglobs: src/**\n---\nBe kind."
    assert sent(tmp_path, "continue", ".continue/rules/x.md", text) == text


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("agent-core/design-front-matter-that-does-not-parse", "*.prompt"),
        ("aider/from-a-sub-directory", "*.yml"),
        ("cline/front-matter", "*.*"),
        ("copilot-cli/skills-agents-and-hooks", "*.*"),
        ("copilot-cli/servers-of-an-option", "*.*"),
        ("copilot-cli/imports", "*.*"),
        ("copilot-cli/definitions-of-every-kind", "*.md"),
        ("copilot-vscode/everything-as-sent", "*.*"),
        ("copilot-vscode/surfaces", "*.*"),
        ("copilot-vscode/links-and-fences-followed", "*.*"),
        ("copilot-vscode/texts-of-a-setting", "*.*"),
        ("kilo-code/files-in-a-text", "*.*"),
        ("kilo-code/what-is-dropped", "*.*"),
        ("openclaw/hooks-and-includes", "*.json"),
        ("qwen-code/rules-with-paths", "*.*"),
    ],
)
def test_one_in_every_file_moves_no_place(tmp_path: Path, name: str, files: str) -> None:
    """An editor does not count it, and the JSON and the definitions that these programs read may begin with one."""
    scenario = cases.read(cases.HERE / f"{name}.txt")
    shown = []
    for mark in ("", BOM):
        (top := tmp_path / str(len(mark))).mkdir()
        folder, home = cases.lay_out(scenario, top)
        for path in (each for each in top.rglob(files) if each.is_file() and ".git/" not in str(each)):
            path.write_text(mark + path.read_text(encoding="utf-8"), encoding="utf-8")
        prompt = cases.preview(scenario, folder, home)
        shown.append([view(prompt, folder, home) for view in (cases.shown, cases.reasons, cases.texts)])
    assert shown[0] == shown[1]


PLUGIN = "~/.codex/plugins/cache/m/p/1.0.0"
CODEX: dict[str, str] = {
    "~/.codex/config.toml": (
        'plugins."p@m".enabled = true\nagents.x = {description = "x", config_file = "x.toml"}\n'
        'developer_instructions = "Be kind."\nskills.bundled.enabled = false\n'
    ),
    "~/.codex/AGENTS.md": "Be brief.",
    "~/.codex/x.toml": 'model = "m"',
    "~/.codex/agents/y.toml": 'description = "y"\ndeveloper_instructions = "y"',
    "~/.codex/hooks.json": '{"hooks": {"SessionStart": [{"hooks": [{"command": "hooked"}]}]}}',
    "~/.codex/rules/a.rules": 'prefix_rule(pattern=["git"])',
    ".agents/skills/s/SKILL.md": "---\ndescription: of the skill\n---\n",
    ".agents/skills/s/agents/openai.yaml": "policy: {allow_implicit_invocation: false}",
    f"{PLUGIN}/.codex-plugin/plugin.json": '{"name": "named"}',
    f"{PLUGIN}/.mcp.json": '{"mcpServers": {"served": {"command": "c"}}}',
    f"{PLUGIN}/skills/t/SKILL.md": "---\ndescription: of the plugin\n---\n",
}


@pytest.mark.parametrize(
    ("name", "words", "is_read"),
    [
        ("~/.codex/config.toml", "Be kind.", True),
        ("~/.codex/AGENTS.md", f"{BOM}Be brief.", True),
        ("~/.codex/x.toml", "model is set to `m`", True),
        ("~/.codex/agents/y.toml", "y: {\ny\n}", True),
        ("~/.codex/rules/a.rules", '- ["git"]', True),
        # Without what it says, the skill is listed.
        (".agents/skills/s/agents/openai.yaml", "- s: of the skill", False),
        (".agents/skills/s/SKILL.md", "- s: of the skill", False),
        # Its JSON may not begin with one.
        ("~/.codex/hooks.json", "output of the hook hooked", False),
        (f"{PLUGIN}/.codex-plugin/plugin.json", ": of the plugin", False),
        (f"{PLUGIN}/.mcp.json", "MCP server served", False),
    ],
)
def test_in_what_configures_codex(tmp_path: Path, name: str, words: str, is_read: bool) -> None:
    args = ("--approve-for-me", "--dangerously-bypass-hook-trust")
    prompt = preview(tmp_path, "codex", {**CODEX, name: f"{BOM}{CODEX[name]}"}, model="stub-model", args=args)
    assert (words in "".join(message.text for message in prompt.messages)) is is_read


def test_it_alone_is_a_text_to_codex(tmp_path: Path) -> None:
    assert sent(tmp_path, "codex", "AGENTS.md", BOM) == BOM


def test_in_a_configuration_of_etcode(tmp_path: Path) -> None:
    """It reads its JSON as its instruction files, which keep theirs."""
    text = '{"agent": {"own": {"prompt": "Be kind."}}}'
    for mark, is_read in (("", True), (BOM, False)):
        prompt = preview(tmp_path / str(is_read), "etcode", {"etcode.json": f"{mark}{text}"}, agent="own")
        assert ("Be kind." in prompt.messages[0].text) is is_read


def test_columns_are_counted_after_one(tmp_path: Path) -> None:
    name = "~/.codex/rules/a.rules"
    files: Files = {**CODEX, name: f"{BOM}{CODEX[name]}"}
    prompt = preview(tmp_path, "codex", files, model="gpt-5.5", args=("--approve-for-me",))
    (where,) = [s.origin.range for m in prompt.messages for s in m.segments if s.title == "approved command"]
    assert where is not None
    assert (where.start_character, where.end_character) == (0, 28)


def test_columns_of_a_configuration_of_continue_are_counted_after_one(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "continue", {"~/.continue/config.yaml": f"{BOM}rules: [Be kind.]"})
    (where,) = [s.origin.range for m in prompt.messages for s in m.segments if s.text == "Be kind."]
    assert where is not None
    assert where.start_character == len("rules: [")


@pytest.mark.parametrize(("harness", "name"), [("gemini-cli", "GEMINI.md"), ("qwen-code", "QWEN.md")])
def test_in_an_import(tmp_path: Path, harness: str, name: str) -> None:
    """Node keeps it where it reads a file as text, and only what is around the whole text is trimmed."""
    folder = lay_out(tmp_path / "folder", {name: "Above.\n@./x.md", "x.md": f"{BOM}Be kind."})
    prompt = harnesses.preview(
        Session(harness, str(folder), is_trusted=True), Host(home=str(tmp_path / "home"), env={})
    )
    text = "".join(message.text for message in prompt.messages)
    assert f"<!-- Imported from: ./x.md -->\n{BOM}Be kind.\n<!-- End of import from: ./x.md -->" in text
