"""What Gemini CLI lists beside context files: extensions, agents, skills, commands, servers."""
