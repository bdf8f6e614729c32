"""Every harness of this package: one line each, in the order that decides where a folder is configured for several."""

from __future__ import annotations

import os
import sys
from functools import partial
from types import ModuleType

from promptls.core import specs
from promptls.core.lazy import module
from promptls.harnesses.detection_table import DETECTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.spec import Spec
    from promptls.kit.base import Harness
    from promptls.kit.launch import Program
    from promptls.kit.recording import Records, Subagents

# The name, and the folder beside this file.
FOLDERS = {
    "etcode": "etcode",
    "opencode": "opencode",
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini_cli",
    "copilot-cli": "copilot_cli",
    "copilot-vscode": "copilot_vscode",
    "cursor": "cursor",
    "openclaw": "openclaw",
    "qwen-code": "qwen_code",
    "cline": "cline",
    "kilo-code": "kilo_code",
    "pi": "pi",
    "continue": "continue_cli",
    "agent-core": "agent_core",
    "mini-claude-code": "mini_claude_code",
    "learn-claude-code": "learn_claude_code",
    "kimi-cli": "kimi_cli",
    "kimi-code": "kimi_code",
    "goose": "goose",
    "hermes": "hermes",
    "grok-build": "grok_build",
    "droid": "droid",
    "mistral-vibe": "mistral_vibe",
    "openhands": "openhands",
    "aider": "aider",
    "crush": "crush",
    "gptme": "gptme",
    "deepagents-code": "deepagents_code",
    "letta-code": "letta_code",
    "auggie": "auggie",
}
_HERE = os.path.dirname(__file__)


def harness(name: str) -> Harness:
    """The harness itself: its folder is imported when it is needed."""
    found: Harness = module(f"promptls.harnesses.{FOLDERS[name]}").HARNESS
    return found


def records(name: str) -> Records | None:
    """What reads the sessions that a harness recorded; None where it keeps none that are known."""
    folder = FOLDERS.get(name, "")
    if not os.path.exists(os.path.join(_HERE, folder, "records.py")):
        return None
    found: Records = _part(folder, "records").sessions
    return found


def subagents(name: str) -> Subagents | None:
    """What reads the sub-agents of a session that a harness recorded; None where their records are not known."""
    if records(name) is None:
        return None
    found: Subagents | None = getattr(_part(FOLDERS[name], "records"), "subagents", None)
    return found


def program(name: str) -> Program | None:
    """How the program of a harness is started to see what it sends; None where that is not known."""
    folder = FOLDERS.get(name)
    if folder is None or not os.path.isfile(os.path.join(_HERE, folder, "capture.py")):
        return None
    found: Program = module(f"promptls.harnesses.{folder}.capture").PROGRAM
    return found


def _spec(folder: str) -> Spec:
    spec: Spec = _part(folder, "spec").SPEC
    return spec


def _part(folder: str, part: str) -> ModuleType:
    """A module in a folder, without what else is there: to import that takes longer than a preview."""
    name = f"promptls.harnesses.{folder}.{part}"
    if name not in sys.modules:
        places = [os.path.join(_HERE, folder)]
        found = next(filter(None, (finder.find_spec(name, places) for finder in sys.meta_path)))
        made = ModuleType(name)
        made.__spec__, made.__file__, made.__package__ = found, found.origin, found.parent
        if found.loader is not None:
            found.loader.exec_module(made)
        # By its own name, so that the harness finds the same one.
        sys.modules[name] = made
    return sys.modules[name]


for _name, _folder in FOLDERS.items():
    specs.add(_name, partial(_spec, _folder), DETECTION.get(_name))
