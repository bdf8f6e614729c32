"""opencode's environment variables, as it reads them."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host

CONTENT, PLAN_FILES = "OPENCODE_CONFIG_CONTENT", "OPENCODE_EXPERIMENTAL_PLAN_MODE"
# All experiments at once (seen by verify).
EVERY = "OPENCODE_EXPERIMENTAL"
# Tools that one of these variables brings (seen by verify).
BRINGS = {
    "websearch": (
        *("OPENCODE_ENABLE_EXA", "OPENCODE_EXPERIMENTAL_EXA", "OPENCODE_ENABLE_PARALLEL"),
        *("OPENCODE_EXPERIMENTAL_PARALLEL", EVERY),
    ),
    "lsp": ("OPENCODE_EXPERIMENTAL_LSP_TOOL", EVERY),
}
BACKGROUND = ("OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS", EVERY)
TIMEOUT, USUAL_TIMEOUT = "OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS", "120000"
MANAGED, MANAGED_WINDOWS = "/etc/opencode", "C:/ProgramData"


@dataclass(frozen=True, slots=True)
class Flags:
    """The environment variables that matter, as opencode reads them. ``fatal`` is one that it refuses."""

    no_project_config: bool
    no_claude: bool
    # Skills of Claude Code, and those of any other program (parts: skills-disable-claude-skills).
    no_claude_skills: bool
    no_external_skills: bool
    config_file: str | None
    config_directory: str | None
    content: str | None
    managed: str
    # OPENCODE_TEST_HOME moves ``home``, but neither ``xdg`` nor where ``{file:~/}`` looks.
    home: str
    real_home: str
    xdg: str
    fatal: str | None
    # Plan mode writes the plan to a file (captured: mode-plan-experimental).
    has_plan_files: bool = False
    # Tools that only a variable brings, and whether the tool task may start agents in the background.
    tools: frozenset[str] = frozenset()
    has_background: bool = False
    # The milliseconds that the tool bash names, as text.
    timeout: str = USUAL_TIMEOUT

    @property
    def directory(self) -> str:
        """Where the global AGENTS.md is looked for (section 3)."""
        return self.config_directory or self.xdg


def flags(host: Host, cwd: str) -> Flags:
    """Read the environment."""
    env = host.env
    xdg = env.get("XDG_CONFIG_HOME") or join(host.home, ".config")
    directory = env.get("OPENCODE_CONFIG_DIR")
    managed = MANAGED
    if host.platform == "win32":
        managed = join(env.get("PROGRAMDATA") or MANAGED_WINDOWS, "opencode")
    timeout = env.get(TIMEOUT) or ""
    given = {flag: env.get(flag) for flag in (*NO_CLAUDE, NO_CLAUDE_SKILLS, NO_EXTERNAL_SKILLS)}
    on = {flag for flag, value in given.items() if value in YES}
    return Flags(
        no_project_config=(env.get("OPENCODE_DISABLE_PROJECT_CONFIG") or "").lower() in ("1", "true"),
        no_claude=not on.isdisjoint(NO_CLAUDE),
        no_claude_skills=not on.isdisjoint((NO_CLAUDE[0], NO_CLAUDE_SKILLS, NO_EXTERNAL_SKILLS)),
        no_external_skills=NO_EXTERNAL_SKILLS in on,
        config_file=resolve(cwd, env["OPENCODE_CONFIG"]) if env.get("OPENCODE_CONFIG") else None,
        config_directory=resolve(cwd, directory) if directory else None,
        content=env.get(CONTENT),
        managed=resolve(cwd, env.get("OPENCODE_TEST_MANAGED_CONFIG_DIR") or managed),
        home=resolve(cwd, env.get("OPENCODE_TEST_HOME") or host.home),
        real_home=resolve(cwd, host.home),
        xdg=resolve(cwd, join(xdg, "opencode")),
        fatal=next((flag for flag, value in given.items() if value is not None and value not in YES + NO), None),
        has_plan_files=(env.get(PLAN_FILES) or "").lower() in ("1", "true") or env.get(EVERY) in YES,
        tools=frozenset(tool for tool, names in BRINGS.items() if any(env.get(each) in YES for each in names)),
        has_background=any(env.get(each) in YES for each in BACKGROUND),
        timeout=timeout if timeout.isascii() and timeout.isdigit() and int(timeout) else USUAL_TIMEOUT,
    )


NO_CLAUDE = ("OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT")
NO_CLAUDE_SKILLS, NO_EXTERNAL_SKILLS = "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "OPENCODE_DISABLE_EXTERNAL_SKILLS"
# Exactly these; any other value, also another case or the empty string, ends the program (seen on the wire).
YES = ("true", "yes", "on", "1", "y")
NO = ("false", "no", "off", "0", "n")
