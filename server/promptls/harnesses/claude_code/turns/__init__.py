"""What is said and done in a session of Claude Code: prompts, results of tools, sub-agents and hooks."""
