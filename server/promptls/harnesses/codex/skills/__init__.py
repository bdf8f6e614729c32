"""Skills of Codex: where they are, what their front matter says, the list, and those that a prompt names."""
