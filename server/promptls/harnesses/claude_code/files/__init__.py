"""Instruction files and rules of Claude Code: what is sent of each, at start and when a file is touched."""
