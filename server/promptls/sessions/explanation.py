"""What one harness does with a file, or with some of its lines: a value for the command line, the server and JSON."""

from __future__ import annotations

from promptls.core.how import how_json
from promptls.core.prompt_json import cut_json, range_json
from promptls.core.uses import WORDS
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptls.core.how import How
    from promptls.core.lines import LeftOut
    from promptls.core.model import Cut
    from promptls.core.model import Use as UsedAs

# In the request in a way that no preview shows: neither loaded nor left out.
UNSHOWN = "unshown"


@dataclass(frozen=True, slots=True)
class Use:
    """A file is in the prompt: of a session that starts in ``cwd``, ``at`` start or the read that adds it.

    ``by`` says by which other name, where there are links; ``scope`` names the patterns of a rule for some files.
    ``used_as``: instructions, or a skill whose description is listed ...; ``tokens`` are those of its text there, and
    ``cut`` is what a limit left of it.
    ``invalidates`` is what a change of the file costs where the provider caches prompts: the tokens of the prompt
    from its first place on, and ``of`` how many; ``is_at_least`` where some parts are of a size that is not known.
    ``once_trusted``: only in a folder that the user trusts, of which the harness's own records say nothing.
    ``message`` is the place of its message in the prompt, from 0. ``lines`` are the first and the last line in it, from
    0, at which the lines that are asked for stand, once for each time that they do.
    """

    cwd: str
    at: str
    role: str
    layer: str
    why: str
    used_as: UsedAs
    tokens: int
    cut: Cut | None
    invalidates: int
    of: int
    is_at_least: bool
    by: str | None
    scope: str | None
    once_trusted: bool
    message: int
    lines: tuple[tuple[int, int], ...] = ()
    # What a compaction of the session does to it; "" where nobody knows, or nobody asked.
    after_compaction: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one harness does with a file. Without ``uses``, ``outcome``, ``rule`` and ``reason`` say what prevents it.

    ``rule`` says why the harness looks there, or does not; ``reason`` why that is the outcome, "" if the rule does.
    ``other`` is the file that takes its place, ``used_as`` what it would be used as. ``is_found`` says whether the
    harness is in use in the workspace. ``once_trusted`` is as in a use. ``left_out``: what no session is sent of the
    lines that are asked for.
    """

    harness: str
    version: str
    is_verified: bool
    is_found: bool
    uses: tuple[Use, ...]
    outcome: str = ""
    rule: str = ""
    reason: str = ""
    other: str | None = None
    used_as: UsedAs = "instruction"
    cut: Cut | None = None
    once_trusted: bool = False
    left_out: tuple[LeftOut, ...] = ()
    # promptls failed, as ``reason`` says: what the harness does is not known.
    is_fault: bool = False
    # How well this version is known, as in a prompt.
    tier: str = ""
    # The harness does not look for a file of this name in this place.
    is_unknown: bool = False
    # With a file near it that is read, the harness sends the path of this one, and not its text.
    is_named: bool = False
    # The commands that find out what is not known of the prompts that have it.
    ways: tuple[How, ...] = ()

    @property
    def why(self) -> str:
        """Rule and reason in one clause, for users."""
        return f"{self.rule}: {self.reason}" if self.reason else self.rule

    @property
    def is_read(self) -> bool:
        """Whether the harness reads the file, though its text is not in the prompt as far as that is known."""
        waits = self.outcome == "unscoped" and self.used_as in WORDS
        return not self.uses and (waits or self.outcome in (UNSHOWN, "loaded", "cut"))

    def json(self) -> dict[str, Any]:
        """As JSON; keys are stable."""
        return {
            "harness": {
                "name": self.harness,
                "version": self.version,
                "verified": self.is_verified,
                "tier": self.tier or None,
            },
            "found": self.is_found,
            "loaded": [
                {
                    "cwd": use.cwd,
                    "at": use.at,
                    "role": use.role,
                    "layer": use.layer,
                    "why": use.why,
                    "by": use.by,
                    "scope": use.scope,
                    "use": use.used_as,
                    "once_trusted": use.once_trusted,
                    "tokens": use.tokens,
                    "message": use.message,
                    **({"lines": [{"first": first, "last": last} for first, last in use.lines]} if use.lines else {}),
                    **({"cut": cut_json(use.cut)} if use.cut else {}),
                    **({"after_compaction": use.after_compaction} if use.after_compaction else {}),
                    "invalidates": {"tokens": use.invalidates, "of": use.of, "at_least": use.is_at_least},
                }
                for use in self.uses
            ],
            **({"named": True} if self.is_named else {}),
            "fault": self.is_fault,
            "outcome": self.outcome if not self.uses else "loaded",
            "why": self.why,
            "rule": self.rule,
            "reason": self.reason,
            "other": self.other,
            "use": self.used_as,
            "once_trusted": self.once_trusted,
            **({"cut": cut_json(self.cut)} if self.cut else {}),
            **({"how": [how_json(each)["how"] for each in self.ways]} if self.ways else {}),
            **({"left_out": [_left_out_json(each) for each in self.left_out]} if self.left_out else {}),
        }


def _left_out_json(piece: LeftOut) -> dict[str, Any]:
    cut = {"cut": cut_json(piece.cut)} if piece.cut else {}
    return {"range": range_json(piece.range), "reason": piece.reason, "why": piece.why, **cut}
