"""Answers that engineers compute with gradients and the shell: error bars, sweeps, Newton steps, rows."""

from __future__ import annotations

from cases import Case, each_of

ROOT_OF_SQUARES = "awk '{s+=($2*$3)^2} END{printf \"%.12g\\n\", sqrt(s)}'"
FIT = """\
# X Y
1.3 2.52
2 3.85
3.31 7.78
4.03 9.91
5.7 12.73
6.2 12.4
7 14.3
8 16.95
9.2 18.91
10 19.01
6 11.51
2.03 4.93
3.55 8.0
1 2.92
4 8.0
5 10.03
9.5 20.54
8 15.22
7 15.03
9.33 17.89
5 12.1
"""
COLUMN = """awk '!/#/{printf "%%s%%s",s,$%d;s=","} BEGIN{printf "["} END{print "]"}' fit.dat"""
CALL = """\
S = 210; K = 203; r = 0.02175; vol = 0.1404%s
t = day/252
d1 = (log(S/K) + (r + vol**2/2)*t)/(vol*sqrt(t))
C = S*special.ndtr(d1) - K*exp(-r*t)*special.ndtr(d1 - vol*sqrt(t))
"""
DELTAS = [
    *(0.9999402875615256, 0.9968379102854978, 0.9873769633642436, 0.974107888365521),
    *(0.9595887956479532, 0.9451565231699367, 0.9314005492173347),
]
VEGAS = [
    *(0.003223077701412087, 0.17947168589868107, 0.7477375371083846, 1.5923939657817519),
    *(2.5703202964703893, 3.5965363719214105, 4.626777896726805),
]
NEWTON = 'of_json \'r["gradients"][0]["value"] - r["output"]["value"]/r["gradients"][0]["grad"]\''

