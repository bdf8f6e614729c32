"""How Codex was started: its command line, configuration, sandbox and trust."""
