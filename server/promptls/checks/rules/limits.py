"""What does not fit."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="cut",
        family="limits",
        severity="warning",
        summary="A size limit of the harness truncates this file",
        why="The rest of the file is not sent, and the model does not know that there is more.",
        before=".codex/config.toml: project_doc_max_bytes = 100",
        after=".codex/config.toml: project_doc_max_bytes = 65536",
        help="Shorten the file, or raise the limit.",
        found_in=("limits",),
        fix="offered",
        fixers=("raise-limit",),
        of_file=True,
    ),
    Rule(
        code="dropped",
        family="limits",
        severity="error",
        summary="A size limit of the harness drops this file entirely",
        why="The files before it have used up the budget. None of its rules are in the prompt.",
        before="project_doc_max_bytes = 100, used up by the root's AGENTS.md",
        after="project_doc_max_bytes = 65536",
        help="Shorten the files before it, or raise the limit.",
        found_in=("limits",),
        fix="offered",
        fixers=("raise-limit",),
    ),
    Rule(
        code="token-budget",
        family="limits",
        severity="off",
        summary="The prompt exceeds the configured token budget",
        why="Everything that is sent at the start of a session is included. The rule is off until a budget is set.",
        before="[budgets] tokens = 1000, and a prompt of 1500 tokens",
        after="[budgets] tokens = 1000, and a prompt of 900 tokens",
        help="Shorten the longest file, or raise the budget.",
        settings="[budgets]\ntokens = 20000",
        found_in=("limits",),
    ),
    Rule(
        code="window-share",
        family="limits",
        severity="off",
        summary="The prompt takes more than the configured share of the model's context window",
        why=(
            "What is sent before the first message leaves less room for code and answers. The rule is off until a "
            "share is set, and reports nothing if the window of the model is not known."
        ),
        before="[budgets] window = 1, and a prompt of 3,000 tokens for a model that holds 200,000",
        after="[budgets] window = 2, and the same prompt",
        help="Shorten the longest file, or raise the share.",
        settings="[budgets]\nwindow = 10",
        found_in=("limits",),
    ),
    Rule(
        code="own-budget",
        family="limits",
        severity="off",
        summary="A session gets more of your own text in a directory than its budget",
        why=(
            "What is in a directory costs every session that works there. The session that gets most of it is compared "
            "with the budget. The rule is off until the directory has one."
        ),
        before='[budgets."packages/api"] own = 2000, and 2,140 tokens in packages/api/AGENTS.md',
        after='[budgets."packages/api"] own = 2000, and 1,840 tokens in it',
        help="Shorten the longest file, or raise the budget.",
        settings='[budgets."packages/api"]\nown = 2000\nowner = "@api"',
        found_in=("budgets",),
        of_file=True,
    ),
)
