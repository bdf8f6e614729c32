"""URLs: fetched within limits, cached on disk, never blocking."""
