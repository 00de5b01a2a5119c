"""Faults: every place of a module where one small change makes it wrong.

A fault is a replacement of bytes in the source at the place of a node of its syntax tree, so that all
else in the file stays as it is. What cannot be seen by a test is left alone: docstrings, annotations,
the names a module exports, and the words of errors.
"""

import ast
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["Fault", "faults_in", "is_type_checking"]

_COMPARE: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
}
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_EXTREMES = {
    name: other
    for pair in (("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("fmin", "fmax"))
    for name, other in (pair, pair[::-1])
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One change of one module."""

    module: str
    line: int
    text: str
    """The first line that changes, as it is now."""
    operator: str
    before: str
    after: str
    start: int
    end: int
    """The bytes of the source that are replaced."""

    @property
    def key(self) -> str:
        """What tells it from all others of the same sources."""
        parts = (self.module, self.text, self.operator, self.after, str(self.start))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def put_into(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def faults_in(module: str, source: bytes) -> list[Fault]:
    """Return all faults of a module, in the order of its lines; each leaves the syntax valid."""
    walk = _Walk(module, source)
    walk.visit(ast.parse(source))
    return sorted(filter(walk.is_valid, walk.found), key=lambda f: (f.start, f.operator, f.after))


class _Walk(ast.NodeVisitor):
    """Collects faults on a walk through a syntax tree."""

    def __init__(self, module: str, source: bytes) -> None:
        self.module, self.source = module, source
        self.found: list[Fault] = []
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def is_valid(self, fault: Fault) -> bool:
        try:
            ast.parse(fault.put_into(self.source))
        except SyntaxError:
            return False
        return True

    def _span(self, node: ast.AST) -> tuple[int, int]:
        line, end_line = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        column, end_column = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        return self._starts[line - 1] + column, self._starts[end_line - 1] + end_column

    def _said(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end].decode()

    def _add(self, operator: str, start: int, end: int, after: str) -> None:
        line = self.source.count(b"\n", 0, start) + 1
        self.found.append(
            Fault(
                module=self.module,
                line=line,
                text=self._lines[line - 1].decode().strip(),
                operator=operator,
                before=self.source[start:end].decode(),
                after=after,
                start=start,
                end=end,
            )
        )

    def _replace(self, operator: str, node: ast.AST, after: str) -> None:
        self._add(operator, *self._span(node), after)

    def _between(self, operator: str, left: ast.AST, right: ast.AST, sign: str, after: str) -> None:
        """Replace the sign between two operands, beside which may be brackets and line breaks."""
        start, end = self._span(left)[1], self._span(right)[0]
        place = self.source.find(sign.encode(), start, end)
        if place >= 0:
            self._add(operator, place, place + len(sign.encode()), after)

    # What no test can see

    def visit_Module(self, node: ast.Module) -> None:
        self._body(node.body, None)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._body(node.body, None)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if any(
            isinstance(mark, ast.Name) and mark.id == "overload" for mark in node.decorator_list
        ):
            return
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        self._body(node.body, node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def _body(
        self, body: list[ast.stmt], function: ast.FunctionDef | ast.AsyncFunctionDef | None
    ) -> None:
        returns_none = (
            function is not None
            and isinstance(function.returns, ast.Constant)
            and function.returns.value is None
        )
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            if returns_none and not isinstance(statement, ast.Return):
                start = self._span(statement)[0]
                after = "; " if _simple(statement) else "\n" + " " * statement.col_offset
                self._add("return early", start, start, f"return{after}")
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if "__all__" in names:
            return
        if any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._replace("drop statement", node, "pass")
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in {"Literal", "Callable", "NDArray"}:
            return
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Words for a person; what they are made of is not looked at either."""

    def visit_Raise(self, node: ast.Raise) -> None:
        self._replace("drop statement", node, "pass")

    # What a fault is

    def visit_If(self, node: ast.If) -> None:
        if is_type_checking(node.test):
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def _negate(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            self._replace("negate condition", test, f"not ({self._said(test)})")

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            sign, others = _COMPARE[type(operator)]
            for other in others:
                self._between("flip comparison", left, right, sign, other)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        sign, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between("swap and, or", left, right, sign, other)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace("drop not", node, f"({self._said(node.operand)})")
        elif isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            self._replace("drop sign", node, f"({self._said(node.operand)})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in _ARITHMETIC and not _is_text(node):
            sign, other = _ARITHMETIC[type(node.op)]
            self._between("change sign", node.left, node.right, sign, other)
        if isinstance(node.op, _ORDERED) and not _is_text(node):
            start, middle = self._span(node.left)
            second, end = self._span(node.right)
            between = self.source[middle:second].decode()
            if "(" not in between and ")" not in between:
                right, left = self._said(node.right), self._said(node.left)
                self._add("swap operands", start, end, f"({right}){between}({left})")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._replace("drop statement", node, "pass")
        if type(node.op) in _ARITHMETIC:
            sign, other = _ARITHMETIC[type(node.op)]
            self._between("change sign", node.target, node.value, f"{sign}=", f"{other}=")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call | ast.Await):
            self._replace("drop statement", node, "pass")
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._replace("drop statement", node, "pass")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace("drop statement", node, "pass")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            self._replace("return nothing", node, "return None")
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in _EXTREMES and isinstance(node.ctx, ast.Load):
            self._replace("swap min, max", node, _EXTREMES[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in _EXTREMES:
            end = self._span(node)[1]
            size = len(node.attr)
            self._add("swap min, max", end - size, end, _EXTREMES[node.attr])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        for operator, after in _other_constants(node.value):
            self._replace(operator, node, after)


def _other_constants(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool):
        yield "change constant", str(not value)
    elif isinstance(value, int):
        yield "off by one", str(value + 1)
        if value > 0:
            yield "off by one", str(value - 1)
    elif isinstance(value, float):
        yield "change constant", repr(2.0 * value) if value else "1.0"
        if value:
            yield "change constant", "0.0"
    elif isinstance(value, bytes):
        yield "change constant", repr(value + b"~")
    elif (
        isinstance(value, str) and " " not in value
    ):  # what has a space in it is words for a person
        yield "change constant", repr(value + "~")


def _is_text(node: ast.BinOp) -> bool:
    """Whether it puts strings together or formats one."""
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes))
        for side in (node.left, node.right)
    )


def is_type_checking(test: ast.expr) -> bool:
    """Whether a condition holds for type checkers only."""
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _simple(statement: ast.stmt) -> bool:
    compound: tuple[Callable[..., ast.stmt], ...] = (
        ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Match,
        ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef, ast.TryStar,
    )  # fmt: skip
    return not isinstance(statement, compound)  # type: ignore[arg-type]
