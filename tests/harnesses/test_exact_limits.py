"""Limits of the programs: what is just small enough, and what is one too large."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.files import LARGE
from promptls.core.model import Range, Turn
from tests.harnesses.shown import Files, outcome, outcomes, preview, segments, text_of

pytestmark = pytest.mark.same_everywhere
# -- OpenClaw ----------------------------------------------------------------------------------------------------


def openclaw(**limits: int) -> Files:
    return {"~/.openclaw/openclaw.json": {"agents": {"defaults": limits}}}


@pytest.mark.parametrize(
    ("size", "says"), [(2 << 20, "cut"), ((2 << 20) + 1, "failed"), (20_000, "loaded"), (20_001, "cut")]
)
def test_openclaw_of_one_file(tmp_path: Path, size: int, says: str) -> None:
    prompt = preview(tmp_path, "openclaw", {"SOUL.md": "x" * size})
    assert outcome(prompt, "SOUL.md") == says
    if says == "failed":
        (why,) = [each.why for each in prompt.candidates if (each.path or "").endswith("SOUL.md")]
        assert why.endswith("it is over 2 MiB, which OpenClaw does not read")


@pytest.mark.parametrize(("limit", "says"), [(0, "loaded"), (1, "cut"), (19_999, "cut"), (20_000, "loaded")])
def test_openclaw_of_a_configuration(tmp_path: Path, limit: int, says: str) -> None:
    """What is not over 0 is as if it were not there."""
    files = {"SOUL.md": "x" * 20_000} | openclaw(bootstrapMaxChars=limit)
    assert outcome(preview(tmp_path, "openclaw", files), "SOUL.md") == says


@pytest.mark.parametrize(("size", "says"), [(4_000, "loaded"), (4_001, "cut")])
def test_openclaw_of_a_user(tmp_path: Path, size: int, says: str) -> None:
    prompt = preview(tmp_path, "openclaw", {"USER.md": "x" * size})
    assert outcome(prompt, "USER.md") == says
    if says == "cut":
        (why,) = [each.why for each in prompt.candidates if (each.path or "").endswith("USER.md")]
        assert why.endswith("it has 4001 characters and OpenClaw's own limit for USER.md (4000) leaves 4000")


@pytest.mark.parametrize(("left", "says"), [(64, "cut"), (63, "dropped")])
def test_openclaw_of_what_is_left(tmp_path: Path, left: int, says: str) -> None:
    files = {"AGENTS.md": "x" * 1000, "SOUL.md": "x" * 1000} | openclaw(bootstrapTotalMaxChars=1000 + left)
    assert outcome(preview(tmp_path, "openclaw", files), "SOUL.md") == says


@pytest.mark.parametrize(("left", "sent"), [(30, "[MISSING] Expected at: "), (4, "[MI…"), (3, "[MI"), (1, "[")])
def test_openclaw_of_a_missing_file(tmp_path: Path, left: int, sent: str) -> None:
    files = {"AGENTS.md": "x" * 1000} | openclaw(bootstrapTotalMaxChars=1000 + left)
    text = "".join(message.text for message in preview(tmp_path, "openclaw", files).messages)
    assert f"/SOUL.md\n{sent}" in text


def test_openclaw_of_a_missing_file_for_which_nothing_is_left(tmp_path: Path) -> None:
    files = {"AGENTS.md": "x" * 1000} | openclaw(bootstrapTotalMaxChars=1000)
    text = "".join(message.text for message in preview(tmp_path, "openclaw", files).messages)
    assert "x" * 1000 in text
    assert "/SOUL.md" not in text


# -- opencode ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "last", "says"),
    [
        ("x\n" * 2000, "2000: x", "End of file - total 2000 lines"),
        ("x\n" * 2001, "2000: x", "Showing lines 1-2000 of 2001. Use offset=2001 to continue."),
        ("x\ny", "2: y", "End of file - total 2 lines"),
        ("a" * 2000, f"1: {'a' * 2000}", "End of file - total 1 lines"),
        ("a" * 2001, f"1: {'a' * 2000}... (line truncated to 2000 chars)", "End of file - total 1 lines"),
        (f"{'a' * 1023}\n" * 50, f"50: {'a' * 1023}", "End of file - total 50 lines"),
        (
            f"{'a' * 1023}\n" * 50 + "\n\n",
            "51: ",
            "Output capped at 50 KB. Showing lines 1-51. Use offset=52 to continue.",
        ),
        (
            f"{'é' * 512}\n" * 50,
            f"49: {'é' * 512}",
            "Output capped at 50 KB. Showing lines 1-49. Use offset=50 to continue.",
        ),
    ],
)
def test_opencode_of_what_is_read(tmp_path: Path, text: str, last: str, says: str) -> None:
    prompt = preview(tmp_path, "opencode", {"a.txt": text}, reads=["a.txt"])
    (answer,) = [message for message in prompt.messages if message.at != "start"]
    assert answer.text.endswith(f"\n{last}\n\n({says})\n</content>")
    shown, whole = int(last.partition(":")[0]), len(text.splitlines())
    assert [(each.cut.kept, each.cut.total) for each in answer.segments if each.cut] == [(shown, whole)] * (
        shown < whole
    )


def test_opencode_of_secrets_in_several_lines_that_are_read(tmp_path: Path) -> None:
    lines = ["{", *(f'"{name}": {{"apiKey": "sk-{name * 24}"}},' for name in "abcdefghi"), '"j": 1}']
    prompt = preview(tmp_path, "opencode", {"x/opencode.json": "\n".join(lines)}, reads=["x/opencode.json"])
    text = prompt.messages[-1].text.partition("<content>\n")[2].partition("\n\n(")[0]
    hidden = [f'"{name}": {{"apiKey": "⟪27 characters, a secret⟫"}},' for name in "abcdefghi"]
    assert text.split("\n") == [f"{at}: {line}" for at, line in enumerate(("{", *hidden, '"j": 1}'), 1)]


def test_opencode_of_a_secret_of_several_lines_that_is_read(tmp_path: Path) -> None:
    lines = ('KEY="-----BEGIN RSA PRIVATE KEY-----', "abcdef", '-----END RSA PRIVATE KEY-----"')
    prompt = preview(tmp_path, "opencode", {"x/.env": "\n".join(lines)}, reads=["x/.env"])
    text = prompt.messages[-1].text.partition("<content>\n")[2].partition("\n\n(")[0]
    hidden = ('KEY="⟪31 characters, a secret⟫', "⟪6 characters, a secret⟫", lines[2])
    assert text.split("\n") == [f"{at}: {line}" for at, line in enumerate(hidden, 1)]


@pytest.mark.parametrize(("at", "hidden"), [(1990, 10), (1999, 1), (2000, 0), (2010, 0)])
def test_opencode_of_a_secret_where_a_line_is_cut(tmp_path: Path, at: int, hidden: int) -> None:
    line = '", "apiKey": "'.rjust(at - 7, "a")
    prompt = preview(tmp_path, "opencode", {"x/a.json": f'{{"x": "{line}sk-{"b" * 24}"}}'}, reads=["x/a.json"])
    text = prompt.messages[-1].text.partition("<content>\n")[2].partition("\n\n(")[0]
    shown = f'1: {{"x": "{line}'[: 2003 - hidden]
    if hidden:
        assert text == f"{shown}⟪{hidden} characters, a secret⟫... (line truncated to 2000 chars)"
    else:
        assert text.startswith(shown)
        assert "⟪" not in text


@pytest.mark.parametrize(
    ("line", "says"),
    [
        # Of more than 4 MB promptls reads the beginning: it knows where the output ends, but not how many lines follow.
        ("x\n", ""),
        ("x" * 99 + "\n", "(Output capped at 50 KB. Showing lines 1-512. Use offset=513 to continue.)"),
    ],
    ids=["lines", "size"],
)
def test_opencode_of_what_promptls_reads_in_part(tmp_path: Path, line: str, says: str) -> None:
    text = line * (LARGE // len(line) + 1)
    prompt = preview(tmp_path, "opencode", {"a.txt": text}, reads=["a.txt"])
    (answer,) = [message for message in prompt.messages if message.at != "start"]
    assert [each.title for each in answer.segments if each.elided] == ([] if says else ["closing remark"])
    assert [each.cut.is_ours for each in answer.segments if each.cut] == [True]
    assert answer.text.endswith(f"{says}\n</content>")


# -- Codex -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "sent"),
    [
        (10_000, "x" * 10_000),
        (10_001, f"{'x' * 5000}…1 tokens truncated…{'x' * 5000}"),
        (10_005, f"{'x' * 5000}…2 tokens truncated…{'x' * 5000}"),
    ],
)
def test_codex_of_its_memories(tmp_path: Path, size: int, sent: str) -> None:
    files: Files = {"~/.codex/memories/memory_summary.md": f"\n{'x' * size}\n"}
    assert text_of(preview(tmp_path, "codex", files, args=("--enable", "memories")), "memory_summary.md") == sent


def test_codex_of_white_space(tmp_path: Path) -> None:
    """As Rust has it: up to U+200A, and not the joiners after it, nor the separators of ASCII."""
    files: Files = {"~/.codex/AGENTS.md": "\u2000\u200a\x85 \x1fa\u200b \u3000\n"}
    assert text_of(preview(tmp_path, "codex", files), "AGENTS.md") == "\x1fa\u200b"


@pytest.mark.parametrize(("length", "becomes"), [(64, "loaded"), (65, "failed")])
def test_codex_of_the_name_of_a_skill(tmp_path: Path, length: int, becomes: str) -> None:
    files: Files = {".agents/skills/a/SKILL.md": f"---\nname: {'n' * length}\ndescription: d\n---\n"}
    assert outcome(preview(tmp_path, "codex", files), "/SKILL.md") == becomes


@pytest.mark.parametrize(("length", "sent"), [(1024, "d" * 1024), (1025, f"{'d' * 1021}...")])
def test_codex_of_the_description_of_a_skill(tmp_path: Path, length: int, sent: str) -> None:
    files: Files = {".agents/skills/a/SKILL.md": f"---\nname: n\ndescription: {'d' * length}\n---\n"}
    prompt = preview(tmp_path, "codex", files)
    assert text_of(prompt, "/SKILL.md") == sent
    kept = [(each.cut.kept, each.cut.total, each.cut.is_fixed) for each in segments(prompt) if each.cut]
    assert kept == ([] if length == 1024 else [(1021, 1025, True)])


@pytest.mark.parametrize(("depth", "found"), [(6, ["SKILL.md loaded"]), (7, [])])
def test_codex_of_the_depth_of_a_skill(tmp_path: Path, depth: int, found: list[str]) -> None:
    place = "/".join(["d"] * depth)
    files: Files = {f".agents/skills/{place}/SKILL.md": "---\nname: n\ndescription: d\n---\n"}
    assert outcomes(preview(tmp_path, "codex", files), "/SKILL.md") == found


@pytest.mark.parametrize(("number", "notes"), [(1999, 0), (2000, 1)])
def test_codex_of_the_directories_with_skills(tmp_path: Path, number: int, notes: int) -> None:
    """The root is one of them."""
    skill = "---\nname: n\ndescription: d\n---\n"
    places = [tmp_path / "folder" / ".agents" / "skills" / f"d{at:04}" for at in range(number)]
    for place in places:
        place.mkdir(parents=True)
    for place in (places[1998], places[-1]):
        (place / "SKILL.md").write_text(skill, encoding="utf-8")
    prompt = preview(tmp_path, "codex", {})
    assert outcomes(prompt, "/SKILL.md") == ["SKILL.md loaded"]
    assert len([each for each in prompt.notes if "2000 directories" in each]) == notes


# -- Copilot CLI -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("more", "becomes"), [(0, "loaded"), (1, "cut")])
def test_copilot_cli_of_the_rows_of_skills(tmp_path: Path, more: int, becomes: str) -> None:
    frame = "<skill>\n  <name>s00</name>\n  <description></description>\n  <location>project</location>\n</skill>\n"
    size, rest = divmod(15_000 - 15 * len(frame), 15)
    sizes = {f"s{at:02}": size for at in range(14)} | {"s14": size + rest + more}
    files: Files = {
        f".github/skills/{name}/SKILL.md": f"---\ndescription: {'d' * length}\n---\n" for name, length in sizes.items()
    }
    prompt = preview(tmp_path, "copilot-cli", files)
    assert [outcome(prompt, f"{name}/SKILL.md") for name in ("s13", "s14")] == ["loaded", becomes]


@pytest.mark.parametrize(("length", "becomes"), [(1024, "loaded"), (1025, "failed")])
def test_copilot_cli_of_the_description_of_a_skill(tmp_path: Path, length: int, becomes: str) -> None:
    files: Files = {".github/skills/a/SKILL.md": f"---\ndescription: {'d' * length}\n---\n"}
    assert outcome(preview(tmp_path, "copilot-cli", files), "/SKILL.md") == becomes


@pytest.mark.parametrize(
    ("front", "more"),
    [("name: a\ndescription: d", 1), ("description: d\ndisable-model-invocation: true", 0), ("name: a", 0)],
)
def test_copilot_cli_of_the_tool_that_names_agents(tmp_path: Path, front: str, more: int) -> None:
    """Without an agent of one's own that may be started, its definition is as large as ever."""
    plain = preview(tmp_path / "1", "copilot-cli", {})
    own = preview(tmp_path / "2", "copilot-cli", {".github/agents/a.md": f"---\n{front}\n---\n"})
    before, after = ({each.name: each.size for each in prompt.tools or ()} for prompt in (plain, own))
    assert before["task"] == 3218
    assert ((after.pop("task") or 0) > 3218, after) == (bool(more), {k: v for k, v in before.items() if k != "task"})


