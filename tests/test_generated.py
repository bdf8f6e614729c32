import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.same_everywhere(although="it runs what generates, and compares files of the checkout")

ROOT = Path(__file__).parent.parent


def test_what_is_generated_is_not_stale() -> None:
    """Run `make generate` if this fails."""
    command = [sys.executable, "tools/generate.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
