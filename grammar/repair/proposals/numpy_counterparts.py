"""Repairs of members of numpy: torch's counterpart with its own arguments, in scripts of arrays numpy's own.

A function that torch has under the same name and with the same meaning is no entry here.
"""

from __future__ import annotations

import re

from autodiff.core.base.did_you_mean import fold_name, similar_names
from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, with_parentheses
from autodiff.grammar.objects.values import Namespace
from autodiff.grammar.repair.proposals.library_words import (
    NUMPY_NAMES,
    SPECIAL,
    LibraryWords,
    end_of,
    has_function,
)
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: numpy's functions: the names of their parameters in order, and what torch has for them. ``{axis:dim}`` is
#: ``, dim=AXIS`` where ``axis`` is given, else nothing. Without ``axis`` numpy takes all entries in a row: a
#: second form is for this, if torch does not.
COUNTERPARTS = {
    "median": ("a axis", "{t}quantile({a}, 0.5{axis:dim}{keepdims:keepdim})"),
    "percentile": ("a q axis", "{t}quantile({a}, {q} / 100{axis:dim}{keepdims:keepdim})"),
    "repeat": ("a repeats axis", "{t}repeat_interleave({a}, {repeats}{axis:dim})"),
    "std": ("a axis dtype out ddof", "{t}std({a}{axis:dim}, correction={ddof}{keepdims:keepdim})"),
    "var": ("a axis dtype out ddof", "{t}var({a}{axis:dim}, correction={ddof}{keepdims:keepdim})"),
    "concatenate": ("arrays axis", "{t}cat({arrays}{axis:dim})"),
    "append": ("a values axis", "{t}cat([{a}, {values}]{axis:dim})", "{t}cat([{flat}, {values}.flatten()])"),
    "clip": ("a a_min a_max", "{t}clamp({a}{a_min:min}{a_max:max})"),
    "sort": ("a axis", "{t}sort({a}{axis:dim}).values"),
    "split": ("a n axis", "{t}tensor_split({a}, {n}{axis:dim})"),
    "array_split": ("a n axis", "{t}tensor_split({a}, {n}{axis:dim})"),
    "transpose": ("a axes", "{t}permute({a}{axes:dims})"),
    "cumsum": ("a axis", "{t}cumsum({a}{axis:dim})", "{t}cumsum({flat}, dim=0)"),
    "cumprod": ("a axis", "{t}cumprod({a}{axis:dim})", "{t}cumprod({flat}, dim=0)"),
    "flip": ("a axis", "{t}flip({a}, dims=[{axis}])", "{t}flip({a}, dims={dims})"),
    "max": ("a axis", "{t}amax({a}{axis:dim}{keepdims:keepdim})"),
    "min": ("a axis", "{t}amin({a}{axis:dim}{keepdims:keepdim})"),
    "ptp": ("a axis", "({t}amax({a}{axis:dim}) - {t}amin({a}{axis:dim}))"),
    "average": ("a axis", "{t}mean({a}{axis:dim})"),
    "expand_dims": ("a axis", "{t}unsqueeze({a}, {axis})"),
    "round": ("a decimals", "{t}round({a}{decimals:decimals})"),
    "around": ("a decimals", "{t}round({a}{decimals:decimals})"),
    "mod": ("a b", "{t}remainder({a}, {b})"),
    "linalg.norm": ("a ord axis", "{t}linalg.norm({a}{ord:ord}{axis:dim}{keepdims:keepdim})"),
    "size": ("a", "{t}numel({a})"),
}
#: What numpy takes where a parameter is not given.
DEFAULTS = {"ddof": "0"}
#: numpy's names of functions of torch, for scripts of arrays.
OF_TORCH = {
    **NUMPY_NAMES,
    **{"tensor": "array", "as_tensor": "asarray", "cat": "concatenate", "clamp": "clip", "pow": "power"},
    **{"acos": "arccos", "acosh": "arccosh", "atan2": "arctan2", "unsqueeze": "expand_dims", "mm": "matmul"},
    **{"norm": "linalg.norm", "det": "linalg.det", "inverse": "linalg.inv", "repeat_interleave": "repeat"},
}


def torch_counterpart(scene: Scene, call: tree.Call, name: str) -> Iterator[Fix]:
    """Propose what torch has for a call of numpy's function ``name``, with torch's arguments."""
    signature, form, *flat_form = COUNTERPARTS[name]
    parameters, given = signature.split(), {}
    for at, argument in enumerate(call.arguments):
        if argument.star or (argument.keyword is None and at >= len(parameters)):
            return
        given[argument.keyword or parameters[at]] = scene.text(argument.value)
    used = {part.partition("}")[0].partition(":")[0] for part in form.split("{")[1:]}
    if not given.keys() <= used or parameters[0] not in given:  # such as the weights of an average
        return
    x = given[parameters[0]]
    value = scene.value(call.arguments[0].value)
    ndim = value.ndim if value.__class__ is Tensor else 1
    if flat_form and "axis" not in given:
        form = flat_form[0]
    if name == "transpose" and "axes" not in given:
        form = "{flat}" if ndim == 1 else "{t}permute({a}, dims={reversed})"
    parts = {
        "t": LibraryWords(scene).prefix,
        "flat": x if ndim == 1 else f"{with_parentheses(x)}.flatten()",
        "dims": str(list(range(ndim))),
        "reversed": str(list(reversed(range(ndim)))),
        **DEFAULTS,
        **given,
    }
    text = filled(form, parts)
    yield Fix(f"write `{text}`", Edit(call.span, text))


def filled(form: str, parts: dict[str, str]) -> str:
    """Return a form of COUNTERPARTS with its parts; an option that is not given is left out."""

    def written(part: re.Match[str]) -> str:
        name, option = part.groups()
        if not option:
            return parts[name]
        return f", {option}={parts[name]}" if name in parts else ""

    return re.sub(r"\{(\w+)(?::(\w+))?\}", written, form)


def numpy_member(
    scene: Scene, node: tree.Attribute, owner: Namespace, call: tree.Call | None
) -> Iterator[Fix]:
    """Propose numpy's name of a function of torch, what has its value, or a near name; for arrays."""
    name, words = node.name, LibraryWords(scene)
    if name in OF_TORCH:
        own = OF_TORCH[name]
        yield Fix(f"did you mean `{scene.text(node.object)}.{own}`?", Edit(node.name_span, own))
        return
    x = scene.text(call.arguments[0].value) if call is not None and len(call.arguments) == 1 else ""
    if call is not None and x:
        forms = {"relu": words.bounded(x, "min", "0"), "softmax": words.softmax(x, "")}
        forms |= {"logsumexp": words.logsumexp(x, []), "log_softmax": words.log_softmax(x, "")}
        text = forms.get(name) or words.call(name, x)
        if text:
            yield Fix(f"numpy has none: write {text}", Edit(call.span, text), *words.import_edits(text))
            return
    if has_function(SPECIAL, name):
        imports = [one for one in walk(scene.script) if isinstance(one, (tree.Import, tree.ImportFrom))]
        at = end_of(imports[-1]) if imports else Span(0, 0)
        line = f"from {SPECIAL} import {name}"
        added = Edit(at, f"\n{line}" if imports else f"{line}\n")
        yield Fix(f"scipy has it: {line}, and {name}(...)", Edit(node.span, name), added)
        return
    near = similar_names(name, owner.names())
    for other in [one for one in near if fold_name(one) == fold_name(name)] or near[:2]:
        yield Fix(f"did you mean `{scene.text(node.object)}.{other}`?", Edit(node.name_span, other))
