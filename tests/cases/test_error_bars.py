"""Error bars: standard deviations of measurements, carried to the result, as a shell gets them."""

from __future__ import annotations

from cases import Case, each_of

DENSITY = "m = 0.029; r = 0.0082; d = m/r**2\n"
SQUARE = "x = 0; y = x**2\n"
CASES = [
    Case(
        "value_and_deviation",
        DENSITY,
        "autodiff propagate script.ad --sigma m=0.005,r=0.0001",
        [431.29089827483637, 75.10086139562145],
    ),
    Case(
        "shares_of_the_variance",
        DENSITY,
        'autodiff propagate script.ad --sigma m=0.005,r=0.0001 --format json | of_json \'r["shares"]["r"]\'',
        [0.019619278682405632],
    ),
    Case(
        "a_table",
        "a = 3; b = 4; c = 5; s = a*b + 0*c\n",
        "autodiff propagate script.ad --sigma a=0.1 --sigma b=0.1 --format table",
        prints="s = 12 +- 0.5\n\n  input   value   sigma   derivative   share\n"
        "  a           3     0.1            4    64 %\n  b           4     0.1            3    36 %\n",
    ),
    Case(
        "correlated_inputs",
        "a = 3; b = 4; s = a - b\n",
        "autodiff propagate script.ad --cov cov.csv",
        [-1, 0.2],
        files={"cov.csv": "a,b\n0.04,0.03\n0.03,0.06\n"},
        tolerance=1e-6,
    ),
    Case(
        "rows_with_labels",  # as pandas writes them; in another order than the columns
        "a = 3; b = 4; s = a - 2*b\n",
        "autodiff propagate script.ad --cov cov.csv",
        [-5, 0.4],
        files={"cov.csv": ",a,b\nb,0.03,0.06\na,0.04,0.03\n"},
        tolerance=1e-6,
    ),
    Case(
        "a_matrix_that_is_symmetric_only_without_its_labels",
        "a = 3; b = 4; s = a - b\n",
        "autodiff propagate script.ad --cov cov.csv",
        code=2,
        says=["error[E0619]: --cov cov.csv: it is not symmetric"],
        files={"cov.csv": ",a,b\nb,0.04,0.03\na,0.03,0.06\n"},
    ),
    Case(
        "labels_of_other_names",
        "a = 3; b = 4; s = a - b\n",
        "autodiff propagate script.ad --cov cov.csv",
        code=2,
        says=["--cov cov.csv: its rows are called a, c, its columns a, b"],
        files={"cov.csv": ",a,b\na,0.04,0.03\nc,0.03,0.06\n"},
    ),
    Case(
        "numbers_of_rows_are_no_labels",
        "a = 3; b = 4; s = a - b\n",
        "autodiff propagate script.ad --cov cov.csv",
        [-1, 0.2],
        files={"cov.csv": ",a,b\n0,0.04,0.03\n1,0.03,0.06\n"},
        tolerance=1e-6,
    ),
    Case(
        "correlations_in_place_of_covariances",
        "a = 3; b = 4; s = a - b\n",
        "autodiff propagate script.ad --cov cov.csv",
        [-1, 1],
        says=["note: every variance in cov.csv is 1: it is taken for covariances"],
        files={"cov.csv": "a,b\n1,0.5\n0.5,1\n"},
    ),
    Case(
        "entries_of_a_vector",
        "x = [1, 2]; y = [x[0]*x[1], x[0]]\n",
        "autodiff propagate script.ad --sigma 'x=[0.1, 0.2]' | cut -f2",
        [0.08**0.5, 0.1],
    ),
    Case(
        "draws_agree",
        DENSITY,
        "autodiff propagate script.ad --sigma m=0.0005,r=0.00001 --monte-carlo 500",
        [431.29089827483637, 7.510086139562145],
        says=["Monte Carlo, 500 draws: mean 43", "which agrees"],
    ),
    Case(
        "curvature_alone",
        SQUARE,
        "autodiff propagate script.ad --sigma x=0.1 --monte-carlo 1000",
        [0, 0],
        says=["because of curvature: with second derivatives, the mean is 0.01 and sigma 0.01414"],
    ),
    Case(
        "a_kink",
        "x = 0; y = abs(x)\n",
        "autodiff propagate script.ad --sigma x=0.1 --monte-carlo 1000",
        [0, 0],
        says=["not by curvature alone", "trust the draws"],
    ),
    *[
        Case(
            f"a_heavy_tail_{at}",
            script,
            f"autodiff propagate script.ad --sigma {sigma} --monte-carlo 10000 | cut -f1",
            [value],
            says=["which a few far draws make: a heavy tail, as beside a pole, or too few draws"],
            never=["agrees", "because of curvature", "trust the draws"],
        )
        for at, (script, sigma, value) in enumerate(
            [
                ("x = 1.; y = 1/x\n", "x=0.5", 1),
                ("x = 1.; y = 1/x\n", "x=0.3", 1),
                ("a = 5.; b = 4.9; y = 1/(a - b)\n", "a=0.05,b=0.05", 10),
            ]
        )
    ],
    Case(
        "few_draws_of_a_parabola",
        SQUARE,
        "autodiff propagate script.ad --sigma x=0.1 --monte-carlo 100",
        [0, 0],
        never=["far draws"],
    ),
    Case(
        "out_of_range",
        "x = 1; y = log(x)\n",
        "autodiff propagate script.ad --sigma x=1 --monte-carlo 200",
        [0, 1],
        says=["draws whose output is not finite"],
        never=["agrees"],
    ),
    Case(
        "no_deviation_to_first_order",
        SQUARE,
        "autodiff propagate script.ad --sigma x=0.1",
        [0, 0],
        says=["to first order the deviation is 0"],
    ),
    Case(
        "parts_of_the_value",
        "a = -3; b = [4, 0]; s = [a, b[0], b[1]]\n",
        "autodiff propagate script.ad --sigma a=1%,b='[2, 5]%' | cut -f2",
        [0.03, 0.08, 0],
    ),
    Case(
        "deviations_of_two_options",
        "a = 3; b = 4; s = [a, b]\n",
        "autodiff propagate script.ad --sigma a=0.5 --sigma 'b=50 %' | cut -f2",
        [0.5, 2],
    ),
    Case(
        "two_deviations_of_one_name",
        "a = 3; b = 4; s = [a, b]\n",
        "autodiff propagate script.ad --sigma a=1%,b=1 --sigma a=0.5",
        code=2,
        says=["--sigma gives `a` twice: `a=1%` and `a=0.5`", "leave one out"],
    ),
    Case(
        "a_part_below_0",
        DENSITY,
        "autodiff propagate script.ad --sigma m=-1%",
        code=2,
        says=["a standard deviation is 0 or more"],
    ),
    Case(
        "no_part",
        SQUARE,
        "autodiff propagate script.ad --sigma x=%",
        code=2,
        says=["--sigma x: the value is missing"],
    ),
    Case(
        "an_unknown_input",
        "width = 2; y = width**2\n",
        "autodiff propagate script.ad --sigma widht=1",
        prints="",
        says=["there is no variable `widht`", "did you mean `width`?"],
        code=2,
    ),
    Case(
        "no_covariance_of_numbers",
        "a = 3; b = 4; s = a - b\n",
        "autodiff propagate script.ad --cov cov.csv",
        prints="",
        says=["cov.csv: no random numbers have this covariance"],
        files={"cov.csv": "a,b\n1,2\n2,1\n"},
        code=2,
    ),
    Case(
        "covariance_without_names",
        "a = 3; b = 4; s = a - b\n",
        "printf '1,0\\n0,1\\n' | autodiff propagate script.ad --cov - --wrt a",
        prints="",
        says=["the matrix has 2 rows, and there are 1 inputs: a"],
        code=2,
    ),
    Case(
        "a_computed_quantity_cannot_be_drawn",
        "x = 1; z = 2*x; y = z**2\n",
        "autodiff propagate script.ad --sigma z=1 --monte-carlo 100",
        prints="",
        says=["`z` is computed by the script", "what it is computed from"],
        code=2,
    ),
]


@each_of(CASES)
def test_error_bars(case, tmp_path):
    case.check(tmp_path)
