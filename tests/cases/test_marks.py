"""Programs that pass over a byte order mark: a scenario with one in each file shows what it shows without."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from tests.cases.test_cases import HERE, lay_out, preview, read, reasons, shown, texts

pytestmark = pytest.mark.same_everywhere
PASS_OVER = ("claude-code", "copilot-cli", "copilot-vscode", "cursor", "mini-claude-code", "opencode")
# Passed over at start, and sent with files that a read brings.
SENT_WITH_READS = ("claude-code", "copilot-cli")
MARKED = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@pytest.mark.parametrize(
    "path",
    [path for name in PASS_OVER for path in sorted(HERE.glob(f"{name}/*.txt"))],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_case(path: Path, tmp_path: Path) -> None:
    scenario = read(path)
    places = lay_out(scenario, tmp_path)
    before = preview(scenario, *places)
    known = reasons(before, *places)
    for file in (each for each in tmp_path.rglob("*") if each.is_file() and not each.is_symlink()):
        if ".git" not in file.parts and not file.read_bytes().startswith(MARKED):
            file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    after = preview(scenario, *places)
    assert shown(after, *places) == shown(before, *places)
    assert reasons(after, *places) == known
    sent = texts(after, *places)
    assert (sent.replace("\ufeff", "") if path.parent.name in SENT_WITH_READS else sent) == texts(before, *places)
