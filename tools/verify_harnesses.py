"""Installs programs from npm, runs their captured cases without a network, and writes docs/verified.md.

    python tools/verify_harnesses.py [--moved] [NAME[@VERSION] ...]

Without names, each harness of which the program is known, in its default version. A row that is not run again stays.
With --moved, the cases that held the last time are not run again.
Installing uses the network; running never does: without a network namespace it stops before anything is run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs

from promptls import harnesses
from promptls.core import specs
from promptls.harnesses import catalogue
from promptls.wire.enclosing import means

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "verified.md"
CASES = TOP / "tests" / "wire" / "cases"
HEAD = """\
# Verified programs

Written by `make verify-harnesses`: the real programs, installed from npm, against the captured cases of promptls, in a
network namespace with loopback only. A case is not run where it is one of another version, where it needs a web server
or a program of the workspace, or where the program ends without a request, as the case says. “In a workspace” is
`promptls verify` in `examples/monorepo`, reading a file: all of the request with its tools, apart from what the preview
itself says that it does not know. `?`: not compared like this yet.

- `at-mention-file` of Copilot CLI cannot hold: a read stands in it for a mention in the prompt, which adds nothing.
- `settle-import-markdown` and `comment-crlf` are sessions of Claude Code 2.1.330. In a file with a comment, 2.1.318
  leaves out definitions of links (`link-definitions-v318`) and ends each line with a line feed, as a preview of it
  shows.
- The settings that name the files of `config-instructions` of Kilo Code, and of `filename-list` of Qwen Code, are not
  among the files of these cases.

| program | version | day | cases that hold | moved | not run | in a workspace |
| --- | --- | --- | --- | --- | --- | --- |
"""
FILE = "packages/api/src/orders.py"
# The means that give a program a network of its own.
NETWORK_OF_ITS_OWN = ("bwrap", "namespaces")
# Seconds, far more than any of them takes.
LIMIT = 30 * 60.0
AGAIN = "--moved"


def main() -> None:
    """Verify what is named, and write the page."""
    if means() not in NETWORK_OF_ITS_OWN:
        sys.exit("There is no network namespace here, so nothing is run.")
    names = [each for each in sys.argv[1:] if each != AGAIN]
    known = (name for name in catalogue.FOLDERS if catalogue.program(name) is not None)
    # An editor is no package.
    wanted = names or [name for name in known if specs.of(name).package]
    rows = {row.split(" | ")[0] + row.split(" | ")[1]: row for row in _known()}
    for each in wanted:
        name, _, version = each.partition("@")
        row = _row(name, version or harnesses.get(name).versions[0].name, only_moved=AGAIN in sys.argv)
        rows[row.split(" | ")[0] + row.split(" | ")[1]] = row
        PAGE.write_text(HEAD + "\n".join(sorted(rows.values())) + "\n", encoding="utf-8")
        print(row)


def _known() -> list[str]:
    if not PAGE.exists():
        return []
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith(("| program", "| ---"))]


def _row(name: str, version: str, *, only_moved: bool) -> str:
    # Outside of the workspace: nothing there is run.
    folder = Path(platformdirs.user_cache_dir("promptls")) / "programs" / f"{name}@{version}"
    folder.mkdir(parents=True, exist_ok=True)
    install = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder)]
    subprocess.run([*install, f"{specs.of(name).package}@{version}"], check=True, timeout=LIMIT)
    env = {**os.environ, "PATH": f"{folder / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"}
    env["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    # Nothing of a folder in which everything is a trap may be started.
    traps = [sys.executable, "-m", "tests.capture.traps", name]
    subprocess.run(traps, env=env, cwd=TOP, check=True, timeout=LIMIT)
    cases = _cases(name, env, folder / "cases.json", only_moved=only_moved)
    count = {state: sum(case["state"] == state for case in cases) for state in ("holds", "moved", "not-run")}
    moved = ", ".join(case["name"] for case in cases if case["state"] == "moved")
    example = TOP / "examples" / "monorepo"
    same = _outcome(_verify([str(example / FILE), "--cwd", str(example), "--harness", name], env))
    day = datetime.now(tz=UTC).date()
    return f"| {name} | {version} | {day} | {count['holds']} | {moved or '0'} | {count['not-run']} | {same} |"


def _outcome(found: dict[str, Any]) -> str:
    """What ``promptls verify`` says of the example, in a few words."""
    count, unknown = len(found["differences"]), len(found["unknown"])
    if count:
        return f"{count} difference{'' if count == 1 else 's'}"
    apart = f", apart from {unknown} part{'' if unknown == 1 else 's'} unknown" if unknown else ""
    return f"the same{apart}"


def _cases(name: str, env: dict[str, str], kept: Path, *, only_moved: bool) -> list[dict[str, Any]]:
    """What came of each case; ``kept`` has it from the last time."""
    known = {case["name"]: case for case in json.loads(kept.read_text("utf-8"))} if kept.exists() else {}
    found = []
    for path in sorted((CASES / name).glob("*.json")):
        case = known.get(path.stem)
        if not only_moved or case is None or case["state"] != "holds":
            case = _verify(["--harness", name, "--cases", str(path)], env)["cases"][0]
            print("\n   ".join([f"{case['state']:<8} {case['name']}", *case["says"]]), flush=True)
        found.append(case)
        known[path.stem] = case
        kept.write_text(json.dumps(list(known.values())), encoding="utf-8")
    return found


def _verify(args: list[str], env: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "promptls", "verify", "--format", "json", *args]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=LIMIT)
    if not ran.stdout:
        sys.exit(ran.stderr)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


if __name__ == "__main__":
    main()
