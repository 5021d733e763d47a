"""The interpreter is closed: no Python object is reachable, and the package calls nothing dynamic."""

from __future__ import annotations

import ast
from pathlib import Path

from conftest import REPOSITORY
from one_test import in_one_test
from script_runner import run_script

PACKAGE = REPOSITORY
FORBIDDEN = {"getattr", "setattr", "delattr", "eval", "exec", "compile", "__import__", "import_module"}
FORBIDDEN |= {"format_map", "globals", "locals", "breakpoint", "input"}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "ctypes", "ast", "code", "importlib", "inspect"}
#: Modules that read Python without running it: the package's own rules; short texts of a script. And those
#: that load the families of ops, whose names are those of its own files, and modules whose names are written
#: out, never a script's.
ALLOWED = {
    "grammar/reference/rule_text.py": {"ast", "getattr"},
    "core/symbolic/source_exprs.py": {"ast"},
    "core/graph/registry.py": {"__import__"},
    "core/base/lazy_imports.py": {"__import__", "getattr"},
    # For Python programs; scripts load none of it (tests/test_startup.py).
    "core/__init__.py": {"importlib", "import_module"},
    "core/interface/functions.py": {"inspect"},
    "core/interface/methods.py": {"getattr", "setattr"},
    "core/interface/stubs.py": {"getattr", "inspect"},
}
MODULES = sorted((PACKAGE / "grammar").rglob("*.py")) + sorted((PACKAGE / "core").rglob("*.py"))


def called(node: ast.Call) -> str:
    function = node.func
    if not isinstance(function, ast.Name):  # `re.compile` and a method called `compile_x` are other functions
        return ""
    if function.id == "getattr" and isinstance(node.args[1], ast.Constant):
        attribute = node.args[1].value  # written out, it is no more than `x.attribute` with a default
        return "" if not attribute.startswith("_") else "getattr"
    return function.id


@in_one_test("path", MODULES)
def test_the_package_calls_nothing_dynamic(path: Path) -> None:
    allowed = ALLOWED.get(str(path.relative_to(PACKAGE)), set())
    forbidden = FORBIDDEN_MODULES - allowed
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            assert called(node) not in FORBIDDEN - allowed, f"line {node.lineno}"
            if called(node) == "Later":
                [module] = node.args
                assert isinstance(module, ast.Constant), f"line {node.lineno}"
                assert str(module.value).startswith(("autodiff.", "numpy.")), f"line {node.lineno}"
            if isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("format_map", "import_module"), f"line {node.lineno}"
        elif isinstance(node, ast.Import):
            assert not {alias.name.partition(".")[0] for alias in node.names} & forbidden
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] not in forbidden


# Published ways out of numexpr, asteval, simpleeval and RestrictedPython, and their usual variations.
EXPLOITS = [
    "().__class__.__bases__[0].__subclasses__()",
    "[].__class__.__mro__[1].__subclasses__()",
    "(lambda: 0).__globals__",
    "__import__('os').system('id')",
    "import os\nos.system('id')",
    "import os\nos.environ",
    "import os.path",
    "from os import system\nsystem('id')",
    "import sys\nsys.modules",
    "import random\nrandom.__init__",
    "import random\nrandom.SystemRandom",
    "torch.__dict__",
    "torch.__version__.__class__",
    "(1).__version__",
    "import torch.utils",
    "from torch import load",
    "from numpy import load",
    "from numpy import ctypeslib",
    "np.load('x.npy')",
    "np.lib",
    "np.f2py",
    "np.core",
    "torch.load('x')",
    "torch.ops",
    "torch.utils.cpp_extension",
    "torch.sys",
    "torch.os",
    "torch.serialization",
    "torch.hub.load('a', 'b')",
    "math.sys",
    "eval('1')",
    "exec('1')",
    "open('/etc/passwd')",
    "open('/etc/passwd').read()",
    "getattr(1, 'real')",
    "vars()",
    "globals()",
    "object()",
    "super()",
    "'{0.__class__}'.format(1)",
    "'{0[0]}'.format([1])",
    "'{x.real}'.format(x=1)",
    "'%(a)s' % 1",
    "f'{().__class__}'",
    "'a'.format_map([])",
    "'a'.encode('utf-8')",
    "(1).real",
    "(1).to_bytes(2, 'big')",
    "(1.0).hex()",
    "len.__self__",
    "print.__globals__",
    "print(1, file=2)",
    "print.function",
    "torch.sin.implementation",
    "torch.sin.bind",
    "no_grad().switch",
    "range(3).count(1)",
    "torch.sum(torch.ones(2), out=torch.ones(1))",
    "torch.sum(torch.ones(2), where=1)",
    "torch.ones(2, dtype='object')",
    "torch.ones(2, order='C')",
    "torch.tensor('a')",
    "torch.ones(2).numpy().tofile('f')",
    "torch.ones(2).data.base",
    "torch.ones(2).apply_(len)",
    "torch.ones(2).map_(1)",
    "torch.ones(2).share_memory_()",
    "torch.from_file('x')",
    "torch.compile(len)",
    "torch.jit.script(len)",
    "Function.apply(1)",
    "Function()",
    "Math('a').data",
    "class A: pass",
    "class A(int): pass",
    "class A(torch.nn.Module): pass",
    "@property\ndef f(): return 1",
    "sorted([1], key=1)",
    "isinstance(1, object)",
    "with open('x') as f: pass",
    "try:\n    1\nexcept Exception as e:\n    e",
    "raise SystemExit",
    "exit()",
    "quit()",
    "yield 1",
    "async def f(): pass",
    "global x",
    "{}",
    "{1: 2}",
    "[x for x in ().__class__]",
    "del torch.sin",
    "torch.autograd.Function.__init__",
    "(_ for _ in ()).gi_frame",
    "[].append.__self__",
    "torch.Size([1]).__class__",
    "np.linalg",
    "np.array([1])",
    "np.sqrt.at(1, 2)",
    "math.pi.real",
    "''.join([open])",
    "a := 1",
    "print(__builtins__)",
    "__name__",
    "__file__",
]


@in_one_test("text", EXPLOITS)
def test_published_exploits_are_errors(text: str) -> None:
    outcome = run_script(f"t = torch.tensor(1.)\n{text}\n")
    assert outcome.error is not None
    assert outcome.error.code.startswith("E")
    assert outcome.error.code != "E0900"
