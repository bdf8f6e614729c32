"""Arrows go down only: cli, lsp -> checks, net -> harnesses -> core. Late imports and those for types count too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[1] / "server"

# What each package may import of promptls; those not named here may import anything that is not kept below.
LAYERS = {
    "core": ("core", "errors"),
    "harnesses": ("harnesses", "core", "errors"),
    "checks": ("checks", "core"),
    "net": ("net", "core", "errors"),
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
    "pydantic": ("options.py", "lsp/payloads.py", "lsp/custom.py"),
    "tests": (),
}
PURE = ("core", "harnesses", "checks")
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


def offences(path: str, source: str) -> list[str]:
    """``file:line`` and a clause for each import in ``source`` that breaks a rule; ``path`` is below promptls/."""
    layer = path.partition("/")[0].removesuffix(".py")
    return [
        f"promptls/{path}:{line}: {layer} imports {module}{' for types' if for_types else ''}"
        for line, module, for_types in _imports(path, source)
        if _is_wrong(path, layer, module, for_types=for_types)
    ]


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


def _imports(path: str, source: str) -> Iterator[tuple[int, str, bool]]:
    """Line, module and whether it is for types only, of each import wherever it stands."""
    tree = ast.parse(source)
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


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/text.py", "from promptls.harnesses import get"),
        ("core/text.py", "from promptls import harnesses"),
        ("core/text.py", "from ..harnesses import get"),
        ("core/text.py", "def late():\n    import asyncio"),
        ("core/text.py", "if TYPE_CHECKING:\n    from promptls.net.client import Client"),
        ("core/formats/yaml.py", "import urllib.request"),
        ("harnesses/etcode.py", "from promptls.checks import problems"),
        ("harnesses/etcode.py", "from promptls.local import local_host"),
        ("harnesses/etcode.py", "import subprocess"),
        ("harnesses/etcode.py", "from dataclasses import dataclass"),
        ("checks/urls.py", "from promptls.harnesses import get"),
        ("net/now.py", "from promptls.harnesses.base import frame"),
        ("cli/preview.py", "from promptls.lsp.main import serve"),
        ("cli/preview.py", "import httpx"),
        ("lsp/server.py", "from promptls.cli import main"),
        ("lsp/server.py", "import pydantic"),
        ("harnesses/base.py", "if TYPE_CHECKING:\n    from pydantic import BaseModel"),
        ("local.py", "import lsprotocol.types"),
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
        ("harnesses/etcode.py", "from promptls.harnesses.base import frame"),
        ("cli/serve.py", "def run():\n    from promptls.lsp.main import serve"),
        ("lsp/features/preview.py", "if TYPE_CHECKING:\n    from pydantic import BaseModel"),
        ("core/values.py", "if TYPE_CHECKING:\n    from dataclasses import dataclass"),
        ("lsp/server.py", "from dataclasses import dataclass"),
        ("lsp/server.py", "from promptls import __version__"),
    ],
)
def test_what_is_allowed_is_not_found(path: str, source: str) -> None:
    assert offences(path, source) == []
