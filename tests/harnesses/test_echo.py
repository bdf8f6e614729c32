"""What plain echo prints: what a shell says, and nothing where a shell might say something else."""

from __future__ import annotations

import os
import subprocess

import pytest

from promptls.kit.echo import Printed, outcome, printed

PLAIN = [
    "echo",
    "echo a",
    "  echo a  b\tc ",
    'echo "a  b" c',
    "echo 'a $HOME `x`' \"b\"'c'd",
    "echo Use-uv, not pip: see docs/a.md @team 100%",
    'echo ""',
    "echo a -n",
    "echo a \\",
    "echo a\\",
    "echo a; echo b&&echo c",
    'printf "x\\ny"',
    "printf '%s\\n' one 'two three'",
    "printf '%s %s|' a b c",
    "printf a b",
    "printf '100%% \\t%s\\\\'",
    "printf '%s' '{\"a\": \"b\\nc\"}'",
    "echo $HOME/z ${HOME}/z",
    'echo "in $HOME, ${HOME}x, \\$HOME and \\"more\\""',
    "echo '$HOME'",
    "echo a >&2; echo b 1>&2; echo c > /dev/null; echo d >/dev/null",
    ": && true && echo a",
    "echo a; exit",
    "echo a; exit 0; ls",
]
FAILING = ["exit 3", "echo err >&2; exit 3", "echo a; exit 12; echo b"]
OTHER = [
    *("", "ls", "echoa", "echo -n a", "echo $HOM", "echo $HOMES", "echo `x`", "echo a; b"),
    *("echo a | b", "echo a > b", "echo *"),
    *(
        "echo a\\b",
        "echo a \\ ",
        'echo "a!b"',
        "echo ~",
        "echo ~/a",
        "echo a & b",
        "echo a # b",
        "echo {a,b}",
        "echo a=~",
        "echo 'a",
        "echo $(x)",
    ),
    *("printf", "printf -v a", "printf %d 1", "printf '\\q'", "printf 50%", "printf 'a\\'", "printf %5s a"),
    *("exit 256", "exit x", "exit 1 2", "echo a;", "echo a;; echo b", "; echo a", "echo a || echo b", "echo a &"),
    *("echo a 2>&1", "echo a > b.txt", ">&2 echo a", "echo a>&2", 'echo "$HOM"', 'echo "$(x)"', 'echo "a'),
    *("echo a\necho b", "/bin/echo a", "echo é", "echo ?", "echo [a]", 'echo "-n" a'),
    "echo " + "a" * 5000,
]


HOME = "/home/somebody"


@pytest.mark.parametrize("command", [*PLAIN, *FAILING])
def test_a_shell_prints_the_same(command: str) -> None:
    env = {"HOME": HOME, "PATH": os.environ["PATH"]}
    for shell in ("sh", "bash"):
        ran = subprocess.run([shell, "-c", command], capture_output=True, text=True, check=False, timeout=60, env=env)
        assert outcome(command, HOME) == Printed(ran.stdout, ran.returncode)


@pytest.mark.parametrize("command", FAILING)
def test_what_fails_has_no_output_to_use(command: str) -> None:
    assert printed(command) is None


def test_a_home_directory_that_a_shell_would_split_is_not_plain() -> None:
    assert printed("echo $HOME", "/home/a b") is None
    assert printed("echo $HOME") is None
    assert printed('echo "$HOME"', "/home/a b") == "/home/a b\n"


@pytest.mark.parametrize("command", OTHER, ids=lambda command: command[:20])
def test_everything_else_is_not_known(command: str) -> None:
    assert outcome(command, HOME) is None
