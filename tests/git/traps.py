"""Repositories that name programs wherever git can be made to run one; each program leaves a file with its own name."""

from __future__ import annotations

import os
import re
import subprocess
import zlib
from pathlib import Path

from tests.folder import lay_out
from tests.repository import GIT, commit, git

# Each key of the configuration that names a program; "NAME" becomes the path of a program of that name.
KEYS = """
[core]
    fsmonitor = NAME:fsmonitor
    hooksPath = HOOKS
    sshCommand = NAME:sshCommand
    gitProxy = NAME:gitProxy
    askPass = NAME:askPass
    editor = NAME:editor
    pager = NAME:pager
    alternateRefsCommand = NAME:alternateRefs
    attributesFile = ATTRIBUTES
    untrackedCache = true
    splitIndex = true
    checkStat = minimal
    trustctime = false
[alias]
    ls-files = !NAME:alias-ls-files
    cat-file = !NAME:alias-cat-file
    remote- = !NAME:alias-of-no-name
    remote-none = !NAME:alias-none
    st = !NAME:alias
[filter "trap"]
    clean = NAME:clean
    smudge = NAME:smudge
    required = true
[filter "long.running"]
    process = NAME:process
[diff]
    external = NAME:diff-external
[diff "trap"]
    command = NAME:diff-command
    textconv = NAME:textconv
[merge "trap"]
    driver = NAME:merge
[pager]
    ls-files = NAME:pager-ls-files
    diff-index = NAME:pager-diff-index
    cat-file = NAME:pager-cat-file
    rev-parse = NAME:pager-rev-parse
    log = NAME:pager-log
[sequence]
    editor = NAME:sequence-editor
[credential]
    helper = !NAME:credential
[gpg]
    program = NAME:gpg
[gpg "ssh"]
    program = NAME:gpg-ssh
    defaultKeyCommand = NAME:gpg-key
[log]
    showSignature = true
[interactive]
    diffFilter = NAME:diff-filter
[uploadpack]
    packObjectsHook = NAME:pack-objects
[hook "trap"]
    event = post-index-change
    event = reference-transaction
    command = NAME:hook
[trace2]
    normalTarget = FIRED/trace2-normal
    eventTarget = FIRED/trace2-event
[trailer "trap"]
    cmd = NAME:trailer
[browser "trap"]
    cmd = NAME:browser
[difftool "trap"]
    cmd = NAME:difftool
[mergetool "trap"]
    cmd = NAME:mergetool
[sendemail]
    tocmd = NAME:sendemail
[tar "trap"]
    command = NAME:tar
[submodule]
    recurse = true
[submodule "inner"]
    url = ext::NAME:submodule
    update = !NAME:submodule-update
    active = true
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[protocol "file"]
    allow = always
[safe]
    directory = *
    bareRepository = all
[man "trap"]
    cmd = NAME:man
[guitool "trap"]
    cmd = NAME:guitool
[imap]
    tunnel = NAME:imap
[instaweb]
    httpd = NAME:instaweb
    browser = NAME:instaweb-browser
[credential "http://127.0.0.1:9"]
    helper = !NAME:credential-of-a-place
[remote "second"]
    url = ext::NAME:second
    vcs = ext
    receivepack = NAME:receivepack
    promisor = true
[extensions]
    partialClone = second
[url "ext::NAME:insteadOf"]
    insteadOf = y
[maintenance]
    auto = true
[gc]
    auto = 1
    autoDetach = false
"""
WORKTREES = "[extensions]\n    worktreeConfig = true\n"
HOOKS = ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout", "pre-auto-gc")
# What a partial clone can be configured to use as the place of the rest.
REMOTES = {
    "ext": "url = ext::NAME:ext",
    "uploadpack": "url = SOURCE\n    uploadpack = NAME:uploadpack",
    "file": "url = file://SOURCE\n    uploadpack = NAME:uploadpack-file",
    "no name": 'url = x\n    vcs = ""',
    "a name": "url = x\n    vcs = none",
    "another url": "url = y",
    "ssh": "url = ssh://localhost/x",
    "git": "url = git://127.0.0.1:9/x",
    "http": "url = http://user@127.0.0.1:9/x",
}
# Variables of the caller that would lead git elsewhere or start a program.
VARIABLES = {
    "GIT_EXTERNAL_DIFF": "NAME:var-diff",
    "GIT_PAGER": "NAME:var-pager",
    "GIT_EDITOR": "NAME:var-editor",
    "GIT_ASKPASS": "NAME:var-askpass",
    "GIT_SSH_COMMAND": "NAME:var-ssh",
    "GIT_PROXY_COMMAND": "NAME:var-proxy",
    "GIT_EXEC_PATH": "BIN",
    "GIT_TEMPLATE_DIR": "HOOKS",
    "GIT_TRACE": "FIRED/var-trace",
    "GIT_TRACE2": "FIRED/var-trace2",
    "GIT_TRACE2_EVENT": "FIRED/var-trace2-event",
    "GIT_TRACE_SETUP": "FIRED/var-trace-setup",
    "GIT_INDEX_FILE": "FIRED/../nowhere",
    "GIT_OBJECT_DIRECTORY": "FIRED/../nowhere",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "NAME:var-config",
    "GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='NAME:var-parameters'",
    "GIT_ALLOW_PROTOCOL": "ext:file:ssh:git:http",
    "GIT_NO_LAZY_FETCH": "0",
}


