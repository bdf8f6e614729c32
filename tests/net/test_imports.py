import subprocess
import sys

CODE = """
import sys
import promptls.net.now, promptls.net.background
from promptls.core.model import Timeouts
promptls.net.now.fetch_now([], Timeouts(5, 5))
promptls.net.background.Background(print).close()
print(*({"httpx", "platformdirs"} & set(sys.modules)))
"""


def test_nothing_is_loaded_before_the_first_fetch() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == ""


def test_now_alone_needs_no_event_loop() -> None:
    code = "import sys, promptls.net.now; print('asyncio' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "False"
