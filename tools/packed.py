"""Packs what the extension is made of again, so that its package becomes smaller.

python tools/packed.py WHEEL    without compression: the package, which holds it, is then a fifth smaller
python tools/packed.py VSIX     with the best one
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path


def main() -> None:
    """Replace the file."""
    path = Path(sys.argv[1])
    how = zipfile.ZIP_STORED if path.suffix == ".whl" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path) as packed:
        files = [(info, packed.read(info)) for info in packed.infolist()]
    with zipfile.ZipFile(path, "w") as again:
        for info, data in files:
            again.writestr(info, data, how, compresslevel=9)


if __name__ == "__main__":
    main()
