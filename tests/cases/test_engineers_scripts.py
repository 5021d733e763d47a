"""Scripts of physics, finance, statistics and chemistry as people type them: Python's prints and slopes.

A script is Python as well. Each input of a report is moved where the script assigns it first, and the slope
is compared with central differences of what Python computes then.
"""

from __future__ import annotations

import ast
import contextlib
import io
from typing import Any

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate

SCRIPTS = {
    "projectile": """\
import math
v0 = 25.0
angle = math.radians(40)
g = 9.81
t = 2*v0*math.sin(angle)/g
R = v0*math.cos(angle)*t
print(f"range: {R:.2f} m")
""",
    "drag_fall": """\
m = 80; c = 0.25; g = 9.81
v = 0.0; dt = 0.1
for i in range(50):
    a = g - c/m*v**2
    v = v + a*dt
print("v =", v)
""",
    "pendulum": """\
from math import sin, pi
theta = pi/4
omega = 0
g, L = 9.81, 1.5
dt = 0.01
for _ in range(100):
    omega -= g/L*sin(theta)*dt
    theta += omega*dt
print(theta)
""",
    "normal_pdf": """\
import math
mu, sigma, x = 0.0, 2.0, 1.5
p = 1/(sigma*math.sqrt(2*math.pi))*math.exp(-0.5*((x-mu)/sigma)**2)
""",
    "van_der_Waals": """\
R = 8.314
T = 300
V = 0.025
a = 0.364
b = 4.27e-5
n = 1
P = n*R*T/(V - n*b) - a*n**2/V**2
print("P =", round(P, 1), "Pa")
""",
    "bisect_root": """\
import math
c = 2.0
lo, hi = 0.0, 2.0
def f(x): return math.exp(x)*x - c
x = 0.5
while abs(f(x)) > 1e-12:
    x = x - f(x)/(math.exp(x)*(1+x))
print(x)
""",
    "tax_table": """\
income = 65000.0
if income <= 10000:
    tax = 0
elif income <= 40000:
    tax = 0.1*(income-10000)
else:
    tax = 3000 + 0.25*(income-40000)
print(f"Tax: {tax}")
""",
    "rk4": """\
def f(t, y, k):
    return -k*y
k = 0.7
y = 1.0
t = 0.0
h = 0.1
for i in range(10):
    k1 = f(t, y, k)
    k2 = f(t+h/2, y+h*k1/2, k)
    k3 = f(t+h/2, y+h*k2/2, k)
    k4 = f(t+h, y+h*k3, k)
    y = y + h/6*(k1+2*k2+2*k3+k4)
    t = t + h
print(y)
""",
    "simpson_function": """\
def simpson(f, a, b, n):
    h = (b-a)/n
    s = f(a) + f(b)
    for i in range(1, n):
        s += (4 if i % 2 else 2)*f(a + i*h)
    return s*h/3
w = 1.7
val = simpson(lambda x: x*x*w, 0, 3, 20)
print(val)
""",
    "colebrook": """\
import math
Re = 1e5
eps = 1e-4
f = 0.02
for i in range(20):
    f = (-2*math.log10(eps/3.7 + 2.51/(Re*math.sqrt(f))))**-2
print(f)
""",
    "matrix_numpy": """\
import numpy as np
A = np.array([[2.0, 1.0], [1.0, 3.0]])
b = np.array([1.0, 2.0])
x = np.linalg.solve(A, b)
s = x[0]**2 + x[1]
print(x, s)
""",
    "spring_loop_list": """\
k = 40.0
m = 2.0
x = [0.1]
v = [0.0]
dt = 0.01
for i in range(50):
    a = -k/m*x[-1]
    v.append(v[-1] + a*dt)
    x.append(x[-1] + v[-1]*dt)
final = x[-1]
print(final)
""",
    "heat_list": """\
alpha = 0.1
u = [0.0, 0.0, 100.0, 0.0, 0.0]
for step in range(5):
    new = u[:]
    for i in range(1, 4):
        new[i] = u[i] + alpha*(u[i+1] - 2*u[i] + u[i-1])
    u = new
center = u[2]
""",
    "sharpe": """\
returns = [0.01, 0.03, -0.02, 0.04]
rf = 0.005
n = len(returns)
mean = sum(returns)/n
std = (sum([(x-mean)**2 for x in returns])/n)**0.5
sharpe = (mean - rf)/std
""",
    "entropy": """\
from math import log2
p = [0.5, 0.25, 0.25]
H = -sum([pi*log2(pi) for pi in p])
print(H)
""",
    "ideal_rocket_while": """\
m = 500.0
mdot = 5.0
thrust = 15000.0
g = 9.81
v = 0.0
t = 0.0
dt = 0.5
for step in range(40):
    a = thrust/m - g
    v += a*dt
    m -= mdot*dt
    t += dt
print(f"v = {v:.2f}")
""",
    "fib_like_recursion": """\
def f(n, q):
    if n <= 1:
        return q
    return q*f(n-1, q) + f(n-2, q)
q = 1.1
y = f(6, q)
""",
    "sigmoid_math": """\
import math
def sigmoid(z):
    return 1/(1+math.exp(-z))
w = [0.5, -0.25]
x = [2.0, 3.0]
b = 0.1
z = b
for i in range(len(w)):
    z += w[i]*x[i]
p = sigmoid(z)
print("p:", p)
""",
    "binomial_tree": """\
from math import exp, sqrt
S, K, r, sigma, T = 100.0, 95.0, 0.03, 0.2, 0.5
n = 4
dt = T/n
u = exp(sigma*sqrt(dt))
d = 1/u
p = (exp(r*dt) - d)/(u - d)
prices = [S*u**j*d**(n-j) for j in range(n+1)]
values = [max(s - K, 0) for s in prices]
for i in range(n):
    values = [exp(-r*dt)*(p*values[j+1] + (1-p)*values[j]) for j in range(len(values)-1)]
price = values[0]
print(f"{price:.10f}")
""",
    "lotka_volterra": """\
alpha, beta, delta, gamma = 1.1, 0.4, 0.1, 0.4
x, y = 10.0, 5.0
dt = 0.01
for _ in range(100):
    x, y = x + dt*(alpha*x - beta*x*y), y + dt*(delta*x*y - gamma*y)
print(x, y)
""",
    "drag_race_with_break": """\
a = 3.0
v = 0.0
x = 0.0
dt = 0.1
for i in range(1000):
    v = v + a*dt
    x = x + v*dt
    if x > 50:
        break
print("distance", x, "speed", v)
""",
    "secant": """\
c = 5.0
def f(x):
    return x**3 - c
x0, x1 = 1.0, 3.0
while abs(x1 - x0) > 1e-10:
    x0, x1 = x1, x1 - f(x1)*(x1 - x0)/(f(x1) - f(x0))
print(x1)
""",
    "variance_online": """\
data = [2.0, 4.0, 4.5, 7.0]
mean = 0.0
M2 = 0.0
n = 0
for x in data:
    n += 1
    delta = x - mean
    mean += delta/n
    M2 += delta*(x - mean)
variance = M2/(n-1)
print(variance)
""",
    "numpy_regression_normal_eq": """\
import numpy as np
X = np.array([[1.0, 0.5], [1.0, 1.5], [1.0, 2.5]])
y = np.array([1.1, 1.9, 3.2])
beta = np.linalg.inv(X.T @ X) @ X.T @ y
res = y - X @ beta
sse = np.sum(res**2)
print(beta, sse)
""",
    "numpy_stats": """\
import numpy as np
x = np.array([1.0, 4.0, 2.0, 8.0])
z = (x - x.mean())/x.std()
m = np.max(z)
print(m)
""",
    "while_doubling": """\
rate = 0.07
amount = 1000.0
years = 0
while amount < 2000:
    amount *= 1 + rate
    years += 1
print(years, amount)
""",
    "damped_oscillation_with_lists": """\
import math
m, c, k = 1.0, 0.3, 4.0
x, v = 1.0, 0.0
dt = 0.05
xs = []
for i in range(40):
    a = -(c*v + k*x)/m
    v += a*dt
    x += v*dt
    xs.append(x)
rms = math.sqrt(sum([q**2 for q in xs])/len(xs))
print(f"rms = {rms:.5f}")
""",
    "portfolio_variance_numpy": """\
import numpy as np
w = np.array([0.6, 0.4])
S = np.array([[0.04, 0.01], [0.01, 0.09]])
var = w @ S @ w
vol = np.sqrt(var)
print("vol", vol)
""",
    "median_of_data": """\
import numpy as np
d = np.array([3.0, 9.0, 4.0, 6.0])
mad = np.median(np.abs(d - np.median(d)))
score = d.max()/np.median(d)
""",
    "interpolation_table": """\
import numpy as np
T = 37.0
temps = np.array([20.0, 30.0, 40.0])
rho = np.array([998.2, 995.7, 992.2])
r = np.interp(T, temps, rho)
print(r)
""",
    "Kepler_equation": """\
import math
M = 1.2
e = 0.3
E = M
while True:
    dE = (E - e*math.sin(E) - M)/(1 - e*math.cos(E))
    E -= dE
    if abs(dE) < 1e-12:
        break
print(E)
""",
    "stress_strain_piecewise": """\
E_mod = 200e3
sy = 250.0
H = 2000.0
eps = 0.004
if eps <= sy/E_mod:
    sigma = E_mod*eps
else:
    sigma = sy + H*(eps - sy/E_mod)
print(sigma)
""",
}
#: How far Python's differences may be from the slope: the steps are small beside the inputs.
PRECISION = 2e-4


