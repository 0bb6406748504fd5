"""Small faults that a program could have: what scripts/mutants.py seeds into a folder.

In a .py they are found in its syntax tree, in a .pyx, which `ast` cannot read, in its tokens. Either way a fault is a
piece of the text and what stands there instead, so all that is not changed stays as it is written.

    comparison    < for <=, == for !=, in for not in       condition    if not (…) for if …
    operator      + for -, and for or, min for max         arguments    f(b, a) for f(a, b)
    constant      n + 1 for n, True for False              statement    pass for a call, an assignment, a raise
    bound         x[i : j + 1] for x[i:j], range(n - 1) for range(n)

Types, docstrings, decorators and the texts of errors are left alone.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Edit", "changes_python", "find_edits"]

COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "is": "is not",
    "is not": "is",
    "in": "not in",
    "not in": "in",
}
OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "//": "*",
    "%": "//",
    "&": "|",
    "|": "&",
    "^": "&",
    "<<": ">>",
    ">>": "<<",
    "and": "or",
    "or": "and",
    "+=": "-=",
    "-=": "+=",
    "*=": "+=",
    "//=": "*=",
    "|=": "&=",
    "&=": "|=",
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "True": "False", "False": "True"}
OPERATOR = re.compile(r"\bis\s+not\b|\bnot\s+in\b|\bis\b|\bin\b|\band\b|\bor\b|//|<<|>>|[<>=!]=|[-+*/%&|^<>]")
COMMENT = re.compile(r"#[^\n]*")


@dataclass(frozen=True)
class Edit:
    """A piece of a text, by its characters, and what stands there instead."""

    begin: int
    end: int
    replacement: str
    kind: str
    line: int

    def apply(self, text: str) -> str:
        return text[: self.begin] + self.replacement + text[self.end :]


def find_edits(text: str, compiled: bool) -> list[Edit]:
    """All faults of a file, of a .pyx if `compiled`, in the order of the text. `changes_python` tells of those in a .py
    that are no Python, or change nothing."""
    edits = TokenFaults(text).find() if compiled else TreeFaults(text).find()
    return sorted(set(edits), key=lambda edit: (edit.begin, edit.end, edit.replacement))


def changes_python(text: str, changed: str) -> bool:
    try:
        return ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text))
    except SyntaxError:
        return False


class Lines:
    """Where lines begin, in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.begins = [0, *(match.end() for match in re.finditer("\n", text))]

    def number(self, at: int) -> int:
        return bisect_right(self.begins, at)

    def edit(self, begin: int, end: int, replacement: str, kind: str) -> Edit:
        return Edit(begin, end, replacement, kind, self.number(begin))