# -- Cline -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("x\n" * 2000, True),
        ("x\n" * 2001, False),
        ("x" * 2000, True),
        ("x" * 2001, False),
        # With its number and a bar, each line has five or six characters more, and all but the last one end.
        ("\n".join(["x" * 1594] * 30), True),
        ("\n".join(["x" * 1594] * 29 + ["x" * 1596]), False),
    ],
    ids=["lines", "too many lines", "a line", "too long a line", "characters", "too many characters"],
)
def test_cline_of_what_is_read(tmp_path: Path, text: str, is_whole: bool) -> None:
    prompt = preview(tmp_path, "cline", {"a.txt": text}, reads=["a.txt"])
    (answer,) = prompt.messages[-1].segments
    assert (answer.elided is None) is is_whole


# -- Claude Code -------------------------------------------------------------------------------------------------


def memory(tmp_path: Path, text: str) -> tuple[str, str]:
    """What is sent of a memory, and the warning after it."""
    files: Files = {"~/.claude/settings.json": {"autoMemoryDirectory": "~/mem"}, "~/mem/MEMORY.md": text}
    prompt = preview(tmp_path, "claude-code", files)
    segments = [each for message in prompt.messages for each in message.segments]
    warning = [each.text for each in segments if each.text.startswith("\n\n> WARNING")]
    return text_of(prompt, "mem/MEMORY.md"), "".join(warning)


