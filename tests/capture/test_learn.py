"""``promptls learn`` against small programs of our own that send what no row has."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.errors import PromptlsError
from promptls.harnesses.codex.versions import NEWEST
from promptls.harnesses.learned import rules_of
from promptls.wire import find_program, learn
from tests.capture.conftest import Run
from tests.capture.fakes import BAD, CANARY, install

VERSION = "0.999.0"
SESSIONS_OF = learn.sessions_of
SESSION: dict[str, Any] = {"cwd": "", "args": [], "env": {}, "steps": [], "prompt": "hi"}
FILES = {"workspace/AGENTS.md": "The rules of the root.\n"}
SKILL = {"workspace/.agents/skills/one/SKILL.md": "---\nname: one\ndescription: About one.\n---\nSteps.\n"}
LONG = {"workspace/AGENTS.md": "".join(f"Rule {number} of the root.\n" for number in range(2000))}
SESSIONS = [
    {"name": "root", "files": FILES, "symlinks": {}, "git": ["workspace"], "session": SESSION},
    {"name": "skill", "files": FILES | SKILL, "symlinks": {}, "git": ["workspace"], "session": SESSION},
    {"name": "long", "files": LONG, "symlinks": {}, "git": ["workspace"], "session": SESSION},
]
# A program whose row is another one.
CHANGED = """
from promptls.harnesses.codex.versions import NEWEST
from promptls.kit.facts import with_changes
from promptls.kit import versions
from tests.capture.fakes import send
with versions.given({NEWEST.version.name: with_changes(NEWEST, CHANGES)}):
    send("codex", VERSION, LOG)
"""
# A program that sends a file otherwise.
OTHER = """
import json
import os
import tests.capture.fakes as fakes
body = fakes._body
fakes._body = lambda *given: json.loads(json.dumps(body(*given)).replace("rules of the root", "rules of nobody"))
fakes.send("codex", VERSION, LOG)
"""


# A program that leaves out a tool where it has a skill.
FEWER = """
import json
import tests.capture.fakes as fakes
body = fakes._body
def fewer(*given):
    found = body(*given)
    if "About one." in json.dumps(found):
        first = found["input"][0]
        first["tools"] = [each for each in first["tools"] if each.get("name") != "collaboration"]
    return found
fakes._body = fewer
fakes.send("codex", VERSION, LOG)
"""


@pytest.fixture(autouse=True)
def sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "sessions_of", lambda harness: SESSIONS if harness == "codex" else [])


@pytest.fixture
def data(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of the user."""
    folder = place / "data"
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(folder))
    return folder


def program(place: Path, body: str, changes: object = ()) -> None:
    install(place / "bin", "codex", version=VERSION, instead=f"CHANGES = {changes!r}\nVERSION = {VERSION!r}\n{body}")


def preview(run: Run, version: str = VERSION) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("preview", "--harness", f"codex@{version}", "--format", "json")[1])
    return found


def test_values_are_learned_and_used(place: Path, data: Path, run: Run) -> None:
    tool = ("models", NEWEST.default_model, "tools", "collaboration")
    program(place, CHANGED, [(tool, 6000), (("skills", "intro"), 400)])
    code, out, err = run("learn", "codex")
    assert code == 0, out + err
    assert err == "Codex: 3 sessions; this takes some minutes, and Ctrl-C keeps what is known by then.\n"
    assert "values differ from those of" in out
    assert f"- models.{NEWEST.default_model}.tools.collaboration: 6000" in out
    assert "- skills.intro: 400" in out
    kept = data / "learned" / f"codex@{VERSION}.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert CANARY not in kept.read_text("utf-8")
    found = preview(run)
    assert found["harness"] == {"name": "codex", "version": VERSION, "verified": False, "tier": "captured"}
    assert found["learned"]["holds"] == found["learned"]["rules"] > 5
    assert found["learned"]["moved"] == []
    assert {each["name"]: each["size"] for each in found["tools"]}["collaboration"] == 6000
    said = run("preview", "--harness", f"codex@{VERSION}")[1]
    assert f"codex {VERSION}, learned here on " in said
    assert "is not known" not in said


