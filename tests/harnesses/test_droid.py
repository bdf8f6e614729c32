"""What Droid brings with reads, where no captured session shows it: read in its program."""

from pathlib import Path

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from tests.folder import lay_out


def preview(top: Path, files: dict[str, str], *steps: tuple[str, ...], cwd: str = "") -> Prompt:
    """The prompt after steps of reads, in a repository with these files."""
    place = str(lay_out(top / "repository", dict(files)))
    calls = tuple(tuple(Call(read=f"{place}/{path}") for path in step) for step in steps)
    session = Session("droid", f"{place}/{cwd}".rstrip("/"), turns=(Turn(steps=calls),))
    return harnesses.preview(session, Host(home=str(top / "home"), env={}))


def brought(prompt: Prompt) -> list[str]:
    return [each.text for each in prompt.messages if each.at != "start" and each.role == "user"]


def test_the_reads_of_a_step_bring_one_message(tmp_path: Path) -> None:
    files = {"a/AGENTS.md": "of a", "a/x": "x", "b/AGENTS.md": "of b", "b/x": "x", "b/.agents/agents.md": "lower"}
    prompt = preview(tmp_path, files, ("a/x", "b/x"), ("a/x",))
    (message,) = brought(prompt)
    assert [message.count(text) for text in ("of a", "of b", "lower", "Additional project")] == [1, 1, 1, 1]


def test_a_file_without_room_is_brought_by_the_next_read(tmp_path: Path) -> None:
    large = "a" * 30_000
    files = {"a/AGENTS.md": large, "a/b/AGENTS.md": "b" * 20_000, "a/b/c/AGENTS.md": "small", "a/b/c/x": "x"}
    prompt = preview(tmp_path, files, ("a/b/c/x",), ("a/b/c/x",))
    first, second, *_ = brought(prompt)
    assert (large in first, "small" in first, "bbb" in first) == (True, True, False)
    assert ("bbb" in second, "small" in second) == (True, False)
    dropped = [each for each in prompt.candidates if each.outcome == "dropped"]
    assert [each.path and each.path.rpartition("/")[0][-3:] for each in dropped] == ["a/b"]


def test_what_was_cut_at_start_comes_whole_with_a_read(tmp_path: Path) -> None:
    files = {"a/CLAUDE.md": "c" * 79_000, "a/AGENTS.md": "d" * 2_000, "a/b/x": "x"}
    prompt = preview(tmp_path, files, ("a/b/x",), cwd="a")
    start = "".join(each.text for each in prompt.messages if each.at == "start")
    # 79,000 and 41 characters of a frame are 959 less than the limit; 100 are for the mark.
    assert (start.count("d" * 859), start.count("d" * 860)) == (1, 0)
    assert "d" * 2_000 in brought(prompt)[0]


def test_a_file_that_is_not_there_brings_nothing(tmp_path: Path) -> None:
    prompt = preview(tmp_path, {"a/AGENTS.md": "of a", "AGENTS.md": "root"}, ("a/gone",))
    assert "of a" not in "".join(brought(prompt))


def test_without_skills_there_is_no_tool_for_them(tmp_path: Path) -> None:
    skill = {".factory/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nbody\n"}
    off = ("--disable-builtin-skills",)
    cases = (((), {"x": ""}, True), (off, skill, True), (off, {"x": ""}, False))
    for number, (args, files, has) in enumerate(cases):
        place = str(lay_out(tmp_path / str(number), dict(files)))
        session = Session("droid", place, args=args)
        tools = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={})).tools
        assert ("Skill" in {each.name for each in tools or ()}) is has


def test_custom_droids_make_a_tool_longer(tmp_path: Path) -> None:
    droid = "---\nname: {}\ndescription: d\n---\nbody\n"
    of = {f".factory/droids/{name}.md": droid.format(name) for name in ("one", "two")}
    for version, more in (("0.215.0", 155), ("0.225.2", None)):
        sizes = []
        for number, files in enumerate(({"x": ""}, of)):
            place = str(lay_out(tmp_path / f"{version}-{number}", dict(files)))
            tools = harnesses.preview(Session("droid", place, version), Host(home=str(tmp_path / "home"), env={})).tools
            sizes += [each.size for each in tools or () if each.name == "Task"]
        plain, longer = sizes
        assert plain is not None
        assert longer == (None if more is None else plain + more)


def test_a_link_takes_the_file_that_it_leads_to_with_it(tmp_path: Path) -> None:
    """At start it is passed over, and AGENTS.md is sent; with a read, neither is [source: checkDirForGuidelines]."""
    place = lay_out(tmp_path / "repository", {"AGENTS.md": "of root", "a/AGENTS.md": "of a", "a/x": "x"})
    for directory in (place, place / "a"):
        (directory / "CLAUDE.md").symlink_to("AGENTS.md")
    session = Session("droid", str(place), turns=(Turn(steps=((Call(read=f"{place}/a/x"),),)),))
    prompt = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
    texts = [each.text for each in prompt.messages]
    assert (any("of root" in each for each in texts), any("of a" in each for each in texts)) == (True, False)
    (gone,) = [each for each in prompt.candidates if each.path == f"{place}/a/AGENTS.md"]
    assert gone.outcome == "excluded"
    assert gone.reason == "CLAUDE.md is a link to it and comes first; Droid follows no link, and then takes neither"


def test_a_long_file_is_not_shown_as_if_it_were_sent_whole(tmp_path: Path) -> None:
    for text, is_whole in (("x\n" * 2_000, False), ("x\n" * 1_999, True), ("x" * 60_001, False), ("x" * 60_000, True)):
        prompt = preview(tmp_path / f"{len(text)}", {"long": text}, ("long",))
        assert (text in [each.text for each in prompt.messages]) is is_whole
