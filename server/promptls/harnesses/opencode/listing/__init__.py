"""What opencode lists for the model: agents, commands, skills, servers, tools."""
