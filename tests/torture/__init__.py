"""Random trials, each bounded in count and time: `make torture` runs them at length, `make test` a few of each.

Every module has ``run(seed, count)``, which raises AssertionError with the seed and the step that failed. What one
finds gets a small test of its own beside the code that it is about.
"""
