"""A session as a case, for the tests: see ``cases.py``."""

from __future__ import annotations

import base64
import json
import re

from promptls.core.model import Turn
from promptls.core.paths import is_below, join
from promptls.core.secrets import is_config, masked_file
from promptls.errors import UsageError
from promptls.kit.base import date_string, iso_date
from promptls.wire.cases import ELIDED, OF_PROGRAM
from promptls.wire.find_program import program_of
from promptls.wire.given_files import is_credential

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Segment
    from promptls.wire.align import Pair, Sides
    from promptls.wire.capture import Capture
    from promptls.wire.request_formats import RequestBlock

# Bytes of a file; one that is larger says nothing that a smaller one does not.
LARGEST = 256 * 1024


def case_of(name: str, prompt: Prompt, found: Capture, both: Sides, host: Host, *, workspace: str) -> dict[str, Any]:
    """A session as a case. Of the program's own prose only its size is in it.

    Raises:
        UsageError: a case cannot hold the session.
    """
    # What another machine or day has otherwise.
    passing = (host.os_version, iso_date(host), date_string(host))

    def back(text: str) -> str:
        for each in filter(None, passing):
            text = text.replace(each, ELIDED)
        return _named(_named(text, workspace, "${WORKSPACE}"), host.home, "${HOME}")

    def inside(path: str) -> str:
        return back(path).replace("${WORKSPACE}/", "workspace/", 1).replace("${HOME}/", "home/", 1)

    program = program_of(prompt.session.harness)
    # That of passing files is another one each time.
    variables = sorted({*program.keeps, *program.places, *program.files} - {"TMPDIR"})
    read = {
        path: contents.data
        for path, contents in host.has_read().items()
        if contents.state == "file"
        and len(contents.data) <= LARGEST
        and not is_credential(path)
        and (is_below(path, workspace) or is_below(path, host.home))
    }
    session = prompt.session
    if len(session.turns) > 1 or any(turn.attached for turn in session.turns):
        raise UsageError("A case can record only one turn, without attachments; drop --record or the extra turns.")
    turn = session.turns[0] if session.turns else Turn()
    if any(call.steps is not None for call in turn.calls):
        raise UsageError("A case has no sub-agents; leave out --record, or what starts one.")
    if turn.compact is not None or any(call.compact for call in turn.calls):
        raise UsageError("A case has no compaction; leave out --record, or the compaction.")
    return {
        "harness": session.harness,
        "version": found.version,
        "name": name,
        "tier": "read" if session.calls else "start",
        "note": "",
        "files": {inside(path): _content(data, path, back) for path, data in sorted(read.items())},
        "symlinks": {},
        "git": ["workspace"] if host.kind(join(workspace, ".git")) is not None else [],
        "http": {},
        "session": {
            "cwd": "" if session.cwd == workspace else session.cwd.removeprefix(f"{workspace}/"),
            "model": session.model or prompt.model,
            "agent": session.agent,
            **{key: said for key in OF_PROGRAM if (said := getattr(session, key)) is not None},
            "env": {name: back(host.env[name]) for name in variables if host.env.get(name)},
            "args": list(map(back, session.args)),
            "prompt": turn.prompt,
            "steps": [[_call(call, back) for call in step] for step in turn.steps],
        },
        "expect": _expected(prompt, both, read, back),
    }


def _named(text: str, path: str, placeholder: str) -> str:
    """``text`` with a placeholder for ``path``, but not for one that only begins as it does."""
    return re.sub(rf"{re.escape(path)}(?![\w.-])", placeholder, text)


def _call(call: Call, back: Callable[[str], str]) -> dict[str, Any]:
    if call.read is None:
        return {"tool": call.tool, "input": json.loads(back(call.input))}
    return {"read": back(call.read)}


def _content(data: bytes, path: str, back: Callable[[str], str]) -> str | dict[str, str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    return back(masked_file(path, text) if is_config(path) else text)


def _expected(prompt: Prompt, both: Sides, read: Mapping[str, bytes], back: Callable[[str], str]) -> dict[str, Any]:
    lines = {line for data in read.values() for line in data.decode("utf-8", "replace").splitlines() if line.strip()}
    parts = [_part(pair, pair.sent, lines, back) for pair in both.pairs if pair.sent is not None and _has_files(pair)]
    sources = [
        {"path": back(segment.origin.path or ""), "role": pair.sent.role}
        for pair in both.pairs
        if pair.sent is not None
        for segment in pair.expected.segments
        if _is_of_file(segment)
    ]
    left_out = [each.path for each in prompt.candidates if each.outcome not in ("loaded", "cut", "missing")]
    return {
        "sources": [each for at, each in enumerate(sources) if at == 0 or sources[at - 1] != each],
        "not_loaded": sorted({back(path) for path in left_out if path is not None and path in read}),
        "parts": parts,
    }


def _part(pair: Pair, said: RequestBlock, lines: AbstractSet[str], back: Callable[[str], str]) -> dict[str, Any]:
    if pair.gaps is not None:
        texts = [ELIDED if each.elided is not None else each.text for each in pair.expected.segments]
        sizes = [len(text) for text in pair.gaps.values()]
    else:
        # Where the preview is wrong, only lines that are in files are known to be no prose of the program's.
        texts = [line if line.rstrip("\r\n") in lines else ELIDED for line in said.text.splitlines(keepends=True)]
        sizes = []
    text = re.sub(f"(?:{ELIDED})+", ELIDED, "".join(texts))
    return {
        "role": said.role,
        "message": said.index,
        "block": said.block,
        "cached": said.cached,
        "chars": len(said.text),
        "elided": sizes,
        "text": back(text),
    }


def _has_files(pair: Pair) -> bool:
    return any(map(_is_of_file, pair.expected.segments))


def _is_of_file(segment: Segment) -> bool:
    return segment.origin.kind == "file" and segment.layer != "runtime" and not segment.frame
