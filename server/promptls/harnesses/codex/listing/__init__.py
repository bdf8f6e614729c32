"""What Codex lists for the model: plugins, servers, roles of sub-agents, hooks, tools."""
