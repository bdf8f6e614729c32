"""Writes conformance/cases, which says what programs sent of small trees, and docs/conformance.md, a page of it.

``--check`` only names stale files.

    python tools/conformance_cases.py [--check]

The captured sessions in ``tests`` are the only source: no preview has a part in it. conformance/README.md describes
a case.
"""

from __future__ import annotations

import json
import posixpath
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import conformance_page
from behaviours import NAMES, behaviours

from promptls.core.text import shared_start

ROOT = Path(__file__).parent.parent
CASES = ROOT / "conformance" / "cases"
PAGE = ROOT / "docs" / "conformance.md"
RECORDED = ROOT / "tests" / "recorded"
AGENTS_PAGE = ROOT / "docs" / "agents-folder.md"
AGENTS_MODULE = ROOT / "server" / "promptls" / "harnesses" / "agents_folder_table.py"
SOURCES = ("wire", "parts", "later")
MARK = re.compile(r"MARK-[A-Za-z0-9_-]*[A-Za-z0-9]")
HEADER = re.compile(r"\A---\n.*?\n---", re.DOTALL)
DESCRIBED = re.compile(r"^description: ([A-Z][\w ,.]{7,})$", re.MULTILINE)
# A file that Claude Code sends again after a compaction, the one that was changed last first.
AGAIN = re.compile(r'Called the Read tool with the following input: \{"file_path":"([^"]*)"')
# Where a long run of one letter was left out of a captured text.
LEFT_OUT = re.compile(r"\[\.\.\. (\d+) bytes of our own filler \.\.\.\]\n?")
# What a case of these needs beside files, links and repositories is not part of a tree.
NOT_OF_A_TREE = ("setup", "git_commit", "worktrees", "before", "server_flags", "wire_format")
# In these, a file differs between two turns, and a case has one tree.
NOT_ONE_TREE = ("changed", "edit-midsession", "edited-from-outside")
NOT_OF_A_START = ("setup", "unset", "stdin")
# Their records do not have all of their start (tests/wire/test_wire.py says what is missing); the last one's lacks what
# its read of an AGENTS.md brought.
NOT_WHOLE = (
    *("copilot-cli/at-mention-file", "continue/config-rules", "kilo-code/config-instructions", "kimi-code/utf16"),
    *("mistral-vibe/chain-beyond-git-root", "mistral-vibe/untrusted", "openhands/triggered", "qwen-code/filename-list"),
    "opencode/nested-read-self",
)
# Lists skills as the disk does; its cases have them in the order of their names.
AS_LISTED = "gemini-cli"
# What was set in every captured session of a program.
SET = {"claude-code": {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}}
# A tree with more text than this is no small one, unless it shows where a file is cut (characters).
MOST = 12_000
MOST_CUT = 60_000
# How many cases are kept that show the same of a program. Each that ends has a reason of its own.
KEPT, KEPT_ENDS = 2, 4
Json = dict[str, Any]


def main() -> int:
    """Write the files, or name those that are stale."""
    check = "--check" in sys.argv[1:]
    wanted = files()
    there = set(CASES.glob("*/*.json"))
    stale = sorted(path.relative_to(ROOT).as_posix() for path in there - wanted.keys())
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT).as_posix())
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if not check:
        for path in there - wanted.keys():
            path.unlink()
    if stale:
        print("stale:" if check else "written:", *stale)
    return 1 if check and stale else 0


def files() -> dict[Path, str]:
    """Each generated file with the text that it should have."""
    kept = chosen(sorted(captured(), key=lambda case: (case["program"], size_of(case), case["name"])))
    kept.sort(key=lambda case: (case["program"], case["name"]))
    found = {
        CASES / case["program"] / f"{case['name']}.json": json.dumps(case, indent=1, ensure_ascii=False) + "\n"
        for case in kept
    }
    pages = {PAGE: conformance_page.page(kept), AGENTS_PAGE: conformance_page.agents_page(kept)}
    return {**found, **pages, AGENTS_MODULE: conformance_page.agents_module(kept)}


def size_of(case: Json) -> int:
    """How much there is to read in a case."""
    return sum(map(len, case["tree"]["files"].values())) + 100 * len(case["tree"]["files"]) + len(str(case["start"]))


