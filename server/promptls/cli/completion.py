"""``promptls completion``: the script with which a shell completes the command line."""

from __future__ import annotations

import os

from promptls.cli.arguments import Parser
from promptls.cli.output import write
from promptls.core import files

SHELLS = ("bash", "zsh", "fish")
HOW = """\
bash: promptls completion bash > ~/.local/share/bash-completion/completions/promptls;
zsh: promptls completion zsh > DIRECTORY/_promptls, for a DIRECTORY of $fpath;
fish: promptls completion fish > ~/.config/fish/completions/promptls.fish"""


def run(argv: list[str]) -> int:
    """Print the script of a shell."""
    parser = Parser(prog="promptls completion", description="Print the script with which a shell completes promptls.")
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help="the shell")
    parser.epilog = HOW.replace("\n", " ")
    options = parser.parse_args(argv)
    script = os.path.join(os.path.dirname(__file__), "..", "shells", f"promptls.{options.shell}")
    write(files.read(script).data.decode("utf-8"))
    return 0