class TreeFaults(ast.NodeVisitor):
    """The faults of a .py, by its syntax tree."""

    def __init__(self, text: str) -> None:
        self.lines = Lines(text)
        self.text = text
        self.edits: list[Edit] = []

    def find(self) -> list[Edit]:
        self.visit(ast.parse(self.text))
        return self.edits

    # Places

    def place(self, line: int, column: int) -> int:
        """`ast` counts the bytes of a line."""
        begin = self.lines.begins[line - 1]
        row = self.text[begin : self.lines.begins[line] if line < len(self.lines.begins) else None]
        return begin + (column if row.isascii() else len(row.encode()[:column].decode()))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def source(self, node: ast.expr) -> str:
        begin, end = self.span(node)
        return self.text[begin:end]

    def change(self, node: ast.expr | ast.stmt, replacement: str, kind: str) -> None:
        self.edits.append(self.lines.edit(*self.span(node), replacement, kind))

    def change_between(self, left: ast.expr, right: ast.expr, table: dict[str, str], kind: str) -> None:
        """Exchange the operator between two operands."""
        begin, end = self.span(left)[1], self.span(right)[0]
        gap = COMMENT.sub(lambda comment: " " * len(comment[0]), self.text[begin:end])
        match = OPERATOR.search(gap)
        if match is not None:
            operator = " ".join(match[0].split())
            if operator in table:
                self.edits.append(self.lines.edit(begin + match.start(), begin + match.end(), table[operator], kind))

    # What is left alone

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self.negate(node.test)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.change(node, "pass", "statement")

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    # Conditions

    def negate(self, test: ast.expr) -> None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return  # that is a fault by itself
        self.change(test, f"not ({self.source(test)})", "condition")

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self.negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.negate(test)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.change(node, f"({self.source(node.operand)})", "condition")
        elif isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            self.change(node, f"({self.source(node.operand)})", "operator")
        self.generic_visit(node)

    # Operators

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self.change_between(left, right, COMPARISONS, "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.change_between(left, right, OPERATORS, "operator")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not any(map(is_text, (node.left, node.right))):
            self.change_between(node.left, node.right, OPERATORS, "operator")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.change(node, str(not node.value), "constant")
        elif isinstance(node.value, int):
            self.change(node, change_number(node.value), "constant")
        elif isinstance(node.value, float):
            self.change(node, f"({self.source(node)} + 1)", "constant")

    # Calls and bounds

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in NAMES:
            self.change(node.func, NAMES[name], "operator")
        if name == "range" and not any(isinstance(argument, ast.Starred) for argument in node.args):
            self.shift(node.args[0 if len(node.args) == 1 else 1])
        elif len(node.args) >= 2 and not any(isinstance(argument, ast.Starred) for argument in node.args[:2]):
            first, second = node.args[:2]
            if name not in ("isinstance", "getattr", "hasattr", "zip", "min", "max", *NAMES):
                begin, end = self.span(first)[0], self.span(second)[1]
                between = self.text[self.span(first)[1] : self.span(second)[0]]
                swapped = self.source(second) + between + self.source(first)
                self.edits.append(self.lines.edit(begin, end, swapped, "arguments"))
        self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is not None:
                self.shift(bound)
        self.generic_visit(node)

    def shift(self, bound: ast.expr) -> None:
        if not isinstance(bound, ast.Constant):
            self.change(bound, f"({self.source(bound)}) + 1", "bound")
            self.change(bound, f"({self.source(bound)}) - 1", "bound")

    # Statements

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call | ast.Await):
            self.change(node, "pass", "statement")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Name) and target.id.startswith("__") for target in node.targets):
            return
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self.change(node, "pass", "statement")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.change(node, "pass", "statement")
        begin, end = self.span(node.target)[1], self.span(node.value)[0]
        operator = self.text[begin:end].strip()
        if operator in OPERATORS and not is_text(node.value):
            self.edits.append(self.lines.edit(begin, end, f" {OPERATORS[operator]} ", "operator"))
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self.change(node, "pass", "statement")

    def visit_Continue(self, node: ast.Continue) -> None:
        self.change(node, "pass", "statement")

    def visit_Delete(self, node: ast.Delete) -> None:
        self.change(node, "pass", "statement")


