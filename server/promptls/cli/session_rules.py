"""``promptls sessions --rules``: in how many recorded sessions each rule and skill stood in a prompt."""

from __future__ import annotations

import contextlib
import os

from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.workspace.machine import home
from promptls.workspace.record_store import LocalStore
from promptls.workspace.rules_table import rules_lines, rules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def show_rules(folder: str, names: Sequence[str], last: int, *, as_json: bool) -> int:
    """The table of each program that has recorded sessions of the folder."""
    with unwinding(), contextlib.closing(LocalStore(home(), os.environ)) as store:
        tables = rules_of(store, folder, names, last)
    if as_json:
        write_json({"last": last, "programs": tables})
    else:
        show(rules_lines(tables, folder))
    for sentence in store.unread:
        complain(f"promptls: {sentence}")
    return 0
