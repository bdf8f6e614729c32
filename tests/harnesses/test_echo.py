"""What plain echo prints: what a shell says, and nothing where a shell might say something else."""

from __future__ import annotations

import subprocess

import pytest

from promptls.harnesses.shared.echo import printed

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
]
OTHER = [
    *("", "ls", "echoa", "echo -n a", "echo $HOME", "echo `x`", "echo a; b", "echo a | b", "echo a > b", "echo *"),
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
    *("printf a", "echo a\necho b", "/bin/echo a", "echo é", "echo ?", "echo [a]", 'echo "-n" a'),
    "echo " + "a" * 5000,
]


@pytest.mark.parametrize("command", PLAIN)
def test_a_shell_prints_the_same(command: str) -> None:
    for shell in ("sh", "bash"):
        ran = subprocess.run([shell, "-c", command], capture_output=True, text=True, check=True, timeout=20)
        assert printed(command) == ran.stdout


@pytest.mark.parametrize("command", OTHER, ids=lambda command: command[:20])
def test_everything_else_is_not_known(command: str) -> None:
    assert printed(command) is None