@pytest.mark.usefixtures("data")
def test_a_size_that_no_session_has_is_marked_as_that_of_the_known_version(place: Path, run: Run) -> None:
    program(place, CHANGED, [(("skills", "intro"), 400)])
    run("learn", "codex")
    base = preview(run)["learned"]["base"]
    few = preview(run)["learned"]["inherited"]
    command = ("preview", "--harness", f"codex@{VERSION}", "--model", "gpt-5.5")
    found = json.loads(run(*command, "--format", "json")[1])
    mark = f"; its size is that of {base}, not learned"
    marked = [each["why"] for message in found["messages"] for each in message["segments"]]
    marked += [each["why"] for each in found["tools"]]
    assert found["learned"]["inherited"] == sum(mark in each for each in marked) > few
    said = run(*command)[1]
    count = found["learned"]["inherited"]
    assert f"{count} sizes here are those of {base}, and marked: no session of promptls learn has them." in said
    assert f", {count} sizes of {base})" in said


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("limit", [20_000, 40_000])
def test_a_limit_is_learned_where_it_still_cuts(place: Path, run: Run, limit: int) -> None:
    program(place, CHANGED, [(("max_bytes",), limit)])
    code, out, err = run("learn", "codex")
    assert code == 0, out + err
    assert f"- max_bytes: {limit}" in out


@pytest.mark.usefixtures("data")
def test_a_limit_above_every_file_is_not_guessed(place: Path, run: Run) -> None:
    program(place, CHANGED, [(("max_bytes",), 100_000)])
    code, out, err = run("learn", "codex")
    assert code == 1, out + err
    assert "max_bytes" not in out
    assert "Moved; previews mark where this matters:" in out


def test_what_was_learned_is_listed_and_forgotten(place: Path, data: Path, run: Run) -> None:
    program(place, CHANGED, [(("skills", "intro"), 400)])
    run("learn", "codex")
    assert f"codex          {VERSION}      learned here, and not installed now" in run("learn")[1]
    assert run("learn", "--forget", "codex")[1] == f"Forgotten: codex {VERSION}.\n"
    assert list((data / "learned").iterdir()) == []
    assert preview(run)["learned"] is None
    assert run("learn", "--forget")[1] == "Nothing was learned.\n"


def test_a_rule_that_has_moved_is_marked_wherever_it_counts(place: Path, run: Run) -> None:
    program(place, OTHER)
    code, out, _ = run("learn", "codex", "--all")
    assert code == 1
    assert "Moved; previews mark where this matters:" in out
    found = preview(run)
    assert found["learned"]["moved"]
    marked = [each["why"] for each in found["candidates"] if each["path"].endswith("project/AGENTS.md")]
    assert all(f"moved in {VERSION}, so it may be otherwise there" in why for why in marked)
    assert f"Moved in {VERSION}, and marked where it counts: " in run("preview", "--harness", f"codex@{VERSION}")[1]
    assert f"moved in {VERSION}" in run("explain", "AGENTS.md", "--harness", f"codex@{VERSION}")[1]
    says = f"Codex {VERSION} (named, learned here: "
    for view in ([], ["map"], ["check"], ["find", "text"], ["explain", "AGENTS.md"], ["trim"]):
        assert says in "".join(run(*view, "--harness", f"codex@{VERSION}")[1:]), view


@pytest.mark.usefixtures("data")
def test_a_tool_that_is_not_sent_is_no_rule_that_holds(place: Path, run: Run) -> None:
    program(place, FEWER)
    code, out, _ = run("learn", "codex", "--all")
    assert code == 1, out
    assert "the tool collaboration is in the preview and was not sent" in out
    found = preview(run)
    assert found["learned"]["open"] == 1
    says = "the tool collaboration is in the preview and was not sent (session skill)"
    assert says in found["learned"]["moved"]
    [why] = [each["why"] for each in found["tools"] if each["name"] == "collaboration"]
    assert why.endswith(f"moved in {VERSION}, so it may be otherwise there: {says}")
    # A session that has it agrees with that as well as one that has not.
    (place / "project/.agents/skills/one").mkdir(parents=True)
    (place / "project/.agents/skills/one/SKILL.md").write_text(SKILL["workspace/.agents/skills/one/SKILL.md"], "utf-8")
    said = run("verify", "--harness", "codex")[1]
    assert "the tool collaboration (it was not sent)" in said


