"""Models of Claude Code: which one is sent for a name, and where it gets reminders (specification, 1)."""

from __future__ import annotations

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.claude_code.versions import Facts


PLAN = "plan"
AUTO = "auto"
# What a name is followed by.
WIDE = " (1M context)"


def sent_model(asked: str | None, facts: Facts, mode: str = "default") -> str:
    """The model that the request names, where ``asked`` is what the user or a setting names (wire: settle-model-*).

    In plan mode, two names stand for a stronger model (captured: plan-haiku).
    """
    if asked is None:
        return facts.default_model
    if facts.aliases is None:
        return asked
    plain = asked.removesuffix("[1m]")
    is_retired = facts.retired_models is not None and facts.retired_models.fullmatch(plain)
    aliases = {**facts.aliases, **facts.plan_aliases} if mode == PLAN else facts.aliases
    return facts.default_model if is_retired else aliases.get(plain, plain)


def has_system_messages(model: str, facts: Facts) -> bool:
    """Whether reminders go into messages of role system after the first one; those of unknown names do."""
    return not facts.inline_models.search(dashed(model))


_DATE = regex(r"-\d{8}\Z")


def dashed(model: str) -> str:
    """The name that the program knows: a dot in it counts as a dash (seen by verify)."""
    return model.replace(".", "-")


def undated(model: str) -> str:
    """The name of a model without a date."""
    return _DATE.sub("", dashed(model))
