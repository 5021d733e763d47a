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
AFTER = "L = p + q\nprint(p, p.requires_grad)\n"
