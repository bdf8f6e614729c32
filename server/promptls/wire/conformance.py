"""Scores a program that says what of a tree a coding agent sends, by the cases of conformance/.

Each case is laid out below a directory of its own. The program gets the case without its answer as JSON on standard
input, and says as JSON on standard output which sentinels are sent. conformance/README.md describes both.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile

from promptls.core import files
from promptls.core.lazy import regex
from promptls.core.paths import is_below, join, parent, resolve
from promptls.core.values import dataclass
from promptls.errors import UsageError
from promptls.system.processes import end_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Seconds that a program may take for one case, and bytes that a case may have.
MOST_SECONDS = 60
MOST_FILE = 4 * 1024 * 1024
# When the first file of a tree was changed; each later one a second after the one before it.
FIRST_CHANGE = 1_760_000_000
ANSWERED, DECLINED, FAILED = "answered", "declined", "failed"
# Variables that a program keeps: where programs are, and what its own start needs.
KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PYTHONPATH", "VIRTUAL_ENV", "NODE_PATH")
NOT_A_SLUG = regex(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: whether the program answered, and which of the four measures hold.

    ``which``: exactly the right sentinels. ``order``: also in the right order. ``roles``: also in the right role.
    ``times``: also as often as was sent. ``detail``: what is wrong first.
    """

    program: str
    version: str
    name: str
    state: str
    which: bool = False
    order: bool = False
    roles: bool = False
    times: bool = False
    detail: str = ""


def read_cases(directory: str, program: str | None = None, name: str | None = None) -> list[dict[str, Any]]:
    """The cases below a directory, all, or those of a program, or those of a name.

    Raises:
        UsageError: there are none, or a file is no case.
    """
    folders = [each.name for each in files.entries(directory) if program in (None, each.name)]
    paths = sorted(
        join(directory, each, file.name) for each in folders for file in files.entries(join(directory, each))
    )
    wanted = ".json" if name is None else f"/{name}.json"
    found = [_read(path) for path in paths if path.endswith(wanted)]
    if not found:
        raise UsageError(f"There are no such cases in {directory}; name the folder with --cases DIR.")
    return found


def _read(path: str) -> dict[str, Any]:
    read = files.read(path, MOST_FILE)
    try:
        case = json.loads(read.data)
        keys = {"name", "program", "version", "tree", "start", "sentinels", "request"}
        if isinstance(case, dict) and keys <= case.keys() and not read.is_cut:
            return case
    except ValueError:
        pass
    raise UsageError(f"{path} is no case; see the README beside the cases.")


def scored(case: dict[str, Any], command: Sequence[str]) -> Outcome:
    """Lay a case out, ask the program, and compare what it says with what was sent.

    Raises:
        UsageError: the case has a path outside of its tree.
    """
    with tempfile.TemporaryDirectory(prefix="promptls-") as made:
        top = os.path.realpath(made).replace(os.sep, "/")
        lay_out(case, top)
        return compared(case, *_asked(question(case, top), case, command, top))


def filled(value: Any, top: str) -> Any:
    """A value of a case with real paths in place of ``${WORKSPACE}``, ``${HOME}`` and ``${SLUG}``."""
    if isinstance(value, str):
        value = value.replace("${WORKSPACE}", f"{top}/workspace").replace("${HOME}", f"{top}/home")
        value = value.replace("${USERDATA}", f"{top}/ud/User")
        return value.replace("${SLUG}", NOT_A_SLUG.sub("-", top))
    if isinstance(value, dict):
        return {filled(key, top): filled(each, top) for key, each in value.items()}
    return [filled(each, top) for each in value] if isinstance(value, list) else value


def question(case: dict[str, Any], top: str) -> dict[str, Any]:
    """What the program is asked: a case without its answer, with real paths."""
    start = filled(case["start"], top)
    start["cwd"] = resolve(f"{top}/workspace", start["cwd"])
    asked = {"program": case["program"], "version": case["version"], "workspace": f"{top}/workspace"}
    return {**asked, "home": f"{top}/home", "top": top, "start": start, "sentinels": list(case["sentinels"])}


