"""Agents, prompts and environments."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="agent-unknown",
        family="agents",
        severity="error",
        summary="The configuration names an agent that does not exist or cannot be used",
        why="The harness exits, or uses another agent with another prompt.",
        before='{"default_agent": "revieuwer"}',
        after='{"default_agent": "reviewer"}',
        help="Name an existing agent.",
        found_in=("config",),
    ),
    Rule(
        code="prompt-missing",
        family="agents",
        severity="error",
        summary="An agent names a prompt that does not exist",
        why="The agent is sent without its own prompt.",
        before='{"promptId": "systm"}',
        after='{"promptId": "system"}',
        help="Fix the name, or create the prompt.",
        found_in=("instructions",),
    ),
    Rule(
        code="prompt-unused",
        family="agents",
        severity="hint",
        summary="No agent of this environment uses this prompt",
        why="The profile names the agents and their prompts, and none of them refers to this one.",
        before="prompts/old.prompt, and no agent `old`",
        after='{"id": "reviewer", "promptId": "old"}',
        help="Name it in an agent, or remove it.",
        found_in=("environments",),
        of_place=True,
    ),
    Rule(
        code="tool-conflict",
        family="agents",
        severity="warning",
        summary="A tool is both allowed and denied",
        why="Denying takes precedence, so the agent does not have the tool.",
        before='{"allowedTools": ["bash"], "deniedTools": ["bash"]}',
        after='{"allowedTools": ["bash"]}',
        help="Remove it from one of the lists.",
        found_in=("environments",),
        fix="offered",
        fixers=("remove-entry",),
    ),
    Rule(
        code="environment-unknown",
        family="agents",
        severity="error",
        summary="The configuration names an environment that does not exist",
        why="The harness then silently uses different rules and prompts from the ones you intended.",
        before='{"activeEnvironment": "prod"}',
        after='{"activeEnvironment": "default"}',
        help="Fix the name, or create the environment's directory.",
        found_in=("instructions",),
    ),
)
