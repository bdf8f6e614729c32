"""Arrows go down only: cli, lsp -> wire -> workspace -> sessions, checks -> harnesses -> kit -> core.

Late imports and those for types count too.

None goes in a circle, imports for types included. Features of lsp import no other feature.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

pytestmark = pytest.mark.same_everywhere

SERVER = Path(__file__).parents[1] / "server"

# What each package may import of promptls; those not named here may import anything that is not kept below.
LAYERS = {
    "core": ("core", "errors"),
    "kit": ("kit", "core", "errors"),
    "harnesses": ("harnesses", "kit", "core", "errors"),
    "sessions": ("sessions", "harnesses", "kit", "core", "errors"),
    "checks": ("checks", "core"),
    "net": ("net", "core", "errors"),
    "git": ("git", "core", "errors", "system"),
    "workspace": ("workspace", "git", "checks", "sessions", "harnesses", "kit", "core", "errors", "system"),
    "wire": ("wire", "workspace", "net", "git", "harnesses", "kit", "core", "errors", "system"),
    "page": ("page", "workspace", "sessions", "core"),
    "system": ("system", "core", "errors"),
    "errors": (),
}
# Who alone may import these: a package, or a file of one.
KEPT = {
    "promptls.lsp": ("lsp/", "cli/serve.py"),
    "promptls.cli": ("cli/", "__main__.py"),
    "pygls": ("lsp/",),
    "lsprotocol": ("lsp/",),
    "cattrs": ("lsp/",),
    "httpx": ("net/",),
    "pydantic": (
        "workspace/options.py",
        "workspace/session_file.py",
        "workspace/servers_file.py",
        "lsp/params.py",
        "lsp/results.py",
        "lsp/view_results.py",
        "lsp/custom.py",
    ),
    "mcp": ("cli/mcp_server.py",),
    # Models of what is answered, for generators and tests: to make them takes as long as several answers.
    "promptls.lsp.results": ("lsp/view_results.py",),
    "promptls.lsp.view_results": (),
    "tests": (),
}
# What the plain state of the server is made of.
VALUES = ("capabilities", "documents", "events", "folders", "settings", "shown")
# The features that may import another one, and what for.
BETWEEN_FEATURES = {
    ("actions", "how"): "commands that find out more are some of the actions",
    ("hover", "how"): "a hover links to the commands that find out more",
    ("lens", "how"): "a size that is a lower bound leads to the commands that find out the rest",
    ("actions", "show"): "what opens a view is one of the actions",
    ("show", "folder_map"): "the page of the map is one of the views that it opens",
    ("actions", "trim"): "dropping what is said elsewhere is one of the actions",
    ("actions", "unify"): "making one file of several is one of the actions",
    ("actions", "diagnostics"): "the problems that a document shows are what is fixed",
    ("actions", "sections"): "moving sections is one of the actions, and registers nothing itself",
}
PURE = ("core", "kit", "harnesses", "sessions", "checks")
# Ways out of the process, which the pure packages have only through a host.
WAYS_OUT = (
    "asyncio",
    "concurrent",
    "http",
    "multiprocessing",
    "selectors",
    "signal",
    "socket",
    "ssl",
    "subprocess",
    "threading",
    "urllib.request",
    "importlib.metadata",
)
# Not at run time where a preview needs it: they cost more than a preview (core.values takes their place).
SLOW = ("dataclasses", "inspect")

# Who may start a process: git, the user's pager, this program itself (the check of a folder, a start in another
# encoding, the tools of agents, what runs a program of the user's), and the program of a harness that is captured.
STARTERS = (
    *("cli/__init__.py", "cli/pager.py", "git/__init__.py", "git/replica.py", "lsp/checker.py", "lsp/commanded.py"),
    "cli/mcp_server.py",
    # Parts of a long history, each by this program itself.
    "cli/log.py",
    *("wire/run.py", "wire/started_program.py", "wire/vscode.py", "wire/enclosing.py", "wire/inside.py"),
    "wire/server_client.py",
    # The tool of the user's that is scored.
    "wire/conformance.py",
    # A terminal, for a program that the runner starts.
    "wire/screen.py",
)
STARTS = re.compile(
    r"subprocess\.(Popen|run|call|check_\w+|getoutput|getstatusoutput)|pty\.\w+"
    r"|os\.(system|popen|exec\w+|spawn\w+|posix_spawnp?|fork\w*|startfile)"
    r"|\w+\.(subprocess_(exec|shell)|create_subprocess_(exec|shell))|anyio\.(run|open)_process"
)
# Who may open a file: what is at a path may be a FIFO, on which a bare ``open`` waits. Others ask core/files.py.
OPENERS = {
    "core/files.py": "looks before and after it opens",
    "git/__init__.py": "the null device, and a file that it makes",
    "git/replica.py": "files of a repository that it makes",
    "system/streams.py": "the null device",
    "cli/output.py": "the null device",
    "system/write_file.py": "a file that it makes",
    "system/write_together.py": "a directory, to have the disk keep it",
    "workspace/record_store.py": "asks what is there before, and looks again after",
    "net/cache.py": "a file that it makes",
    "wire/linux.py": "files of its own process, and places for Landlock that are only named",
    "wire/inside.py": "a namespace, and files that it makes",
    "wire/enclosing.py": "files that it makes",
    "wire/cases.py": "a directory that it makes",
    "wire/conformance.py": "files in a directory that it makes",
    "wire/run.py": "a directory that it makes",
    "wire/learn.py": "a directory that it makes, and data of this package",
    "wire/scratch.py": "the same",
    "wire/runner.py": "files in that directory",
    "wire/editor.py": "what a program that an editor runs says on its error output",
    "wire/vscode.py": "the same",
    "lsp/written.py": "a file of its own that it writes",
    "harnesses/agent_core/__init__.py": "data of this package",
    "harnesses/etcode/__init__.py": "data of this package",
    "harnesses/mini_claude_code/__init__.py": "data of this package",
}
OPENS = re.compile(
    r"open|(os|io|codecs|gzip|bz2|lzma|tokenize|shelve)\.(open|fdopen|open_code)|linecache\.\w+|fileinput\.\w+"
    r"|.+\.(read_text|read_bytes|write_text|write_bytes)|shutil\.(copy\w*|move)|tempfile\.\w+"
)


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def offences(path: str, source: str) -> list[str]:
    """``file:line`` and a clause for each import in ``source`` that breaks a rule; ``path`` is below promptls/."""
    layer = path.partition("/")[0].removesuffix(".py")
    return [
        f"promptls/{path}:{line}: {layer} imports {module}{' for types' if for_types else ''}"
        for line, module, for_types in _imports(path, source)
        if _is_wrong(path, layer, module, for_types=for_types)
    ]


def calls(path: str, source: str) -> list[str]:
    """``file:line`` and the function, for each call that starts a process or opens a file, and may not."""
    called = [(node.lineno, ast.unparse(node.func)) for node in ast.walk(_parsed(source)) if isinstance(node, ast.Call)]
    return [
        f"promptls/{path}:{line}: {name}"
        for line, name in called
        if (STARTS.fullmatch(name) and path not in STARTERS) or (OPENS.fullmatch(name) and path not in OPENERS)
    ]


def file_arrows(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Which of the files (path below promptls/, and source) each of them imports."""
    names = {_name(path): path for path in sources}
    arrows: dict[str, set[str]] = {path: set() for path in sources}
    for path, source in sources.items():
        for _, module, _ in _imports(path, source):
            # What is imported is a module, or is in one.
            found = names.get(module) or names.get(module.rpartition(".")[0])
            if found is not None and found != path:
                arrows[path].add(found)
    return arrows


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """A circle of imports, its first file again at the end; empty if there is none."""
    left = {path: set(to) for path, to in arrows.items()}
    while leaves := {path for path, to in left.items() if not to & left.keys()}:
        left = {path: to for path, to in left.items() if path not in leaves}
    way: list[str] = sorted(left)[:1]
    while way and way[-1] not in way[:-1]:
        way.append(min(left[way[-1]] & left.keys()))
    return way[way.index(way[-1]) :] if way else []