def in_python(script: str, name: str = "", at: int = 0, step: float = 0.0) -> tuple[dict[str, Any], str]:
    """The names that a script leaves and what it prints, where an entry of an input is moved by ``step``."""
    parsed = ast.parse(script)
    for statement in parsed.body:
        found = [] if not isinstance(statement, ast.Assign) else list(pairs(statement))
        if any(target.id == name for target, _ in found):
            holder, key = next(place for target, place in found if target.id == name)
            move = ast.Name("move", ast.Load())
            value = holder[key] if isinstance(holder, list) else getattr(holder, key)
            moved = ast.Call(move, [value, ast.Constant(at), ast.Constant(step)], [])
            if isinstance(holder, list):
                holder[key] = moved
            else:
                setattr(holder, key, moved)
            break
    names: dict[str, Any] = {"move": moved_value}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.fix_missing_locations(parsed), "<script>", "exec"), names)
    return names, printed.getvalue()


def pairs(statement: ast.Assign) -> Any:
    """The names that a statement assigns, each with the place of its value in the tree."""
    for target in statement.targets:
        if isinstance(target, ast.Name):
            yield target, (statement, "value")
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            for at, part in enumerate(target.elts):
                if isinstance(part, ast.Name):
                    yield part, (statement.value.elts, at)


