"""The messages at the start of a request of Codex, a module for each of their blocks."""
