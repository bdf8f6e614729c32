"""What ``promptls probe`` found, as JSON."""

from __future__ import annotations

from promptls.core.secrets import masked, masked_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptls.wire.probe import Asked, BlockWithFiles, Probe, Probed
    from promptls.wire.sent_lines import Stood


# Characters of what a program printed last.
MOST_SAID = 2000


def to_json(wanted: Probe, found: Probed) -> dict[str, Any]:
    """All that was seen, but for the texts themselves."""
    report, main = found.report, found.main
    return {
        "command": masked_arguments(list(wanted.command)),
        "cwd": wanted.cwd,
        "workspace": wanted.workspace,
        "program": {
            "path": found.path,
            "name": found.package.name or None,
            "version": found.package.version or None,
        },
        "end": report.end,
        "code": report.code,
        "means": report.means,
        "said_last": masked(report.output.strip())[-MOST_SAID:] or None,
        "main": found.asked.index(main) if main is not None else None,
        "requests": list(map(_request, found.asked)),
        "others": list(map(masked, report.paths)),
        "hosts": list(report.hosts),
        "opened": list(found.opened) if found.opened is not None else None,
        "places": [{"path": each.path, "where": each.where or None} for each in found.places],
        "left_out": [{"what": what, "path": path or None} for what, path in found.left_out],
        "notes": list(found.notes),
    }


def _request(asked: Asked) -> dict[str, Any]:
    request = asked.request
    return {
        "path": masked(request.path),
        "format": request.kind,
        "model": masked(request.model) if request.model else None,
        "blocks": list(map(_block, asked.said)),
        "tools": [{"name": masked(each.name), "characters": each.size} for each in request.offered],
    }


def _block(said: BlockWithFiles) -> dict[str, Any]:
    block = said.block
    return {
        "message": block.index,
        "block": block.block,
        "role": block.role,
        "characters": len(block.text),
        "own": len(block.text) - sum(each.size for each in said.stood),
        "new": said.is_new,
        "files": list(map(_stood, said.stood)),
    }


def _stood(stood: Stood) -> dict[str, Any]:
    return {
        "path": stood.path,
        "lines": [[each.first - 1, each.last - 1] for each in stood.stretches],
        "of": stood.lines,
        "whole": stood.is_whole,
        "start": stood.start,
        "end": stood.end,
        "text": stood.form,
        "before": masked(stood.before),
        "after": masked(stood.after),
        "also": list(stood.also),
    }
