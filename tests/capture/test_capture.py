"""``promptls capture`` and ``verify`` against small programs of our own in the place of the real ones."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli.capture import compacting, trusting
from promptls.core import files
from promptls.core.host import Host
from promptls.core.model import Call, Origin, Session, Turn
from promptls.core.servers import kept_path, start_at
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.kit.launch import Run as Started
from promptls.wire import capture, dialogue, enclosure, find_program
from promptls.wire import run as wire_run
from tests.capture.conftest import Run
from tests.capture.fakes import BAD, CANARY, NEWER, OTHER, SIX, install, is_held, newest, own_model
from tests.folder import lay_out

# Their own texts and tools are others for each model.
MODELS = {"copilot-vscode": ("--model", "gpt-5.4"), "opencode": ("--model", "anthropic/claude-sonnet-4-5")}

# A program that notes what it sees of a directory.
LISTS = """
import os
below = '{}/own'
Path(LOG).write_text(''.join(each + ' ' for each in os.listdir(below)) if os.path.isdir(below) else '')
"""


@pytest.mark.parametrize("harness", [*(pytest.param(each, marks=pytest.mark.ordinary_too) for each in SIX), *NEWER])
def test_what_the_preview_says_is_sent(harness: str, place: Path, run: Run) -> None:
    install(place / "bin", harness, version=newest(harness))
    model = MODELS.get(harness, ()) if harness == "opencode" else ()
    code, out, err = run("verify", "pkg/a.py", "--harness", harness, *model, "--format", "json")
    assert err == ""
    found = json.loads(out)
    assert (found["differences"], code) == ([], 0)
    assert {each["state"] for each in found["messages"]} == {"same"}
    assert found["program"]["version"] == newest(harness)
    seen = (place / "bin" / "seen").read_text("utf-8")
    assert CANARY not in seen, "no credential comes near the program"
    assert CANARY not in out
    own = {"claude-code": "Claude", "codex": "Codex", "opencode": "opencode", "gemini-cli": "Gemini"}
    own |= {
        "copilot-vscode": "Copilot",
        "qwen-code": "Qwen",
        "pi": "Pi",
        "continue": "Continue",
        "cline": "Cline",
        "kilo-code": "Kilo",
    }
    assert f"My own rules of {own.get(harness, '')}" in seen or harness not in own
    assert list((place / "cache").iterdir()) == [], "the scratch home is gone"
    assert str(place / "cache") not in out
    preview = json.loads(run("preview", "pkg/a.py", "--harness", harness, *model, "--format", "json")[1])
    # An MCP server of Gemini's is configured, and a package of Pi's, and they were turned off.
    has_all = harness not in ("gemini-cli", "pi")
    unknown = len(found["unknown"])
    known = {"whole": has_all and not unknown, "all": has_all, "unknown": unknown}
    assert preview["verified_here"] == {"version": newest(harness), "date": found["date"], **known}
    assert found["whole"] is known["whole"]
    # What is not known says how to know it, in the session that was asked for.
    ways = [" ".join(each["command"]) for each in found["how"]]
    assert bool(ways) is (bool(unknown) and harness != "claude-code"), found["unknown"]
    assert all(each.startswith("promptls capture --save --harness=") and "stub" not in each for each in ways)
    assert (found["not_fixed"], found["of_servers"]) == ([], [])
    assert found["tools"]["only_sent"] == found["tools"]["only_shown"] == found["tools"]["sizes"] == []
    assert found["expected"] == found["sent"]


def test_a_program_that_a_link_in_the_home_leads_to_is_run(
    place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = place / "home/.local/bin/codex"
    link.parent.mkdir(parents=True)
    link.symlink_to(install(place / "bin", "codex", version=newest("codex")))
    monkeypatch.setenv("PATH", f"{link.parent}{os.pathsep}{os.environ['PATH']}")
    code, out, err = run("verify", "pkg/a.py", "--harness", "codex")
    assert (code, err) == (0, ""), out


def test_a_program_without_a_tool_for_it_reads_with_its_shell(place: Path, run: Run) -> None:
    """What is below is sent, as the preview says; one that takes no notice says that nothing was read."""
    install(place / "bin", "goose", version=newest("goose"))
    code, out, err = run("verify", "pkg/a.py", "--harness", "goose", "--format", "json")
    found = json.loads(out)
    assert (code, err, found["differences"]) == (0, "", [])
    assert "The rules of the package." in found["sent"]
    assert not any("Reading" in each for each in found["notes"])


def test_a_session_without_the_tool_that_reads_is_recorded(place: Path, run: Run) -> None:
    """By that tool a request of the agent is known, unless the session has none."""
    (place / "project/.claude").mkdir(exist_ok=True)
    (place / "project/.claude/settings.json").write_text('{"permissions": {"deny": ["Read"]}}', "utf-8")
    install(place / "bin", "claude-code", version=newest("claude-code"))
    code, out, err = run("verify", "--harness", "claude-code", "--format", "json")
    assert (code, err, json.loads(out)["differences"]) == (0, "", [])


def test_a_session_without_tools_is_recorded() -> None:
    prompt = harnesses.preview(Session("claude-code", "/w", args=("--tools", "")), Host(home="/h", env={}))
    assert prompt.tools == () or not any(each.enabled for each in prompt.tools or ())
    assert capture._main_tools(("Read",), prompt) == ["Read", "*"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_not_read_is_said(form: str, place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    says = (
        "Reading a file changes nothing that Codex sends, so it was run without reading pkg/a.py: "
        "this is the start of a session."
    )
    code, out, _ = run("verify", "pkg/a.py", "--harness", "codex", "--format", form)
    assert (code, out.count(says)) == (0, 1)
    assert says not in run("verify", "--harness", "codex", "--format", form)[1]


def test_the_home_is_the_users_however_a_program_names_it(place: Path, run: Run) -> None:
    """From the working directory, and from the root of the repository."""
    install(place / "bin", "qwen-code", version=newest("qwen-code"))
    code, out, err = run("verify", "--cwd", "pkg", "--harness", "qwen-code", "--format", "json")
    assert (code, err) == (0, "")
    assert "Context from: ../../home/.qwen/QWEN.md" in out
    assert "Rule from: ../home/.qwen/rules/own.md" in out


def test_the_answer_names_the_session(place: Path, run: Run) -> None:
    install(place / "bin", "opencode", version=newest("opencode"))
    second = run("verify", "--harness", "opencode", "--agent", "plan")[1].splitlines()[1]
    assert " · agent plan" in second


def test_what_a_program_prints_of_its_prompt_is_taken_for_a_request(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    code, out, err = run("verify", "--harness", "codex", "--own-view")
    assert (code, err) == (0, "")
    assert "sends what the preview shows" in out
    assert "This is what Codex itself prints of its prompt; no request was recorded." in out
    assert "verified here" not in out
    assert "prompt-input" in (place / "bin" / "seen").read_text("utf-8")
    install(place / "bin", "codex", version=newest("codex"), instead="print('{')")
    sentence = f"Codex {newest('codex')} ended with code 0 without a request to a model."
    assert run("verify", "--harness", "codex", "--own-view")[2] == f"promptls: {sentence}\n"
    install(place / "bin", "claude-code", version=newest("claude-code"))
    sentence = "Claude Code does not print its prompt; leave out --own-view."
    assert run("verify", "--harness", "claude-code", "--own-view")[2] == f"promptls: {sentence}\n"


@pytest.mark.parametrize(
    "harness", [each for each in SIX + NEWER if each not in ("openclaw", "cline", "copilot-vscode")]
)
def test_a_session_with_two_turns_is_taken_up_again(harness: str, place: Path, run: Run) -> None:
    install(place / "bin", harness, version=newest(harness))
    # What a view has brought to Copilot CLI is not in a session that is taken up (captured: resume-plain).
    steps = [] if harness == "copilot-cli" else [[{"read": "pkg/a.py"}]]
    turns = [{"prompt": "the first words", "steps": steps}, {"prompt": "the second words"}]
    (place / "s.json").write_text(json.dumps({"harness": harness, "cwd": ".", "turns": turns}), "utf-8")
    code, out, err = run("verify", "--session", str(place / "s.json"), "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["differences"] == []
    assert "Each later turn resumed the session of" in " ".join(found["notes"])
    assert [each["role"] for each in found["messages"]].count("user") > 1


@pytest.mark.parametrize("harness", ["claude-code", "codex", "opencode", "copilot-cli", "gemini-cli"])
def test_a_compaction_is_typed_on_the_screen(harness: str) -> None:
    """Unless the program that prints is asked for, and can do it."""
    program = find_program.program_of(harness)
    turns = (Turn("one"), Turn(compact=""), Turn("two"))
    assert compacting(Session(harness, "/w", turns=turns), program).interactive is True
    assert compacting(Session(harness, "/w", turns=turns[:1]), program).interactive is None
    printing = Session(harness, "/w", turns=turns, interactive=False)
    if harness in ("claude-code", "copilot-cli"):
        assert compacting(printing, program) is printing
        return
    with pytest.raises(UsageError, match="compacts a session on its screen only"):
        compacting(printing, program)


@pytest.mark.parametrize("harness", ["claude-code", "codex", "opencode", "copilot-cli", "gemini-cli"])
def test_something_is_typed_after_a_compaction_that_ends_a_session(harness: str) -> None:
    """The last thing that is sent without it is the request for the summary."""
    program = find_program.program_of(harness)
    turns = (Turn("one"), Turn(compact=""))
    assert compacting(Session(harness, "/w", turns=turns), program).turns == (*turns, Turn())
    asked = Session(harness, "/w", turns=turns, request="summary")
    assert compacting(asked, program).turns == turns
    if program.compacts_printing:
        taken_up = (*turns[:1], Turn(compact="", resumes=True))
        found = compacting(Session(harness, "/w", turns=taken_up, interactive=False), program)
        assert found.turns == (*taken_up, Turn(resumes=True))


@pytest.mark.parametrize(("on_screen", "asks"), [(False, 2), (True, 1)])
def test_only_the_program_that_prints_asks_again_for_an_answer_in_json(on_screen: bool, asks: int) -> None:
    schema = ("--json-schema", '{"type": "object"}')
    session = Session("claude-code", "/w", turns=(Turn("one"),), args=schema, interactive=on_screen)
    program = find_program.program_of("claude-code")
    prompt = harnesses.preview(session, Host(home="/h", env={}))
    [replies] = dialogue.replies(session, session.turns, program, "Claude Code", prompt, ())
    assert len(replies) == asks


def test_a_mode_is_typed_before_the_prompt_that_has_it() -> None:
    turns = (Turn("one"), Turn("two"), Turn(compact="words"))
    codex, copilot = find_program.program_of("codex"), find_program.program_of("copilot-cli")
    assert dialogue.lines(turns, codex, "plan") == ["one", "/plan two", "/compact words"]
    assert dialogue.lines(turns, copilot, "plan") == ["/plan one", "two", "/compact words"]
    assert dialogue.lines((Turn("/plan one"), *turns[1:2]), codex, "plan") == ["/plan one", "two"]
    assert dialogue.lines(turns[:2], codex, None) == ["one", "two"]
    assert dialogue.lines(turns[:1], codex, "review") == ["/review one"]


def test_a_mode_is_given_by_the_name_that_the_program_knows() -> None:
    program = find_program.program_of("claude-code")
    for short, known in (("accept", "acceptEdits"), ("bypass", "bypassPermissions"), ("plan", "plan")):
        for is_on_screen in (False, True):
            run = Started(home="/h", user_home="/u", cwd="/w", typed="x", mode=short, is_on_screen=is_on_screen)
            given = program.start(run).arguments
            assert given[given.index("--permission-mode") + 1] == known


def test_a_program_on_the_screen_is_told_that_the_folder_is_trusted() -> None:
    program = find_program.program_of("codex")
    assert trusting(Session("codex", "/w", interactive=True), program).is_trusted
    assert not trusting(Session("codex", "/w"), program).is_trusted
    assert not trusting(Session("pi", "/w", interactive=True), find_program.program_of("pi")).is_trusted


def test_a_program_is_told_of_each_folder_that_is_trusted() -> None:
    """Its root, too, where a session starts below it: what is in .codex there counts by itself (seen by verify)."""
    program = find_program.program_of("codex")
    run = Started(home="/h", user_home="/h", cwd="/w/pkg", typed="x", trusted=("/w/.codex/agents", "/w/.codex/rules"))
    given = next(each for each in program.start(run).arguments if each.startswith("projects="))
    assert given == 'projects={"/w/pkg"={trust_level="trusted"},"/w"={trust_level="trusted"}}'


def test_the_answer_says_which_program_was_run(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    assert run("verify", "--harness", "codex")[1].splitlines()[1].endswith(" · printing an answer")
    assert json.loads(run("verify", "--harness", "codex", "--format", "json")[1])["program"]["interactive"] is False
    install(place / "bin", "pi", version=newest("pi"))
    assert json.loads(run("verify", "--harness", "pi", "--format", "json")[1])["program"]["interactive"] is None


def test_a_turn_of_another_agent_is_run_with_it(place: Path, run: Run) -> None:
    version = newest("opencode")
    logs = "open(LOG + '-arguments', 'a').write(' '.join(sys.argv) + chr(10))"
    sends = f"from tests.capture.fakes import send; send('opencode', {version!r}, LOG)"
    install(place / "bin", "opencode", version=version, instead=f"{logs}\n{sends}")
    turns = [{"prompt": "the first words"}, {"prompt": "the second words", "agent": "build", "resume": True}]
    said = {"harness": "opencode", "cwd": ".", "agent": "plan", "turns": turns}
    (place / "s.json").write_text(json.dumps(said), "utf-8")
    assert run("capture", "--session", str(place / "s.json"))[0] == 0
    first, second = (place / "bin" / "seen-arguments").read_text("utf-8").splitlines()
    assert "--agent plan" in first
    assert "--agent build" in second


@pytest.mark.parametrize("below", ["home/own", "elsewhere"])
def test_a_file_that_a_variable_names_is_copied_without_its_credentials(
    below: str, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(place / "bin", "opencode", version=newest("opencode"))
    config = {"instructions": ["CLAUDE.md"], "provider": {"x": {"options": {"apiKey": CANARY}}}}
    lay_out(place / below, {"o.json": config}, git=False)  # type: ignore[dict-item]
    monkeypatch.setenv("OPENCODE_CONFIG", str(place / below / "o.json"))
    code, _, err = run("verify", "--harness", "opencode")
    assert (code, err) == (0, "")
    seen = (place / "bin" / "seen").read_text("utf-8")
    assert CANARY not in seen
    assert '"CLAUDE.md"' in seen
    assert f"OPENCODE_CONFIG={place / below / 'o.json'}" in seen


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_a_capture_shows_what_was_sent_and_no_credential(harness: str, place: Path, run: Run) -> None:
    install(place / "bin", harness, version=newest(harness))
    code, out, err = run("capture", "--harness", harness, "--save")
    assert (code, err) == (0, "")
    assert "The rules of" in out
    assert "captured " in out
    assert CANARY not in out
    kept = list((place / "data").glob("*"))
    assert [each.name for each in kept] == [f"{harness}@{newest(harness)}.json"]
    assert CANARY not in kept[0].read_text("utf-8")
    assert "The rules of" not in kept[0].read_text("utf-8"), "no text of the user's is kept"


@pytest.mark.parametrize("harness", SIX + NEWER)
def test_what_is_kept_fills_a_later_preview(harness: str, place: Path, run: Run) -> None:
    install(place / "bin", harness, version=newest(harness))
    model = MODELS.get(harness, ())
    assert run("capture", "--harness", harness, "--save", *model)[0] == 0
    later = json.loads(run("preview", "--harness", harness, "--prompt", "hi", "--format", "json", *model)[1])
    gaps = [each for message in later["messages"] for each in message["segments"] if each["elided"]]
    filled = [each for message in later["messages"] for each in message["segments"] if each["captured"]]
    assert filled
    left = {each["title"] for each in gaps if each["layer"] != "runtime"}
    # Continue and Cline fill the environment into their own text.
    expected = {"instructions of the MCP server s", "environment", "folder of the user's data", "id of the workspace"}
    # A server decides whether it is sent, and packages of Pi bring skills.
    expected |= {"name of the tool DesignSync", "further skills"}
    assert left <= expected, "only what belongs to a session or a server is not kept"


def test_what_a_server_says_is_kept_for_the_file_that_configures_it(place: Path, run: Run) -> None:
    install(place / "bin", "claude-code", version=newest("claude-code"))
    for below in ("project", "other"):
        lay_out(place / below, {".mcp.json": {"mcpServers": {"demo": {"command": "demo"}}}}, git=False)
    assert run("capture", "--harness", "claude-code", "--save", "--run-workspace")[0] == 0

    def is_filled(below: str) -> bool:
        out = run("preview", "--harness", "claude-code", "--cwd", str(place / below), "--format", "json")[1]
        found = [each for message in json.loads(out)["messages"] for each in message["segments"]]
        (server,) = [each for each in found if each["title"] == "instructions of demo"]
        return server["captured"] is not None

    assert is_filled("project")
    assert not is_filled("other")


def test_a_later_preview_shows_what_is_kept(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    before = json.loads(run("preview", "--harness", "codex", "--format", "json")[1])
    # Others may read what was made before.
    kept = place / "data"
    kept.mkdir(parents=True)
    kept.chmod(0o755)
    assert run("capture", "--harness", "codex", "--save")[0] == 0
    assert [stat.S_IMODE(each.stat().st_mode) for each in (kept, *kept.glob("codex@*.json"))] == [0o700, 0o600]
    after = json.loads(run("preview", "--harness", "codex", "--model", "gpt-5.4", "--format", "json")[1])
    named = json.loads(run("preview", "--harness", "codex", "--model", own_model(), "--format", "json")[1])
    same_model = json.loads(run("preview", "--harness", "codex", "--format", "json")[1])
    assert before["totals"]["elided"] > 3
    assert same_model["totals"]["elided"] < before["totals"]["elided"]
    assert named["totals"]["elided"] == same_model["totals"]["elided"], "the model that it asked by itself"
    filled = [each for message in after["messages"] for each in message["segments"] if each["captured"]]
    assert not filled, "another model has other texts"
    captured = [each for message in same_model["messages"] for each in message["segments"] if each["captured"]]
    assert captured
    (place / "data" / f"codex@{newest('codex')}.json").write_text("[", "utf-8")
    broken = json.loads(run("preview", "--harness", "codex", "--format", "json")[1])
    assert broken["totals"]["elided"] == before["totals"]["elided"], "a file that is broken is no matter"


def test_differences_are_shown_with_their_rule(place: Path, run: Run) -> None:
    version = newest("codex")
    install(place / "bin", "codex", version=version, instead=OTHER.format(harness="codex", version=version))
    code, out, err = run("verify", "--harness", "codex")
    assert (code, err) == (1, "")
    assert "1 difference" in out
    assert "expected because" in out
    assert "-The rules of the root." in out
    assert "+The rules of nobody." in out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX has daemons")
@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ("hangs", "was stopped after 1 s without a request to a model."),
        ("crashes", "ended with code -11 without a request to a model."),
        ("wants a login", "ended with code 1 without a request to a model; it said last: Please log in with /login."),
        ("asks", "ended with code 2 without a request to a model; it said last: Go on? [y/N]"),
        ("prints megabytes", "ended with code 0 without a request to a model; it said last: That was all."),
        ("starts a daemon", "without a request to a model; it said last: It runs in the background now."),
        ("goes elsewhere", "without a request to a model; it tried to reach models.invalid; it said last: no answer."),
    ],
)
def test_a_bad_program_is_ended_with_one_sentence(
    bad: str, sentence: str, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(place / "bin", "claude-code", version="2.1.330", instead=BAD[bad])
    program = catalogue.program("claude-code")
    assert program is not None
    patience = 1.0 if bad == "hangs" else 30.0
    monkeypatch.setattr(catalogue, "program", lambda _: replace(program, patience=patience))
    code, out, err = run("verify", "--harness", "claude-code")
    assert (code, out) == (2, "")
    assert err.startswith("promptls: Claude Code 2.1.330 ")
    assert err.rstrip("\n").endswith(f"{sentence.removesuffix('.')}.")
    assert err.count("\n") == 1
    assert list((place / "cache").iterdir()) == []
    if bad == "starts a daemon":
        assert not is_held(place / "bin" / "daemon"), "its children are ended, too"


# The process that a program runs below, with something of the system taken away.
RUNNER = "from promptls.wire import enclosure, runner; {}; runner.main()"


@pytest.mark.parametrize("by", ["asked", "landlock"])
def test_what_nothing_encloses_is_run_only_if_asked_for(
    by: str, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(place / "bin", "codex", version=newest("codex"), instead="")
    monkeypatch.setattr(find_program, "means", lambda: by)
    code, out, err = run("verify", "--harness", "codex")
    assert (code, out) == (2, "")
    assert err.startswith("promptls: This system cannot enclose Codex, so what the folder configures could run with")
    assert err.count("\n") == 1
    assert not (place / "bin" / "seen").exists()
    code, out, err = run("verify", "--harness", "codex", "--run-workspace")
    assert (code, err) == (0, "")
    assert any(f"was run {says}." in out for each, says in enclosure.SAYS.items() if each in ("asked", by))
    assert "HTTPS_PROXY=http://127.0.0.1:" in (place / "bin" / "seen").read_text("utf-8")


def test_what_cannot_be_enclosed_after_all_is_not_run(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    broken = "from promptls.wire import enclosing; enclosing.INSIDE = ('/bin/false',); enclosing.bwrap = lambda: None"
    monkeypatch.setattr(wire_run, "COMMAND", (*wire_run.COMMAND[:-1], RUNNER.format(broken)))
    code, out, err = run("verify", "--harness", "codex", "--run-workspace")
    assert (code, out) == (2, "")
    assert err.endswith("nothing was run.\n")
    assert not (place / "bin" / "seen").exists()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only there is the memory of a process known")
def test_a_program_that_takes_much_memory_is_ended(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        place / "bin",
        "codex",
        version=newest("codex"),
        instead="import time\nheld = b'x' * 100_000_000\ntime.sleep(600)",
    )
    little = RUNNER.format("runner.MOST_MEMORY = 50_000_000")
    monkeypatch.setattr(wire_run, "COMMAND", (*wire_run.COMMAND[:-1], little))
    code, out, err = run("verify", "--harness", "codex")
    assert (code, out) == (2, "")
    sentence = "was stopped because it took too much memory without a request to a model."
    assert err == f"promptls: Codex {newest('codex')} {sentence}\n"
    assert list((place / "cache").iterdir()) == []


def test_what_runs_all_that_is_configured_has_longer(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "bin", "claude-code", version="2.1.330", instead=BAD["hangs"])
    program = catalogue.program("claude-code")
    assert program is not None
    monkeypatch.setattr(catalogue, "program", lambda _: replace(program, patience=0.2))
    err = run("verify", "--harness", "claude-code", "--run-workspace")[2]
    assert err.startswith("promptls: Claude Code 2.1.330 was stopped after 1 s without a request to a model")


def test_another_program_of_that_name_is_not_run(place: Path, run: Run) -> None:
    install(place / "bin", "claude-code", version="", instead="Path(LOG).write_text('ran')", says="claude 1.0, a pet")
    code, out, err = run("capture", "--harness", "claude-code")
    assert (code, out) == (2, "")
    assert "is not Claude Code: “--version” does not answer as Claude Code does; it said last: claude 1.0, a pet" in err
    assert "If claude is a script or a shim of a version manager, put the directory of the program itself first" in err
    assert not (place / "bin" / "seen").exists()


def test_a_home_that_cannot_be_written_is_named(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    (place / "file").write_text("", "utf-8")
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(place / "file"))
    code, out, err = run("verify", "--harness", "codex")
    assert (code, out) == (2, "")
    assert err.startswith(f"promptls: The directory {place / 'file'} cannot be written")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--harness", "claude-code"), "There is no claude on the search path; install it, or add it to PATH."),
        (("--harness", "cursor"), "promptls does not know how to start cursor; choose one of "),
        (("--harness", "claude-code", "gone.py"), "There is no file or directory "),
    ],
)
def test_what_cannot_be_run_is_refused(args: tuple[str, ...], sentence: str, place: Path, run: Run) -> None:
    code, out, err = run("capture", *args)
    assert (code, out) == (2, "")
    assert err.startswith(f"promptls: {sentence}"), place


def test_a_program_of_the_workspace_is_not_run(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "project" / "bin", "codex", version=newest("codex"), instead="Path(LOG).write_text('ran')")
    monkeypatch.setenv("PATH", f"{place / 'project' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert run("verify", "--harness", "codex")[2].startswith("promptls: There is no codex on the search path")
    (place / "bin" / "codex").symlink_to(place / "project" / "bin" / "codex")
    assert "leads into the workspace, and nothing there is run" in run("verify", "--harness", "codex")[2]
    assert not (place / "project" / "bin" / "seen").exists()


@pytest.mark.parametrize(
    ("harness", "file", "content", "says"),
    [
        ("opencode", ".opencode/plugin/p.js", "export const x = 1", "program of .opencode/plugin/p.js"),
        ("opencode", ".opencode/tool/t.ts", "export default {}", "program of .opencode/tool/t.ts"),
        (
            "gemini-cli",
            ".gemini/settings.json",
            '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
            "hooks of .gemini/settings.json",
        ),
        ("gemini-cli", ".gemini/settings.json", '{"tools": {"discoveryCommand": "x"}}', "tools.discoveryCommand of"),
        ("kilo-code", "kilo.json", '{"mcp": {"s": {"type": "local", "command": ["x"]}}}', "mcp of "),
        ("qwen-code", ".qwen/settings.json", '{"hooks": {"a": 1}}', "hooks of .qwen/settings.json"),
        ("claude-code", ".claude/settings.json", '{"otelHeadersHelper": "x"}', "otelHeadersHelper of"),
    ],
)
def test_what_a_workspace_would_run_is_left_out_and_named(
    harness: str, file: str, content: str, says: str, place: Path, run: Run
) -> None:
    install(place / "bin", harness, version=newest(harness))
    lay_out(place / "project", {file: content}, git=False)
    code, out, err = run("verify", "--harness", harness, "--format", "json")
    assert (code, err) == (0, "")
    assert says in " ".join(json.loads(out)["notes"])


def test_servers_are_left_out_and_not_turned_off_by_name(place: Path, run: Run) -> None:
    """Of a server that is not configured Codex takes no key."""
    install(place / "bin", "codex", version=newest("codex"))
    config = '[mcp_servers.own]\ncommand = "x"\n[mcp_servers."with.dot"]\ncommand = "x"\n[agents]\nenabled = false\n'
    (place / "home/.codex/config.toml").write_text(config, "utf-8")
    code, out, err = run("verify", "--harness", "codex")
    assert (code, err) == (0, "")
    assert "mcp_servers of" in out
    assert "mcp_servers" not in (place / "bin" / "seen").read_text("utf-8")


def test_a_folder_stays_trusted_and_its_hooks_are_left_out(place: Path, run: Run) -> None:
    """Copilot CLI runs also hooks of which the preview does not know."""
    install(place / "bin", "copilot-cli", version=newest("copilot-cli"))
    hook = {"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "hook-7"}]}}
    lay_out(place / "home", {".copilot/config.json": {"trusted_folders": [str(place)]}}, git=False)
    for below in ("project/.github", "home/.copilot"):
        lay_out(place / below, {"hooks/h.json": hook}, git=False)
    code, out, err = run("verify", "--harness", "copilot-cli")
    assert (code, err) == (0, "")
    assert "program of 2 files" in out
    seen = (place / "bin" / "seen").read_text("utf-8")
    assert "hook-7" not in seen
    assert f'"{place}"' in seen
    code, out, err = run("verify", "--harness", "copilot-cli", "--run-workspace")
    assert (code, err) == (0, "")
    assert out.count("- text of hook hook-7") == 1
    assert f'"{place}"' in (place / "bin" / "seen").read_text("utf-8")


@pytest.mark.parametrize("harness", ["codex", "claude-code"])
def test_the_directory_for_passing_files_has_its_own_path_and_is_empty(
    harness: str, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(place / "bin", harness, version=newest(harness))
    lay_out(place / "home/tmp", {"left": "x"}, git=False)
    monkeypatch.setenv("TMPDIR", str(place / "home/tmp"))
    assert run("verify", "--harness", harness)[0] == 0
    seen = (place / "bin" / "seen").read_text("utf-8").splitlines()
    assert f"TMPDIR={place / 'home/tmp'}" in seen
    assert "tmp" in seen
    assert "tmp/left" not in seen


def test_what_a_workspace_would_run_is_run_if_asked_for(place: Path, run: Run) -> None:
    install(place / "bin", "opencode", version=newest("opencode"))
    lay_out(place / "project", {".opencode/plugin/p.js": "export const x = 1"}, git=False)
    assert run("verify", "--harness", "opencode", "--run-workspace")[0] == 0
    assert "--pure" not in (place / "bin" / "seen").read_text("utf-8")


def test_what_a_program_writes_to_its_home_is_gone(place: Path, run: Run) -> None:
    version = newest("codex")
    writes = "for each in (Path.home(), Path.home() / '.codex', Path()):\n    (each / 'left').write_text('x')\n"
    sends = f"from tests.capture.fakes import send\nsend('codex', {version!r}, LOG)"
    install(place / "bin", "codex", version=version, instead=writes + sends)
    code, out, err = run("verify", "--harness", "codex")
    assert (code, err) == (0, ""), out
    assert not [path for path in place.rglob("left") if path.is_file()]


def test_where_servers_run_their_programs_are_seen(place: Path, run: Run) -> None:
    """Also those of the user's own, in a directory that the program does not see otherwise."""
    install(place / "bin", "opencode", version=newest("opencode"), instead=LISTS.format(place))
    lay_out(place, {"own/tools/bin/docs-server": "", "own/tools/lib/x": "", "own/other": ""}, git=False)
    (place / "own/tools/bin/docs-server").chmod(0o755)
    server = {"type": "local", "command": [f"{place}/own/tools/bin/docs-server"]}
    lay_out(place / "project", {"opencode.json": {"mcp": {"docs": server}}}, git=False)
    for option, seen in (([], ""), (["--run-workspace"], "tools ")):
        assert run("verify", "--harness", "opencode", *option)[0] == 2
        assert (place / "bin" / "seen").read_text("utf-8") == seen


