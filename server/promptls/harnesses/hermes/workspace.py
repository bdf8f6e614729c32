"""What Hermes says of a folder with code: its root, the state of git, and which manifests and files it has.

[source] is the program's package: agent/coding_context.py.
"""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.text import decode
from promptls.kit.paths import first_above, join, native, resolve, upwards
from promptls.kit.segments import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import GitState, Layer, Segment
    from promptls.harnesses.hermes.versions import Facts
    from promptls.kit.writer import Writer

WHY = "in a folder with code, Hermes tells the model of its root, of git, and of its manifests"
LAYER: Layer = "environment"
OPENING = "Workspace (snapshot at session start — re-check with `git` before acting on it):\n"
MANIFESTS = (
    *("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "package.json", "tsconfig.json", "deno.json"),
    *("Cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json", "mix.exs"),
    *("pubspec.yaml", "CMakeLists.txt", "Makefile", "Dockerfile"),
)
FILES = ("AGENTS.md", "CLAUDE.md", ".cursorrules")
CODE = regex(
    r"\.(?:pyi?|ipynb|[jt]sx?|[mc]js|go|rs|java|kts?|scala|rb|php|[chmr]|cc|[ch]pp|cs|swift|mm|dart|exs?|lua|sh|bash|zsh"
    r"|sql|vue|svelte|jl|hs|clj|erl|pl)$",
    re.IGNORECASE,
)
LEFT_OUT = ("node_modules", "venv", "__pycache__", "dist", "build", "target", "vendor")
OF_PYTHON = {"uv.lock": "uv", "poetry.lock": "poetry", "Pipfile.lock": "pipenv"}
OF_NODE = {
    "pnpm-lock.yaml": "pnpm",
    "bun.lockb": "bun",
    "bun.lock": "bun",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
}
TARGETS = ("test", "tests", "lint", "typecheck", "check", "build", "fmt", "format")
CONFLICTS = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")
LARGEST = 256 * 1024


def is_coding(host: Host, facts: Facts, cwd: str, mode: str) -> bool:
    """Whether Hermes takes the folder for one with code (wire: coding-off, git-state) [source]."""
    if mode in ("on", "off"):
        return mode == "on"
    root = first_above(host, cwd, ".git")
    return marked(host, facts, cwd) is not None or (
        root is not None and root != host.realpath(host.home) and _has_code(host, root)
    )


def marked(host: Host, facts: Facts, cwd: str) -> str | None:
    """The nearest directory with a manifest or an instruction file; the home directory is none [source]."""
    never = (host.realpath(host.home), host.realpath(host.env.get("TMPDIR") or "/tmp"))  # noqa: S108 - what it says
    for directory in [*upwards(cwd)][: facts.above + 1]:
        is_marked = (host.kind(join(directory, each)) is not None for each in (*MANIFESTS, *FILES))
        if directory not in never and any(is_marked):
            return directory
    return None


def _has_code(host: Host, root: str) -> bool:
    entries = host.entries(root)
    folders = [e.name for e in entries if e.is_directory and e.name[0] != "." and e.name not in LEFT_OUT]
    places = [(root, each) for each in entries]
    places += [(join(root, name), each) for name in folders for each in host.entries(join(root, name))]
    return any(CODE.search(each.name) and not each.is_directory for _, each in places)


def workspace(writer: Writer, facts: Facts) -> Iterator[Segment]:
    """The block, without an end (wire: git-state, submodule)."""
    host = writer.host
    top = first_above(host, writer.cwd, ".git")
    root = top or marked(host, facts, writer.cwd)
    if root is None:
        return
    yield tail(f"\n\n{OPENING}- Root: {native(root)}", LAYER)
    if top is not None:
        state = host.git(top)
        if state is None and not _is_dead(host, top):
            yield tail("\n", LAYER)
            yield writer.own("state of git", why=WHY, layer=LAYER)
        else:
            yield from _git(writer, facts, top, state)
    said = "".join(f"\n- {each}" for each in _facts(host, facts, root))
    yield tail(said, LAYER)


def _is_dead(host: Host, root: str) -> bool:
    """Whether git fails in it: a file .git that leads nowhere (wire: submodule)."""
    git = join(root, ".git")
    head, _, there = (
        decode(host.read(git).data, keep_bom=True).partition(":") if host.kind(git) == "file" else ("",) * 3
    )
    return head == "gitdir" and host.kind(join(resolve(root, there.strip()), "HEAD")) is None


def _git(writer: Writer, facts: Facts, root: str, state: GitState | None) -> Iterator[Segment]:
    host, git = writer.host, join(root, ".git")
    if state is not None:
        yield tail(f"\n- Branch: {state.branch or '(detached HEAD)'}", LAYER)
        told = decode(host.read(join(git, "config")).data, keep_bom=True) if host.kind(git) == "directory" else ""
        if f'[branch "{state.branch}"]' in told:
            yield writer.own("branch that it follows", why=WHY, layer=LAYER)
    if host.kind(git) == "file" and state is not None:
        place = resolve(root, decode(host.read(git).data, keep_bom=True).partition(":")[2].strip())
        if host.kind(join(place, "commondir")) == "file":
            yield tail("\n- Worktree: linked (git state shared with primary tree)", LAYER)
    yield tail(f"\n- Status: {_status(state.status if state is not None else '') or 'clean'}", LAYER)
    commits = state.log.splitlines()[: facts.commits] if state is not None else []
    if commits:
        yield tail("\n- Recent commits:" + "".join(f"\n    {each}" for each in commits), LAYER)


def _status(status: str) -> str:
    marks = [line[:2] for line in status.splitlines() if not line.startswith("##")]
    others = [each for each in marks if each != "??" and each not in CONFLICTS]
    counts = {
        "staged": sum(each[0] != " " for each in others),
        "modified": sum(each[1] != " " for each in others),
        "untracked": marks.count("??"),
        "conflicts": sum(each in CONFLICTS for each in marks),
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def _facts(host: Host, facts: Facts, root: str) -> Iterator[str]:
    def there(names: Iterable[str]) -> list[str]:
        return [each for each in names if host.kind(join(root, each)) == "file"]

    managers = dict.fromkeys({**OF_PYTHON, **OF_NODE}[each] for each in there((*OF_PYTHON, *OF_NODE)))
    manifests = there(MANIFESTS)[: facts.manifests]
    if manifests:
        by = f" ({'/'.join(managers)})" if managers else ""
        yield f"Project: {', '.join(manifests)}{by}"
    commands = [*dict.fromkeys(_commands(host, root, there(OF_NODE)))][: facts.commands]
    if commands:
        yield f"Verify: {'; '.join(commands)}"
    if files := there(FILES):
        yield f"Context files: {', '.join(files)}"


def _commands(host: Host, root: str, locks: list[str]) -> Iterator[str]:
    if host.kind(join(root, "scripts/run_tests.sh")) == "file":
        yield "scripts/run_tests.sh"
    if text := _small(host, join(root, "package.json")):
        import json  # noqa: PLC0415 - only where there is a package

        try:
            scripts = json.loads(text).get("scripts") or {}
        except (ValueError, AttributeError, RecursionError):
            scripts = {}
        manager = OF_NODE[locks[0]] if locks else "npm"
        yield from (f"{manager} run {each}" for each in TARGETS if each in scripts)
    if host.kind(join(root, "pytest.ini")) == "file" or "[tool.pytest" in _small(host, join(root, "pyproject.toml")):
        yield "pytest"
    makefile = _small(host, join(root, "Makefile"))
    yield from (f"make {each}" for each in TARGETS if re.search(rf"^{each}\s*:", makefile, re.MULTILINE))


def _small(host: Host, path: str) -> str:
    contents = host.read(path) if host.kind(path) == "file" else None
    return decode(contents.data, keep_bom=True) if contents is not None and contents.size <= LARGEST else ""
