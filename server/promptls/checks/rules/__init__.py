"""The rules, one module per family: each row says everything about its rule. catalogue.py has them all."""

from __future__ import annotations

from functools import lru_cache

from promptls.core.lazy import module
from promptls.core.model import Problem
from promptls.core.secrets import masked
from promptls.core.values import replace
from promptls.core.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.checks.rules.rule import Rule
    from promptls.core.model import Fix, Range, Related, Severity

# The modules, in the order of the lists that users see.
FAMILIES = (
    "paths",
    "loading",
    "limits",
    "imports",
    "scopes",
    "front_matter",
    "configuration",
    "urls",
    "agents",
    "listings",
    "elsewhere",
    "text",
    "security",
    "specifications",
    "suppressions",
)


def rules_of(family: str) -> tuple[Rule, ...]:
    """The rows of a family."""
    found: tuple[Rule, ...] = module(f"{__name__}.{family}").RULES
    return found


@lru_cache(maxsize=256)
def find_rule(code: str) -> Rule | None:
    """The rule with this code. Only the families up to its own are imported: a preview needs few or none."""
    return next((rule for family in FAMILIES for rule in rules_of(family) if rule.code == code), None)


def rule_of(code: str) -> Rule:
    """The rule of a problem."""
    rule = find_rule(code)
    if rule is None:
        raise KeyError(code)
    return rule


def problem(
    code: str,
    path: str,
    where: Range,
    message: str,
    *,
    harness: str = "",
    related: tuple[Related, ...] = (),
    fixes: tuple[Fix, ...] = (),
    severity: Severity | None = None,
    missing: str | None = None,
) -> Problem:
    """A problem of a code in the catalogue; ``severity`` only where the place makes it another than the rule's.

    A rule that is off has the severity ``warning`` where its condition is set and it fires.
    """
    default = rule_of(code).severity
    severity = severity or ("warning" if default == "off" else default)
    related = tuple(replace(each, message=_shown(each.message)) for each in related)
    fixes = tuple(replace(each, title=_shown(each.title)) for each in fixes)
    return Problem(path, where, code, severity, _shown(message), (harness,) if harness else (), related, fixes, missing)


def _shown(sentence: str) -> str:
    """A sentence that names files and values of others, on one line and without their secrets."""
    return visible(masked(sentence))
