import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn, reading
from promptls.harnesses.gemini_cli.files.imports import code_regions, find_imports, without_empty_lines
from promptls.harnesses.gemini_cli.files.places import project_slug
from promptls.harnesses.gemini_cli.files.tree import Ignored, tree
from promptls.harnesses.gemini_cli.listing.commands import DEPTH
from promptls.harnesses.gemini_cli.listing.skills import name_and_description
from promptls.harnesses.gemini_cli.settings import expanded
from promptls.harnesses.gemini_cli.turns.mentions import spans
from promptls.harnesses.gemini_cli.turns.tool_results import is_known_binary, is_media, is_text
from promptls.kit.inline_imports import GIVEN_UP
from promptls.kit.pieced_text import Piece, trimmed
from tests.disk import disk_of
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def preview(cwd: Path, *reads: str) -> Prompt:
    session = Session(harness="gemini-cli", cwd=str(cwd), turns=reading(reads))
    return harnesses.preview(session, Host(home=str(cwd / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))


@given(st.text(alphabet="``` a\n", max_size=40))
def test_code_regions_are_those_of_the_program(text: str) -> None:
    assert code_regions(text) == [found.span() for found in re.finditer(r"(`+)[\s\S]*?\1", text)]


def test_a_long_run_of_backticks_is_read_in_no_time() -> None:
    assert code_regions("`" * 200_001) == [(0, 200_000)]


@given(st.lists(st.text(alphabet="\n\n\nab", max_size=6), max_size=6))
def test_empty_lines_are_cut_down_across_pieces(texts: list[str]) -> None:
    found = "".join(piece.text for piece in without_empty_lines([Piece(text) for text in texts]))
    assert found == re.sub(r"\n{3,}", "\n\n", "".join(texts))


@given(st.lists(st.text(alphabet=" \n\ufeffab", max_size=4), max_size=5))
def test_pieces_are_trimmed_as_one_text(texts: list[str]) -> None:
    found = "".join(piece.text for piece in trimmed([Piece(text) for text in texts]))
    assert found == "".join(texts).strip(" \n\ufeff")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("@a.md @./b @/c", ["a.md", "./b", "/c"]),
        ("me@example.com (@a) `@b` @1 @_x @@c", []),
        ("@param is one, and @alice, too", ["param", "alice,"]),
        ("a lone ` and @a.md", ["a.md"]),
        ("`@a\n\n@b` @c", ["c"]),
    ],
)
def test_what_is_an_import(text: str, paths: list[str]) -> None:
    assert [found[1] for found in find_imports(text)] == paths


def test_files_that_import_each_other_many_times_end(tmp_path: Path) -> None:
    everybody = "".join(f"@./f{number}.md\n" for number in range(40))
    for number in range(40):
        (tmp_path / f"f{number}.md").write_text(everybody, encoding="utf-8")
    (tmp_path / "GEMINI.md").write_text(everybody, encoding="utf-8")
    assert GIVEN_UP in preview(tmp_path).notes


def test_a_long_chain_of_flat_imports(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/settings.json").write_text('{"context": {"importFormat": "flat"}}', encoding="utf-8")
    (tmp_path / "GEMINI.md").write_text("@f0", encoding="utf-8")
    for number in range(1500):
        (tmp_path / f"f{number}").write_text(f"text {number} @f{number + 1}", encoding="utf-8")
    assert "text 1499" in preview(tmp_path).messages[1].text


def test_ranges_do_not_count_the_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "GEMINI.md").write_bytes(b"\xef\xbb\xbf one\n@b.md\ntwo\n")
    (tmp_path / "b.md").write_text("b", encoding="utf-8")
    files = [segment for segment in preview(tmp_path).messages[1].segments if segment.origin.kind == "file"]
    assert [(segment.text, segment.origin.again) for segment in files] == [
        ("one\n", False),
        ("b", False),
        ("\ntwo", True),
    ]
    first = files[0].origin.range
    assert first is not None
    assert (first.start_line, first.start_character, first.end_line) == (0, 1, 1)


def test_a_file_that_is_read_comes_without_its_byte_order_mark(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"a.txt": "\ufeffa\r\nb\n"})
    assert preview(folder, f"{folder}/a.txt").messages[2].text == "a\nb\n"


