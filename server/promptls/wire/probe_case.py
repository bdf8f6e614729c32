"""What a probe has seen, as a case for the tests of a harness: see ``cases.py``."""

from __future__ import annotations

import base64
import json

from promptls.core import specs
from promptls.core.paths import is_below, name
from promptls.core.secrets import is_config, masked, masked_arguments, masked_file
from promptls.wire.cases import ELIDED
from promptls.wire.probe import sent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from promptls.wire.probe import Asked, BlockWithFiles, Probe, Probed

LARGEST = 256 * 1024
# Words of a line that is a label, and no prose.
MOST_WORDS = 8
# Lines of a label.
MOST_LABELS = 2


def probe_case(case: str, harness: str, wanted: Probe, found: Probed, home: str) -> dict[str, Any]:
    """A session as a case. Of the program's own prose only its place is in it."""

    def back(text: str) -> str:
        return text.replace(wanted.workspace, "${WORKSPACE}").replace(home, "${HOME}")

    def inside(path: str) -> str:
        return back(path).replace("${WORKSPACE}/", "workspace/", 1).replace("${HOME}/", "home/", 1)

    last = _last_request(found)
    was_sent = sent([last])
    kept = {
        path: data
        for path, data in found.given.items()
        if len(data) <= LARGEST
        and is_below(path, wanted.workspace)
        and (path in was_sent or path in wanted.reads or name(path) in specs.instruction_names())
    }
    said = [each for each in last.said if each.stood]
    blocks = [each.block.text for each in last.said if each.block.role == "user"]
    typed = next((each for each in reversed(wanted.command[1:]) if len(each) > 1 and each in "\n".join(blocks)), None)
    return {
        "harness": harness,
        "version": found.package.version,
        "name": case,
        "tier": "read" if wanted.reads else "start",
        "note": f"promptls probe: {' '.join(masked_arguments(list(wanted.command)))}",
        "files": {inside(path): _content(data, path, back) for path, data in sorted(kept.items())},
        "symlinks": {},
        "git": ["workspace"] if found.is_repository else [],
        "http": {},
        "session": {
            "cwd": "" if wanted.cwd == wanted.workspace else wanted.cwd.removeprefix(f"{wanted.workspace}/"),
            "model": last.request.model,
            "agent": None,
            "env": {},
            "args": [],
            "prompt": typed,
            "steps": [[{"read": back(each)}] for each in wanted.reads],
        },
        "expect": {
            "sources": [{"path": back(stood.path), "role": each.block.role} for each in said for stood in each.stood],
            "not_loaded": sorted(back(path) for path in kept if path not in was_sent and path not in wanted.reads),
            "parts": [_part(each, back) for each in said],
        },
    }


def _last_request(found: Probed) -> Asked:
    """The last request of the agent itself: it has all that came before."""
    main = found.main
    assert main is not None  # noqa: S101 - nothing is recorded of a program that asks nothing
    tools = len(main.request.offered)
    return [each for each in found.asked if len(each.request.offered) == tools][-1]


def _content(data: bytes, path: str, back: Callable[[str], str]) -> str | dict[str, str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    return back(masked_file(path, text) if is_config(path) else text)


def _part(said: BlockWithFiles, back: Callable[[str], str]) -> dict[str, Any]:
    block = said.block
    return {
        "role": block.role,
        "message": block.index,
        "block": block.block,
        "cached": block.cached,
        "chars": len(block.text),
        "text": back("".join(_pieces(said))),
    }


def _pieces(said: BlockWithFiles) -> Iterator[str]:
    """The files of a block, with the labels around them; the prose is left out."""
    text, at, before = said.block.text, 0, ""
    for stood in said.stood:
        for stretch in stood.stretches:
            yield _between(text[at : stretch.start], before, stood.path)
            yield text[stretch.start : stretch.end]
            at, before = stretch.end, stood.path
    yield _between(text[at:], before, "")


def _between(text: str, before: str, after: str) -> str:
    """A text of the program's own between two files: what is next to them stays where it is a label."""
    lines = text.splitlines(keepends=True)
    first = _labels(lines, before) if before else 0
    last = _labels(lines[first:][::-1], after) if after else 0
    left = lines[first : len(lines) - last]
    middle = ELIDED if any(each.strip() for each in left) else "".join(left)
    return "".join((*lines[:first], middle, *lines[len(lines) - last :]))


def _labels(lines: list[str], path: str) -> int:
    """How many lines from the first on are labels of a file, or blank."""
    number = labels = 0
    for line in lines:
        if line.strip() and (labels == MOST_LABELS or not is_label(line, path)):
            break
        labels += bool(line.strip())
        number += 1
    return number


def is_label(line: str, path: str) -> bool:
    """Whether a line of the program's own is a label, and no prose."""
    plain = line.strip()
    if not plain or masked(plain) != plain:
        return False
    is_marked = not plain[0].isalnum() and len(plain.split()) <= MOST_WORDS
    return is_marked or name(path) in plain


def written(case: dict[str, Any]) -> str:
    """A case as it stands in a file."""
    return json.dumps(case, ensure_ascii=False, indent=1) + "\n"
