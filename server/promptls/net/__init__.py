"""URLs: asked for politely, kept on disk, never in the way."""
