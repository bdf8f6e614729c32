"""What is said in a session of Gemini CLI, and what its tools answer."""
