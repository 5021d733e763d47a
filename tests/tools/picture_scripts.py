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
    "RNN of 30 steps": """\
W = torch.tensor([[0.1, -0.4], [0.3, 0.2]], requires_grad=True)
U = torch.tensor([[0.5], [-0.3]], requires_grad=True)
b = torch.zeros(2, requires_grad=True)
X = torch.linspace(-1, 1, 30)
h = torch.zeros(2)
loss = 0
for t in range(30):
    h = torch.tanh(W @ h + U @ X[t:t + 1] + b)
    loss = loss + (h**2).sum()
loss.backward()
""",
    "LSTM cell": """\
W = torch.tensor([[0.1, 0.2, -0.1, 0.3], [0.4, -0.2, 0.1, 0.2]], requires_grad=True)
U = torch.tensor([[0.2, 0.1, 0.3, -0.4]], requires_grad=True)
b = torch.zeros(4, requires_grad=True)
x = torch.tensor([[1.0, -1.0]])
h = torch.tensor([[0.1]])
c = torch.tensor([[0.2]])
for step in range(2):
    gates = x @ W + h @ U + b
    i, f, o, g = gates.chunk(4, dim=1)
    c = torch.sigmoid(f)*c + torch.sigmoid(i)*torch.tanh(g)
    h = torch.sigmoid(o)*torch.tanh(c)
loss = h.sum()
loss.backward()
""",
    "transformer block": """\
def linear(x, W, b):
    return x @ W.T + b
X = torch.tensor([[0.2, -0.5, 1.0, 0.3], [1.0, 0.1, -0.4, 0.6]], requires_grad=True)
Wq = torch.eye(4, requires_grad=True)
Wk = (torch.eye(4)*0.5).requires_grad_()
Wv = (torch.eye(4)*2).requires_grad_()
bias = torch.zeros(4, requires_grad=True)
gain = torch.ones(4, requires_grad=True)
W1 = torch.full((3, 4), 0.1, requires_grad=True)
W2 = torch.full((4, 3), -0.2, requires_grad=True)
normed = F.layer_norm(X, [4], gain, bias)
q, k, v = normed @ Wq, normed @ Wk, normed @ Wv
attended = torch.softmax(q @ k.T/4**0.5, dim=-1) @ v
Y = X + attended
Z = Y + linear(F.gelu(linear(Y, W1, 0.0)), W2, bias)
loss = F.cross_entropy(Z, torch.tensor([1, 3]))
loss.backward()
""",
    "convolution": """\
image = torch.arange(36.0).reshape(1, 1, 6, 6)/36
kernel = torch.tensor([[[[1.0, 0.0], [0.0, -1.0]]]], requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
weight = torch.full((2, 4), 0.3, requires_grad=True)
hidden = F.max_pool2d(F.relu(F.conv2d(image, kernel, bias)), 2)
scores = hidden.flatten(1) @ weight.T
loss = F.cross_entropy(scores, torch.tensor([1]))
loss.backward()
""",
    "batch norm": """\
x = torch.tensor([[1.0, 2.0], [3.0, 5.0], [0.0, 1.0]], requires_grad=True)
gamma = torch.ones(2, requires_grad=True)
beta = torch.zeros(2, requires_grad=True)
mu = x.mean(0)
centred = x - mu
var = (centred**2).mean(0)
inverse_deviation = 1/torch.sqrt(var + 1e-5)
normalized = centred*inverse_deviation
L = ((gamma*normalized + beta)**3).sum()
""",
    "Runge-Kutta": """\
k = 2.0
m = 0.5
x = 1.0
v = 0.0
for i in range(3):
    a1 = -k*x/m
    a2 = -k*(x + v*0.05)/m
    a3 = -k*(x + v*0.05 + a1*0.0025)/m
    a4 = -k*(x + v*0.1 + a2*0.005)/m
    x = x + v*0.1 + (a1 + a2 + a3)*0.01/6
    v = v + (a1 + 2*a2 + 2*a3 + a4)*0.1/6
E = m*v**2/2 + k*x**2/2
""",
    "mixture": """\
data = torch.tensor([0.1, 0.3, 1.9, 2.2])
logits = torch.tensor([0.0, 0.5], requires_grad=True)
mu = torch.tensor([0.0, 2.0], requires_grad=True)
log_sigma = torch.zeros(2, requires_grad=True)
z = (data[:, None] - mu)/log_sigma.exp()
log_density = -0.5*z**2 - log_sigma - 0.5*math.log(2*math.pi)
nll = -torch.logsumexp(torch.log_softmax(logits, 0) + log_density, dim=1).sum()
nll.backward()
""",
    "loops in a loop": """\
w = 0.3
x = 1
for epoch in range(12):
    y = x*2
    for step in range(9):
        y = y - w*y
    x = tanh(y)
L = x
""",
    "calls": """\
def layer(x, w, b):
    return tanh(w*x + b)
ws = [0.5, -0.3, 0.8, 1.2]
a = 0.2
w = 0.5
x = 0.7
for i in range(6):
    x = layer(x, w, a)*layer(x, a, w) + a
L = x
""",
    "fan of 40": "w = torch.tensor(0.5, requires_grad=True)\n"
    + "".join(f"part_{i} = w*{i + 1}\n" for i in range(40))
    + "L = "
    + " + ".join(f"part_{i}" for i in range(40))
    + "\n",
    "long names": """\
learning_rate_of_the_outer_loop = 0.01
weight_between_hidden_and_output = 1.25
value_of_the_second_hidden_unit = 0.75
prediction_before_activation = weight_between_hidden_and_output*value_of_the_second_hidden_unit
weight_decay_of_the_output_layer = learning_rate_of_the_outer_loop*weight_between_hidden_and_output**2
loss_with_weight_decay = (prediction_before_activation - 1)**2 + weight_decay_of_the_output_layer
""",
}
