"""Instruction files of Copilot in VS Code, and the files that they reference."""