CASES = [
    Case(
        "sixth_derivative_in_a_loop",
        """\
x = torch.tensor(0.5, requires_grad=True)
d = torch.log(1 + x)
for k in range(6):
    d, = torch.autograd.grad(d, x, create_graph=True)
print(d.item())
""",
        "autodiff run -q script.ad --show gradients | head -n1",
        [-10.534979423868313],
    ),
    Case(
        "all_derivatives_of_powers",
        """\
for n in range(1, 6):
    x = torch.tensor(0.0, requires_grad=True)
    d = x ** n
    for k in range(n):
        d, = torch.autograd.grad(d, x, create_graph=True)
    print(d.item())
""",
        "autodiff run -q script.ad --show gradients 2>/dev/null | head -n5",
        [1, 2, 6, 24, 120],
    ),
    Case(
        "third_derivative_beside_a_number",
        """\
a = 0.3; x = torch.tensor(1.0, requires_grad=True)
d = torch.cos(a*x)
for k in range(3):
    d, = torch.autograd.grad(d, x, create_graph=True)
print(d.item())
""",
        "autodiff run -q script.ad --show gradients | head -n1",
        [0.007979045579856167],
    ),
    Case(
        "second_derivative_in_json",
        "x = 2; f = x**3\n",
        "autodiff explain script.ad --order 2 --wrt x --format json"
        ' | of_json \'r["derivations"][0]["backward"]\'',
        [12],
    ),
    Case(
        "mixed_second_derivative_in_json",
        "x = 2; y = 3; f = x**2*y**3\n",
        'autodiff hessian script.ad --format json | of_json \'r["hessian"]["x,y"], r["hessian"]["y,y"]\'',
        [108, 72],
    ),
    Case(
        "derivative_by_name_in_json",
        "m = 2; v = 3; E = m*v**2/2\n",
        "autodiff grad script.ad --format json"
        ' | of_json \'next(g["grad"] for g in r["gradients"] if g["name"] == "v")\'',
        [6],
    ),
    Case(
        "third_derivative_in_json",
        "x = 2; f = x**5\n",
        'autodiff explain script.ad --order 3 --format json | of_json \'r["derivations"][0]["backward"]\'',
        [240],
    ),
    Case(
        "slopes_of_a_list_in_json",
        "x = 2.; y = [x**2, 3*x]\n",
        'autodiff jacobian script.ad --format json | of_json \'r["jacobian"]["x"], r["output"]["value"]\'',
        [4, 3, 4, 6],
    ),
    Case(
        "second_derivative_as_an_output",
        "x = 2; f = x**3\n",
        "autodiff grad script.ad --of 'grad(f, x, create_graph=True)[0]'",
        [12],
    ),
    Case(
        "rows_of_a_hessian",
        "w = [2, 2]; f = w[0]**2 + w[1]**2\n",
        'for i in 0 1; do autodiff grad script.ad --of "grad(f, w, create_graph=True)[0][$i]"; done',
        [2, 0, 0, 2],
    ),
    Case(
        "hessian_of_two_names",
        "x = 0.1; y = 0.2; f = (x**2 + y - 11)**2 + (x + y**2 - 7)**2\n",
        'for v in x y; do autodiff grad script.ad --of "grad(f, $v, create_graph=True)[0]" --wrt x,y'
        " | cut -f2; done",
        [-41.08, 1.2, 1.2, -25.12],
    ),
    Case(
        "greeks_of_second_order",
        """\
F = 100; K = 100; T = 0.5; r = 0.02; sigma = 0.2
d1 = (log(F/K) + sigma**2/2*T)/(sigma*sqrt(T))
V = exp(-r*T)*(F*special.ndtr(d1) - K*special.ndtr(d1 - sigma*sqrt(T)))
""",
        'for v in F sigma; do autodiff grad script.ad --of "grad(V, $v, create_graph=True)[0]" --wrt F,sigma'
        " | cut -f2; done",
        [0.027859055399082597, 0.13929527699541308, 0.13929527699541308, -0.6964763849770654],
        tolerance=1e-8,
    ),
    Case(
        "quotient_by_the_constant_below",
        "x = 2; K = 3; v = x/(K + x)\n",
        '{ cat script.ad; echo "print(($(autodiff explain script.ad --wrt K --format formula)).item())"; }'
        " | autodiff run -q - --show gradients | head -n1",
        [-0.08],
    ),
    Case(
        "quotient_of_two_shifts",
        "x = 5; y = (x + 2)/(x - 3)\n",
        '{ cat script.ad; echo "print(($(autodiff explain script.ad --format formula)).item())"; }'
        " | autodiff run -q - --show gradients | head -n1",
        [-1.25],
    ),
    Case(
        "error_bar_of_a_norm",
        "v = [1.0, 0.0, 0.0]; n = sqrt(v[0]**2 + v[1]**2 + v[2]**2)\n",
        "paste <(autodiff grad script.ad | tr '\\t' '\\n') <(printf '0.01\\n0.005\\n0.005\\n')"
        " | awk '{s+=($1*$2)^2} END{printf \"%.12g\\n\", sqrt(s)}'",
        [0.01],
    ),
    Case(
        "error_bar_of_a_total",
        "z = [5.0, 5.0, 5.0]; total = sum(z)\n",
        "autodiff grad script.ad | tr '\\t' '\\n' | awk '{s+=($1*0.3)^2} END{printf \"%.12g\\n\", sqrt(s)}'",
        [0.5196152422706631],
    ),
    Case(
        "error_bar_of_a_speed",
        "d = 7400; t = 39.5; v = d/t*3.6\n",
        f"autodiff grad script.ad | paste - <(printf '5\\n0.5\\n') | {ROOT_OF_SQUARES}",
        [8.549246925735018],
    ),
    Case(
        "error_bar_of_a_density",
        "m = 0.029; r = 0.0082; l = 0.0154; d = m/(pi*r**2*l)\n",
        f"autodiff grad script.ad | paste - <(printf '0.005\\n0.0001\\n0.0001\\n') | {ROOT_OF_SQUARES}",
        [1553.3741900744267],
    ),
    Case(
        "error_bar_of_a_strain",
        "Vs = 2; V0 = 0.0125; S = 2.09; R2 = 120; R3 = 120; eps = V0/Vs*(R2 + R3)**2/(R2*R3)/S\n",
        "autodiff grad script.ad | paste - <(printf '0.004\\n0.0000375\\n0.0105\\n0.12\\n0.18\\n')"
        f" | {ROOT_OF_SQUARES}",
        [7.396930993543235e-05],
    ),
    Case(
        "error_bars_of_the_rows_of_a_table",
        "m = 28.93; h = 3.28; d = 1.29; rho = 4*m/(pi*d**2*h)\n",
        "tail -n +2 cyl.csv | while IFS=, read -r m h d; do"
        " autodiff grad script.ad --set m=$m --set h=$h --set d=$d"
        " | awk '{s+=($2*0.01)^2} END{printf \"%.12g\\n\", sqrt(s)}'; done",
        [0.1066567184191211, 0.10694881068362427],
        files={"cyl.csv": "mass,height,diameter\n28.93,3.28,1.29\n81.48,4.89,1.59\n"},
    ),
    Case(
        "contributions_by_input",
        "r = 5; h = 10; V = pi*r**2*h\n",
        "autodiff grad script.ad --format json"
        ' | of_json \'[v["grad"]*s for v, s in zip(r["gradients"], (0.1, 0.2))]\'',
        [31.415926535897935, 15.707963267948967],
    ),
    Case(
        "error_bar_of_an_area_from_json",
        "l = 4; w = 3; A = l*w\n",
        'autodiff grad script.ad --format json | of_json \'sum((v["grad"]*s)**2 for v, s in'
        ' zip(r["gradients"], (0.1, 0.05)))**0.5\'',
        [0.36055512754639896],
    ),
    Case(
        "error_bar_of_correlated_inputs",
        "x = 2.0; y = 3.0; z = x*y\n",
        "autodiff grad script.ad | cut -f2 | paste -s"
        " | awk '{gx=$1;gy=$2; print sqrt(gx*gx*.01+gy*gy*.04+2*gx*gy*.01)}'",
        [0.6082762530298219],
        tolerance=1e-5,
    ),
    Case(
        "least_squares_with_error_bars",
        """\
f = lambda p: p[0]*x + p[1]
A = jacobian(f, p0)
p = linalg.solve(A.T @ A, A.T @ y)
r = f(p) - y
s2 = (r @ r)/(len(x) - 2)
print(p.tolist(), torch.sqrt(torch.diagonal(s2*linalg.inv(A.T @ A))).tolist())
""",
        f'autodiff run -q script.ad --set "x=$({COLUMN % 1})" --set "y=$({COLUMN % 2})" --set "p0=[1,1]"'
        " | head -n1",
        [1.9234079647077424, 0.9144169968803788, 0.06971745432690928, 0.43338172753356746],
        tolerance=1e-8,
        files={"fit.dat": FIT},
    ),
    Case(
        "rows_of_residuals_of_a_tensor",
        """\
x = tensor([0.02, 0.06, 0.11, 0.56])
y = tensor([47., 97, 123, 191])
p = tensor([195.8027, 0.0484065], requires_grad=True)
r = y - p[0]*x/(x + p[1])
""",
        'for i in $(seq 0 3); do autodiff grad script.ad --of "r[$i]"; done',
        [
            *(-0.29236987713155915, 836.8621598974885, -0.5534723471378562, 999.6760336781421),
            *(-0.6944159488404832, 858.3518839569618, -0.9204372405620255, 296.22316145963936),
        ],
    ),
    Case(
        "rows_of_a_list_of_residuals",
        """\
a = 0.0; b = 1.0; x = [0, 1, 2]; y = [0, 1, 2]
r = [y[i] - (a + b*x[i]) for i in range(3)]
""",
        'for i in 0 1 2; do autodiff grad script.ad --wrt a,b --of "r[$i]" | cut -f2; done',
        [-1, 0, -1, -1, -1, -2],
    ),
    Case(
        "implied_volatility_by_newton",
        """\
S = 120.0; K = 110.0; r = 0.03; T = 0.5; market = 15.0; s = 0.3
d1 = (log(S/K) + (r + s**2/2)*T)/(s*sqrt(T))
f = S*special.ndtr(d1) - K*exp(-r*T)*special.ndtr(d1 - s*sqrt(T)) - market
""",
        "s=0.3; for k in 1 2 3 4 5 6; do"
        f" s=$(autodiff grad script.ad --wrt s --set s=$s --format json | {NEWTON}); done; echo $s",
        [0.2441120791875911],
        tolerance=1e-8,
    ),
    Case(
        "cube_root_by_newton",
        "x = 1.5; f = x**3 - 2\n",
        f"x=1.5; for k in 1 2 3 4 5; do x=$(autodiff grad script.ad --set x=$x --format json | {NEWTON});"
        " done; echo $x",
        [1.2599210498948732],
    ),
    Case(
        "sweep_over_days",
        CALL % "; day = 1",
        "for d in 1 2 3 4 5 6 7; do"
        " autodiff grad script.ad --set day=$d --wrt S,vol | cut -f2 | paste -s; done",
        [number for pair in zip(DELTAS, VEGAS, strict=True) for number in pair],
    ),
    Case(
        "sweep_as_one_vector",
        CALL.replace("S = 210", "S = 210 + 0*day") % "",
        'autodiff grad script.ad --set "day=[$(seq -s, 1 7)]" --wrt S --grad-output ones',
        DELTAS,
    ),
    Case(
        "implicit_rule",
        """\
a = 3.592; b = 0.04267; V = 10; P = 2.5
F = (P + a/V**2)*(V - b)
""",
        "autodiff grad script.ad --wrt V,P | cut -f2 | paste -s | awk '{printf \"%.12g\\n\", -$2/$1}'",
        [-4.040490334291542],
    ),
    Case(
        "rows_of_a_file",
        "L = a*exp(-b*x)\n",
        "while IFS=, read -r a b x; do"
        " autodiff grad script.ad --wrt a,b --set a=$a --set b=$b --set x=$x | cut -f2 | paste -s;"
        " done < rows.csv",
        [0.951229424500714, -0.09512294245007141, 0.6376281516217733, -1.91288445486532],
        files={"rows.csv": "1,0.5,0.1\n2,0.3,1.5\n"},
    ),
    Case(
        "points_to_plot",
        "y = sin(x)/x\n",
        "for x in 0.5 1 1.5; do printf '%s\\t' $x; autodiff grad script.ad --set x=$x; done",
        [0.5, -0.1625370306360665, 1.0, -0.30116867893975674, 1.5, -0.3961729707122223],
    ),
    Case(
        "value_and_gradient",
        "x = 0.2; y = -0.17; f = (x - 1)**2 + 100*(y - x**2)**2\n",
        "autodiff grad script.ad --format json"
        ' | of_json \'r["output"]["value"], [v["grad"] for v in r["gradients"]]\'',
        [5.05, 15.2, -42],
    ),
    Case(
        "present_values_of_named_rows",
        "pv = sum([100/(1 + r)**t for t in range(1, 4)])\n",
        "printf 'name,r\\nA,0.05\\nB,0.07\\n' | awk -F, 'NR>1{print $1, $2}'"
        " | while read n r; do echo \"$n $(autodiff grad script.ad --set r=$r)\"; done | cut -d' ' -f2",
        [-510.2812099896647, -479.47201181974907],
    ),
]


@each_of(CASES)
def test_case(case, tmp_path):
    case.check(tmp_path)