def moved_value(value: Any, at: int, step: float) -> Any:
    if not isinstance(value, (list, np.ndarray)):
        return value + step
    moved = np.array(value, dtype=float)
    moved.reshape(-1)[at] += step
    return moved if isinstance(value, np.ndarray) else moved.tolist()


@pytest.mark.parametrize("name", SCRIPTS)
def test_prints_and_slopes_are_pythons(name: str) -> None:
    script, printed = SCRIPTS[name], []
    settings = Settings()
    execution = execute(Source(script), settings, printed.append, lambda message, span: None)
    subject = differentiate(execution, settings)
    names, output = in_python(script)
    assert "".join(printed) == output
    value = names[subject.name]
    assert subject.value == pytest.approx(value)
    checked = 0
    for spelled, node in subject.wrt:
        sizes = np.ravel(node.out)
        slopes = np.ravel(np.broadcast_to(subject.received.get(node, 0.0), np.shape(node.out)))
        for at, slope in enumerate(slopes):
            step = 1e-5 * max(abs(float(sizes[at])), 1e-3)
            try:
                ends = [in_python(script, spelled, at, side * step)[0][subject.name] for side in (1, -1)]
            except TypeError:  # of a whole number that counts, as in range(n)
                assert float(sizes[at]).is_integer()
                continue
            right = (ends[0] - ends[1]) / (2 * step)
            size = abs(right) + 1e-6 * abs(value) / max(abs(sizes[at]), 1e-3)
            assert abs(slope - right) <= PRECISION * size + 1e-9, f"{spelled}[{at}]"
            checked += 1
    assert checked
