"""What a program sends otherwise each time, put as the preview has it: the rules are data of the harness's folder."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.kit.launch import Passing


def as_expected(rule: Passing, expected: str, sent: str) -> str:
    """``sent`` with what a rule leaves open as in ``expected``; unchanged where the rule does not apply."""
    if rule.of_servers:
        return re.sub(rule.of_servers, "", sent)
    if rule.text:
        return _with(rule.text, sent, [each[0] for each in re.finditer(rule.text, expected)])
    for other, wanted in rule.either:
        # Both would be a difference.
        sent = sent if wanted in sent else sent.replace(other, wanted)
    return _ordered(rule.order, expected, sent) if rule.order else sent


def _with(pattern: str, sent: str, texts: list[str]) -> str:
    """``sent`` with ``texts`` in the place of what it has for ``pattern``, if there are as many."""
    if len(texts) != len(re.findall(pattern, sent)):
        return sent
    left = iter(texts)
    return re.sub(pattern, lambda _: next(left), sent)


def _ordered(pattern: str, expected: str, sent: str) -> str:
    """``sent`` in the order of ``expected``: the group of ``pattern`` tells its texts apart."""
    wanted = [each[1] for each in re.finditer(pattern, expected)]
    found = {each[1]: each[0] for each in re.finditer(pattern, sent)}
    return _with(pattern, sent, [found[each] for each in wanted]) if {*wanted} == {*found} else sent
