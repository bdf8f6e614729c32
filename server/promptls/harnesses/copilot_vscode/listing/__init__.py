"""What Copilot in VS Code lists for the model: instruction files, skills and agents."""
