"""What a preview has looked at, and nothing that another one has."""

from __future__ import annotations

from pathlib import Path

from promptls.core.host import NOTHING, Host
from promptls.core.looks import Looks, Witness


def test_a_witness_answers_as_its_host_and_notes_its_own_looks(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nname: a\n---\ntext")
    (tmp_path / "b.md").write_text("---\nname: b\n---\ntext")
    host = Host(home=str(tmp_path), env={})
    path, other, gone = (f"{tmp_path}/{name}" for name in ("a.md", "b.md", "gone.md"))
    host.read(path)
    one, two = Witness(host), Witness(host, spared=[path])
    assert one.read(path) == host.read(path)
    assert one.head(other).data == b"---\nname: b\n---\n"
    assert one.kind(gone) is None
    assert one.entries(str(tmp_path)) == host.entries(str(tmp_path))
    assert (one.looks.read, one.looks.heads, one.looks.listed) == ({path}, {other}, {str(tmp_path)})
    assert gone in one.looks.named
    assert two.looks == Looks()
    assert two.read(path) is NOTHING
    assert two.looks == Looks()
    assert not one.looks.are_apart(Looks(heads={other}))
    assert one.looks.are_apart(Looks(named={f"{tmp_path}/x"}, read={other}, heads={path}))
