"""What the spec of a harness says to other parts is what its previews do."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.model import USED, Prompt, Session, reading
from promptls.core.spec import Spec
from promptls.core.specs import detection_of
from promptls.harnesses.pi.versions import ROWS
from promptls.kit.base import Harness, Version, described
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
NESTED = [(spec.name, name) for spec in specs.every() for name in spec.nested if not name.endswith("/")]


def shown(harness: str, cwd: Path, *reads: str) -> Prompt:
    session = Session(harness, str(cwd), turns=reading(reads), is_trusted=bool(specs.of(harness).until_trusted))
    return harnesses.preview(session, Host(home="/h", env={}))


def outcome(prompt: Prompt, path: Path) -> str:
    return next((each.outcome for each in prompt.candidates if each.path == str(path)), "")


@pytest.mark.parametrize("harness", harnesses.names())
def test_what_shows_a_harness_is_that_of_its_spec(harness: str) -> None:
    assert specs.detection(harness) == detection_of(specs.of(harness))


@pytest.mark.parametrize(("harness", "name"), NESTED)
def test_a_read_brings_the_file_of_its_directory_or_does_not(tmp_path: Path, harness: str, name: str) -> None:
    folder = lay_out(tmp_path, {f"sub/{name}": "Use tabs.", "sub/a.py": "1"})
    found = outcome(shown(harness, folder, f"{folder}/sub/a.py"), folder / "sub" / name)
    assert (found in USED) is specs.of(harness).is_nested_on_read


@pytest.mark.parametrize("harness", harnesses.names())
def test_agents_md_is_read_or_another_file_in_its_place(tmp_path: Path, harness: str) -> None:
    spec = specs.of(harness)
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs.", **dict.fromkeys(spec.reads_for_agents, "Be kind.")})
    prompt = shown(harness, folder)
    is_read = outcome(prompt, folder / "AGENTS.md") in USED
    assert not is_read or not spec.reads_for_agents
    assert all(outcome(prompt, folder / name) in USED for name in spec.reads_for_agents[:1])
    # Of those that AGENTS.md alone counts for, some have other files that are their own.
    todo = f"the preview {'sends' if is_read else 'does not send'} AGENTS.md: set owns_agents={is_read} in its spec.py"
    assert spec.owns_agents is is_read or spec.counts_for_agents, todo


@pytest.mark.parametrize(("harness", "name"), NESTED)
def test_a_name_in_another_spelling(tmp_path: Path, harness: str, name: str) -> None:
    folder = lay_out(tmp_path, {name.title(): "Use tabs."})
    assert (outcome(shown(harness, folder), folder / name.title()) in USED) is specs.of(harness).ignores_case


@pytest.mark.parametrize("harness", [spec.name for spec in specs.every() if spec.nested])
def test_an_empty_file_is_sent_and_hides_none_or_is_not(tmp_path: Path, harness: str) -> None:
    spec = specs.of(harness)
    names = [name for name in spec.nested if not name.endswith("/")]
    folder = lay_out(tmp_path, {name: "Use tabs." * (name != names[0]) for name in names})
    prompt, path = shown(harness, folder), str(folder / names[0])
    sent = {segment.origin.path for message in prompt.messages for segment in message.segments}
    is_hiding = any(each.outcome == "shadowed" and each.other == path for each in prompt.candidates)
    assert (path in sent and not is_hiding) is spec.sends_empty


@pytest.mark.parametrize(("harness", "name"), NESTED)
def test_two_names_of_one_file_are_sent_once_or_twice(tmp_path: Path, harness: str, name: str) -> None:
    folder = lay_out(tmp_path, {name: "Use tabs.", "sub/a.py": "1"})
    (folder / "sub" / name).symlink_to(folder / name)
    prompt = shown(harness, folder / "sub")
    found = {outcome(prompt, folder / name), outcome(prompt, folder / "sub" / name)}
    if "" not in found:
        assert ("duplicate" in found) is specs.of(harness).sends_links_once


@pytest.mark.parametrize("harness", ["copilot-cli", "copilot-vscode"])
def test_a_link_beside_its_file_is_sent_once(tmp_path: Path, harness: str) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs."})
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    prompt = shown(harness, folder)
    assert [outcome(prompt, folder / name) for name in ("AGENTS.md", "CLAUDE.md")] == ["loaded", "duplicate"]
    assert specs.of(harness).sends_links_once


def test_a_harness_has_what_its_spec_and_its_rows_say() -> None:
    spec = Spec("own", "Own", (".own",), command="own", package="p", registry="pypi")
    preview = harnesses.get("pi").preview
    found = described(spec, ROWS, preview=preview, loads=("a file",))
    assert (found.name, found.title, found.evidence, found.spec) == ("own", "Own", (".own",), spec)
    assert (found.versions, found.preview, found.loads) == (tuple(row.version for row in ROWS), preview, ("a file",))
    assert dict(found.words) == {}
    assert (detection_of(spec).command, detection_of(spec).package, detection_of(spec).registry) == ("own", "p", "pypi")


def test_a_harness_of_another_package_may_have_no_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in ("_loaders", "_loaded", "_detections"):
        monkeypatch.setattr(specs, kept, dict(getattr(specs, kept)))
    monkeypatch.setattr(harnesses, "_registered", {})
    plain = Harness("own", "Own", (Version("1"),), (".own",), harnesses.get("pi").preview)
    harnesses.register(plain)
    assert specs.of("own") == Spec("own", "Own", (".own",))
    assert specs.detection("own").evidence == (".own",)
    spec = Spec("own", "Own", (".own",), nested=("OWN.md",))
    harnesses.register(Harness("own", "Own", plain.versions, (".own",), plain.preview, spec=spec))
    assert (specs.of("own"), harnesses.names()[-1]) == (spec, "own")


# What some harnesses do and the others do not, as their pages say.
TRAITS = {
    "counts_attached": {"copilot-vscode"},
    "counts_for_agents": {"claude-code", "codex", "copilot-cli", "copilot-vscode", "cursor", "opencode"},
    "has_hints": {"auggie", "mini-claude-code"},
    "ignores_case": {"copilot-cli", "openhands"},
    "links_unseen": {"cursor"},
    "names_from_config": {"gemini-cli"},
    "sends_empty": {"auggie", "copilot-cli", "crush", "grok-build", "gptme"},
    "sends_links_once": {
        *("aider", "claude-code", "copilot-cli", "copilot-vscode", "gemini-cli", "openhands", "qwen-code"),
        "grok-build",
    },
}


@pytest.mark.parametrize("trait", TRAITS)
def test_which_harnesses_do_what_others_do_not(trait: str) -> None:
    assert {name for name in harnesses.names() if getattr(specs.of(name), trait)} == TRAITS[trait]


def test_which_harnesses_wait_for_trust_and_say_so() -> None:
    waiting = ["codex", "copilot-cli", "gemini-cli", "grok-build", "pi"]
    assert sorted(each.name for each in specs.every() if each.until_trusted) == waiting


def test_which_configurations_may_have_other_names() -> None:
    found = {name for name in harnesses.names() for each in specs.of(name).config_files if each.has_other_names}
    assert found == {"aider", "codex", "etcode", "opencode"}
