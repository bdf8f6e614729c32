"""What Copilot CLI lists for the model: agents, skills, servers, tools, and the plugins that have them."""