@pytest.mark.parametrize(("body", "shown"), [("", ""), ("\n", ""), ("\n\n Do it.\n", "Do it.")])
def test_a_skill_that_is_activated(tmp_path: Path, body: str, shown: str) -> None:
    skill = f"---\nname: s\ndescription: d\n---{body}"
    folder = lay_out(tmp_path, {".gemini/skills/s/SKILL.md": skill, ".gemini/skills/s/b.py": "1"})
    turns = (Turn("x", steps=((Call(tool="activate_skill", input='{"name": "s"}'),),)),)
    host = Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    result = harnesses.preview(Session("gemini-cli", str(folder), turns=turns), host).messages[-1].text
    assert result.startswith(f'<activated_skill name="s">\n  <instructions>\n    {shown}\n  </instructions>\n\n')
    assert "├───b.py\n└───SKILL.md\n  </available_resources>\n</activated_skill>" in result


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", b"text", "text"),
        ("a.txt", b"\x00\x01\x02\x03", "binary"),
        ("a.txt", b"\xff\xfea\x00b\x00", "neither"),
        ("a.PNG", b"text", "media"),
        ("a.mp3", b"text", "text"),
        ("a.mp3", b"\x00\x01\x02\x03", "media"),
        ("a.wasm", b"text", "binary"),
    ],
)
def test_how_a_file_is_sent(name: str, data: bytes, kind: str) -> None:
    contents = Host(home="/h", env={}, disk=disk_of({f"/w/{name}": data})).read(f"/w/{name}")
    if is_media(name, contents):
        assert kind == "media"
    elif is_known_binary(name, contents):
        assert kind == "binary"
    else:
        assert kind == ("text" if is_text(name, contents) else "neither")


BEGIN, END = "---[start of server instructions]---\n", "\n---[end of server instructions]---"


@pytest.mark.parametrize("has_project", [True, False])
def test_what_servers_say_follows_the_project_and_each_other(tmp_path: Path, *, has_project: bool) -> None:
    servers: dict[str, object] = {"mcpServers": {"m": {"command": "c"}, "n": {"command": "c"}}}
    folder = lay_out(tmp_path, {".gemini/settings.json": servers, **({"GEMINI.md": "x"} if has_project else {})})
    text = preview(folder).messages[1].text.partition("<loaded_context>\n")[2]
    first, second, last = text.split("The following are instructions provided by the tool server ")
    file = f"--- Context from: {folder}/GEMINI.md ---\nx\n--- End of Context from: {folder}/GEMINI.md ---\n\n"
    assert first == f"<project_context>\n{file if has_project else ''}"
    assert second.startswith(f"'m':\n{BEGIN}")
    assert second.endswith(f"{END}\n\n")
    assert last.endswith(f"{END}\n</project_context>\n</loaded_context>\n</session_context>")


