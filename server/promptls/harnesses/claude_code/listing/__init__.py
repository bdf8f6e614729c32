"""What Claude Code lists for the model: skills, commands, agents, plugins and workflows."""
