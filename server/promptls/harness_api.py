"""What a harness of another package is made of: the only module that such a package imports.

docs/writing-a-harness.md explains the parts, and docs/harness-example is a small complete package. Names are added here
freely. A name is removed, or means something else, only with a new minor version and a line in the changelog; where
they come from inside promptls may change at any time.
"""

from __future__ import annotations

from promptls.core.formats import parse_json, parse_toml, parse_yaml
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
from promptls.core.values import dataclass, replace
from promptls.kit.args import Options
from promptls.kit.base import Harness, Version, described
from promptls.kit.candidates import Rule, argument, not_modelled, own
from promptls.kit.chain import (
    Chain,
    FileText,
    Frame,
    Includes,
    OnRead,
    Reading,
    Stretches,
    from_disk_root,
    from_git_root,
    only_cwd,
    only_git_root,
    without_space,
    without_space_after,
)
from promptls.kit.chat import send_plain
from promptls.kit.configs import ConfigReader, Setting, strings
from promptls.kit.draft import Draft, Found, look_for_text
from promptls.kit.imports import Branch, Mention, follow
from promptls.kit.named import Named, Row, skills_in, take
from promptls.kit.paths import git_root, is_below, join, native, parent, resolve, upwards
from promptls.kit.segments import elided, head, tail
from promptls.kit.versions import row
from promptls.kit.writer import Unread, Writer

__all__ = [
    "COMPUTED",
    "START",
    "Branch",
    "Call",
    "Candidate",
    "Chain",
    "ConfigFile",
    "ConfigReader",
    "Cut",
    "Draft",
    "FileText",
    "Found",
    "Frame",
    "FrontMatter",
    "Harness",
    "Host",
    "Imports",
    "Includes",
    "InstructionFile",
    "Limit",
    "LineIndex",
    "Mention",
    "Message",
    "Misplaced",
    "Named",
    "OnRead",
    "Options",
    "Origin",
    "Prompt",
    "Range",
    "Reading",
    "Row",
    "Rule",
    "RuleFile",
    "Segment",
    "Session",
    "Setting",
    "Spec",
    "Stretches",
    "Tool",
    "Turn",
    "Unread",
    "Version",
    "Writer",
    "argument",
    "dataclass",
    "decode",
    "described",
    "elided",
    "follow",
    "from_disk_root",
    "from_git_root",
    "git_root",
    "head",
    "is_below",
    "join",
    "look_for_text",
    "native",
    "not_modelled",
    "only_cwd",
    "only_git_root",
    "own",
    "parent",
    "parse_json",
    "parse_toml",
    "parse_yaml",
    "replace",
    "resolve",
    "row",
    "send_plain",
    "skills_in",
    "strings",
    "tail",
    "take",
    "upwards",
    "whole",
    "without_space",
    "without_space_after",
]
