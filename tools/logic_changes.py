"""The changes of logic that make mutations tries: a comparison is turned, a constant raised, a result lost ..."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Arguments that no result hangs on: the size of a cache, what classes are made of, and what only asserts.
UNSEEN = ("maxsize", "compare", "repr", "slots", "frozen", "kw_only", "eq", "strict")

TURNED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
}


@dataclass(frozen=True)
class Change:
    """One change of one file: the text between two offsets becomes another."""

    file: str
    line: int
    last_line: int
    start: int
    end: int
    was: str
    became: str
    source: str
    # The constant of the module, or field of a class, whose value it changes; "" inside of a function.
    constant: str

    def __str__(self) -> str:  # noqa: D105 - its words are the format
        return self.key.replace(":", f":{self.line}:", 1)

    @property
    def key(self) -> str:
        """What a reason is given for: the change and the text of its line, wherever that is by now."""
        return f"{self.file}: {' '.join(self.was.split())} -> {' '.join(self.became.split())} in: {self.source}"


def changes(file: Path) -> Iterator[Change]:
    """Every change of a file that could mean something."""
    source = file.read_text(encoding="utf-8")
    starts, lines = [0], source.splitlines(keepends=True)
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = source.encode()
    name = file.relative_to(ROOT / "server" / "promptls").as_posix()
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in dict.fromkeys(_logic(tree)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        was = data[start:end].decode()
        for became in _others(node):
            last = node.end_lineno or node.lineno
            inside = any(each.body[0].lineno <= node.lineno <= (each.end_lineno or 0) for each in functions)
            constant = "" if inside else _name_of(tree, node)
            text = lines[node.lineno - 1].strip()
            yield Change(name, node.lineno, last, start, end, was, became, text, constant)


def _name_of(tree: ast.Module, node: ast.expr) -> str:
    """What the assignment that holds ``node``, of a module or class, assigns to: a pattern of names."""
    assigned = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.lineno <= node.lineno <= (each.end_lineno or 0)
    ]
    targets = ast.unparse(assigned[-1]).partition("=")[0].partition(":")[0] if assigned else "nothing"
    return "|".join(re.findall(r"\w+", targets))


def _logic(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that decide something; types, decorators and what only type checkers read are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.keyword) and node.arg in UNSEEN:
            continue
        if isinstance(node, ast.Compare | ast.BoolOp | ast.Constant) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            yield node
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for inner in node.body:
                yield from _logic(ast.Module([inner], []))
            continue
        if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield node.value
        yield from _logic(node)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _others(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            turned = [*node.ops[:at], TURNED[type(operator)], *node.ops[at + 1 :]]
            yield f"({ast.unparse(ast.Compare(node.left, turned, node.comparators))})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, int):
            yield str(node.value + 1)
    else:
        yield "None"