class Traps:
    """The programs, and the files that tell which of them were run."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._fired = place / "fired"
        self._programs = place / "programs"
        self.hooks = place / "hooks"
        for each in (self._fired, self._programs, self.hooks):
            each.mkdir(parents=True)
        for name in HOOKS:
            self._write(self.hooks / name, f"hook-{name}")
        (place / "attributes").write_text("* filter=trap diff=trap merge=trap\n*.py filter=long.running\n")

    def fired(self) -> set[str]:
        return {each.name for each in self._fired.iterdir()}

    def text(self, text: str) -> str:
        """``text`` with paths for what stands for them."""
        head, *rest = text.split("NAME:")
        for each in rest:
            name = re.split("[\n\"']", each)[0]
            path = self._programs / name
            self._write(path, name)
            head += str(path) + each[len(name) :]
        for name, path in (
            *(("FIRED", self._fired), ("HOOKS", self.hooks), ("BIN", self._programs)),
            *(("ATTRIBUTES", self.place / "attributes"), ("SOURCE", self.place / "source")),
        ):
            head = head.replace(name, str(path))
        return head

    def variables(self) -> dict[str, str]:
        return {name: self.text(value) for name, value in VARIABLES.items()}

    def _write(self, path: Path, name: str) -> None:
        path.write_text(f"#!/bin/sh\n: > '{self._fired}/{name}'\n")
        path.chmod(0o755)


FILES: dict[str, str | bytes | dict[str, object]] = {
    ".gitignore": "*.log\n",
    ".gitattributes": "*.md filter=trap diff=trap\n*.py filter=long.running\n",
    "AGENTS.md": "rules\n\n[gone](gone.md)\n",
    "app.py": "1\n",
}


def plain(traps: Traps, keys: str = KEYS) -> Path:
    """A repository with every key, every hook, and an index that makes git compare contents."""
    folder = commit(lay_out(traps.place / "plain", FILES, git=False))
    if keys == WORKTREES:
        git(folder, "worktree", "add", "-q", "-f", str(traps.place / "tree"))
    (folder / ".git/hooks").mkdir()
    for name in HOOKS:
        (folder / ".git/hooks" / name).write_bytes((traps.hooks / name).read_bytes())
        (folder / ".git/hooks" / name).chmod(0o755)
    plant(folder / ".git", traps, keys)
    for path in (folder / ".git/index", *(folder / name for name in ("AGENTS.md", "app.py"))):
        os.utime(path, (1_600_000_000, 1_600_000_000))
    return folder


def plant(directory: Path, traps: Traps, keys: str) -> None:
    (directory / "info").mkdir(exist_ok=True)
    (directory / "info/attributes").write_text("* filter=trap diff=trap merge=trap\n*.py filter=long.running\n")
    with open(directory / "config", "a", encoding="utf-8") as config:
        config.write(traps.text(keys))


def included(traps: Traps) -> Path:
    """The same, by files that the configuration includes."""
    folder = plain(traps, '[include]\n    path = more\n[includeIf "gitdir:**"]\n    path = ../.more\n')
    (folder / ".git/more").write_text(traps.text(KEYS))
    (folder / ".more").write_text(traps.text(KEYS.replace("NAME:", "NAME:if-")))
    return folder


def worktree(traps: Traps) -> Path:
    """A worktree, whose .git is a file, with a configuration of its own."""
    folder = plain(traps, WORKTREES)
    (folder / ".git/worktrees/tree/config.worktree").write_text(traps.text(KEYS))
    return traps.place / "tree"


def partial(traps: Traps, remote: str, lacks: str) -> Path:
    """A repository as a partial clone is: it lacks texts (``blob:none``) or directories too, which git would fetch."""
    folder = commit(lay_out(traps.place / "source", FILES, git=False))
    git(folder, "update-index", "--skip-worktree", ".gitignore")
    lost = (b"blob",) if lacks == "blob:none" else (b"blob", b"tree")
    for path in (folder / ".git/objects").glob("??/*"):
        if zlib.decompress(path.read_bytes()).startswith(lost):
            path.unlink()
    (folder / ".gitignore").unlink()
    lay_out(folder, {"AGENTS.md": "other rules\n", "new.py": ""}, git=False)
    origin = f'\n[remote "origin"]\n    promisor = true\n    partialclonefilter = {lacks}\n    {REMOTES[remote]}\n'
    plant(folder / ".git", traps, KEYS + origin)
    return folder


def embedded(traps: Traps) -> Path:
    """A folder of a clone that looks like a bare repository, and claims a work tree."""
    outer = commit(lay_out(traps.place / "outer", FILES, git=False))
    inner = lay_out(outer / "docs", {"AGENTS.md": "rules\n"}, git=False)
    git(traps.place, "clone", "-q", "--bare", str(outer), str(traps.place / "bare.git"))
    for each in (traps.place / "bare.git").iterdir():
        each.rename(inner / each.name)
    plant(inner, traps, KEYS.replace("[core]", "[core]\n    bare = false\n    worktree = ."))
    return inner


def plain_git(folder: Path, *arguments: str, **env: str) -> None:
    """Run git as everybody does; it may fail."""
    subprocess.run(
        [GIT, "-C", str(folder), *arguments],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **env},
    )