INDEX = "Private Project Memory Index"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((), ""),
        (("GEMINI.md",), "⟪⟫\n\n<loaded_context>\nGEMINI.md\n</loaded_context>"),
        (
            ("tmp/folder/memory/MEMORY.md",),
            (
                f"---\n\n<loaded_context>\n<user_project_memory>\n--- {INDEX} (private, not committed to repo) ---\n"
                f"MEMORY.md\n--- End {INDEX} ---\n</user_project_memory>\n</loaded_context>"
            ),
        ),
        (
            ("GEMINI.md", "tmp/folder/memory/GEMINI.md"),
            (
                "---\n\n<loaded_context>\n<global_context>\nGEMINI.md\n</global_context>\n<user_project_memory>\n"
                f"--- {INDEX} (private, not committed to repo) ---\nGEMINI.md\n--- End {INDEX} ---\n"
                "</user_project_memory>\n</loaded_context>"
            ),
        ),
    ],
)
def test_the_users_own_files_end_the_system_instruction(tmp_path: Path, names: tuple[str, ...], expected: str) -> None:
    folder = lay_out(tmp_path / "folder", {"a": "x"})
    lay_out(tmp_path / "home" / ".gemini", {name: f"of {name}" for name in names}, git=False)
    host = Host(home=str(tmp_path / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    found = harnesses.preview(Session("gemini-cli", str(folder)), host).messages[0].segments
    text = "".join("⟪⟫" if each.elided else each.text for each in found)
    text = re.sub(r"--- Context from: .*/(.*) ---\nof .*\n--- End of Context from: .* ---", r"\1", text)
    # The rest of the program's own text comes before it.
    assert text.partition("</available_skills>\n⟪⟫")[2] == (f"\n\n{expected}" if names else "")


@pytest.mark.parametrize(
    ("typed", "said", "label"),
    [
        ("see @./a.txt", "see @./a.txt", "./a.txt"),
        ("see @d/../a.txt", "see @d/../a.txt", "d/../a.txt"),
        ("see @FOLDER/a.txt", "see @a.txt", "a.txt"),
        ("see @FOLDER/d", "see @d/**", "d/b.txt"),
        ("see @d/", "see @d/**", "d/b.txt"),
    ],
)
def test_how_a_mention_is_written(tmp_path: Path, typed: str, said: str, label: str) -> None:
    folder = lay_out(tmp_path, {"a.txt": "a", "d/b.txt": "b"})
    # A blank in a name is typed with a backslash.
    turn = Turn(typed.replace("FOLDER", re.sub(r"(?=[^\w/.-])", r"\\", str(folder))))
    session = Session("gemini-cli", str(folder), turns=(turn,))
    prompt = harnesses.preview(session, Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    assert [prompt.messages[at].text for at in (2, 4)] == [said, f"\nContent from @{label}:\n"]


def test_the_tool_for_skills_names_each_that_is_not_built_in(tmp_path: Path) -> None:
    sizes: list[int] = []
    for names in ((), ("s",), ("s", "four"), ("skill-creator",)):
        files: dict[str, str | bytes | dict[str, object]] = {
            f".gemini/skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: d\n---\n" for name in names
        }
        folder = lay_out(tmp_path / str(len(sizes)), {"a": "x", **files})
        sizes += [each.size or 0 for each in preview(folder).tools or () if each.name == "activate_skill"]
    assert [size - sizes[0] for size in sizes] == [0, len(", 's's,\"\""), len(", 's', 'four'sfour,\"\",\"\""), 0]


@pytest.mark.parametrize(
    ("mcp", "kept"), [({}, "m n"), ({"allowed": ["m"]}, "m"), ({"excluded": ["m"]}, "n"), ({"allowed": []}, "m n")]
)
def test_the_servers_that_settings_leave(tmp_path: Path, mcp: dict[str, object], kept: str) -> None:
    servers: dict[str, object] = {"m": {"command": "c"}, "n": {"command": "c"}}
    prompt = preview(lay_out(tmp_path, {".gemini/settings.json": {"mcpServers": servers, "mcp": mcp}}))
    assert [f"mcp_{name}_*" for name in kept.split()] == [
        each.name for each in prompt.tools or () if each.name.startswith("mcp_")
    ]


def test_an_extension_that_is_linked_is_where_its_source_is(tmp_path: Path) -> None:
    extension: dict[str, object] = {"name": "e", "version": "1"}
    files: dict[str, str | bytes | dict[str, object]] = {
        "source/gemini-extension.json": extension,
        "source/GEMINI.md": "of the source",
        "home/.gemini/extensions/e/gemini-extension.json": extension,
        "home/.gemini/extensions/e/GEMINI.md": "of the link",
    }
    folder = lay_out(tmp_path, files)
    assert "of the link" in preview(folder).messages[1].text
    for install, text in (
        ({"type": "link", "source": f"{folder}/source"}, "of the source"),
        ({"type": "local", "source": f"{folder}/source"}, "of the link"),
        ({"type": "link"}, "of the link"),
    ):
        path = folder / "home/.gemini/extensions/e/.gemini-extension-install.json"
        path.write_text(json.dumps(install), encoding="utf-8")
        assert text in preview(folder).messages[1].text


@pytest.mark.parametrize(
    ("trust", "system", "says"),
    [
        ("true", "", None),
        ("true", "gone.md", "gemini-cli ends, because it cannot read the system prompt"),
        ("false", "", "gemini-cli does not trust this folder"),
        ("false", "gone.md", "gemini-cli does not trust this folder"),
    ],
)
def test_what_ends_the_program_first(tmp_path: Path, trust: str, system: str, says: str | None) -> None:
    host = Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": trust, "GEMINI_SYSTEM_MD": system})
    prompt = harnesses.preview(Session("gemini-cli", str(lay_out(tmp_path, {"a": "x"}))), host)
    assert (prompt.stopped or "").startswith(says or "")
    assert (prompt.stopped is None, prompt.stopped_by is None) == (says is None, says is None or trust == "false")


@pytest.mark.parametrize(
    ("tools", "listed"),
    [({}, True), ({"exclude": ["glob"]}, True), ({"exclude": ["invoke_agent"]}, False), ({"core": ["glob"]}, False)],
)
def test_sub_agents_are_listed_for_the_tool_that_starts_one(
    tmp_path: Path, tools: dict[str, object], *, listed: bool
) -> None:
    text = preview(lay_out(tmp_path, {".gemini/settings.json": {"tools": tools}})).messages[0].text
    assert ("# Available Sub-Agents" in text) is listed


def test_an_at_sign_right_behind_a_byte_order_mark_is_no_import(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"GEMINI.md": "\ufeff@b.md\n@c.md", "b.md": "b", "c.md": "c"})
    files = [segment for segment in preview(folder).messages[1].segments if segment.origin.kind == "file"]
    assert [segment.text for segment in files] == ["@b.md\n", "c"]


@pytest.mark.parametrize(
    ("files", "slug"),
    [
        ({}, "my-app"),
        ({"projects.json": '{"projects": {"/w/My App": "other"}}'}, "other"),
        ({"projects.json": '{"projects": {"/w/My App": "Not valid"}}'}, "my-app"),
        ({"projects.json": '{"projects": {"/somewhere": "my-app"}}'}, "my-app-1"),
        ({"tmp/my-app/.project_root": "/somewhere"}, "my-app-1"),
        ({"history/mine/.project_root": "/w/My App\n"}, "mine"),
        ({"projects.json": '{"projects": {"/w/My App": "other"}}', "tmp/other/.project_root": "/x"}, "my-app"),
    ],
)
def test_the_short_name_of_a_project(files: dict[str, str], slug: str, tmp_path: Path) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert project_slug(Host(home=str(tmp_path), env={}), str(tmp_path), "/w/My App") == slug


def test_variables_of_settings() -> None:
    assert expanded("$A ${A}$A ${B:-d} ${A:-d} $B ${B}", {"A": "x"}) == "x xx d x $B ${B}"
    assert expanded("${A}$A $B", {"A": "x"}) == "xx $B"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("!{a} b !{}", ["!{a}", "!{}"]),
        ("a !{b {c} d} !{e", ["!{b {c} d}"]),
        ("!{a", []),
        ("!{{a}", []),
        ("@{a} !{b}}", ["!{b}"]),
    ],
)
def test_what_of_a_command_is_run(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in spans(text, "!{")] == found


