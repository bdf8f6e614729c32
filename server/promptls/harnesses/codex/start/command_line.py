"""How Codex was started: its command line, and what follows from it.

Sections named here are those of the harness specification for Codex.
"""

from __future__ import annotations

from promptls.core.model import Origin
from promptls.core.values import dataclass
from promptls.harnesses.codex.versions import FEATURES_NOT_MODELLED, KEYS_NOT_MODELLED
from promptls.kit import args
from promptls.kit.candidates import not_modelled
from promptls.kit.paths import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from promptls.core.host import Host
    from promptls.core.model import Session
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.kit.draft import Draft

    Mode = Literal["exec", "interactive", "debug"]

PLAN, REVIEW = "plan", "review"

# Somebody can be asked; ``codex debug prompt-input`` shows the prompt of the interactive program.
INTERACTIVE = ("interactive", "debug")

# The options of ``codex`` and ``codex exec``: with a value that counts, with another value, without one.
VALUES = {
    **dict.fromkeys(("--cd", "-C"), "cd"),
    **dict.fromkeys(("--config", "-c"), "config"),
    **dict.fromkeys(("--model", "-m"), "model"),
    **dict.fromkeys(("--profile", "-p"), "profile"),
    **dict.fromkeys(("--image", "-i"), "image"),
    "--enable": "enable",
    "--disable": "disable",
    **dict.fromkeys(("--sandbox", "-s"), "sandbox"),
    **dict.fromkeys(("--ask-for-approval", "-a"), "approval"),
    "--add-dir": "add-dir",
    "--base": "base",
    "--commit": "commit",
    **dict.fromkeys(("--local-provider", "--color"), "other"),
    **dict.fromkeys(("--output-last-message", "-o", "--output-schema"), "other"),
    # (seen by verify)
    **dict.fromkeys(("--thread-source", "--cyber-access-program"), "other"),
    **dict.fromkeys(("--remote", "--remote-auth-token-env"), "remote"),
}
UNLIMITED = ("--dangerously-bypass-approvals-and-sandbox", "--yolo")
APPROVED = "--approve-for-me"
IGNORES_RULES = "--ignore-rules"
HOOKS_TRUSTED = "--dangerously-bypass-hook-trust"
# These are for the program on the screen only.
ON_SCREEN = ("--no-alt-screen", "--search", "--no-daemon")
SWITCHES = (
    *(*UNLIMITED, APPROVED, HOOKS_TRUSTED, IGNORES_RULES, *ON_SCREEN, "--ephemeral", "--ignore-user-config"),
    *("--json", "--experimental-json", "--skip-git-repo-check", "--uncommitted", "--trust"),
)
NOT_MODELLED = ("--oss", "--strict-config", "--last", "--all", "--worktree")
EXEC = ("exec", "e")
DEBUG = ["debug", "prompt-input"]
OTHER_SESSIONS = ("resume", "fork", "apply", "cloud")


@dataclass(frozen=True, slots=True)
class Start:
    """A start of Codex. ``cwd`` is the working directory with its links resolved, ``directory`` as it was named.

    ``added`` are the directories of ``--add-dir``, ``images`` the files of ``--image`` as they were named.
    """

    command: args.Arguments
    mode: Mode
    directory: str
    cwd: str
    added: tuple[str, ...]
    images: tuple[str, ...]
    is_review: bool = False
    in_editor: bool = False

    @property
    def is_on_screen(self) -> bool:
        """Whether it is the interactive program itself."""
        return self.mode == "interactive" and not self.in_editor

    @property
    def sandbox(self) -> str | None:
        """The sandbox that the command line asks for."""
        return self.command.last("sandbox")

    @property
    def approval(self) -> str | None:
        """Who is asked, as the command line says."""
        return self.command.last("approval")

    @property
    def model(self) -> str | None:
        """The model, as the command line says."""
        return self.command.last("model")

    @property
    def is_unlimited(self) -> bool:
        """No sandbox, and nobody is asked."""
        return not self.command.switches.isdisjoint(UNLIMITED)

    @property
    def is_approved(self) -> bool:
        """Another model is asked in the place of the user."""
        return APPROVED in self.command.switches

    @property
    def are_hooks_trusted(self) -> bool:
        """Hooks run that nobody has trusted."""
        return HOOKS_TRUSTED in self.command.switches

    @property
    def ignores_rules(self) -> bool:
        """No rules file counts."""
        return IGNORES_RULES in self.command.switches

    def option(self, name: str) -> Origin:
        """An option of the command line as the origin of something."""
        return Origin("argument", name=name)


def read_start(session: Session, host: Host) -> Start:
    """The command line of ``codex exec``, unless it says that it is another one.

    The program on the screen has no command of its own: the session says so, or an option or a mode that only it has.
    """
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED), greedy=("image",))
    directory = resolve(session.cwd, command.last("cd") or ".")
    is_on_screen = True if session.editor else session.interactive
    if is_on_screen is None:
        shows = not command.switches.isdisjoint(ON_SCREEN) or command.last("approval") is not None
        is_on_screen = (shows and not set(command.rest[:1]) & set(EXEC)) or session.mode == PLAN
    mode: Mode = "interactive" if is_on_screen else "exec"
    if command.rest[:2] == DEBUG:
        mode = "debug"
    added = tuple(resolve(session.cwd, each) for each in command.values.get("add-dir", ()))
    images = tuple(command.values.get("image", ()))
    words = [word for word in command.rest if word not in EXEC]
    last = session.turns[-1].prompt if session.turns else None
    # Typed on the screen with words, it needs no mode; alone it opens a menu (seen by verify).
    is_typed = mode == "interactive" and (last or "").startswith(f"/{REVIEW} ")
    is_review = session.mode == REVIEW or words[:1] == [REVIEW] or is_typed
    in_editor = session.editor is True
    return Start(command, mode, directory, host.realpath(directory), added, images, is_review, in_editor)


def name_options(draft: Draft, command: args.Arguments, config: CodexConfig) -> None:
    """Options, sub-commands and features that promptls does not model."""
    named = [option for option in NOT_MODELLED if option in command.switches]
    named += ["--remote"] if "remote" in command.values else []
    words = [word for word in command.rest if word not in EXEC]
    named += [word for word in words[:1] if word in OTHER_SESSIONS]
    named += [
        f"features.{name}"
        for name, value in FEATURES_NOT_MODELLED.items()
        if config.is_on("features", name, default=not value) == value
    ]
    named += [key for key in KEYS_NOT_MODELLED if config.find(*key.split(".")) is not None]
    for option in (*named, *command.unknown):
        draft.candidates.append(not_modelled(option))
