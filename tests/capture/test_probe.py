"""``promptls probe`` with small programs of our own, which promptls does not know."""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from promptls.core.model import Session, Turn
from promptls.wire import probe
from promptls.wire.new_harness import frame_of
from promptls.wire.packages import package_of
from promptls.wire.sent_lines import Files
from promptls.workspace.machine import local_host
from tests.capture.conftest import Run
from tests.capture.fakes import BAD, CANARY
from tests.cli.test_schema import closed, schema

SENDS = """
import http.client, json, os
from pathlib import Path
from urllib.parse import urlsplit
Path(LOG).write_text(json.dumps([dict(os.environ), sys.argv, [str(each) for each in Path.home().rglob("*")]]))
there = urlsplit(os.environ.get("MY_URL") or os.environ["OPENAI_BASE_URL"])
reader = {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
said = [{"role": "system", "content": "You are an agent.\\n<rules>\\n" + Path("AGENTS.md").read_text() + "</rules>"},
        {"role": "user", "content": sys.argv[-1]}]
for _ in range(4):
    connection = http.client.HTTPConnection(there.netloc, timeout=20)
    body = {"model": "m", "messages": said, "tools": [{"type": "function", "function": reader}]}
    connection.request("POST", there.path + "/chat/completions", json.dumps(body))
    answer = json.loads(connection.getresponse().read())["choices"][0]["message"]
    if not answer.get("tool_calls"):
        break
    path = json.loads(answer["tool_calls"][0]["function"]["arguments"])["path"]
    numbered = "".join(f"{at}\\t{line}\\n" for at, line in enumerate(open(path).read().splitlines(), 1))
    said += [answer, {"role": "tool", "tool_call_id": answer["tool_calls"][0]["id"], "content": numbered}]
"""
RULES = "The rules of the project, which are many.\nUse tabs in all files.\n"
CODE = "print('hello from the package')\nprint('and once more, at the end')\n"


