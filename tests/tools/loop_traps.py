"""Loops over numbers whose turns are not all alike, each named by what may go wrong in it.

The functions are called with an unnamed number and an unnamed leaf.
"""

BEFORE = """\
a = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(0.25, requires_grad=True)
c = torch.tensor(0.9)
k, n = 0.25, 3
p, q = a * 1.0, b * 1.0
"""
TRAPS = {
    "a number becomes a tensor after the first turn": """\
q = 0.5
for i in range(9):
    t = q
    q = a * 1.0
    p = t * 2
""",
    "another tensor is assigned last": """\
for i in range(9):
    if i == 0:
        p, q, p = sin(a), cos(a), tan(a)
    else:
        q = sin(q)
""",
    "a plain number is assigned last": """\
for i in range(9):
    p = sin(p)
    s = k
""",
    "the tape is full": """\
xs = [a * 1.0 for j in range(4091)]
p = xs[0]
for i in range(9):
    p = p * c
""",
    "two leaves take the last places": """\
xs = [a * 1.0 for j in range(4090)]
p = xs[0]
for i in range(9):
    p = c * b
""",
    "no targets": """\
for i in range(9):
    p = sin(p)
    () = ()
    p = p * a
""",
    "a result gets its name in the loop": """\
def f(p, q, r, a):
    for i in range(9):
        r = sin(r) * p
        if i == 5:
            q = p
    return p * r + q
p = f(a * 2, b, torch.tensor(2.0, requires_grad=True), a)
""",
    "a negative number is one object": """\
t = 0.0
for i in range(9):
    s = -0.5
    if i == 0:
        t = s
    p = sin(p) * s
""",
    "what ran last": """\
xs = [torch.tensor(1.0), torch.tensor(2.0), torch.tensor(3.0)]
for x in xs:
    q = q * x
    for i in range(9):
        p = p * a
        if i < 2:
            p = sin(p)
        else:
            p = cos(p)
""",
    "a test reads what is assigned": """\
for i in range(9):
    if n > 2:
        p = sin(p)
    else:
        p = cos(p)
    if i == 4:
        n = 3
    else:
        n = 1
    p = p * a
""",
    "a test computes with tensors": """\
for i in range(9):
    if i * a > 2:
        p = sin(p)
    else:
        p = cos(p)
    p = p * a
""",
    "a name is a plain number at times": """\
def f(p, q, r, a):
    for i in range(9):
        p = r * 2
        if i % 4 == 2:
            r = 0.25
        else:
            r = r * a
    return p * r + q
p = f(a * 2, b, torch.tensor(2.0, requires_grad=True), a)
""",
    "a name is one in the first branch": """\
def f(p, q, r, a):
    for i in range(9):
        if i % 2:
            t = 0.25
        else:
            t = sin(r)
        p = t * 2
        r = r * a
    return p * r + q
p = f(a * 2, b, torch.tensor(2.0, requires_grad=True), a)
""",
    "a constant and its detached twin": """\
d = c.detach()
for i in range(9):
    p = p * c + d
    q = d
    r = c
    p = p * a
""",
    "no number that a function takes": """\
q = a - 0.5
for i in range(9):
    q = q * 2
    p = 1 / q + exp(p * 1000)
    r = sqrt(q - 1)
""",
    "ints that are no floats": """\
m = 2**53 + 1
for i in range(9):
    p = p * m - 9007199254740993 * p
""",
    "a counter that is no float": """\
for i in range(2**53 - 3, 2**53 + 9):
    p = p * i
    p = sin(p)
""",
    "a name that is not bound before": """\
for i in range(9):
    if i == 6:
        s = sin(p)
    p = p * a
""",
    "names that go round": """\
for i in range(9):
    t = p
    p = sin(q)
    q = t
    p = p * a
""",
}
ROWS = """\
xs, ys = [0.5, 0.25, 2, 1.5, -0.5, 0.75, 1.25, 3, 0.125], [1, 0.5, -2.0, 0.75, 1.5, 0.25, 2.5, -1.0, 4]
points = [(x, y) for x, y in zip(xs, ys)]
"""
TRAPS_OF_ROWS = {
    "a tensor of the graph in the midst": """\
xs[5] = a
for x in xs:
    p = sin(p) * x
""",
    "a constant in the midst": """\
points[5] = (0.5, c)
for x, y in points:
    p = sin(p) * x + y
""",
    "a truth value in the midst": """\
xs[5] = True
for x in xs:
    p = sin(p) * x
""",
    "whole numbers that are no floats": """\
xs[5], xs[6], xs[7] = 2**53 + 1, -(2**53) - 1, 2**53 - 1
for x in xs:
    p = sin(p * x)
    if x > 9007199254740992:
        q = q * a
    else:
        q = q + x
    p = p * a
""",
    "only the last row is none of numbers": """\
xs[-1] = torch.tensor(0.5)
for x in xs:
    p = sin(p) * x
""",
    "none but the first row is of numbers": """\
xs[1:] = [torch.tensor(x) for x in xs[1:]]
for x in xs:
    p = sin(p) * x
""",
    "every other row is of numbers": """\
xs = [x if i % 2 else x * c for i, x in enumerate(xs * 4)]
for x in xs:
    p = sin(p) * x
""",
    "a name that is a truth value": """\
m = True
for x in xs:
    p = sin(p) * m + x
""",
    "the first row is none of numbers": """\
xs[0] = c
for x in xs:
    p = sin(p) * x
""",
    "a row that is a tensor": """\
points[5] = torch.tensor([0.5, 0.25])
for x, y in points:
    p = sin(p) * x + y
""",
    "a row that is a shape": """\
points[5] = torch.ones(3, 2).shape
for x, y in points:
    p = sin(p) * x + y
""",
    "a row within a row": """\
points = [(x, y) for x, y in zip(xs, [1.5, 2, 3, 4, (5, 6), 7, 8, 9, 10])]
for x, y in points:
    p = sin(p) * x
""",
    "the tape is full in the midst": """\
filling = [a * 1.0 for j in range(4080)]
for x, y in zip(xs, ys):
    p = sin(p) * x + y
""",
    "the tape is full and a row is none of numbers": """\
filling = [a * 1.0 for j in range(4074)]
ys[6] = c
for x, y in zip(xs, ys):
    p = sin(p) * x + y
""",
    "more rows than a tape has entries": """\
for x, y in points * 500:
    p = sin(p) * x + y
""",
    "a list of two names": """\
zs = xs
for x in zs:
    p = sin(p) * x
    zs = k
    p = p * a
""",
    "a list that is a loop's own name": """\
for xs in xs:
    p = sin(p) * xs
""",
    "a name that is there twice": """\
for x, x in points:
    p = sin(p) * x
""",
    "loop variables that are used after the loop": """\
for x, y in points:
    p = sin(p) * x + y
p = p * x + y
s, t = x, y
""",
    "loop variables that were tensors": """\
x, y = a * 2, b
for x, y in points:
    p = sin(p) * x + y
""",
    "a loop variable that is a function elsewhere": """\
for exp, e in points:
    p = sin(p) * exp + e
""",
    "tests that ask for a row": """\
for x, y in points:
    if x > y:
        p = sin(p) * x
    elif x + y < 1.5 and n > 2:
        p = cos(p) + y
    else:
        p = tan(p)
    p = p * a
""",
    "a test of a number that is not there yet": """\
for x, y in enumerate(points[0] * 5):
    if y:
        p = sin(p) * x
    p = p * a
""",
    "loops within loops": """\
for x, y in points:
    for s in xs:
        p = sin(p) * s + x
    for i, t in enumerate(ys):
        q = sin(q) * t - i + y
""",
    "a loop in a function": """\
def f(p, data, a):
    for x, y in data:
        p = sin(p) * x + y * a
    return p * x
p = f(p, points, a) + f(p, zip(xs, ys), a) + f(p, enumerate(xs), a)
""",
    "a function called with tensors and with numbers": """\
def f(p, data, a):
    for x, y in data:
        p = sin(p) * x + y * a
    return p * x
rows = [(c, y) for x, y in points]
for j in range(12):
    p = f(p, rows, a)
p = f(f(p, points, a), points, a) + f(p, points, 0.5)
""",
    "rows of which some are taken": """\
rows = enumerate(xs)
for i, x in rows:
    p = sin(p) * x
    break
for i, x in rows:
    p = sin(p) * x + i
""",
    "an iterator that is there twice": """\
rows = reversed(xs * 4)
for x, y in zip(rows, rows):
    p = sin(p) * x + y
""",
    "a loop that never ends but by the shorter list": """\
for i, x in zip(range(-(2**53) + 3, 2**62 - 1 + 2**62), xs):
    p = sin(p) * x + i
""",
    "one name for a row of several": """\
for x in points:
    p = sin(p)
    s = x
    p = p * a
""",
    "a number is minus nothing": """\
for x in [0.0, -0.0] * 5:
    p = sin(p) + a / (x + a * 0)
    q = q * x
    p = a * x
""",
    "numbers are infinite and none": """\
xs[4], xs[6] = math.inf, math.nan
for x in xs:
    p = sin(a * x)
    q = a * x
""",
    "what the turns assign is a row's number": """\
for x, y in points:
    q = sin(p) * x
    s = y
    p = q * y
""",
}
AFTER = "L = p + q\nprint(p, p.requires_grad)\n"
