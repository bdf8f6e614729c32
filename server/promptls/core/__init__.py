"""The pure core: what a prompt is, and what a harness may look at. It knows neither LSP nor the network."""