def test_claude_code_sends_200_lines_of_its_memory(tmp_path: Path) -> None:
    lines = "\n".join(map(str, range(1, 201)))
    assert memory(tmp_path, f"{lines}\n") == (lines, "")


def test_claude_code_names_the_first_line_that_is_left_out(tmp_path: Path) -> None:
    lines = "\n".join(map(str, range(1, 202)))
    shown, warning = memory(tmp_path, lines)
    assert shown == lines.removesuffix("\n201")
    assert "is 201 lines (limit: 200)." in warning
    assert '1 of 201 lines were cut off, starting at line 201 ("201").' in warning


def test_claude_code_sends_25000_characters_of_its_memory(tmp_path: Path) -> None:
    assert memory(tmp_path, "x" * 25_000) == ("x" * 25_000, "")


def test_claude_code_of_both_limits_of_its_memory(tmp_path: Path) -> None:
    text = "\n".join(["x" * 199] * 201)
    files: Files = {"~/.claude/settings.json": {"autoMemoryDirectory": "~/mem"}, "~/mem/MEMORY.md": text}
    prompt = preview(tmp_path, "claude-code", files)
    assert text_of(prompt, "mem/MEMORY.md") == text[:24_999]
    assert [each.title for each in segments(prompt) if "memory's size" in each.title] == [
        "warning about the memory's size"
    ]


