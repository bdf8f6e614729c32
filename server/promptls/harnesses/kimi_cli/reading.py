"""What Kimi CLI's tool for reading answers: a remark, and in a part of its own the numbered text (wire: read-forms)."""

from __future__ import annotations

from promptls.core.text import newlines
from promptls.kit.paths import name, native
from promptls.kit.segments import head
from promptls.kit.whole_read import shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.kimi_cli.versions import Facts

# It reads no file of these names, nor .env with an ending other than those of examples [source: utils/sensitive.py].
SECRET = (".env", "id_rsa", "id_ed25519", "id_ecdsa", "credentials")
EXAMPLES = (".env.example", ".env.sample", ".env.template")


def read_result(host: Host, facts: Facts, path: str) -> list[list[Segment]] | None:
    """The parts of the result of reading a file; None where it is not known."""
    if _is_refused(name(path)):
        return None
    if host.kind(path) is None:
        return [[_remark(f"ERROR: `{native(path)}` does not exist.")]]
    text = text_of(host, path)
    if text is None:
        return None
    *ended, last = newlines(text).split("\n")
    lines = [*(f"{each}\n" for each in ended), *([last] if last else [])]
    size = sum(len(each.encode()) for each in lines)
    if len(lines) >= facts.read_lines or size >= facts.read_bytes or any(len(each) > facts.read_line for each in lines):
        return None
    total = f"Total lines in file: {len(lines)}. End of file reached."
    if not lines:
        return [[_remark(f"No lines read from file. {total}")]]
    numbered = "".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1))
    remark = _remark(f"{len(lines)} lines read from file starting from line 1. {total}")
    return [[remark], [shown(path, numbered)]]


def _is_refused(last: str) -> bool:
    return last in SECRET or (last.startswith(".env.") and last not in EXAMPLES)


def _remark(says: str) -> Segment:
    return head(f"<system>{says}</system>", "runtime")