def between_features(arrows: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """The pairs of features of which the first imports the second."""
    inside = "lsp/features/"
    return {
        (path.removeprefix(inside).removesuffix(".py"), to.removeprefix(inside).removesuffix(".py"))
        for path, every in arrows.items()
        for to in every
        if path.startswith(inside) and to.startswith(inside)
    }


def _name(path: str) -> str:
    return "promptls." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_wrong(path: str, layer: str, module: str, *, for_types: bool) -> bool:
    for kept, owners in KEPT.items():
        # The name of pydantic's base class may be said anywhere in lsp, as long as it is not imported at run time.
        may = ("lsp/",) if kept == "pydantic" and for_types else owners
        if _is_within(module, kept) and not path.startswith(may):
            return True
    if layer in PURE and any(_is_within(module, way) for way in WAYS_OUT):
        return True
    if layer in PURE and not for_types and any(_is_within(module, slow) for slow in SLOW):
        return True
    allowed = LAYERS.get(layer)
    if allowed is None or not _is_within(module, "promptls") or module in ("promptls", "promptls.__version__"):
        return False
    return module.split(".")[1] not in allowed


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@cache
def _imports(path: str, source: str) -> tuple[tuple[int, str, bool], ...]:
    return tuple(_each_import(path, source))


def _each_import(path: str, source: str) -> Iterator[tuple[int, str, bool]]:
    """Line, module and whether it is for types only, of each import, wherever it is."""
    tree = _parsed(source)
    guards = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _is_type_guard(node.test)]
    typed = {inner for guard in guards for statement in guard.body for inner in ast.walk(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, node in typed
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = ["promptls", *path.split("/")[: -node.level]]
                base = ".".join([*above, base] if base else above)
            # "from promptls import lsp" names a module, "from promptls.lsp import main" too.
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}", node in typed


def _is_type_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def test_arrows_go_down_only() -> None:
    root = SERVER / "promptls"
    found = [
        each
        for path in sorted(root.rglob("*.py"))
        for each in offences(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def _all_arrows(below: str = "") -> dict[str, set[str]]:
    root = SERVER / "promptls"
    paths = sorted((root / below).rglob("*.py"))
    return file_arrows({path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths})


def test_no_arrow_goes_in_a_circle() -> None:
    arrows = _all_arrows()
    assert "lsp/protocol.py" in arrows["lsp/server.py"], "arrows are found at all"
    assert circle(arrows) == []


def test_no_arrow_goes_from_a_feature_to_another() -> None:
    arrows = _all_arrows("lsp")
    assert between_features(arrows) == BETWEEN_FEATURES.keys()
    assert arrows["lsp/context.py"] == {f"lsp/{name}.py" for name in VALUES}, "it imports values only"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from promptls.lsp.b import B", "from promptls.lsp.a import A"),
        ("from promptls.lsp import b", "def late():\n    from promptls.lsp import a"),
        ("from promptls.lsp.b import B", "if TYPE_CHECKING:\n    from promptls.lsp.a import A"),
        ("from .b import B", "from . import a"),
    ],
)
def test_a_circle_is_found(first: str, second: str) -> None:
    arrows = file_arrows({"lsp/a.py": first, "lsp/b.py": second, "lsp/c.py": "from promptls.lsp.a import A"})
    assert circle(arrows) == ["lsp/a.py", "lsp/b.py", "lsp/a.py"]
    assert circle({**arrows, "lsp/b.py": set()}) == []


def test_a_feature_that_imports_another_is_found() -> None:
    sources = {"lsp/features/a.py": "from promptls.lsp.features import b", "lsp/features/b.py": ""}
    assert between_features(file_arrows(sources)) == {("a", "b")}


def test_only_a_few_start_a_process_or_open_a_file() -> None:
    root = SERVER / "promptls"
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    assert [each for path, text in sorted(texts.items()) for each in calls(path, text)] == []
    assert {*STARTERS, *OPENERS} <= texts.keys()


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess\nsubprocess.run(['git'])",
        "import os\nos.system('git')",
        "async def f(loop):\n    await asyncio.create_subprocess_exec('git')",
        "def f(path):\n    return open(path)",
        "with os.fdopen(os.open('x', 0)) as file:\n    pass",
        "text = Path('x').read_text()",
    ],
)
def test_a_call_that_may_not_be_is_found(source: str) -> None:
    assert calls("git/listing.py", source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/text.py", "from promptls.harnesses import get"),
        ("core/text.py", "from promptls import harnesses"),
        ("core/text.py", "from ..harnesses import get"),
        ("core/text.py", "def late():\n    import asyncio"),
        ("core/text.py", "if TYPE_CHECKING:\n    from promptls.net.client import Client"),
        ("core/formats/tree.py", "import urllib.request"),
        ("harnesses/etcode.py", "from promptls.checks import prompt_problems"),
        ("harnesses/etcode.py", "from promptls.workspace.machine import local_host"),
        ("harnesses/etcode.py", "import subprocess"),
        ("harnesses/etcode.py", "from dataclasses import dataclass"),
        ("checks/urls.py", "from promptls.harnesses import get"),
        ("net/now.py", "from promptls.kit.base import frame"),
        ("cli/preview.py", "from promptls.lsp.main import serve"),
        ("cli/preview.py", "import httpx"),
        ("lsp/server.py", "from promptls.cli import main"),
        ("lsp/server.py", "import pydantic"),
        ("kit/base.py", "if TYPE_CHECKING:\n    from pydantic import BaseModel"),
        ("workspace/machine.py", "import lsprotocol.types"),
        ("errors.py", "from promptls.core import model"),
        ("core/text.py", "from tests.folder import lay_out"),
    ],
)
def test_an_arrow_that_goes_up_is_found(path: str, source: str) -> None:
    line = source.count("\n") + 1
    assert [each.partition(": ")[0] for each in offences(path, source)] == [f"promptls/{path}:{line}"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/text.py", "import re\nfrom promptls.core.model import Range\nfrom promptls.errors import UsageError"),
        ("harnesses/etcode.py", "from promptls.kit.base import frame"),
        ("cli/serve.py", "def run():\n    from promptls.lsp.main import serve"),
        ("lsp/features/preview.py", "if TYPE_CHECKING:\n    from pydantic import BaseModel"),
        ("core/values.py", "if TYPE_CHECKING:\n    from dataclasses import dataclass"),
        ("lsp/server.py", "from dataclasses import dataclass"),
        ("lsp/server.py", "from promptls import __version__"),
    ],
)
def test_what_is_allowed_is_not_found(path: str, source: str) -> None:
    assert offences(path, source) == []