def change_number(number: int) -> str:
    """One more; large numbers are mostly limits, of which one more or less does no harm."""
    return str(number + 1 if number < 100 else number // 2)


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


@dataclass(frozen=True)
class Lexeme:
    """A token of a .pyx."""

    kind: str  # name, number, text, operator
    text: str
    begin: int
    end: int


TOKEN = re.compile(
    r"""(?P<text>[rRbBuUfF]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}
                                  |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
      | (?P<comment>\#[^\n]*)
      | (?P<name>[^\W\d]\w*)
      | (?P<number>0[xX][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][-+]?\d+)?\.?)
      | (?P<operator>//=|<<=|>>=|\*\*|//|<<|>>|->|[-+*/%&|^<>=!]=|[^\s\w])
      | (?P<newline>\n)
      | (?P<blank>\\\n|[^\S\n]+)""",
    re.VERBOSE | re.DOTALL,
)
DECLARES = ("cdef", "cpdef", "ctypedef", "def", "class", "cimport", "import", "from", "DEF", "@")
BLOCKS = ("extern", "struct", "enum", "union", "fused")  # of declarations
DELETABLE = ("continue", "break")
NOT_DELETABLE = ("return", "for", "with", "try", "else", "except", "yield", "global", "free")  # a leak is not noticed
SIMPLE = re.compile(r"[\w.]+(?:\[[\w.]+\])?$")


class TokenFaults:
    """The faults of a .pyx, by its tokens. Binary operators have blanks on both sides, which tells them from casts,
    pointers and signs."""

    def __init__(self, text: str) -> None:
        self.lines = Lines(text)
        self.text = text
        self.edits: list[Edit] = []

    def find(self) -> list[Edit]:
        block: int | None = None  # the indentation of a block of declarations
        for line in self.logical_lines():
            indent = line[0].begin - self.lines.begins[self.lines.number(line[0].begin) - 1]
            if block is not None and indent > block:
                continue
            block = None
            words = [token.text for token in line]
            if words[0] in ("cdef", "cpdef", "ctypedef") and any(word in BLOCKS for word in words[1:3]):
                block = indent
            elif words[0] in DECLARES:
                self.look_at_declaration(line)
            elif line[0].kind != "text":
                self.look_at_statement(line)
        return self.edits

    def logical_lines(self) -> Iterator[list[Lexeme]]:
        line: list[Lexeme] = []
        depth = 0
        for match in TOKEN.finditer(self.text):
            kind = match.lastgroup or ""
            if kind == "newline" and depth == 0 and line:
                yield line
                line = []
            elif kind in ("name", "number", "text", "operator"):
                line.append(Lexeme(kind, match[0], match.start(), match.end()))
                depth += (match[0] in "([{") - (match[0] in ")]}") if kind == "operator" else 0
        if line:
            yield line

    def change(self, begin: int, end: int, replacement: str, kind: str) -> None:
        self.edits.append(self.lines.edit(begin, end, replacement, kind))

    def look_at_declaration(self, line: list[Lexeme]) -> None:
        """`cdef int k = 0`, and nothing else: sizes, defaults and types stay."""
        at = next((k for k, token in enumerate(line) if token.text == "="), None)
        if line[0].text == "cdef" and at is not None and line[-1].text != ":":
            self.look_at_expression(line[at + 1 :])

    def look_at_statement(self, line: list[Lexeme]) -> None:
        first = line[0].text
        if first == "raise":
            self.change(line[0].begin, line[-1].end, "pass", "statement")
            return
        if first in ("if", "elif", "while"):
            self.negate(line)
        elif first in DELETABLE or self.is_deletable(line):
            self.change(line[0].begin, line[-1].end, "pass", "statement")
        self.look_at_expression(line)

    def negate(self, line: list[Lexeme]) -> None:
        depth = 0
        for token in line[1:]:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if token.text == ":" and depth == 0:
                begin, end = line[1].begin, token.begin
                condition = self.text[begin:end]
                if condition not in ("True", "1"):
                    inside = condition[4:] if condition.startswith("not ") and " " not in condition[4:] else ""
                    self.change(begin, end, inside or f"not ({condition})", "condition")
                return

    def is_deletable(self, line: list[Lexeme]) -> bool:
        """A call, or an assignment to something that is there already."""
        if line[0].kind != "name" or line[0].text in NOT_DELETABLE:
            return False
        depth = 0
        for token in line:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0 and token.kind == "operator" and token.text.endswith("="):
                target = self.text[line[0].begin : token.begin]
                return token.text != "=" or "." in target or "[" in target
        return line[-1].text == ")" and line[1].text in ("(", ".", "[")

    def look_at_expression(self, line: list[Lexeme]) -> None:
        for k, token in enumerate(line):
            before, after = self.text[token.begin - 1], self.text[token.end : token.end + 1]
            if token.kind == "number":
                if token.text.isdecimal():
                    self.change(token.begin, token.end, change_number(int(token.text)), "constant")
            elif token.kind == "name":
                self.look_at_name(line, k)
            elif before in " \n" and after in " \n":
                for table, kind in ((COMPARISONS, "comparison"), (OPERATORS, "operator")):
                    if token.text in table:
                        self.change(token.begin, token.end, table[token.text], kind)

    def look_at_name(self, line: list[Lexeme], k: int) -> None:
        token = line[k]
        following = line[k + 1].text if k + 1 < len(line) else ""
        if token.text in ("and", "or"):
            self.change(token.begin, token.end, OPERATORS[token.text], "operator")
        elif token.text == "is":
            end = line[k + 1].end if following == "not" else token.end
            self.change(token.begin, end, "is" if following == "not" else "is not", "comparison")
        elif token.text in ("True", "False") or (token.text in NAMES and following == "("):
            self.change(token.begin, token.end, NAMES[token.text], "constant" if following != "(" else "operator")
        elif following == "(" and (k == 0 or line[k - 1].text not in ("def", "class")):
            self.look_at_call(token, line[k + 1 :])

    def look_at_call(self, name: Lexeme, rest: list[Lexeme]) -> None:
        """Exchange the first two arguments, where they are simple; or go one further in a range."""
        arguments: list[tuple[int, int]] = []
        depth, begin = 0, rest[0].end
        for token in rest:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0 or (depth == 1 and token.text == ","):
                arguments.append((begin, token.begin))
                begin = token.end
            if depth == 0:
                break
        if name.text == "range":
            begin, end = arguments[min(1, len(arguments) - 1)]
            if not self.text[begin:end].strip().isdecimal():
                self.change(end, end, " + 1", "bound")
                self.change(end, end, " - 1", "bound")
        elif len(arguments) >= 2:
            first, second = (self.text[begin:end].strip() for begin, end in arguments[:2])
            if first != second and SIMPLE.match(first) and SIMPLE.match(second):
                self.change(arguments[0][0], arguments[1][1], f"{second}, {first}", "arguments")
