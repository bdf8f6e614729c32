"""How opencode is started: its command line, variables, configuration and permissions."""