@pytest.mark.parametrize(
    ("text", "kept", "says"),
    [
        ("x" * 25_001, 25_000, '0 of 1 lines were cut off, starting at line 2 ("")'),
        (f"{'x' * 25_000}\nlast", 25_000, '1 of 2 lines were cut off, starting at line 2 ("last")'),
        (f"{'x' * 25_001}\nlast", 25_000, '1 of 2 lines were cut off, starting at line 2 ("last")'),
        (f"{'x' * 24_999}\nlast", 24_999, '1 of 2 lines were cut off, starting at line 2 ("last")'),
        (f"{'x' * 24_999}\n{'y' * 80}", 24_999, f'1 of 2 lines were cut off, starting at line 2 ("{"y" * 80}")'),
        (f"{'x' * 24_999}\n{'y' * 81}", 24_999, f'1 of 2 lines were cut off, starting at line 2 ("{"y" * 79}…")'),
        (f"a\n{'x' * 25_000}", 1, f'1 of 2 lines were cut off, starting at line 2 ("{"x" * 79}…")'),
    ],
)
def test_claude_code_cuts_its_memory_at_the_end_of_a_line(tmp_path: Path, text: str, kept: int, says: str) -> None:
    shown, warning = memory(tmp_path, text)
    assert shown == text[:kept]
    assert says in warning
    assert "KB (limit: 24.4KB) — index entries are too long" in warning