@pytest.mark.parametrize(
    ("front", "found"),
    [
        ("name: a\ndescription: b", {"name": "a", "description": "b"}),
        (
            "  odd: [\nname: a\ndescription: b: c\n  and d\n\te\nother: x\n  no",
            {"name": "a", "description": "b: c and d e"},
        ),
        ("description: b: c\r\n  d\r\n\r\n  e\r\nname: a\r\n  no", {"name": "a", "description": "b: c d"}),
        ("description: b: c\n \n  d\nname: a", {"name": "a", "description": "b: c"}),
        ("name: 1\ndescription: b", {"name": "1", "description": "b"}),
        ("description:\n  b: c: d", {"description": "b: c: d"}),
    ],
)
def test_name_and_description(front: str, found: dict[str, str]) -> None:
    fields = name_and_description(front)
    assert {key: each.text for key, each in fields.items()} == found
    # The place is that of its first line.
    assert all(front[each.start : each.end] == each.text[: each.end - each.start] for each in fields.values())


def test_outside_of_a_repository_a_read_brings_nothing_from_above_the_workspace() -> None:
    names = ("GEMINI.md", "w/GEMINI.md", "w/sub/GEMINI.md", "w/sub/a.py")
    disk = disk_of({f"/home/{name}": name for name in names})
    host = Host(home="/elsewhere", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}, disk=disk)
    found = harnesses.preview(Session("gemini-cli", "/home/w", turns=reading(["/home/w/sub/a.py"])), host)
    loaded = [each.path for each in found.candidates if each.outcome == "loaded" and each.use == "instruction"]
    assert loaded == ["/home/w/GEMINI.md", "/home/w/sub/GEMINI.md"]


