from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.sessions.detect import choose, detect
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("files", "place", "names"),
    [
        (["AGENTS.md"], ".", []),
        (["etcode.json"], ".", ["etcode"]),
        (["ETCODE.md"], "a/b", ["etcode"]),
        (["opencode.jsonc", "a/ETCODE.md"], "a/b", ["etcode", "opencode"]),
        (["a/.opencode/x", "ETCODE.md"], "a/b", ["opencode", "etcode"]),
        (["opencode.json", "etcode.json"], ".", ["etcode", "opencode"]),
        (["a/b/etcode.json"], "a", []),
    ],
)
def test_the_nearest_evidence_first_ties_in_order(
    tmp_path: Path, files: list[str], place: str, names: list[str]
) -> None:
    folder = lay_out(tmp_path, dict.fromkeys(files, "{}"))
    (folder / "a/b").mkdir(parents=True, exist_ok=True)
    host = Host(home=str(tmp_path / "home"), env={})
    found = detect(host, str((folder / place).resolve()), str(folder))
    assert [each.name for each in found] == names
    assert choose(found) == (names[0] if names else "opencode")
