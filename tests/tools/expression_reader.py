"""Expressions read from text as Python reads it, for tests that ask what a text means."""

from __future__ import annotations

import ast

from autodiff.core.symbolic.expr import Expr, call, infix, name_expr, neg, number_expr, postfix
from autodiff.core.symbolic.symbol import Symbol

SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.Gt: ">",
    ast.LtE: "<=",
    ast.BitAnd: "&",
}


def sym(spelled: str, *shape: int) -> Symbol:
    """What a name stands for, of a shape."""
    return Symbol(name_expr(spelled), shape)


def parse(text: str) -> Expr:
    """Read an expression as Python does."""

    def read(at: ast.AST) -> Expr:
        match at:
            case ast.Constant():
                return number_expr(at.value)
            case ast.Name():
                return name_expr(at.id)
            case ast.UnaryOp():
                return neg(read(at.operand))
            case ast.BinOp():
                return infix(SIGNS[type(at.op)], read(at.left), read(at.right))
            case ast.Compare():
                return infix(SIGNS[type(at.ops[0])], read(at.left), read(at.comparators[0]))
            case ast.Attribute():
                return postfix(read(at.value), f".{at.attr}", "permute", {"dims": (1, 0)})
            case ast.Call():
                assert isinstance(at.func, ast.Name)
                return call(at.func.id, *map(read, at.args))
        raise AssertionError(ast.dump(at))

    return read(ast.parse(text, mode="eval").body)
