"""Instruction files of Copilot CLI: where they are, what they import, and which come with a view."""