def chosen(cases: list[Json]) -> list[Json]:
    """The smallest cases that show each behaviour of a program."""
    had: Counter[object] = Counter()
    kept = []
    for case in cases:
        shown = [
            (
                *(case["program"], each["behaviour"], each["file"].rpartition("/")[2], each.get("agent")),
                *(each["sent"], each.get("named", False)),
            )
            for each in case["shows"]
        ]
        if any(had[each] < (KEPT_ENDS if each[1] == "ends" else KEPT) for each in shown):
            kept.append(case)
            had.update(shown)
    return kept


def captured() -> Iterator[Json]:
    """Each captured session that can be said as a case, and each that was recorded as one."""
    names = set()
    for path in sorted(RECORDED.glob("*/*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        yield {**case, "shows": [each.to_json() for each in behaviours(case)]}
    for place in SOURCES:
        for path in sorted((ROOT / "tests" / place / "cases").glob("*/*.json")):
            data = json.loads(path.read_text(encoding="utf-8"))
            case = case_of(data)
            if case is None:
                continue
            if (case["program"], case["name"]) in names:
                case["name"] += f"-{place}"
            names.add((case["program"], case["name"]))
            shown = list(behaviours(case))
            if shown:
                case["shows"] = [each.to_json() for each in shown]
                yield case


def case_of(data: Json) -> Json | None:
    """A captured session as a case; None where it is of another kind, or its own record does not agree with itself."""
    start = start_of(data)
    is_other = any(data.get(each) for each in NOT_OF_A_TREE) or any(each in data["name"] for each in NOT_ONE_TREE)
    # A start of the format has no editor.
    is_other |= bool(data.get("session", {}).get("editor"))
    if start is None or data["http"] or is_other or f"{data['harness']}/{data['name']}" in NOT_WHOLE:
        return None
    expect = data["expect"]
    named = [path_of(each["path"]) for each in expect["sources"] if each.get("via") != "file"]
    unsent = [path_of(each if isinstance(each, str) else each["path"]) for each in expect.get("not_loaded") or ()]
    skills = [path for path in data["files"] if path.endswith("/SKILL.md")]
    of_marks = marks_of(data["files"], {*named, *unsent, *skills})
    if not of_marks:
        return None
    arrived = arrivals(expect["parts"], of_marks)
    # An instruction file that was sent, and whose mark stands nowhere: the record left out too much.
    sent = {of_marks[each["sentinel"]] for each in arrived}
    if data["tier"] in ("start", "launch", "read", "tools") and not {*named} & {*of_marks.values()} <= sent:
        return None
    cut = list(cuts(data["files"], expect["parts"], of_marks, arrived))
    size = sum(len(text) for text in data["files"].values() if isinstance(text, str))
    if size > (MOST_CUT if cut else MOST):
        return None
    only_named = {path_of(each["path"]) for each in expect.get("named_only") or ()}
    named_paths = sorted(only_named & {*of_marks.values()})
    return {
        "name": data["name"],
        "program": data["harness"],
        "version": data["version"],
        "tree": {"files": in_time(data, expect["parts"]), "links": data["symlinks"], "repositories": data["git"]},
        "start": start,
        "sentinels": of_marks,
        "request": arrived,
        **({"ends": True} if expect.get("ends") or expect.get("no_request") else {}),
        "cut": cut,
        **({"named": named_paths} if named_paths else {}),
        "ordered": not (expect.get("unordered") or (data["harness"] == AS_LISTED and len(skills) > 1)),
    }


def start_of(data: Json) -> Json | None:
    """How the program was started and what happened then, as a session file of promptls has it."""
    said = data["session"]
    vscode = said.get("vscode") or {}
    if any(said.get(each) for each in NOT_OF_A_START) or vscode.get("workspaceFile"):
        return None
    opened = [{"path": path, "selection": vscode.get("select")} for path in vscode.get("open", ())]
    typed = vscode.get("prompts") or [{"query": said.get("prompt"), "attach": vscode.get("attach", [])}]
    turns = said.get("turns") or [
        {
            "prompt": turn.get("query"),
            "attached": turn.get("attach", []),
            "open": opened,
            "steps": (said.get("steps") or []) if number == len(typed) else [],
        }
        for number, turn in enumerate(typed, 1)
    ]
    is_later = "interactive" in said
    mode = said.get("mode")
    args = [
        *({"debug prompt-input": ["debug", "prompt-input"], "interactive": ["--no-alt-screen"]}.get(mode, [])),
        *said["args"],
    ]
    if any(name.startswith("ud/") for name in data["files"]):
        args += ["--user-data-dir", "${WORKSPACE}/../ud"]
    start = {
        "cwd": vscode.get("folder") or said["cwd"] or ".",
        "args": args,
        "env": {**SET.get(data["harness"], {}), **said["env"]},
        "model": said.get("model"),
        "agent": said.get("agent"),
        "hints": said.get("hints") or [],
        "interactive": said.get("interactive"),
        "mode": mode if is_later else None,
        "request": said.get("request"),
        "turns": [{key: value for key, value in turn.items() if value not in (None, [], False)} for turn in turns],
    }
    return {key: value for key, value in start.items() if value not in (None, [], {})}


def in_time(data: Json, parts: list[Json]) -> Json:
    """The files of a session in the order in which they were changed, as far as its request shows that."""
    turns = data["session"].get("turns") or ()
    if not any(turn.get("compact") for turn in turns):
        return dict(data["files"])
    again = [path_of(found[1]) for part in parts if (found := AGAIN.search(part["text"]))]
    last = [path for path in reversed(again) if path in data["files"]]
    return {path: data["files"][path] for path in [*(each for each in data["files"] if each not in last), *last]}


def path_of(path: str) -> str:
    """A path of a captured session in its tree."""
    path = path.replace("${WORKSPACE}", "workspace").replace("${HOME}", "home").replace("${USERDATA}", "ud/User")
    return posixpath.normpath(path.removeprefix("/"))


def marks_of(texts: Json, paths: set[str]) -> dict[str, str]:
    """The marks that stand in one file only, one of ``paths``, in the order of the files.

    A skill without a mark in its header has its description for one.
    """
    found: dict[str, set[str]] = {}
    own = {path: text for path, text in texts.items() if isinstance(text, str)}
    for path, text in own.items():
        for mark in MARK.findall(text):
            found.setdefault(mark, set()).add(path)
        head = HEADER.match(text) if path.endswith("/SKILL.md") else None
        described = DESCRIBED.search(head[0]) if head is not None and not MARK.search(head[0]) else None
        if described is not None:
            found[described[1]] = {each for each, other in own.items() if described[1] in other}
    single = {mark: next(iter(where)) for mark, where in found.items() if len(where) == 1}
    return {mark: path for mark, path in single.items() if path in paths}


def arrivals(parts: list[Json], of_marks: dict[str, str]) -> list[Json]:
    """The marks in a request in the order in which they first stand there, each with its role and how often."""
    roles: dict[str, str] = {}
    times: Counter[str] = Counter()
    described = [re.escape(mark) for mark in of_marks if not MARK.fullmatch(mark)]
    wanted = re.compile("|".join([MARK.pattern, *described]))
    for part in parts:
        for mark in wanted.findall(part["text"]) if part["role"] != "assistant" else ():
            if mark in of_marks:
                roles.setdefault(mark, part["role"])
                times[mark] += 1
    return [{"sentinel": mark, "role": role, "times": times[mark]} for mark, role in roles.items()]


def cuts(texts: Json, parts: list[Json], of_marks: dict[str, str], arrived: list[Json]) -> Iterator[Json]:
    """The files that arrived only to some place: the last of several marks is missing, and an earlier one is there.

    The definitions of tools have the header of an agent only.
    """
    there = {each["sentinel"] for each in arrived if each["role"] != "tools"}
    for path in dict.fromkeys(of_marks.values()):
        own = [mark for mark, where in of_marks.items() if where == path]
        text = texts[path]
        is_whole = path.rpartition("/")[2] not in NAMES or "<!--" in text or own[0] not in there or own[-1] in there
        if not is_whole and text.rstrip().endswith(own[-1]):
            last = [mark for mark in own if mark in there][-1]
            kept = kept_of(text, parts, own[0])
            yield {"file": path, "after": last, **({"characters": kept} if kept is not None else {})}


def kept_of(text: str, parts: list[Json], first: str) -> int | None:
    """How many characters of a text were sent, from its beginning; None where the record leaves out some of them."""
    at = text.index(first)
    sent = next(part["text"] for part in parts if first in part["text"])
    sent = sent[sent.index(first) :]
    wanted, count = text[at:], 0
    while count < len(wanted):
        same = shared_start(wanted[count:], sent)
        count += same
        if sent.startswith("⟪", same):
            return None
        gap = LEFT_OUT.match(sent, same)
        if gap is None:
            break
        count, sent = count + int(gap[1]), sent[gap.end() :]
    return at + count


if __name__ == "__main__":
    sys.exit(main())