def test_claude_code_of_a_memory_that_ends_where_a_comment_begins(tmp_path: Path) -> None:
    text = "x\n" * 199 + "<!-- a -->y<!-- b -->\nlast"
    files: Files = {"~/.claude/settings.json": {"autoMemoryDirectory": "~/mem"}, "~/mem/MEMORY.md": text}
    prompt = preview(tmp_path, "claude-code", files)
    sent = [each.text for each in segments(prompt) if each.title.endswith("mem/MEMORY.md") and not each.frame]
    assert sent == ["x\n" * 199, "y"]


def test_claude_code_of_a_memory_that_is_cut_where_a_comment_begins(tmp_path: Path) -> None:
    assert memory(tmp_path, f"<!-- a -->{'y' * 25_000}<!-- b -->z")[0] == "y" * 25_000


def test_claude_code_of_a_memory_whose_lines_just_fit(tmp_path: Path) -> None:
    lines = f"{'x' * 124}\n" * 199 + "x" * 125
    assert len(lines) == 25_000
    assert memory(tmp_path, f"{lines}\nlast")[0] == lines


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        (f"---\ndescription: {'d' * 1536}\n---\n", "d" * 1536),
        (f"---\ndescription: {'d' * 1537}\n---\n", f"{'d' * 1535}…"),
        ("b" * 100, "b" * 100),
        ("b" * 101, f"{'b' * 97}..."),
    ],
    ids=["description", "too long a description", "line", "too long a line"],
)
def test_claude_code_of_the_words_of_a_skill(tmp_path: Path, text: str, sent: str) -> None:
    prompt = preview(tmp_path, "claude-code", {".claude/skills/s/SKILL.md": text})
    assert [each.text for each in segments(prompt) if each.title == "skill s"] == [sent]


@pytest.mark.parametrize(("more", "is_known"), [("", True), ("; printf x", False)])
def test_claude_code_of_what_a_hook_prints(tmp_path: Path, more: str, *, is_known: bool) -> None:
    command = f"printf '{'x' * 99}%s' {' '.join('x' * 100)}{more}"
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}
    prompt = preview(tmp_path, "claude-code", {".claude/settings.json": {"hooks": hooks}}, turns=(Turn("hi"),))
    assert [each.text for each in segments(prompt) if each.text.startswith("xx")] == ["x" * 10_000] * is_known


# So that the limit of tokens is not reached first.
MANY_TOKENS = {"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": "1000000"}


@pytest.mark.parametrize(("size", "becomes"), [(262_144, "loaded"), (262_145, "dropped")])
def test_claude_code_of_what_is_mentioned(tmp_path: Path, size: int, becomes: str) -> None:
    prompt = preview(tmp_path, "claude-code", {"a.txt": "x" * size}, turns=(Turn("see @a.txt"),), env=MANY_TOKENS)
    assert outcome(prompt, "/a.txt") == becomes


