"""The shape of plain output depends on the script and the options, never on the numbers."""

from __future__ import annotations

from cases import Case, each_of

LINE = "w = [1, 2]; b = 0.5; L = (w[0]*3 + w[1]*4 + b)**2\n"

CASES = [
    Case(
        "each_of_two_inputs_by_max",
        "L = max(a, b)*2\n",
        "printf '3 1\\n1 3\\n' | while read a b; do"
        " autodiff grad script.ad --set a=$a --set b=$b | paste -s; done",
        prints="a\t2\tb\t0\na\t0\tb\t2\n",
    ),
    Case(
        "vector_and_number",
        LINE,
        "autodiff grad script.ad",
        prints="w\t69\t92\nb\t23\n",
    ),
    Case(
        "lists_that_were_asked_for",
        "K = 1.64735; N = [2, 4, 2]; M = [1]; E = [1]\n"
        "C = [0.9218, 0.5780, 2.1182]; D = [0.2610]; O = [0.7410]\n"
        "y = K + math.fsum([n*c for n, c in zip(N, C)]) + M[0]*D[0] + E[0]*O[0]\n",
        "autodiff grad script.ad --wrt C,D,O --of y | cut -f2-",
        prints="2\t4\t2\n1\n1\n",
    ),
    Case(
        "input_without_part",
        "x = 2; y = 3; L = x**2\n",
        "autodiff grad script.ad",
        prints="x\t4\ny\t0\n",
        says=["the gradient for y is zero"],
    ),
    Case(
        "branch_that_leaves_an_input_out",
        "a = 2; b = 3\nL = a*b if c > 0 else a\n",
        "for c in 1 -1; do autodiff grad script.ad --set c=$c --wrt 'a,b' | cut -f2 | paste -s; done",
        prints="3\t2\n1\t0\n",
    ),
    Case(
        "matrix_and_vector",
        "W = [[1, 2], [3, 4]]; v = [5, 6]; L = W[0][0]*v[0] + W[1][1]*v[1]**2\n",
        "autodiff grad script.ad",
        prints="W[0]\t5\t0\nW[1]\t0\t36\nv\t1\t48\n",
    ),
    Case(
        "rows_taken_apart_by_awk",
        "W = torch.ones(2, 2, requires_grad=True)\nb = torch.ones(2, requires_grad=True)\n"
        "L = (2*W @ b).sum()\n",
        "autodiff grad script.ad | awk -F'\\t' '/^W/ {for (i = 2; i <= NF; i++) s += $i} END {print s}'",
        prints="8\n",
    ),
    Case(
        "entries_taken_apart_by_read",
        LINE,
        'autodiff grad script.ad | while read -r name first rest; do echo "$first"; done',
        prints="69\n23\n",
    ),
    Case(
        "three_dimensions_beside_a_number",
        "t = torch.ones(2, 1, 2, requires_grad=True)\ns = torch.tensor(3., requires_grad=True)\n"
        "L = (s*t).sum()\n",
        "autodiff grad script.ad",
        prints="t[0,0]\t3\t3\nt[1,0]\t3\t3\ns\t4\n",
    ),
    Case(
        "three_dimensions_alone",
        "t = torch.ones(2, 1, 2, requires_grad=True)\nL = (3*t).sum()\n",
        "autodiff grad script.ad",
        prints="",
        says=["t has 3 dimensions", "--format json"],
        code=2,
    ),
    Case("one_input_alone", "x = 2; L = x**2\n", "autodiff grad script.ad", prints="4\n"),
    Case(
        "tensors_of_which_one_is_not_used",
        "a = torch.tensor(1., requires_grad=True)\nb = torch.tensor(2., requires_grad=True)\nL = a**2\n",
        "autodiff grad script.ad",
        prints="a\t2\nb\t0\n",
    ),
]


@each_of(CASES)
def test_case(case, tmp_path):
    case.check(tmp_path)