def test_where_servers_run_their_kept_answers_count(place: Path, run: Run) -> None:
    """The program's own texts that are kept do not: what is sent is held against what is known without it."""
    install(place / "bin", "opencode", version=newest("opencode"))
    server = {"type": "local", "command": ["docs-server"]}
    lay_out(place / "project", {"opencode.json": {"mcp": {"docs": server}}}, git=False)
    path = str(place / "project/opencode.json")
    start = start_at(files.read, "opencode", "docs", Origin("config", path=path, name="docs"))
    assert start is not None
    tool = {"name": "search", "description": "Search.", "inputSchema": {"type": "object"}}
    answer: dict[str, object] = {"answer": {"tools": [tool]}}
    lay_out(place, {kept_path("data", start): answer}, git=False)
    both = json.loads(run("verify", "--harness", "opencode", "--run-workspace", "--format", "json")[1])
    # The program of this test starts none, and knows no answers.
    assert both["tools"]["only_sent"] == ["docs_*"]
    assert not [each for each in both["unknown"] if "docs" in each]
    assert both["of_servers"] == ["no tools of docs were sent: their server did not start, or has none"]
    # Where servers do not run, there is none in the preview.
    without = json.loads(run("verify", "--harness", "opencode", "--format", "json")[1])
    assert (without["of_servers"], without["same"]) == ([], True)