@pytest.mark.parametrize(("size", "is_known"), [(262_144, True), (262_145, False)])
def test_claude_code_of_what_is_read(tmp_path: Path, size: int, *, is_known: bool) -> None:
    prompt = preview(tmp_path, "claude-code", {"a.txt": "x" * size}, reads=["a.txt"], env=MANY_TOKENS)
    assert (text_of(prompt, "/a.txt") == f"1\t{'x' * size}") == is_known


# -- Kimi CLI ----------------------------------------------------------------------------------------------------


def kimi_cost(top: Path, name: str, *, is_last: bool = True) -> int:
    """The bytes that a file costs beside its text: its head, and the separator after it."""
    return len(f"<!-- From: {top / 'folder' / name} -->\n".encode()) + (0 if is_last else 2)


@pytest.mark.parametrize(("more", "says"), [(0, "loaded"), (1, "cut")])
def test_kimi_cli_of_one_file(tmp_path: Path, more: int, says: str) -> None:
    size = 32_768 - kimi_cost(tmp_path, "AGENTS.md")
    prompt = preview(tmp_path, "kimi-cli", {"AGENTS.md": "x" * (size + more)})
    assert outcome(prompt, "folder/AGENTS.md") == says
    assert len(text_of(prompt, "AGENTS.md")) == size


@pytest.mark.parametrize(("left", "says"), [(0, "dropped"), (1, "cut"), (4, "loaded")])
def test_kimi_cli_leaves_the_rest_to_the_root(tmp_path: Path, left: int, says: str) -> None:
    cost = kimi_cost(tmp_path, "AGENTS.md") + kimi_cost(tmp_path, ".kimi/AGENTS.md", is_last=False)
    files: Files = {"AGENTS.md": "x" * (32_768 - cost - left), ".kimi/AGENTS.md": "root"}
    prompt = preview(tmp_path, "kimi-cli", files)
    assert outcome(prompt, ".kimi/AGENTS.md") == says
    assert text_of(prompt, ".kimi/AGENTS.md") == "root"[:left]


def test_kimi_cli_cuts_no_character_in_two_and_trims_again(tmp_path: Path) -> None:
    size = 32_768 - kimi_cost(tmp_path, "AGENTS.md")
    prompt = preview(tmp_path, "kimi-cli", {"AGENTS.md": f"\n a{'x' * (size - 4)}\n \u65e5\nb"})
    assert text_of(prompt, "AGENTS.md") == "a" + "x" * (size - 4)
    (segment,) = [each for each in prompt.messages[0].segments if each.cut]
    assert segment.origin.range == Range(1, 1, 1, size - 2)
    assert segment.cut
    assert (segment.cut.kept, segment.cut.total, segment.cut.is_fixed) == (size - 3, size + 4, True)


def test_kimi_cli_says_where_a_cut_ends(tmp_path: Path) -> None:
    size = 32_768 - kimi_cost(tmp_path, "AGENTS.md")
    prompt = preview(tmp_path, "kimi-cli", {"AGENTS.md": f" a\n{'x' * size}"})
    (segment,) = [each for each in prompt.messages[0].segments if each.cut]
    assert segment.origin.range == Range(0, 1, 1, size - 2)


# -- Gemini CLI --------------------------------------------------------------------------------------------------

TRUSTED = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("x" * 2000, "x" * 2000),
        ("x" * 2001, "x" * 2000 + "... [truncated]"),
        ("x\n" * 1999, "x\n" * 1999),
        ("x\n" * 2000, "x\n" * 1999 + "x"),
    ],
    ids=["a line", "too long a line", "lines", "too many lines"],
)
def test_gemini_cli_of_what_is_read(tmp_path: Path, text: str, sent: str) -> None:
    prompt = preview(tmp_path, "gemini-cli", {"a.txt": text}, reads=["a.txt"], env=TRUSTED)
    assert prompt.messages[-1].segments[-1].text == sent
    assert [each.cut is not None for each in prompt.messages[-1].segments][-1] is (sent != text)