@pytest.mark.usefixtures("data")
def test_a_rule_that_no_session_has_is_marked_as_not_tried(place: Path, run: Run) -> None:
    program(place, CHANGED, [])
    run("learn", "codex")
    (place / "project/below").mkdir()
    (place / "project/below/AGENTS.md").write_text("Use tabs.\n", "utf-8")
    (place / "project/below/a.py").write_text("", "utf-8")
    command = ("preview", "--harness", f"codex@{VERSION}", "--read", "below/a.py")
    found = json.loads(run(*command, "--format", "json")[1])
    untried = found["learned"]["untried"]
    assert any("Codex has no lazy loading" in each for each in untried)
    assert not {*untried} & {*found["learned"]["moved"]}
    marked = [each["why"] for each in found["candidates"] if each["path"].endswith("below/AGENTS.md")]
    assert marked
    assert all(f"not tried in {VERSION}: no session of promptls learn has it" in why for why in marked)
    said = run(*command)[1]
    assert f"rules hold, {len(untried)} of this prompt not tried) · " in said
    assert f"Not tried in {VERSION}, and marked where it counts: " in said


def test_what_another_promptls_learned_of_another_row_does_not_count(place: Path, data: Path, run: Run) -> None:
    program(place, CHANGED, [(("skills", "intro"), 400)])
    run("learn", "codex")
    path = data / "learned" / f"codex@{VERSION}.json"
    kept = json.loads(path.read_text("utf-8"))
    for other in ({"row": "00000000"}, {"format": 2}, {"format": 99}, {"base": "0.1.0"}, {"changes": 3}):
        path.write_text(json.dumps(kept | other), "utf-8")
        assert preview(run)["learned"] is None
    path.write_text("{", "utf-8")
    assert preview(run)["learned"] is None


@pytest.mark.parametrize("what", ["crashes", "wants a login"])
def test_a_program_that_sends_nothing_is_named(place: Path, data: Path, run: Run, what: str) -> None:
    program(place, BAD[what])
    code, out, err = run("learn", "codex")
    assert (code, out) == (2, "")
    assert "promptls: No session of Codex could be run: " in err
    assert list((data / "learned").glob("*")) == []


def test_a_version_that_is_none_is_not_learned(place: Path, data: Path, run: Run) -> None:
    install(place / "bin", "codex", version=VERSION, says="codex-cli ../../etc/x")
    code, _, err = run("learn", "codex")
    assert code == 2
    assert list((data / "learned").glob("*")) == []
    assert err.startswith("Codex: 3 sessions")


def test_a_data_directory_that_cannot_be_written_is_named(
    place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "file").write_text("", "utf-8")
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(place / "file"))
    program(place, CHANGED, [])
    code, _, err = run("learn", "codex")
    assert code == 2
    assert "cannot be written: Not a directory. Set PROMPTLS_DATA_DIR to another directory, and try again." in err


def test_a_harness_without_sessions_is_named(run: Run) -> None:
    code, _, err = run("learn", "gemini-cli")
    assert code == 2
    assert err == "promptls: promptls has no sessions for gemini-cli; choose one of codex.\n"


def test_a_program_that_changes_meanwhile_is_not_learned(place: Path, data: Path, run: Run) -> None:
    says = "count = len(list(Path(LOG).parent.glob('run-*')))\n    (Path(LOG).parent / f'run-{count}').touch()\n"
    path = install(place / "bin", "codex", version=VERSION)
    text = path.read_text("utf-8")
    shown = "print('codex-cli 0.999.' + str(count))"
    path.write_text(text.replace(f"print('codex-cli {VERSION}')", f"{says}    {shown}"), "utf-8")
    code, out, err = run("learn", "codex")
    assert (code, out) == (2, "")
    assert "Codex has changed meanwhile: 0.999.0 was run first and then " in err
    assert list((data / "learned").glob("*")) == []


def test_a_shim_is_named(place: Path, run: Run) -> None:
    program(place, BAD["crashes"])
    assert "put the directory of the program itself first on PATH" in run("learn", "codex")[2]