@pytest.mark.parametrize(
    ("session", "sentence"),
    [
        (
            {"turns": [{}, {}]},
            "OpenClaw takes up no session by its command line; leave out all turns but the first.",
        ),
        (
            {"turns": [{"attached": ["pkg/a.py"]}]},
            "OpenClaw takes no attached files by its command line; type @FILE in the prompt instead.",
        ),
        (
            {"turns": [{"open": [{"path": "pkg/a.py"}]}]},
            "Only an editor tells a program which files are open; leave them out.",
        ),
    ],
)
def test_a_session_that_cannot_be_captured_is_refused(
    session: dict[str, Any], sentence: str, place: Path, run: Run
) -> None:
    install(place / "bin", "openclaw", version=newest("openclaw"))
    (place / "s.json").write_text(json.dumps({"harness": "openclaw", "cwd": ".", **session}), "utf-8")
    assert run("capture", "--session", str(place / "s.json"))[2] == f"promptls: {sentence}\n"


@pytest.mark.parametrize(("harness", "prompt"), [("opencode", "see @a.md please"), ("gemini-cli", "see @a.md")])
def test_nothing_is_chosen_from_a_list_on_the_screen(harness: str, prompt: str, place: Path, run: Run) -> None:
    install(place / "bin", harness, version=newest(harness))
    code, _, err = run("verify", "--harness", harness, "--interactive", "--prompt", prompt)
    assert code == 2
    assert "shows a list for “@” on the screen, from which promptls cannot choose: end the prompt" in err