@pytest.mark.parametrize(
    ("name", "data", "is_shown"),
    [
        ("a.txt", b"text", True),
        ("a.png", b"text", False),
        ("a.o", b"text", False),
        ("a.mp3", b"text", True),
        ("a.mp3", b"a\0b", False),
        ("a.txt", b"a\0b", False),
        ("a.txt", b"\xff\xfea\0", False),
    ],
)
def test_gemini_cli_of_what_is_no_text(tmp_path: Path, name: str, data: bytes, *, is_shown: bool) -> None:
    prompt = preview(tmp_path, "gemini-cli", {name: data}, reads=[name], env=TRUSTED)
    shown = [segment for segment in segments(prompt) if segment.origin.path and segment.origin.path.endswith(name)]
    assert any(segment.elided is None for segment in shown) is is_shown


# -- OpenHands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "says"), [(64, "loaded"), (65, "failed")])
def test_openhands_of_the_name_of_a_skill(tmp_path: Path, length: int, says: str) -> None:
    name = "n" * length
    files: Files = {f".openhands/skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: x\n---\nBody.\n"}
    assert outcome(preview(tmp_path, "openhands", files), "SKILL.md") == says


@pytest.mark.parametrize(("length", "is_whole"), [(1024, True), (1025, False)])
def test_openhands_of_the_description_of_a_skill(tmp_path: Path, length: int, is_whole: bool) -> None:
    files: Files = {".openhands/skills/a/SKILL.md": f"---\nname: a\ndescription: {'d' * length}\n---\nBody.\n"}
    prompt = preview(tmp_path, "openhands", files)
    sent = "".join(message.text for message in prompt.messages)
    assert (f"<description>{'d' * length}</description>" in sent) is is_whole


# -- Qwen Code ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [("x\n" * 999, True), ("x\n" * 1000, False), ("x" * 25_000, True), ("x" * 25_001, False)],
    ids=["lines", "too many lines", "characters", "too many characters"],
)
def test_qwen_code_of_what_is_read(tmp_path: Path, text: str, is_whole: bool) -> None:
    prompt = preview(tmp_path, "qwen-code", {"a.txt": text}, reads=["a.txt"])
    assert (prompt.messages[-1].text == text) is is_whole


# -- Kimi CLI, what is read --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("x\n" * 999, True),
        ("x\n" * 1000, False),
        ("x" * 2000, True),
        ("x" * 2001, False),
        # 102,400 bytes, whatever characters they are.
        ("\u00e9" * 1023 + "\n" + ("x" * 1023 + "\n") * 98, True),
        (("\u00e9" * 511 + "x\n") * 99 + "x" * 1023, True),
        (("\u00e9" * 511 + "x\n") * 100, False),
    ],
    ids=["lines", "too many lines", "a line", "too long a line", "bytes", "one byte less", "too many bytes"],
)
def test_kimi_cli_of_what_is_read(tmp_path: Path, text: str, is_known: bool) -> None:
    prompt = preview(tmp_path, "kimi-cli", {"a.txt": text}, reads=["a.txt"])
    assert any("End of file reached." in message.text for message in prompt.messages) is is_known


# -- Pi, what is read --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("x\n" * 1999, True),
        ("x\n" * 2000, False),
        ("\u00e9" * 25_600, True),
        ("\u00e9" * 25_600 + "x", False),
    ],
    ids=["lines", "too many lines", "bytes", "too many bytes"],
)
def test_pi_of_what_is_read(tmp_path: Path, text: str, is_known: bool) -> None:
    prompt = preview(tmp_path, "pi", {"a.txt": text}, reads=["a.txt"])
    assert any(text in message.text for message in prompt.messages) is is_known


# -- Copilot in VS Code ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "says"), [(1024, "loaded"), (1025, "cut")])
def test_copilot_in_vs_code_of_the_description_of_a_skill(tmp_path: Path, length: int, says: str) -> None:
    files: Files = {".github/skills/a/SKILL.md": f"---\nname: a\ndescription: {'d' * length}\n---\n"}
    assert outcome(preview(tmp_path, "copilot-vscode", files), ".github/skills/a/SKILL.md") == says
