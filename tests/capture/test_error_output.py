"""What a program said last, where Node.js writes more below its error."""

from __future__ import annotations

import pytest

from promptls.wire.error_output import last_error, last_lines

pytestmark = pytest.mark.same_everywhere

MODULE = """file:///opt/pi/dist/cli.js:2
import { createRequire, enableCompileCache } from "node:module";
                        ^^^^^^^^^^^^^^^^^^
SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)

Node.js v20.20.2
"""
MISSING = """node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/opt/server.js'
    at Module._load (node:internal/modules/cjs/loader:1051:27) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2"""
CODED = "TypeError [ERR_INVALID_ARG]: The key is missing.\n    at main (a.js:1:1)\n\nNode.js v24.0.0"


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("", ""),
        (" \n\n", ""),
        ("One.\nPlease log in.\n\n", "Please log in."),
        (MODULE, MODULE.splitlines()[3]),
        (MISSING, "Error: Cannot find module '/opt/server.js'"),
        (CODED, "TypeError [ERR_INVALID_ARG]: The key is missing."),
        ("Node.js v20.20.2", "Node.js v20.20.2"),
        ("Error: x\nIt goes on.", "It goes on."),
    ],
)
def test_the_error_is_what_counts(text: str, last: str) -> None:
    assert last_error(text) == last


def test_below_an_error_its_stack_is_not_what_counts() -> None:
    stack = "".join(f"    at f{number} (a.js:{number}:1)\n" for number in range(9))
    assert last_lines(f"Hello.\n\n  ERROR  Raw mode is not supported\n  by this input.\n{stack}", 3) == [
        "  ERROR  Raw mode is not supported",
        "  by this input.",
        "    at f0 (a.js:0:1)",
    ]
    assert last_lines('Traceback:\n  input("A name? ")\nEOFError: EOF', 2) == ['  input("A name? ")', "EOFError: EOF"]
    assert last_lines("one\n\ntwo\nthree\n", 2) == ["two", "three"]
    assert last_lines("", 2) == []
