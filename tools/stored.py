"""Rewrites a wheel without compression: the package of the extension, which holds it, then becomes a fifth smaller.

python tools/stored.py WHEEL
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path


def main() -> None:
    """Replace the file."""
    wheel = Path(sys.argv[1])
    with zipfile.ZipFile(wheel) as packed:
        files = [(info, packed.read(info)) for info in packed.infolist()]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as plain:
        for info, data in files:
            plain.writestr(info, data, zipfile.ZIP_STORED)


if __name__ == "__main__":
    main()
