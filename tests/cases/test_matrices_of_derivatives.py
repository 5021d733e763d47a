"""Jacobians, Hessians and their products with vectors, as a shell gets them."""

from __future__ import annotations

from cases import Case, each_of

HIMMELBLAU = "x = 0.1; y = 0.2; f = (x**2 + y - 11)**2 + (x + y**2 - 7)**2\n"
CASES = [
    Case("hessian", HIMMELBLAU, "autodiff hessian script.ad", [-41.08, 1.2, 1.2, -25.12]),
    Case(
        "newton_direction_of_a_row",
        HIMMELBLAU,
        "autodiff hessian script.ad --wrt x",
        [-41.08],
    ),
    Case(
        "jacobian_of_polar_coordinates",
        "r = 2; t = pi/2\nv = [r*cos(t), r*sin(t)]\n",
        "autodiff jacobian script.ad --wrt r,t",
        [0, -2, 1, 0],
    ),
    Case(
        "hessian_with_names",
        "w = [2, 3]; f = w[0]**2*w[1]\n",
        "autodiff hessian script.ad --format csv | tail -n +2",
        prints="w,0,w,0,6\nw,0,w,1,4\nw,1,w,0,4\nw,1,w,1,0\n",
    ),
    Case(
        "names_that_read_as_numbers_are_aligned_as_names",
        "nan = 2.; long = 3.; L = nan**2*long\n",
        "autodiff hvp script.ad --vector long=1 --format table | tail -n +2",
        prints="  nan        2     4\n  long       3     0\n",
    ),
    Case(
        "hessian_in_a_table",
        "w = [2, 3]; f = w[0]**2*w[1]\n",
        "autodiff hessian script.ad --format table",
        prints="Hessian of f\n\n         w[0]   w[1]\n  w[0]      6      4\n  w[1]      4      0\n",
    ),
    Case(
        "curvature_along_a_direction",
        HIMMELBLAU,
        "autodiff hvp script.ad --vector x=1 --vector y=2 | cut -f2",
        [-38.68, -49.04],
    ),
    Case(
        "slope_along_a_direction",
        "r = 2; t = pi/2\nv = [r*cos(t), r*sin(t)]\n",
        "autodiff jvp script.ad --vector r=1 --vector t=1/2",
        [-1, 1],
    ),
    Case(
        "matrix_for_numpy",
        "W = tensor([[1., 2.], [3., 4.]]); x = tensor([1., 1.]); y = W @ x\n",
        "autodiff jacobian script.ad --wrt x -o j.npy"
        ' && "$INTERPRETER" -c \'import numpy; print(numpy.load("j.npy").tolist())\'',
        [1, 2, 3, 4],
    ),
    Case(
        "blocks_in_json",
        "W = tensor([[1., 2.], [3., 4.]]); x = tensor([1., 1.]); y = W @ x\n",
        'autodiff jacobian script.ad --format json | of_json \'r["jacobian"]["W"][1]\'',
        [0, 0, 1, 1],
    ),
    Case(
        "no_vector",
        "x = 3; y = 2*x\n",
        "autodiff jvp script.ad",
        prints="",
        says=["--vector is missing", "as in --vector x=1"],
        code=2,
    ),
    Case(
        "a_vector_of_another_name",
        "width = 3; y = 2*width\n",
        "autodiff jvp script.ad --vector widht=1",
        says=["no input `widht`", "did you mean `width`?"],
        code=2,
    ),
    Case(
        "a_hessian_of_two_numbers",
        "x = 3; v = [x, x**2]\n",
        "autodiff hessian script.ad",
        says=["--of 'v[0]'", "--grad-output ones"],
        code=4,
    ),
]


@each_of(CASES)
def test_matrices_of_derivatives(case, tmp_path):
    case.check(tmp_path)