# What version managers put in the place of a program: each leads to another that it looks up in the home directory.
SHIMS = {
    "asdf": '#!/usr/bin/env bash\n# asdf-plugin: nodejs 22.0.0\nexec "$HOME/.asdf/bin/asdf" exec "codex" "$@"\n',
    "mise": '#!/bin/sh\nexec mise x -- codex "$@"\n',
    "volta": '#!/bin/sh\nexec volta run codex "$@"\n',
    "nvm": '#!/usr/bin/env bash\n. "$HOME/.nvm/nvm.sh"\nnvm exec 22 codex "$@"\n',
}


@pytest.mark.parametrize("manager", SHIMS)
def test_a_shim_of_a_version_manager_is_named(manager: str, place: Path, data: Path, run: Run) -> None:
    path = place / "bin/codex"
    path.parent.mkdir(exist_ok=True)
    path.write_text(SHIMS[manager], "utf-8")
    path.chmod(0o755)
    code, out, err = run("learn", "codex")
    assert (code, out) == (2, "")
    assert "put the directory of the program itself first on PATH" in err
    assert list((data / "learned").glob("*")) == []


def test_a_wrapper_of_a_program_elsewhere_is_named(place: Path, run: Run) -> None:
    wrapper = place / "bin/codex"
    wrapper.write_text('#!/bin/sh\nexec /opt/elsewhere/codex "$@"\n', "utf-8")
    wrapper.chmod(0o755)
    code, out, err = run("learn", "codex")
    assert (code, out) == (2, "")
    assert "/opt/elsewhere/codex: not found. If codex is a script or a shim" in err


@pytest.mark.parametrize("command", ["learn", "verify"])
def test_a_program_in_a_container_is_named(command: str, place: Path, run: Run) -> None:
    wrapper = place / "bin/codex"
    wrapper.write_text('#!/bin/sh\nexec docker run --rm -it img/codex codex "$@"\n', "utf-8")
    wrapper.chmod(0o755)
    code, out, err = run(command, *(["--harness"] if command == "verify" else []), "codex")
    assert (code, out) == (2, "")
    assert "The script starts it in a container: install promptls there, and run it inside." in err


def test_of_two_versions_on_the_path_the_one_that_starts_is_named(
    place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {"one": "0.9.1", "two": "0.9.2"}
    for folder, version in versions.items():
        package = place / folder / "lib/node_modules/@openai/codex"
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"name": "@openai/codex", "version": version}), "utf-8")
        (package / "codex.js").touch(0o755)
        (place / folder / "codex").symlink_to(package / "codex.js")
    monkeypatch.setenv("PATH", os.pathsep.join(str(place / each) for each in (*versions, "one")))
    out = run("learn")[1]
    assert f"0.9.2        {place}/two/codex: later on PATH, so it is not the one that starts" in out
    found = {each["harness"]: each for each in json.loads(run("learn", "--format", "json")[1])["programs"]}
    assert found["codex"]["version"] == "0.9.1"
    assert found["codex"]["others"] == [{"version": "0.9.2", "path": f"{place}/two/codex"}]


def test_without_namespaces_nothing_is_started(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "bin", "codex", version=VERSION)
    monkeypatch.setattr(find_program, "means", lambda: "landlock")
    code, out, err = run("learn", "codex")
    assert (code, out) == (2, "")
    assert err.count("promptls: ") == 1
    assert "shim" not in err
    assert "nothing was started" in err
    assert "--run-workspace" not in err, "learn has no such option"
    assert not (place / "bin/seen").exists()


def test_a_broken_program_is_named(place: Path, data: Path, run: Run) -> None:
    path = place / "bin/codex"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)
    code, out, err = run("learn", "codex")
    assert (code, out) == (2, "")
    assert "promptls: No session of Codex could be run: " in err
    assert list((data / "learned").glob("*")) == []


def test_two_learned_versions_are_kept_apart(place: Path, data: Path, run: Run) -> None:
    other = "0.999.1"
    for version, size in ((VERSION, 400), (other, 500)):
        changes = [(("skills", "intro"), size)]
        body = f"CHANGES = {changes!r}\nVERSION = {version!r}\n{CHANGED}"
        install(place / "bin", "codex", version=version, instead=body)
        assert run("learn", "codex")[0] == 0
    assert sorted(each.name for each in (data / "learned").iterdir()) == [
        f"codex@{VERSION}.json",
        f"codex@{other}.json",
    ]
    assert preview(run)["learned"]["base"] == preview(run, other)["learned"]["base"]
    learned = json.loads(run("learn", "--format", "json")[1])
    assert learned["kept"] == [f"codex@{VERSION}", f"codex@{other}"]


