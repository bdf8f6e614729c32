"""Files that a program sends in the order of their times of change, where several have the same time."""

from __future__ import annotations

import json
import re
from itertools import combinations

from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.model import Message
    from promptls.wire.request_formats import RequestBlock

# Programs that run on Node know times by the millisecond; these are nanoseconds.
MILLISECOND = 10**6


def in_order(
    expected: Sequence[Message], sent: Sequence[RequestBlock], pattern: str, modified: Callable[[str], int]
) -> tuple[RequestBlock, ...]:
    """``sent`` with such files in the order of the preview, if only those are in another one that have the same time.

    ``pattern`` is for the block that names a file, whose text is the next one; its group is the path as JSON.
    ``modified`` is when a file was changed, in nanoseconds.
    """
    heads = {number: found[1] for number, each in enumerate(sent) if (found := re.match(pattern, each.text))}
    wanted = [found[1] for each in expected if (found := re.match(pattern, each.text))]
    named, last = list(heads.values()), len(sent) - 1
    if len({*named}) < len(named) or {*named} != {*wanted} or any(at == last or at + 1 in heads for at in heads):
        return tuple(sent)
    times = {path: modified(json.loads(f'"{path}"')) // MILLISECOND for path in named}
    turned = [pair for pair in combinations(named, 2) if wanted.index(pair[0]) > wanted.index(pair[1])]
    if any(times[one] != times[other] for one, other in turned):
        return tuple(sent)
    texts = {path: [sent[at + part].text.removesuffix("\n") for part in (0, 1)] for at, path in heads.items()}
    blocks = list(sent)
    for at, path in zip(heads, wanted, strict=True):
        for part, text in enumerate(texts[path]):
            # What ends a block hangs on its place.
            end = "\n" if sent[at + part].text.endswith("\n") else ""
            blocks[at + part] = replace(sent[at + part], text=f"{text}{end}")
    return tuple(blocks)
