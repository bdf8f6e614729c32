from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session
from tests.folder import lay_out


def preview(folder: Path, transform: object, version: str = "design") -> Prompt:
    host = Host(home=str(folder), env={}, transforms=lambda: {"team": transform})  # type: ignore[dict-item] # some are broken
    return harnesses.preview(Session("etcode", str(folder), version), host)


def test_what_a_transform_changed_has_its_name_as_origin(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "root\n"})

    def add(texts: list[str], session: Session) -> list[str]:
        return [texts[0], *texts[1:-1], f"Before.\n{texts[-1]}After {session.harness}.", "New."]

    prompt = preview(folder, add)
    assert [message.text for message in prompt.messages[2:]] == [
        f"Before.\nInstructions from: {folder}/AGENTS.md\nroot\nAfter etcode.",
        "New.",
    ]
    assert [(s.origin.name or s.origin.path, s.text) for s in prompt.messages[2].segments] == [
        ("team", "Before.\n"),
        (f"{folder}/AGENTS.md", f"Instructions from: {folder}/AGENTS.md\n"),
        (f"{folder}/AGENTS.md", "root\n"),
        ("team", "After etcode."),
    ]
    assert [message.index for message in prompt.messages] == [0, 1, 2, 3]


def test_what_a_transform_appends_leaves_the_rest_as_it_was(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "root\n"})
    plain = preview(folder, lambda texts, _: texts).messages[-1]
    longer = preview(folder, lambda texts, _: [*texts[:-1], f"{texts[-1]}After."]).messages[-1]
    assert longer.segments[:-1] == plain.segments
    assert (longer.role, longer.segments[-1].text) == (plain.role, "After.")


def test_messages_that_a_transform_leaves_alone_keep_their_segments(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "root\n"})
    plain = preview(folder, lambda texts, _: texts)
    dropped = preview(folder, lambda texts, _: texts[1:])
    assert [m.segments for m in dropped.messages] == [m.segments for m in plain.messages[1:]]


def test_a_message_that_is_repeated_often_is_still_known(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "root\n"})
    plain = preview(folder, lambda texts, _: texts)
    reminders = [f"{number}." for number in range(200)]
    many = preview(folder, lambda texts, _: ["First.", *[texts[0]] * 9, *reminders, *texts[1:]])
    assert many.messages[1].segments == plain.messages[0].segments


def test_a_transform_that_fails_is_left_out_and_named(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "root\n"})

    def broken(_texts: list[str], _session: Session) -> Sequence[str]:
        raise ValueError("no")

    transforms: list[object] = [broken, lambda _: [], lambda _texts, _session: None]
    for transform in transforms:
        prompt = preview(folder, transform)
        assert len(prompt.messages) == 3
        failed = [candidate for candidate in prompt.candidates if candidate.outcome == "failed"]
        assert [candidate.origin.name for candidate in failed] == ["team"]


def test_the_program_as_it_runs_has_no_transforms(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "root\n"})
    assert len(preview(folder, lambda _texts, _session: [], "d1504ac").messages) == 3


def test_an_installed_entry_point_is_found(tmp_path: Path) -> None:
    packages = lay_out(
        tmp_path / "packages",
        {
            "shout.py": "def run(texts, session):\n    return [text.upper() for text in texts]\n",
            "shout-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: shout\nVersion: 1.0\n",
            "shout-1.0.dist-info/entry_points.txt": "[promptls.transforms]\nshout = shout:run\n",
        },
        git=False,
    )
    code = (
        f"import sys; sys.path.append({str(packages)!r})\n"
        "from promptls.workspace.machine import transforms\n"
        "print({name: run(['a'], None) for name, run in transforms().items()})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{'shout': ['A']}\n"