def test_the_data_directory_is_asked_before_anything_is_run(
    place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "file").write_text("", "utf-8")
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(place / "file"))
    install(place / "bin", "codex", version=VERSION)
    assert run("learn", "codex")[0] == 2
    assert not (place / "bin/seen").exists(), "minutes would be lost"


def test_a_full_disk_keeps_what_was_known(place: Path, data: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    program(place, CHANGED, [(("skills", "intro"), 400)])
    run("learn", "codex")
    before = (data / "learned" / f"codex@{VERSION}.json").read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = run("learn", "codex")
    assert code == 2
    assert "cannot be written: No space left on device." in err
    assert [each.read_bytes() for each in (data / "learned").iterdir()] == [before]


BOTH = {"codex": SESSIONS, "gemini-cli": SESSIONS}


def test_a_program_that_cannot_be_learned_keeps_no_other_from_it(
    place: Path, data: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "sessions_of", lambda harness: BOTH.get(harness, []))
    install(place / "bin", "gemini-cli", version=VERSION, instead=BAD["wants a login"])
    program(place, CHANGED, [])
    code, out, err = run("learn", "gemini-cli", "codex", "--format", "json")
    answer = json.loads(out)
    assert (code, [each["harness"] for each in answer["learned"]]) == (2, ["codex"])
    says = answer["failed"]["gemini-cli"]
    assert says.startswith("No session of Gemini CLI could be run: ")
    assert f"promptls: {says}\n" in err
    assert [each.name for each in (data / "learned").iterdir()] == [f"codex@{VERSION}.json"]


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From then on, somebody presses Ctrl-C after the first session."""

    def run_all(*_: object) -> Any:
        raise KeyboardInterrupt

    return lambda: monkeypatch.setattr(learn, "_run_all", run_all)


def test_who_interrupts_one_wants_no_other(
    place: Path, data: Path, run: Run, monkeypatch: pytest.MonkeyPatch, interrupted: Callable[[], None]
) -> None:
    monkeypatch.setattr(learn, "sessions_of", lambda harness: BOTH.get(harness, []))
    install(place / "bin", "gemini-cli", version=VERSION)
    program(place, CHANGED, [])
    interrupted()
    run("learn", "codex", "gemini-cli")
    assert [each.name for each in (data / "learned").iterdir()] == [f"codex@{VERSION}.json"]


@pytest.mark.usefixtures("data")
def test_what_was_interrupted_is_listed_so_and_run_again(
    place: Path, run: Run, monkeypatch: pytest.MonkeyPatch, interrupted: Callable[[], None]
) -> None:
    program(place, CHANGED, [])
    monkeypatch.setattr("promptls.cli.learn.installed", lambda *_: VERSION)
    before = learn._run_all
    interrupted()
    run("learn", "codex")
    partly = ", by 1 of 3 sessions: “promptls learn codex” runs all"
    assert partly in run("learn")[1]
    said = run("preview", "--harness", f"codex@{VERSION}")[1]
    assert re.search(r"rules hold, \d+ of this prompt not tried, by 1 of 3 sessions\) · ", said)
    assert re.search(rf"rules hold, \d+ of this prompt not tried{partly}\.", said)
    assert [preview(run)["learned"][each] for each in ("sessions", "planned", "whole")] == [1, 3, False]
    monkeypatch.setattr(learn, "_run_all", before)
    assert "3 of 3 sessions were run" in run("learn", "--all")[1]
    assert "rules hold\n" in run("learn")[1]
    assert re.search(
        r"rules hold(, \d+ of this prompt not tried)?\) · ", run("preview", "--harness", f"codex@{VERSION}")[1]
    )
    assert preview(run)["learned"]["whole"] is True


def test_who_interrupts_loses_nothing_that_is_known(
    place: Path, data: Path, run: Run, interrupted: Callable[[], None]
) -> None:
    program(place, CHANGED, [(("skills", "intro"), 400)])
    assert "1 value differs from those of" in run("learn", "codex")[1]
    kept = (data / "learned" / f"codex@{VERSION}.json").read_bytes()
    interrupted()
    assert run("learn", "codex")[1].endswith(f"Not kept: what is known of Codex {VERSION} is of 3 sessions.\n")
    assert (data / "learned" / f"codex@{VERSION}.json").read_bytes() == kept


def test_what_cannot_be_kept_in_the_end_is_told(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    program(place, CHANGED, [(("skills", "intro"), 400)])

    def full(*_: object) -> str:
        raise PromptlsError("It cannot be written.")

    monkeypatch.setattr("promptls.cli.learn.keep_lesson", full)
    code, out, err = run("learn", "codex")
    assert (code, err.splitlines()[-1]) == (2, "promptls: It cannot be written.")
    assert "rules of " in out
    assert "Kept in" not in out


def test_a_rule_has_one_name_below_any_path(tmp_path: Path) -> None:
    rules = []
    for folder in ("plain", "with blanks in it"):
        root = tmp_path / folder / "a repository" / "sub"
        root.mkdir(parents=True)
        (root.parent / ".git").mkdir()
        for path in (root / "AGENTS.md", root.parent / "AGENTS.md"):
            path.write_text("x\n", encoding="utf-8")
        session = Session("codex", str(root))
        rules.append(set(rules_of(harnesses.preview(session, Host(home=str(tmp_path / folder), env={})))))
    assert rules[0] == rules[1]


@pytest.mark.usefixtures("data")
def test_another_default_model_is_learned(place: Path, run: Run) -> None:
    chooses = "import tests.capture.fakes as fakes\nfakes.own_model = lambda: 'gpt-5.5'\n"
    program(place, chooses + CHANGED, [(("default_model",), "gpt-5.5")])
    code, out, err = run("learn", "codex", "--all")
    assert code == 0, out + err
    assert "- default_model: gpt-5.5" in out


@pytest.mark.usefixtures("data")
def test_a_new_default_model_is_like_the_one_before_it(place: Path, run: Run) -> None:
    chooses = "import tests.capture.fakes as fakes\nfakes.own_model = lambda: 'gpt-6.9-sol'\n"
    new = ("models", "gpt-6.9-sol")
    changes = [(("default_model",), "gpt-6.9-sol"), (new, {"like": NEWEST.default_model}), ((*new, "base"), 29_933)]
    program(place, chooses + CHANGED, changes)
    code, out, err = run("learn", "codex", "--all")
    assert code == 0, out + err
    said = [line for line in out.splitlines() if line.startswith("- ")]
    assert said == [
        "- default_model: gpt-6.9-sol",
        f"- models.gpt-6.9-sol: like {NEWEST.default_model}",
        "- models.gpt-6.9-sol.base: 29933",
    ]


def test_each_other_name_of_a_model_has_a_session() -> None:
    names = [each["session"].get("model") for each in SESSIONS_OF("claude-code")]
    assert {"default", "opus", "sonnet", "haiku"} <= {*names}
    assert None in names, "the default"


# A program that unpacks its package where there is none, and does not start where it could change one that is there.
UNPACKS = """
import os
package = Path(os.environ["HOME"], ".cache/copilot/pkg")
if package.is_dir():
    assert (package / "own").read_text() == "code"
    try:
        (package / "more").write_text("")
    except OSError:
        (package.parent / "beside").write_text("")
        (Path(LOG).parent / f"again-{os.getpid()}-{id(package)}").write_text("")
    else:
        sys.exit("it could change what it has unpacked")
else:
    package.mkdir(parents=True)
    (package / "own").write_text("code")
from tests.capture.fakes import send
send("copilot-cli", VERSION, LOG)
"""


@pytest.mark.usefixtures("data")
def test_what_a_program_unpacks_is_kept_for_its_next_session(
    place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "sessions_of", lambda _: SESSIONS)
    monkeypatch.setattr(learn, "AT_ONCE", 1)
    install(place / "bin", "copilot-cli", version=VERSION, instead=f"VERSION = {VERSION!r}\n{UNPACKS}")
    _, out, err = run("learn", "copilot-cli")
    assert "3 of 3 sessions were run" in out, (out, err)
    assert list((place / "bin").glob("again-*"))
    assert not list((place / "cache").iterdir())
