"""``python -m promptls``."""

import sys

# Without -P Python looks for modules in the working directory first: a workspace must never be able to run code.
if not sys.flags.safe_path and sys.path:
    del sys.path[0]

from promptls.cli import main

if __name__ == "__main__":
    sys.exit(main())
