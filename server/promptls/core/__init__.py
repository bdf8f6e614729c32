"""The pure core: what a prompt is, and what a harness may look at. Knows no LSP and no network."""
