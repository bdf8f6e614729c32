"""The context files of Gemini CLI: where they are, what they import, and the tree beside them."""