def test_commands_are_looked_for_in_sixteen_directories_below_each_other(tmp_path: Path) -> None:
    deepest, deeper = "/".join("a" * DEPTH), "/".join("a" * (DEPTH + 1))
    command = 'prompt = "Do it."'
    places = [f".gemini/commands/{each}/x.toml" for each in (deepest, deeper)]
    folder = lay_out(tmp_path, dict.fromkeys(places, command))
    found = [each.path for each in preview(folder).candidates if each.use == "command"]
    assert found == [f"{folder}/{places[0]}"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("git/fix it.v2_x-1.toml", "git:fix_it.v2_x-1"),
        (f"{'n' * 50}/é.toml", f"{'n' * 50}:_"),
        (f"{'n' * 51}.toml", f"{'n' * 47}..."),
    ],
)
def test_the_name_of_a_command(tmp_path: Path, path: str, name: str) -> None:
    folder = lay_out(tmp_path, {f".gemini/commands/{path}": 'prompt = "Do it."'})
    session = Session("gemini-cli", str(folder), turns=(Turn(f"/{name}"),))
    host = Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    assert harnesses.preview(session, host).messages[2].text == "Do it."


def test_a_file_that_is_mentioned_comes_without_the_blanks_around_it(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"a.txt": "\n a\n b \n\n"})
    session = Session("gemini-cli", str(folder), turns=(Turn("read @a.txt"),))
    prompt = harnesses.preview(session, Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    assert [each.text for each in prompt.messages[2:]] == [
        "read @a.txt",
        "\n--- Content from referenced files ---",
        "\nContent from @a.txt:\n",
        "a\n b",
        "\n--- End of content ---",
    ]


def test_a_directory_that_is_ignored_with_a_slash_is_mentioned_without_files(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {".gitignore": "made/\na.txt/\n", "made/b.txt": "b", "a.txt": "a"})
    session = Session("gemini-cli", str(folder), turns=(Turn("see @made and @a.txt"),))
    prompt = harnesses.preview(session, Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    assert "├───a.txt" in prompt.messages[1].text
    assert [each.text for each in prompt.messages[2:]] == [
        "see @made/** and @a.txt",
        "\n--- Content from referenced files ---",
        "\nContent from @a.txt:\n",
        "a",
        "\n--- End of content ---",
    ]
    assert preview(folder, f"{folder}/a.txt").messages[2].text == "a"


def test_a_file_in_a_command_comes_as_it_is(tmp_path: Path) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        ".gemini/commands/c.toml": 'prompt = "@{a.txt} is it."',
        "a.txt": "\n a \n",
    }
    folder = lay_out(tmp_path, files)
    session = Session("gemini-cli", str(folder), turns=(Turn("/c"),))
    prompt = harnesses.preview(session, Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    assert [each.text for each in prompt.messages[2:]] == ["\n a \n", " is it."]


@pytest.mark.parametrize(
    ("prompt", "typed", "sent"),
    [
        ("do {{args}}!", "/c a b", ["do a b!"]),
        ("do {{args}}!", " /c\n a  \t b \n", ["do a b!"]),
        ("do {{args}}!", "/c", ["do !"]),
        ("do", "/ c  a\nb ", ["do\n\n/ c  a\nb"]),
        ("do", "/c ", ["do"]),
        ("do", "/d a", ["/d a"]),
        ("", "/c a", ["/c a"]),
        ("do", "c a", ["c a"]),
        ("do", "/", ["/"]),
    ],
)
def test_the_arguments_of_a_command(tmp_path: Path, prompt: str, typed: str, sent: list[str]) -> None:
    folder = lay_out(tmp_path, {".gemini/commands/c.toml": f'prompt = "{prompt}"'})
    host = Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    messages = harnesses.preview(Session("gemini-cli", str(folder), turns=(Turn(typed),)), host).messages
    assert [each.text for each in messages[2:]] == sent


@pytest.mark.parametrize(
    ("tools", "offered"),
    [
        ({"core": ["ReadFileTool", "glob", "run_shell_command(git)"]}, "read_file glob run_shell_command"),
        ({"core": []}, ""),
        ({"core": ["glob", "web_fetch"], "exclude": ["glob"]}, "web_fetch"),
        ({"core": ["glob"], "allowed": ["WebFetchTool"]}, "glob"),
    ],
)
def test_the_tools_that_settings_leave(tmp_path: Path, tools: dict[str, object], offered: str) -> None:
    settings: dict[str, object] = {"model": {"name": "gemini-2.5-pro"}, "tools": tools}
    prompt = preview(lay_out(tmp_path, {".gemini/settings.json": settings}))
    assert " ".join(each.name for each in prompt.tools or () if each.enabled) == offered


def test_tools_that_settings_allow_need_no_approval(tmp_path: Path) -> None:
    allowed: dict[str, object] = {"tools": {"allowed": ["web_fetch(x)", "WriteTodosTool", "nothing"]}}
    folder = lay_out(tmp_path, {".gemini/settings.json": allowed})
    offered = {each.name for each in preview(folder).tools or () if each.enabled}
    (folder / ".gemini/settings.json").unlink()
    assert offered - {each.name for each in preview(folder).tools or () if each.enabled} == {"web_fetch"}


@pytest.mark.parametrize(
    ("env", "is_known"),
    [
        ({}, True),
        ({"LANG": "en_US.UTF-8"}, True),
        ({"LANG": "C"}, True),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LC_ALL": "", "LANG": "en_US.UTF-8"}, True),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "en_US", "LANGUAGE": "de"}, True),
    ],
)
def test_the_date_is_in_the_language_of_the_user(tmp_path: Path, env: dict[str, str], *, is_known: bool) -> None:
    host = Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true", **env})
    prompt = harnesses.preview(Session("gemini-cli", str(lay_out(tmp_path, {"a": "x"}))), host)
    (date,) = [each for each in prompt.messages[1].segments if each.title == "date"]
    assert (date.elided is None) is is_known


def test_a_file_that_is_ignored_is_named_in_its_own_letters(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {".gitignore": "*.log", "é.log": "x"})
    (result,) = preview(folder, f"{folder}/é.log").messages[2].segments
    says = f"File path '{folder}/é.log' is ignored by configured ignore patterns."
    assert result.text == f'{{"error":"{says}"}}'


IGNORED = {
    ".git/info/exclude": "excluded.md\n",
    ".gitignore": "# notes.md\n*.log\n",
    ".geminiignore": "\ufeffsecret.md\n",
    "sub/.gitignore": "own.txt\n!keep.log\n/only.md\n  x/y.md\n",
}


@pytest.mark.parametrize(
    ("path", "in_git", "without"),
    [
        ("a.log", True, False),
        ("A.LOG", True, False),
        ("notes.md", False, False),
        ("excluded.md", True, False),
        ("secret.md", True, True),
        ("sub/secret.md", True, True),
        ("sub/a.log", True, False),
        ("sub/keep.log", False, False),
        ("keep.log", True, False),
        ("sub/own.txt", True, False),
        ("sub/deep/own.txt", True, False),
        ("own.txt", False, False),
        ("sub/only.md", True, False),
        ("sub/deep/only.md", False, False),
        ("sub/x/y.md", True, False),
        ("sub/deep/x/y.md", False, False),
        (".git", True, True),
    ],
)
def test_what_is_left_out(tmp_path: Path, path: str, *, in_git: bool, without: bool) -> None:
    for is_git, expected in ((True, in_git), (False, without)):
        files: dict[str, str | bytes | dict[str, object]] = {
            name: text for name, text in IGNORED.items() if is_git or not name.startswith(".git/")
        }
        folder = lay_out(tmp_path / str(is_git), files, git=False)
        ignored = Ignored(Host(home="/h", env={}), str(folder))
        first, again = (ignored.has(f"{folder}/{path}", is_directory=False) for _ in range(2))
        assert first is again is expected
        # Whatever was asked before.
        for each in ("a", "sub/a", "sub/deep/a"):
            assert not Ignored(ignored.host, str(folder)).has(f"{folder}/{each}", is_directory=False)
            known = Ignored(ignored.host, str(folder))
            known.has(f"{folder}/{each}", is_directory=False)
            assert known.has(f"{folder}/{path}", is_directory=False) is expected


def test_a_folder_of_a_repository_leaves_out_what_only_its_own_file_names(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"web/sub/.gitignore": "*.log\n"})
    ignored = Ignored(Host(home="/h", env={}), f"{folder}/web")
    assert not ignored.has(f"{folder}/web/a.log", is_directory=False)
    assert ignored.has(f"{folder}/web/sub/a.log", is_directory=False)
    assert not ignored.has(f"{folder}/web", is_directory=True)
    assert not ignored.has(f"{folder}/sub/a.log", is_directory=False)


NOTE = (
    " Folders or files indicated with ... contain more items not shown, were ignored, or the display limit "
    "({most} items) was reached."
)


@pytest.mark.parametrize(
    ("most", "is_cut", "lines"),
    [
        (
            9,
            False,
            "├───a.md ├───b.md ├───d1/ │___├───x.md │___└───y.md └───d2/ ____├───z.md ____└───deep/",
        ),
        (8, False, "├───a.md ├───b.md ├───d1/ │___├───x.md │___└───y.md └───d2/ ____├───z.md ____└───deep/"),
        (7, True, "├───a.md ├───b.md ├───d1/ │___├───x.md │___└───y.md └───d2/ ____├───z.md ____└───..."),
        (6, False, "├───a.md ├───b.md ├───d1/ │___├───x.md │___└───y.md └───d2/"),
        (5, True, "├───a.md ├───b.md ├───d1/ │___└───x.md │___└───... └───d2/"),
        (3, True, "├───a.md ├───b.md ├───d1/ └───..."),
        (2, True, "├───a.md ├───b.md └───..."),
        (1, True, "├───a.md ├───... └───..."),
    ],
)
def test_a_tree_of_so_many_items(tmp_path: Path, most: int, lines: str, *, is_cut: bool) -> None:
    files = ("d2/z.md", "d2/deep/q.md", "d1/x.md", "d1/y.md", "a.md", "b.md")
    folder = lay_out(tmp_path / "folder", dict.fromkeys(files, "x"), git=False)
    (folder / "link.md").symlink_to("a.md")
    if most == 9:
        (folder / "d2" / "deep" / "q.md").unlink()
    says = f"Showing up to {most} items (files + folders).{NOTE.format(most=most) if is_cut else ''}"
    found = tree(Host(home="/h", env={}), str(folder), most)
    expected = [each.replace("_", " ") for each in lines.split(" ")]
    assert found.text.split("\n") == [says, "", f"{folder}/", *expected]
    assert found.is_cut is is_cut


def test_folders_that_stay_closed(tmp_path: Path) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        ".gitignore": "out/\n*.log\n",
        "node_modules/a.js": "x",
        "out/a.js": "x",
        "a.log": "x",
        "src/b.log": "x",
    }
    folder = lay_out(tmp_path, files)
    host = Host(home="/h", env={})
    found = tree(host, str(folder), 20, Ignored(host, str(folder)))
    assert found.is_cut
    assert found.text.split("\n")[2:] == [
        f"{folder}/",
        "├───.gitignore",
        "├───.git/...",
        "├───node_modules/...",
        "├───out/...",
        "└───src/",
    ]


