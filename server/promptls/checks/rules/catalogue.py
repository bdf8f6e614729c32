"""Every rule by its code, in the order of the families."""

from __future__ import annotations

from promptls.checks.rules import FAMILIES, rules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.checks.rules.rule import Rule

RULES: dict[str, Rule] = {rule.code: rule for family in FAMILIES for rule in rules_of(family)}
