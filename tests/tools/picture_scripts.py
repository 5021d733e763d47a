"""Scripts whose graphs have the shapes that people draw: layers, loops, attention, long formulas."""

from __future__ import annotations

SCRIPTS = {
    "square": "x = 3\nL = x*x\n",
    "shared": "x = 2\ny = x + x\nz = y*y*x\nL = z + y + x\n",
    "gates": "a = 3\nb = 1\nc = a + b\nd = b + 1\ne = c*d\n",
    "mlp": """\
W1 = torch.tensor([[0.5, -0.2, 0.1], [0.3, 0.8, -0.5]], requires_grad=True)
b1 = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
W2 = torch.tensor([[1.0], [-1.0], [0.5]], requires_grad=True)
b2 = torch.tensor([0.2], requires_grad=True)
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
h = torch.tanh(x @ W1 + b1)
y = torch.sigmoid(h @ W2 + b2)
L = ((y - 1)**2).mean() + 0.01*(W1**2).sum() + 0.01*(W2**2).sum()
""",
    "scalar MLP": "".join(f"w{i} = {i / 10 - 0.4}\n" for i in range(9))
    + "x = 0.5\ny = 2\n"
    + "".join(f"h{i} = tanh(w{i}*x + w{i + 1}*y)\n" for i in range(8))
    + "L = ("
    + " + ".join(f"h{i}*w{i}" for i in range(8))
    + " - 1)**2 + 0.1*("
    + " + ".join(f"w{i}**2" for i in range(9))
    + ")\n",
    "RNN": """\
W = 0.5
U = 0.8
b = 0.1
h = 0
for x in [1.0, -0.5, 0.25, 2.0, -1.0, 0.5]:
    h = tanh(W*h + U*x + b)
L = (h - 1)**2
""",
    "loop of 50 steps": "w = 0.3\nx = 1\nfor i in range(50):\n    x = x - w*x*(1 - x)\nL = x\n",
    "attention": """\
X = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]], requires_grad=True)
Q = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], requires_grad=True)
K = torch.tensor([[0.6, 0.5], [0.4, 0.3], [0.2, 0.1]], requires_grad=True)
V = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], requires_grad=True)
q, k, v = X @ Q, X @ K, X @ V
A = torch.softmax(q @ k.T / 2**0.5, dim=1)
L = (A @ v).sum()
""",
    "physics": """\
m = 0.145
v = 40
theta = 0.7
rho = 1.2
Cd = 0.35
A = 0.0042
g = 9.81
k = 0.5*rho*Cd*A
vx = v*cos(theta)
vy = v*sin(theta)
speed = sqrt(vx**2 + vy**2)
ax = -k*speed*vx/m
ay = -g - k*speed*vy/m
t = 0.1
x1 = vx*t + ax*t**2/2
y1 = vy*t + ay*t**2/2
vx1 = vx + ax*t
vy1 = vy + ay*t
s1 = sqrt(vx1**2 + vy1**2)
E = m*s1**2/2 + m*g*y1 + exp(-x1/100)*log(1 + y1)
""",
    "second order": """\
x = torch.tensor(2.0, requires_grad=True)
y = x**3 + torch.sin(x)
g, = torch.autograd.grad(y, x, create_graph=True)
L = g**2 + y
""",
}