def lay_out(case: dict[str, Any], top: str) -> None:
    """Write the tree of a case below ``top``.

    Raises:
        UsageError: a path leads out of it.
    """
    for name in ("workspace", "home"):
        os.makedirs(join(top, name), exist_ok=True)
    tree = case["tree"]
    for number, (name, text) in enumerate(tree["files"].items()):
        path = _inside(top, name, case)
        if name.endswith("/"):
            os.makedirs(path, exist_ok=True)
            continue
        os.makedirs(parent(path), exist_ok=True)
        data = base64.b64decode(text["base64"]) if isinstance(text, dict) else filled(text, top).encode()
        with open(path, "wb") as file:
            file.write(data)
        os.utime(path, (FIRST_CHANGE + number, FIRST_CHANGE + number))
    for name, target in tree["links"].items():
        path = _inside(top, name, case)
        os.makedirs(parent(path), exist_ok=True)
        os.symlink(filled(target, top), path)
    for name in tree["repositories"]:
        git = f"{_inside(top, name, case)}/.git"
        for each in ("objects", "refs/heads"):
            os.makedirs(join(git, each), exist_ok=True)
        with open(f"{git}/HEAD", "w", encoding="utf-8") as file:
            file.write("ref: refs/heads/main\n")
    os.makedirs(_inside(top, question(case, top)["start"]["cwd"], case), exist_ok=True)


def _inside(top: str, name: str, case: dict[str, Any]) -> str:
    path = resolve(top, filled(name, top))
    if not is_below(path, top):
        raise UsageError(f"The case {case['name']} has the path {name}, which is outside of its tree.")
    return path


def _asked(asked: dict[str, Any], case: dict[str, Any], command: Sequence[str], top: str) -> tuple[Any, str]:
    """What the program said, and else a clause on why it said nothing."""
    env = {name: value for name, value in os.environ.items() if name in KEPT}
    env |= {"HOME": f"{top}/home", **filled(case["start"].get("env", {}), top)}
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            list(command),
            cwd=asked["start"]["cwd"],
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
    except OSError as error:
        raise UsageError(f"{command[0]} does not start: {error.strerror or error}.") from None
    try:
        out, err = process.communicate(json.dumps(asked).encode(), MOST_SECONDS)
    except subprocess.TimeoutExpired:
        end_group(process)
        process.communicate()
        return None, f"no answer within {MOST_SECONDS} s"
    try:
        return json.loads(out), ""
    except ValueError:
        last = err.decode(errors="replace").strip().splitlines()[-1:]
        return None, last[0][:200] if last else "what it prints is not JSON"


def compared(case: dict[str, Any], said: Any, why: str) -> Outcome:
    """What a program said beside what was sent."""
    of_case = (case["program"], case["version"], case["name"])
    if isinstance(said, dict) and isinstance(said.get("unknown"), str):
        return Outcome(*of_case, DECLINED, detail=said["unknown"])
    listed = said.get("sentinels") if isinstance(said, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, str | dict) for each in listed):
        return Outcome(*of_case, FAILED, detail=why or "its answer has no list “sentinels”")
    told = [each if isinstance(each, dict) else {"sentinel": each} for each in listed]
    wanted = case["request"]
    is_which = {each.get("sentinel") for each in told} == {each["sentinel"] for each in wanted}
    in_order = _column(told, "sentinel") == _column(wanted, "sentinel") or not case.get("ordered", True)
    is_order = is_which and in_order
    is_roles = is_order and _by_sentinel(told, "role") == _by_sentinel(wanted, "role")
    is_times = is_roles and _by_sentinel(told, "times") == _by_sentinel(wanted, "times")
    detail = "" if is_times else _difference(told, wanted)
    return Outcome(*of_case, ANSWERED, is_which, is_order, is_roles, is_times, detail)


def _column(listed: list[dict[str, Any]], key: str) -> list[Any]:
    return [each.get(key) for each in listed]


def _by_sentinel(listed: list[dict[str, Any]], key: str) -> dict[Any, Any]:
    return {each.get("sentinel"): each.get(key) for each in listed}


def _difference(told: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> str:
    said, sent = _column(told, "sentinel"), _column(wanted, "sentinel")
    missing = [each for each in sent if each not in said]
    extra = [str(each) for each in said if each not in sent]
    if missing or extra:
        return ", ".join([*(f"missing {each}" for each in missing), *(f"not sent {each}" for each in extra)])
    if said != sent:
        return f"sent in the order {', '.join(sent)}"
    for key in ("role", "times"):
        for one, other in zip(told, wanted, strict=True):
            if one.get(key) != other[key]:
                return f"{one['sentinel']}: {key} {one.get(key)}, sent {other[key]}"
    return ""


def score_all(cases: Sequence[dict[str, Any]], command: Sequence[str], at_once: int) -> list[Outcome]:
    """Score each case, some at once."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only here

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(lambda case: scored(case, command), cases))