@pytest.mark.parametrize(("model", "homes", "git"), [("gemini-2.5-pro", 1, 1665), (None, 2, 1666)])
def test_the_rest_of_the_system_prompt_names_places_and_git(
    tmp_path: Path, model: str | None, homes: int, git: int
) -> None:
    """Seen by verify, in folders and homes with paths of other lengths, in a git repository and outside of one."""

    def rest(home: str, folder: str) -> int:
        session = Session("gemini-cli", str(lay_out(tmp_path / folder, {"a": "x"}, git=False)), model=model)
        host = Host(home=home, env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
        found = harnesses.preview(session, host).messages[0].segments[-1]
        assert found.title == "rest of the system prompt"
        assert found.elided
        assert found.elided.size
        return found.elided.size

    one = rest("/h", "one")
    assert rest("/homes", "one") - one == homes * len("omes")
    assert rest("/h", "longer") - one == len("ger")
    (tmp_path / ".git").mkdir()
    assert rest("/h", "one") - one == git


@pytest.mark.parametrize(
    ("skills", "size"), [({}, 690), ({"disabled": ["skill-creator"]}, 657), ({"enabled": False}, 591)]
)
def test_the_tool_for_skills_names_those_that_are_there(tmp_path: Path, skills: dict[str, object], size: int) -> None:
    """Seen by verify on the screen."""
    folder = lay_out(tmp_path, {".gemini/settings.json": json.dumps({"skills": skills})})
    host = Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    found = harnesses.preview(Session("gemini-cli", str(folder), interactive=True), host)
    assert [each.size for each in found.tools or () if each.name == "activate_skill"] == [size]


@pytest.mark.parametrize(
    ("names", "more"),
    [("GEMINI.md", ""), ("AGENTS.md", " or `GEMINI.md`"), (["RULES.md", "OWN.md"], "`RULES.md`, `OWN.md` or ")],
)
@pytest.mark.parametrize("model", ["gemini-3-pro-preview", "gemini-2.5-pro"])
def test_the_core_prompt_names_the_context_files(tmp_path: Path, model: str, names: str | list[str], more: str) -> None:
    """Seen by verify: that of the newer models does, also in the sub-agent that has it."""

    def sizes(folder: str, settings: dict[str, object], agent: str | None = None) -> dict[str, int]:
        files: dict[str, str | bytes | dict[str, object]] = {".gemini/settings.json": json.dumps(settings)}
        call = Call(tool="invoke_agent", input=json.dumps({"agent_name": agent, "prompt": "do it"}), steps=())
        turns = (Turn(prompt="one", steps=((call,),)),) if agent else ()
        root = lay_out(tmp_path / folder / (agent or "main"), files)
        session = Session("gemini-cli", str(root), turns=turns, model=model)
        host = Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
        found = harnesses.preview(session, host).messages[0].segments
        return {each.title: each.elided.size or 0 for each in found if each.elided}

    def added(title: str, agent: str | None = None) -> int:
        return own[agent][title] - its[agent][title]

    is_newer = "gemini-3" in model
    own = {agent: sizes("own", {"context": {"fileName": names}}, agent) for agent in (None, "generalist")}
    its = {agent: sizes("its", {}, agent) for agent in (None, "generalist")}
    assert added("core system prompt") == (len(more) if is_newer else 0)
    assert added("prompt of sub-agent generalist", "generalist") == (len(more) if is_newer else 0)
    # It names the global file, by the first of the names.
    first = names if isinstance(names, str) else names[0]
    assert added("rest of the system prompt") == (len(first) - len("GEMINI.md") if is_newer else 0)


@pytest.mark.parametrize("on_screen", [False, True])
def test_the_mode_is_named_in_the_own_prompt(tmp_path: Path, *, on_screen: bool) -> None:
    folder = lay_out(tmp_path, {"GEMINI.md": "x\n"})

    def size(mode: str) -> int:
        session = Session("gemini-cli", str(folder), mode=mode, interactive=on_screen)
        host = Host(home=str(folder / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
        system = harnesses.preview(session, host).messages[0]
        return sum(each.elided.size or 0 for each in system.segments if each.elided is not None)

    assert size("auto_edit") - size("default") == len("Auto-Edit") - len("Default")


@pytest.mark.parametrize(("on_screen", "times"), [(False, 1), (True, 2)])
def test_on_the_screen_added_directories_are_said_again(tmp_path: Path, times: int, *, on_screen: bool) -> None:
    folder = lay_out(tmp_path, {"one/GEMINI.md": "x\n", "two/a.txt": ""})
    turns = (Turn(prompt="hello"),)
    session = Session(
        "gemini-cli", f"{folder}/one", args=("--include-directories", "../two"), turns=turns, interactive=on_screen
    )
    host = Host(home=str(folder / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    users = [each.text for each in harnesses.preview(session, host).messages if each.role == "user"]
    assert sum(text.count("- **Workspace Directories:**\n") for text in users) == times
    assert users[-1] == "hello"
    assert times == 1 or users[-2].startswith("- **Workspace Directories:**\n")


# Seen by verify, with 0.61.0.
@pytest.mark.parametrize(
    ("typed", "start", "said", "plans"),
    [
        ("/plan add a button", {"interactive": False}, "add a button", True),
        ("/plan add a button", {"interactive": True}, "add a button", True),
        ("/plan", {"interactive": False}, "/plan", True),
        ("/plans", {"interactive": False}, "/plans", False),
        ("/plan it", {"editor": True}, "/plan it", False),
    ],
)
def test_a_mode_that_is_typed(tmp_path: Path, typed: str, start: dict[str, bool], said: str, *, plans: bool) -> None:
    started = Session("gemini-cli", str(lay_out(tmp_path, {})), turns=(Turn(typed),), **start)  # type: ignore[arg-type] # those of the cases
    prompt = harnesses.preview(started, Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    assert prompt.messages[2].text == said
    assert any(each.name == "exit_plan_mode" and each.enabled for each in prompt.tools or ()) is plans
    assert prompt.session.turns == started.turns


def test_a_command_of_that_name_takes_its_place(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {".gemini/commands/plan.toml": 'prompt = "Do it."'})
    started = Session("gemini-cli", str(folder), turns=(Turn("/plan"),))
    prompt = harnesses.preview(started, Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    assert (prompt.messages[2].text, prompt.session.mode) == ("Do it.", None)


def test_a_mention_of_nothing_is_looked_for_elsewhere(tmp_path: Path) -> None:
    started = Session("gemini-cli", str(lay_out(tmp_path, {"a.md": "a"})), turns=(Turn("see @b.md and @a.md"),))
    prompt = harnesses.preview(started, Host(home="/h", env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    (note,) = [each for each in prompt.notes if "in its path" in each]
    assert note.startswith("There is no b.md.")
