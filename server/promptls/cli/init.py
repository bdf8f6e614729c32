"""``promptls init``: what an agent needs to write the instruction files of a folder, as one text for that agent.

No model is called: the text has the facts that promptls knows, asks for the files, and names the commands that check
what was written.
"""

from __future__ import annotations

from promptls.cli.arguments import Options, Parser, absolute, current_directory, existing, takes_habits
from promptls.cli.output import show, width
from promptls.core import files
from promptls.core.table_text import WIDTH
from promptls.workspace.request import repository_of


def run(argv: list[str]) -> int:
    """Print the text."""
    options = _options(argv)
    here = current_directory()
    path = absolute(options.path) if options.path is not None else repository_of(here) or here
    root = files.realpath(existing(path, "directory"))

    from promptls.cli.init_facts import facts_of  # noqa: PLC0415 - after everything that may fail at once
    from promptls.cli.init_text import lines  # noqa: PLC0415 - the same

    facts = facts_of(root, options.harness, with_habits=options.with_habits)
    show(lines(facts, width(WIDTH)))
    return 0


def _options(argv: list[str]) -> Options:
    parser = Parser(
        prog="promptls init",
        description="Print a text for a coding agent: what is known of the instruction files here, a request to write "
        "them, and the commands that check the result. No model is called, and nothing is written.",
    )
    parser.add_argument("path", nargs="?", metavar="DIR", help="the folder (default: the git repository)")
    takes_habits(parser)
    parser.add_argument(
        "--harness", metavar="H[@VERSION]", action="append", default=[], help="only for this coding agent; repeatable"
    )
    return parser.parse_args(argv)
