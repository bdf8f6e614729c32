"""What a harness of another package is made of: the only module that such a package imports.

docs/writing-a-harness.md explains the parts, and docs/harness-example is a small complete package. Names are added here
freely. A name is removed, or means something else, only with a new minor version and a line in the changelog; where
they come from inside promptls may change at any time.
"""

from __future__ import annotations

from promptls.core.host import Host
from promptls.core.model import (
    COMPUTED,
    START,
    Call,
    Candidate,
    Cut,
    Limit,
    Message,
    Origin,
    Prompt,
    Range,
    Segment,
    Session,
    Tool,
    Turn,
)
from promptls.core.spec import ConfigFile, FrontMatter, Imports, InstructionFile, Misplaced, RuleFile, Spec
from promptls.core.text import LineIndex, decode, whole
from promptls.kit.base import Harness, Version, described
from promptls.kit.candidates import Rule, argument, not_modelled, own
from promptls.kit.chat import send_plain
from promptls.kit.draft import Draft, Found, look_for_text
from promptls.kit.imports import Branch, Mention, follow
from promptls.kit.paths import git_root, is_below, join, native, parent, resolve, upwards
from promptls.kit.segments import elided, head, tail

__all__ = [
    "COMPUTED",
    "START",
    "Branch",
    "Call",
    "Candidate",
    "ConfigFile",
    "Cut",
    "Draft",
    "Found",
    "FrontMatter",
    "Harness",
    "Host",
    "Imports",
    "InstructionFile",
    "Limit",
    "LineIndex",
    "Mention",
    "Message",
    "Misplaced",
    "Origin",
    "Prompt",
    "Range",
    "Rule",
    "RuleFile",
    "Segment",
    "Session",
    "Spec",
    "Tool",
    "Turn",
    "Version",
    "argument",
    "decode",
    "described",
    "elided",
    "follow",
    "git_root",
    "head",
    "is_below",
    "join",
    "look_for_text",
    "native",
    "not_modelled",
    "own",
    "parent",
    "resolve",
    "send_plain",
    "tail",
    "upwards",
    "whole",
]