def test_what_is_typed_behind_a_command_that_loses_it_is_refused(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    turns = [{"prompt": each} for each in ("one", "/new", "two")]
    session = {"harness": "codex", "cwd": ".", "interactive": True, "turns": turns}
    (place / "s.json").write_text(json.dumps(session), "utf-8")
    code, _, err = run("verify", "--session", str(place / "s.json"))
    assert code == 2
    assert "Codex loses what is typed right behind /new; write /clear, which does the same." in err


def test_the_report_says_what_held_the_program(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    out = run("verify", "--harness", "codex")[1]
    assert any(f"was run {says}." in out for says in enclosure.SAYS.values())


def _lacks_extension(place: Path) -> None:
    (place / "bin/lib/vscode/extensions/copilot/package.json").unlink()


def _lacks_browser(place: Path) -> None:
    (place / "bin/chromium").unlink()


def _lacks_server(place: Path) -> None:
    (place / "bin/code-server").unlink()


@pytest.mark.parametrize(
    ("lacks", "args", "sentence"),
    [
        (
            _lacks_server,
            (),
            "There is no code-server on the search path; install it, or add it to PATH. VS Code itself",
        ),
        (_lacks_extension, (), "code-server has no GitHub Copilot in VS Code; install one that has. VS Code itself"),
        (_lacks_browser, (), "code-server needs a browser beside it, such as chromium; install one."),
        (lambda _: None, ("--", "--user-data-dir", "x"), "is started in one folder without arguments; leave out"),
    ],
)
def test_what_an_editor_lacks_is_named(
    lacks: Callable[[Path], None],
    args: tuple[str, ...],
    sentence: str,
    place: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(place / "bin"))
    install(place / "bin", "copilot-vscode", version=newest("copilot-vscode"))
    lacks(place)
    code, out, err = run("verify", "--harness", "copilot-vscode", *args)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_an_editor_that_ends_is_named(place: Path, run: Run) -> None:
    install(place / "bin", "copilot-vscode", version=newest("copilot-vscode"), instead="sys.exit('no')")
    code, out, err = run("verify", "--harness", "copilot-vscode")
    assert (code, out) == (2, "")
    assert err.endswith("without a request to a model; it said last: code-server has ended by itself.\n")


def test_an_editor_has_the_files_that_are_open(place: Path, run: Run) -> None:
    install(place / "bin", "copilot-vscode", version=newest("copilot-vscode"))
    turn = {"open": [{"path": "pkg/a.py", "selection": [0, 0, 0, 5]}]}
    (place / "s.json").write_text(json.dumps({"harness": "copilot-vscode", "cwd": ".", "turns": [turn]}), "utf-8")
    run("capture", "--session", str(place / "s.json"))
    seen = (place / "bin" / "seen").read_text("utf-8")
    asked = json.loads(next(line for line in seen.splitlines() if line.startswith("PROMPTLS_ASKED=")).partition("=")[2])
    assert asked["open"] == [{"path": str(place / "project/pkg/a.py"), "selection": [0, 0, 0, 5]}]


def test_the_session_starts_with_its_own_model_and_not_with_that_of_its_agent(tmp_path: Path) -> None:
    agent = "---\nname: own\ndescription: d\nmodel: claude-sonnet-4-5\n---\nText.\n"
    folder = lay_out(tmp_path, {".claude/agents/own.md": agent})
    call = Call(tool="Agent", input='{"subagent_type": "own", "prompt": "go"}', steps=())
    session = Session("claude-code", str(folder), turns=(Turn("go", steps=((call,),)),))
    host = Host(home=str(tmp_path / "home"), env={})
    assert harnesses.preview(session, host).model == "claude-sonnet-4-5"
    assert capture._first_model(session, host) == "claude-opus-5-5"
