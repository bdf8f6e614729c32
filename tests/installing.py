"""Installs a wheel into an environment of its own and tries it there: python -m tests.installing DIST

What the wheel depends on comes from the package index that pip is set up for.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from promptls import __version__
from tests.folder import lay_out

SHOP: dict[str, str | bytes | dict[str, object]] = {"AGENTS.md": "Prices are integers in cents.\n", "app.py": ""}


def main() -> int:
    """Install and try; an assertion fails on the first thing that is wrong."""
    [wheel] = Path(sys.argv[1]).resolve().glob(f"promptls-{__version__}-*.whl")
    assert wheel.with_name(f"promptls-{__version__}.tar.gz").exists()
    with tempfile.TemporaryDirectory(prefix="promptls-installing-") as scratch:
        environment, shop = Path(scratch, "environment"), lay_out(Path(scratch, "shop"), SHOP)
        venv.create(environment, with_pip=False)
        programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
        # The pip that is here already; what is never imported is not compiled.
        pip = (sys.executable, "-m", "pip", "--python", environment, "--quiet", "--disable-pip-version-check")
        run(*pip, "install", "--no-compile", f"promptls[mcp] @ {wheel.as_uri()}", cwd=shop)

        promptls = programs / "promptls"
        assert run(promptls, "--version", cwd=shop) == f"promptls {__version__}\n"
        assert "AGENTS.md" in run(promptls, cwd=shop)
        assert "Prices are integers in cents." in run(promptls, "preview", "app.py", "--harness", "codex", cwd=shop)
        assert "cut" in run(promptls, "rule", "cut", cwd=shop)
        run(promptls, "map", "--html", "map.html", cwd=shop)
        assert "AGENTS.md" in (shop / "map.html").read_text(encoding="utf-8")
        run(promptls, "mcp", cwd=shop)  # ends with its input
        page = run(
            programs / "python",
            "-c",
            "from promptls.workspace.machine import rule_page; print(rule_page('cut'), end='')",
            cwd=shop,
        )
        assert Path(page).is_relative_to(environment.resolve())
        assert Path(page).is_file()
    return 0


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; what it says in its defence, if it fails."""
    done = subprocess.run(
        command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