# What ``workspace/request.py`` asks for everybody: the settings and harnesses of a place, the session that is meant,
# and a host of this machine. Where else that is asked, and why.
ROAD: dict[str, dict[str, str]] = {
    "promptls.sessions.detect.in_use": {"sessions/explain.py": "of the directory of each rule that it tries"},
    "promptls.sessions.habits.habits_of": {},
    "promptls.sessions.start.session_of": {},
    "promptls.sessions.start.start_of": {
        "sessions/explain.py": "starts of every harness, also of those that nobody uses",
        "sessions/of_folder.py": "the starts that matter in a tree; the folder's settings are given",
        "sessions/remedies.py": "the start that a remedy is tried in; its settings are given",
    },
    "promptls.workspace.machine.local_host": {},
    "promptls.workspace.settings_file.at": {},
}


def test_only_a_request_asks_for_the_session_that_is_meant() -> None:
    root = SERVER / "promptls"
    found: dict[str, set[str]] = {name: set() for name in ROAD}
    for path in root.rglob("*.py"):
        for _, name, _ in _imports(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")):
            if name in found:
                found[name].add(path.relative_to(root).as_posix())
    assert found == {name: {"workspace/request.py", *others} for name, others in ROAD.items()}


# Lines of the longest function, with its docstring.
LONGEST = 60


def test_no_function_is_longer_than_a_page() -> None:
    long = [
        f"{path.relative_to(SERVER)}:{node.lineno} {node.name}"
        for path in sorted(SERVER.rglob("*.py"))
        for node in ast.walk(_parsed(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > LONGEST
    ]
    assert long == []


# Where the server hands work to another thread: what may run there is said in ``lsp/context.py``.
THREADS = {
    "lsp/checker_process.py",
    "lsp/features/comparison.py",
    "lsp/features/folder_map.py",
    "lsp/folder_checks.py",
    "lsp/previews.py",
    "lsp/stdio.py",
}


def test_the_server_begins_threads_where_it_says_so() -> None:
    begins = re.compile(r"run_in_executor\(|to_thread\(|Thread\(|ThreadPoolExecutor\(")
    found = {
        path.relative_to(SERVER / "promptls").as_posix()
        for path in (SERVER / "promptls" / "lsp").rglob("*.py")
        if begins.search(path.read_text(encoding="utf-8"))
    }
    assert found == THREADS


# What a worker may ask of the state of the server: values of that moment, which nobody changes.
FOR_WORKERS = {"documents", "folder_of", "client"}
# What hands work to a worker.
HANDS_OVER = ("run", "to_thread", "run_in_executor")


def _on_workers(tree: ast.AST) -> Iterator[ast.AST]:
    """What is done on another thread: what ``Previews.run`` and the like are given, and what it calls in its module."""
    made = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    given = [each for call in calls if getattr(call.func, "attr", "") in HANDS_OVER for each in call.args]
    waiting: list[ast.AST] = [each for each in given if isinstance(each, ast.Lambda | ast.Name)]
    seen: set[str] = set()
    while waiting:
        node = waiting.pop()
        yield node
        for name in {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & made.keys() - seen:
            seen.add(name)
            waiting.append(made[name])


def _of_loop(tree: ast.AST) -> set[str]:
    """What work on another thread uses of the state of the server, beside what it may."""
    used = (node for work in _on_workers(tree) for node in ast.walk(work) if isinstance(node, ast.Attribute))
    # An editor has another context, in what it asks with.
    names = ((ast.unparse(node.value), node.attr) for node in used)
    return {name for of, name in names if of.endswith("context") and of != "params.context"} - FOR_WORKERS


def test_a_worker_touches_nothing_of_the_loop() -> None:
    found = {
        path.relative_to(SERVER / "promptls").as_posix(): names
        for path in (SERVER / "promptls" / "lsp").rglob("*.py")
        if (names := _of_loop(_parsed(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_a_worker_that_touches_it_is_found() -> None:
    source = """
def _told(server):
    server.context.events.emit(None)

async def ask(self):
    def work():
        return self._context.settings
    return await self.run(work), await self.previews.run(lambda: _told(self.server, self.context.documents))
"""
    assert _of_loop(_parsed(source)) == {"settings", "events"}


def test_pygls_is_bounded_to_the_minor_version_whose_kernel_is_replaced() -> None:
    project = tomllib.loads((SERVER.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (bound,) = [each for each in project["dependencies"] if each.startswith("pygls")]
    major, minor = metadata.version("pygls").split(".")[:2]
    assert bound == f"pygls>={major}.{minor},<{major}.{int(minor) + 1}"