def install(folder: Path, does: str, name: str = "agent") -> Path:
    """Put a program of our own into ``folder``."""
    path = folder / name
    head = f"#!{sys.executable}\nimport sys\nfrom pathlib import Path\nsys.path[:0] = {sys.path!r}\n"
    path.write_text(f"{head}LOG = {str(folder / 'seen')!r}\n{does}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(place: Path) -> Path:
    (place / "project/AGENTS.md").write_text(RULES, "utf-8")
    (place / "project/pkg/a.py").write_text(CODE, "utf-8")
    (place / "project/agent.json").write_text('{"hooks": {"start": "touch ran"}}', "utf-8")
    return place


def test_what_a_program_sends_is_found(folder: Path, run: Run) -> None:
    install(folder / "bin", SENDS)
    code, out, err = run("probe", "--read", "pkg/a.py", "--format", "json", "--", "agent", "say ok")
    assert (code, err) == (0, "")
    found = json.loads(out)
    Draft202012Validator(closed(schema("probe"))).validate(found)
    first, second = found["requests"]
    (of_rules,) = first["blocks"][0]["files"]
    assert of_rules["path"] == str(folder / "project/AGENTS.md")
    assert (of_rules["lines"], of_rules["whole"], of_rules["text"]) == ([[0, 1]], True, "as it is")
    assert (of_rules["before"], of_rules["after"]) == ("You are an agent.\n<rules>\n", "\n</rules>")
    assert first["blocks"][0]["own"] == len("You are an agent.\n<rules>\n\n</rules>")
    assert [each["name"] for each in first["tools"]] == ["read_file"]
    (read,) = second["blocks"][-1]["files"]
    assert (read["path"], read["text"]) == (str(folder / "project/pkg/a.py"), "numbered")
    assert found["opened"] is None or str(folder / "project/AGENTS.md") in found["opened"]
    assert {"what": "text", "path": str(folder / "project/agent.json")} in found["left_out"]
    assert list((folder / "cache").iterdir()) == []


def test_it_sees_neither_the_home_nor_a_key(folder: Path, run: Run) -> None:
    install(folder / "bin", SENDS)
    arguments = ("--set", "MY_URL={url}/v1", "--file", "~/.agent/config=port {port}", "--set", "GEMINI_API_KEY=")
    code, out, err = run("probe", *arguments, "--", "agent", "{folder}")
    assert (code, err) == (0, "")
    seen = (folder / "bin/seen").read_text("utf-8")
    assert CANARY not in seen + out
    env, argv, home = json.loads(seen)
    assert env["OPENAI_API_KEY"] == "dummy"
    assert "GEMINI_API_KEY" not in env
    assert argv[-1] == str(folder / "project")
    assert [each for each in home if "/project" not in each] == [
        str(folder / "home/.agent"),
        str(folder / "home/.agent/config"),
    ]


def test_the_table_comes_first(folder: Path, run: Run) -> None:
    install(folder / "bin", SENDS)
    code, out, err = run("probe", "--read", "pkg/a.py", "--", "agent", "say ok")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "agent, started as: agent 'say ok'"
    assert lines[3].split() == ["1", "AGENTS.md", "all", "2", "1", "system", "as", "it", "is"]
    assert "  1  before it “<rules>”, after it “</rules>”" in lines
    assert "Request 2 adds:" in lines
    assert any("pkg/a.py" in line and "numbered" in line for line in lines)


def test_a_tool_that_reads_no_file_is_quoted(folder: Path, run: Run) -> None:
    install(folder / "bin", SENDS.replace('"content": numbered', '"content": "Error: the file\\nis not trusted."'))
    out = run("probe", "--read", "pkg/a.py", "--", "agent", "say ok")[1]
    assert "No new line of a file: request 2.\n  A tool answered: Error: the file is not trusted.\n" in out


def test_a_configuration_is_given_where_it_is_named(folder: Path, run: Run) -> None:
    install(folder / "bin", SENDS.replace('Path("AGENTS.md")', 'Path("agent.json")'))
    assert "text of agent.json. --give FILE gives one as it is." in run("probe", "--", "agent", "x")[1]
    for option in (("--give", "agent.json"), ("--run-workspace",)):
        out = run("probe", *option, "--format", "json", "--", "agent", "x")[1]
        (given,) = json.loads(out)["requests"][0]["blocks"][0]["files"]
        assert given["path"] == str(folder / "project/agent.json")
    assert not (folder / "project/ran").exists()


def test_a_program_of_the_folder_runs_only_where_its_path_was_typed(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(folder / "project", SENDS.replace("LOG).write", "'/tmp/seen').write"), "own-agent")
    code, out, err = run("probe", "--format", "json", "--", "./own-agent", "x")
    assert (code, err) == (0, "")
    assert json.loads(out)["requests"]
    monkeypatch.setenv("PATH", f"{folder / 'project'}{os.pathsep}{os.environ['PATH']}")
    assert "There is no own-agent on the search path" in run("probe", "--", "own-agent", "x")[2]


@pytest.mark.parametrize("does", [each for each in BAD if each != "hangs"])
def test_a_program_that_asks_nothing(does: str, folder: Path, run: Run) -> None:
    install(folder / "bin", BAD[does])
    code, out, err = run("probe", "--seconds", "20", "--", "agent")
    assert (code, err) == (1, "")
    assert out.startswith("agent asked no model, as: agent\n")
    assert "--set NAME=VALUE" in out
    assert len(out) < 3000
    if does == "wants a login":
        assert "It said last:\n  Please log in with /login.\n" in out
    assert list((folder / "cache").iterdir()) == []


def test_a_program_that_hangs_is_stopped(folder: Path, run: Run) -> None:
    install(folder / "bin", BAD["hangs"])
    code, out, _ = run("probe", "--seconds", "2", "--", "agent")
    assert code == 1
    assert "it was stopped after 2 s" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Name the program after two dashes: promptls probe -- COMMAND ..."),
        (("--",), "Name the program after two dashes: promptls probe -- COMMAND ..."),
        (("--", "no-such"), "There is no no-such on the search path; install it, or name its path."),
        (("--", "./AGENTS.md"), "is no program that can be started; check the path and its rights."),
        (("--set", "X", "--", "agent"), "'X' is not of the form NAME=VALUE."),
        (("--file", "/etc/x=1", "--", "agent"), "'/etc/x' is not a path in the home"),
        (("--file", "a/../../x=1", "--", "agent"), "is not a path in the home"),
        (("--read", "../home/.netrc", "--", "agent"), "choose a file in it."),
        (("--seconds", "0", "--", "agent"), "'0' is not a time; choose a number from 1 to 600."),
    ],
)
def test_what_cannot_be_meant(arguments: tuple[str, ...], says: str, folder: Path, run: Run) -> None:
    install(folder / "bin", SENDS)
    code, out, err = run("probe", *arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_without_namespaces_nothing_is_started(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder / "bin", SENDS)
    monkeypatch.setattr(probe, "means", lambda: "landlock")
    code, _, err = run("probe", "--", "agent", "x")
    assert code == 2
    assert "nothing was started" in err
    assert not (folder / "bin/seen").exists()


def test_a_shim_is_named(folder: Path, run: Run) -> None:
    (folder / "bin/agent").write_text("#!/bin/sh\nexec no-such-agent\n", "utf-8")
    (folder / "bin/agent").chmod(0o755)
    code, out, _ = run("probe", "--", "agent", "x")
    assert code == 1
    assert "is a script that may start another program; name that one." in out


def test_a_script_whose_interpreter_is_a_shim_says_so(tmp_path: Path) -> None:
    shims = tmp_path / "manager" / "shims"
    shims.mkdir(parents=True)
    shim, script = shims / "python9", tmp_path / "agent"
    for file, text in ((shim, "#!/bin/sh\nexit 1\n"), (script, "#!/usr/bin/env -S python9 -u\n")):
        file.write_text(text)
        file.chmod(0o755)
    says = package_of(str(script), str(shims)).advice
    assert says == f"{shim} only chooses a version; put the directory of the program itself first on PATH."
    assert package_of(str(script), str(tmp_path)).advice == ""


def test_places_are_found_by_files_of_ours(folder: Path, run: Run) -> None:
    places = 'Path("AGENTS.md"), Path("CONVENTIONS.md"), Path.home() / ".agent/AGENTS.md"'
    reads = SENDS.replace('Path("AGENTS.md").read_text()', f'"".join(each.read_text() for each in ({places}))')
    install(folder / "bin", f"{reads}\nPath('.cursorrules').read_text()")
    code, out, err = run("probe", "--places", "--format", "json", "--", "agent", "x")
    assert (code, err) == (0, "")
    found = json.loads(out)
    project, home = folder / "project", folder / "home"
    sent = [(each["path"], each["where"]) for each in found["places"] if each["where"]]
    assert sent == [(str(project / "CONVENTIONS.md"), "system"), (str(home / ".agent/AGENTS.md"), "system")]
    assert found["opened"] is None or str(project / ".cursorrules") in [each["path"] for each in found["places"]]
    assert [each["path"] for each in found["requests"][0]["blocks"][0]["files"]] == [str(project / "AGENTS.md")]
    assert not (project / "CONVENTIONS.md").exists()
    assert "  system    CONVENTIONS.md" in run("probe", "--places", "--", "agent", "x")[1].splitlines()


def test_where_no_line_of_a_file_is_sent_the_option_that_finds_places_is_named(folder: Path, run: Run) -> None:
    advice = "--places shows which places it reads, by files of ours."
    install(folder / "bin", SENDS)
    assert advice not in run("probe", "--", "agent", "x")[1]
    install(folder / "bin", SENDS.replace('Path("AGENTS.md").read_text()', '"Nothing of a file."'))
    assert advice in run("probe", "--", "agent", "x")[1].splitlines()


FRAMED = SENDS.replace(
    'Path("AGENTS.md").read_text() + "</rules>"',
    '"".join(f"## {each}\\n{Path(each).read_text()}[end]\\n\\n" for each in ("AGENTS.md", "CLAUDE.md")).rstrip()',
)


def test_a_session_is_written_as_a_case(folder: Path, run: Run) -> None:
    install(folder / "bin", FRAMED)
    code, _, err = run("probe", "--read", "pkg/a.py", "--record", "../cases", "--", "agent", "say ok")
    assert code == 0
    assert err.startswith("Written: ")
    case = json.loads((folder / "cases/project.json").read_text("utf-8"))
    assert (case["harness"], case["tier"], case["session"]["prompt"]) == ("agent", "read", "say ok")
    assert case["session"]["steps"] == [[{"read": "${WORKSPACE}/pkg/a.py"}]]
    assert case["expect"]["sources"][:2] == [
        {"path": "${WORKSPACE}/AGENTS.md", "role": "system"},
        {"path": "${WORKSPACE}/CLAUDE.md", "role": "system"},
    ]
    assert "${WORKSPACE}/GEMINI.md" in case["expect"]["not_loaded"]
    text = case["expect"]["parts"][0]["text"]
    assert text == f"⟪…⟫<rules>\n## AGENTS.md\n{RULES}[end]\n\n## CLAUDE.md\nThe rules of Claude.\n[end]"
    assert "exists; choose another directory." in run("probe", "--record", "../cases", "--", "agent", "x")[2]


def test_a_new_harness_says_what_was_seen(folder: Path, run: Run) -> None:
    """Its preview is what the program sent, but for the program's own text."""
    install(folder / "bin", FRAMED)
    code, _, err = run("probe", "--new-harness", "my-agent", "--format", "json", "--", "agent", "say ok")
    assert code == 0, err
    written = folder / "project/my-agent-harness"
    assert sorted(path.relative_to(written).as_posix() for path in written.rglob("*") if path.is_file()) == [
        "cases/project.json",
        "my_agent_harness.py",
        "pyproject.toml",
    ]
    made = runpy.run_path(str(written / "my_agent_harness.py"))
    # So previews say how to find out more; what starts other programs is no command of a harness.
    assert made["SPEC"].command == "agent"
    session = Session("my-agent", str(folder / "project"), turns=(Turn("say ok"),))
    prompt = made["preview"](session, local_host())
    assert [each.role for each in prompt.messages] == ["system", "user"]
    own = "You are an agent.\n<rules>\n"
    (size,) = [each.elided.size for each in prompt.messages[0].segments if each.elided is not None]
    assert size == len(own)
    assert prompt.messages[0].text.partition("## ")[2] == (
        f"AGENTS.md\n{RULES}[end]\n\n## CLAUDE.md\nThe rules of Claude.\n[end]"
    )
    assert "exists; choose another name." in run("probe", "--new-harness", "my-agent", "--", "agent", "x")[2]
    assert "is not a name for a harness" in run("probe", "--new-harness", "My", "--", "agent", "x")[2]


@pytest.mark.parametrize("others", [(), ("CLAUDE.md",)])
def test_a_note_of_what_was_cut_is_no_frame(others: tuple[str, ...]) -> None:
    texts = {
        "/w/AGENTS.md": "The first rule of all is long.\nThe second rule, too.\n",
        "/w/CLAUDE.md": "The rules of Claude.\n",
    }
    text = "<rules>\n# AGENTS.md\nThe first rule of all is long.\nThe sec\n[truncated: 15 characters]\n</rules>\n"
    text += "".join(f"# {each}\n{texts[f'/w/{each}']}\n" for each in others)
    stood = Files(texts).stood(text)
    assert [each.is_cut for each in stood] == [True, *(False for _ in others)]
    given = {path: each.encode() for path, each in texts.items()}
    frame = frame_of(text, stood, "/w", given)
    assert (frame.label, frame.end, frame.between) == ("# {name}\n", "", "")
    assert not frame.is_stripped
