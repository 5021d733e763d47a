"""Scripts as a course would have them, all right, and the classic mistakes made in them."""

from __future__ import annotations

DATA = """\
import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.linspace(-1, 1, 20).reshape(20, 1)
y = 3 * x + 0.5 + 0.1 * torch.randn(20, 1)
"""
CLASSES = """\
import torch
import torch.nn.functional as F

torch.manual_seed(1)
x = torch.randn(30, 2)
labels = (x[:, 0] + x[:, 1] > 0).long()
"""
RIGHT = {
    "line": DATA
    + """\
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.1
losses = []
for epoch in range(20):
    prediction = x @ w + b
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad
    w.grad.zero_()
    b.grad.zero_()
    losses.append(loss.item())
    if epoch % 10 == 0:
        print(f"epoch {epoch}: loss {loss.item():.4f}")
print(w, b, losses[-1])
""",
    "list of parameters": DATA
    + """\
hidden = 8
params = [
    torch.randn(1, hidden),
    torch.zeros(hidden),
    torch.randn(hidden, 1),
    torch.zeros(1),
]
for p in params:
    p.requires_grad_()


def model(x):
    h = torch.tanh(x @ params[0] + params[1])
    return h @ params[2] + params[3]


for step in range(30):
    loss = F.mse_loss(model(x), y)
    for p in params:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= 0.05 * p.grad
print(loss.item())
""",
    "logistic": CLASSES
    + """\
w = torch.zeros(2, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
target = labels.float()
for step in range(25):
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, target)
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
        b -= 0.5 * b.grad
        w.grad.zero_()
        b.grad.zero_()
with torch.no_grad():
    probability = torch.sigmoid(x @ w + b)
    correct = ((probability > 0.5).float() == target).float().mean()
print("accuracy", correct.item())
""",
    "softmax": CLASSES
    + """\
W = torch.zeros(2, 2, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
for step in range(20):
    scores = x @ W + b
    loss = F.cross_entropy(scores, labels)
    loss.backward()
    with torch.no_grad():
        W -= W.grad
        b -= b.grad
    W.grad = None
    b.grad = None
guess = scores.argmax(dim=1)
print((guess == labels).float().mean())
""",
    "likelihood": CLASSES
    + """\
W = torch.zeros(2, 2, requires_grad=True)
log_probabilities = F.log_softmax(x @ W, dim=1)
loss = F.nll_loss(log_probabilities, labels)
loss.backward()
print(loss, W.grad)
""",
    "momentum": DATA
    + """\
w = torch.tensor([[0.0]], requires_grad=True)
velocity = torch.zeros(1, 1)
for step in range(15):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        velocity = 0.9 * velocity + w.grad
        w -= 0.01 * velocity
    w.grad.zero_()
print(w.item(), velocity)
""",
    "adam": """\
w = torch.tensor([1.0, -2.0], requires_grad=True)
m, v = torch.zeros(2), torch.zeros(2)
for t in range(1, 11):
    loss = (w ** 2).sum()
    loss.backward()
    with torch.no_grad():
        m = 0.9 * m + 0.1 * w.grad
        v = 0.999 * v + 0.001 * w.grad ** 2
        step = (m / (1 - 0.9 ** t)) / ((v / (1 - 0.999 ** t)).sqrt() + 1e-8)
        w -= 0.1 * step
    w.grad.zero_()
print(w)
""",
    "new leaf each step": """\
x = torch.tensor(5.0, requires_grad=True)
path = [x.item()]
for i in range(8):
    loss = (x - 2) ** 2
    loss.backward()
    x = (x - 0.2 * x.grad).detach().requires_grad_(True)
    path.append(x.item())
print(path)
""",
    "functional step": """\
def loss_of(w):
    return ((w - torch.tensor([1.0, 2.0])) ** 2).sum()


w = torch.zeros(2, requires_grad=True)
for _ in range(5):
    (g,) = torch.autograd.grad(loss_of(w), w)
    w = (w - 0.1 * g).detach().requires_grad_()
print(w, loss_of(w))
""",
    "newton": """\
x = torch.tensor(3.0, requires_grad=True)
for k in range(6):
    f = x ** 4 - 3 * x ** 3 + 2
    (first,) = torch.autograd.grad(f, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    with torch.no_grad():
        x -= first / second
print(x)
""",
    "second derivative": """\
x = torch.linspace(0, 3, 7, requires_grad=True)
y = torch.sin(x)
(dy,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(ddy,) = torch.autograd.grad(dy.sum(), x)
print(torch.allclose(ddy, -torch.sin(x)))
""",
    "own function": """\
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = (x >= ctx.low) & (x <= ctx.high)
        return g * inside, None, None


x = torch.tensor([-2.0, 0.5, 3.0], requires_grad=True)
Clip.apply(x, -1.0, 1.0).sum().backward()
print(x.grad)
""",
    "finite differences": """\
def f(x):
    return torch.exp(-x) * torch.sin(3 * x)


x = torch.tensor(0.7, requires_grad=True)
f(x).backward()
eps = 1e-5
with torch.no_grad():
    estimate = (f(x + eps) - f(x - eps)) / (2 * eps)
print(x.grad.item(), estimate.item(), abs(x.grad - estimate) < 1e-6)
""",
    "recurrent": """\
torch.manual_seed(2)
Wx, Wh = torch.randn(3, 4) * 0.1, torch.randn(4, 4) * 0.1
Wx.requires_grad_()
Wh.requires_grad_()
inputs = torch.randn(5, 3)
h = torch.zeros(4)
states = []
for step in range(len(inputs)):
    h = torch.tanh(inputs[step] @ Wx + h @ Wh)
    states.append(h)
loss = torch.stack(states).pow(2).mean()
loss.backward()
print(Wx.grad.shape, Wh.grad.norm())
""",
    "attention": """\
torch.manual_seed(3)
q = torch.randn(4, 8, requires_grad=True)
k = torch.randn(4, 8, requires_grad=True)
v = torch.randn(4, 8, requires_grad=True)
scores = q @ k.T / math.sqrt(8)
mask = torch.tril(torch.ones(4, 4)) == 0
weights = torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)
out = weights @ v
out.sum().backward()
print(weights[0], q.grad.shape)
""",
    "factorization": """\
torch.manual_seed(4)
R = torch.rand(6, 5)
U = torch.rand(6, 2, requires_grad=True)
V = torch.rand(5, 2, requires_grad=True)
for step in range(20):
    error = R - U @ V.T
    loss = (error ** 2).sum() + 0.01 * (U.norm() ** 2 + V.norm() ** 2)
    gU, gV = torch.autograd.grad(loss, [U, V])
    with torch.no_grad():
        U -= 0.05 * gU
        V -= 0.05 * gV
print(loss.item())
""",
    "temporal difference": """\
w = torch.zeros(3, requires_grad=True)
features = torch.eye(3)
rewards = [0.0, 0.0, 1.0]
for episode in range(10):
    for s in range(2):
        value = features[s] @ w
        target = rewards[s + 1] + 0.9 * (features[s + 1] @ w).detach()
        loss = (target - value) ** 2
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
print(w)
""",
    "policy": """\
torch.manual_seed(5)
preferences = torch.zeros(3, requires_grad=True)
payoff = torch.tensor([0.1, 0.5, 0.9])
baseline = 0.0
for episode in range(10):
    log_p = torch.log_softmax(preferences, dim=0)
    action = torch.randint(0, 3, (1,)).item()
    reward = payoff[action].item()
    loss = -(reward - baseline) * log_p[action]
    loss.backward()
    with torch.no_grad():
        preferences -= 0.5 * preferences.grad
    preferences.grad.zero_()
    baseline += 0.1 * (reward - baseline)
print(preferences)
""",
    "batch norm": """\
x = torch.randn(10, 3)
gamma, beta = torch.ones(3, requires_grad=True), torch.zeros(3, requires_grad=True)
running_mean = torch.zeros(3)
mean, var = x.mean(dim=0), x.var(dim=0, unbiased=False)
normal = (x - mean) / torch.sqrt(var + 1e-5)
out = gamma * normal + beta
running_mean = 0.9 * running_mean + 0.1 * mean.detach()
out.square().mean().backward()
print(gamma.grad, beta.grad, running_mean)
""",
    "dropout": """\
torch.manual_seed(6)
w = torch.ones(6, requires_grad=True)
keep = (torch.rand(6) > 0.5).float()
out = (w * keep / 0.5).sum()
out.backward()
print(w.grad, keep)
""",
    "clipping": """\
w = torch.tensor([3.0, -4.0], requires_grad=True)
for step in range(5):
    loss = (w ** 4).sum()
    loss.backward()
    size = w.grad.norm()
    if size > 1.0:
        w.grad.mul_(1.0 / size)
    with torch.no_grad():
        w -= 0.5 * w.grad
    w.grad.zero_()
print(w)
""",
    "schedule": """\
w = torch.tensor(4.0, requires_grad=True)
best, patience = float("inf"), 0
for epoch in range(50):
    lr = 0.1 * 0.5 ** (epoch // 10)
    loss = (w - 1) ** 2 + 0.01 * w ** 2
    w.grad = None
    loss.backward()
    w.data -= lr * w.grad
    if loss.item() < best - 1e-4:
        best, patience = loss.item(), 0
    else:
        patience += 1
        if patience == 3:
            break
print(epoch, best)
""",
    "batches": DATA
    + """\
w = torch.zeros(1, 1, requires_grad=True)
for epoch in range(3):
    order = torch.randperm(len(x))
    total = 0.0
    for start in range(0, len(x), 5):
        rows = order[start : start + 5]
        loss = F.mse_loss(x[rows] @ w, y[rows])
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
        total += loss.item() * len(rows)
    print(epoch, total / len(x))
""",
    "accumulated on purpose": DATA
    + """\
w = torch.zeros(1, 1, requires_grad=True)
for start in range(0, len(x), 5):
    loss = ((x[start : start + 5] @ w - y[start : start + 5]) ** 2).sum() / len(x)
    loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
w.grad.zero_()
print(w)
""",
    "two losses": """\
w = torch.tensor([1.0, 2.0], requires_grad=True)
shared = torch.exp(w)
one, two = shared.sum(), (shared ** 2).sum()
one.backward(retain_graph=True)
print(w.grad)
w.grad.zero_()
two.backward()
print(w.grad)
""",
    "kept gradient": """\
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
y.retain_grad()
z = y ** 2
z.backward()
print(y.grad, x.grad, z.is_leaf)
""",
    "hook": """\
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
seen = []
handle = y.register_hook(lambda g: seen.append(g.clone()))
y.sum().backward()
handle.remove()
print(seen, x.grad)
""",
    "jacobian": """\
def polar(p):
    return torch.stack([p[0] * torch.cos(p[1]), p[0] * torch.sin(p[1])])


at = torch.tensor([2.0, 0.5])
J = torch.autograd.functional.jacobian(polar, at)
print(J, torch.linalg.det(J))
""",
    "triplet": """\
a = torch.tensor([1.0, 0.0], requires_grad=True)
positive, negative = torch.tensor([0.9, 0.2]), torch.tensor([-1.0, 0.5])
distance = torch.linalg.norm(a - positive) - torch.linalg.norm(a - negative)
loss = torch.relu(distance + 2.5)
loss.backward()
print(loss, a.grad)
""",
    "ascent": """\
A = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
u = torch.tensor([1.0, 0.3], requires_grad=True)
for step in range(20):
    rayleigh = (u @ A @ u) / (u @ u)
    rayleigh.backward()
    with torch.no_grad():
        u += 0.5 * u.grad
        u /= u.norm()
    u.grad.zero_()
print(u, rayleigh)
""",
    "meta": """\
theta = torch.tensor(0.0, requires_grad=True)
for task in [1.0, 2.0, 3.0]:
    inner = (theta - task) ** 2
    (g,) = torch.autograd.grad(inner, theta, create_graph=True)
    adapted = theta - 0.1 * g
    outer = (adapted - task) ** 2
    outer.backward()
with torch.no_grad():
    theta -= 0.1 * theta.grad / 3
print(theta)
""",
    "spring": """\
k = torch.tensor(1.5, requires_grad=True)
position, velocity = torch.tensor(1.0), torch.tensor(0.0)
track = [position]
dt = 0.1
for step in range(10):
    velocity = velocity - dt * k * position
    position = position + dt * velocity
    track.append(position)
loss = (torch.stack(track)[-1] - 0.2) ** 2
loss.backward()
print(k.grad, len(track))
""",
    "masked logarithm": """\
x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)
safe = torch.where(x > 0, x, 1.0)
y = torch.where(x > 0, torch.log(safe), torch.zeros(3))
y.sum().backward()
print(x.grad)
""",
    "numbers": """\
a = 3
b = 1
c = a + b
d = b + 1
e = c * d
""",
}

#: What is written, what is written instead, and what the lints say to it; the script comes before the colon.
MISTAKES = {
    "line: gradients add up": ("    w.grad.zero_()\n    b.grad.zero_()\n", "", ["L007"]),
    "line: a step with recording": (
        "    with torch.no_grad():\n        w -= lr * w.grad\n        b -= lr * b.grad\n",
        "    w -= lr * w.grad\n    b -= lr * b.grad\n",
        ["L003", "L003"],
    ),
    "line: leaves replaced": (
        "    with torch.no_grad():\n        w -= lr * w.grad\n        b -= lr * b.grad\n"
        "    w.grad.zero_()\n    b.grad.zero_()\n",
        "    w, b = w - lr * w.grad, b - lr * b.grad\n",
        ["L001"],
    ),
    "line: leaves replaced by plain tensors": (
        "        w -= lr * w.grad\n        b -= lr * b.grad\n    w.grad.zero_()\n    b.grad.zero_()\n",
        "        w = w - lr * w.grad\n        b = b - lr * b.grad\n",
        ["L002", "L002"],
    ),
    "line: losses keep their graphs": ("losses.append(loss.item())", "losses.append(loss)", ["L015"]),
    "line: the prediction is cut off": (
        "prediction = x @ w + b",
        "prediction = (x @ w + b).detach()",
        ["L008"],
    ),
    "line: no leaf": (
        "w = torch.zeros(1, 1, requires_grad=True)\nb = torch.zeros(1, requires_grad=True)\n",
        "w = torch.zeros(1, 1)\nb = torch.zeros(1)\n",
        ["L010"],
    ),
    "line: a data attribute in the loss": (
        "((prediction - y) ** 2)",
        "((prediction.data - y) ** 2)",
        ["L008"],
    ),
    "line: sum as a name": ("lr = 0.1", "sum = 0.0\nlr = 0.1", ["L030"]),
    "list of parameters: never reset": ("    for p in params:\n        p.grad = None\n", "", ["L007"]),
    "logistic: sigmoid twice": (
        "z = x @ w + b\n    loss",
        "z = torch.sigmoid(x @ w + b)\n    loss",
        ["L051"],
    ),
    "softmax: softmax twice": ("scores = x @ W + b", "scores = F.softmax(x @ W + b, dim=1)", ["L050"]),
    "likelihood: no logarithm": ("F.log_softmax(x @ W", "F.softmax(x @ W", ["L052"]),
    "likelihood: a logarithm apart": (
        "F.log_softmax(x @ W, dim=1)",
        "torch.log(torch.softmax(x @ W, dim=1))",
        ["L053"],
    ),
    "momentum: a step up": ("w -= 0.01 * velocity", "w += 0.01 * velocity", ["L004"]),
    "new leaf each step: a result": (
        "(x - 0.2 * x.grad).detach().requires_grad_(True)",
        "x - 0.2 * x.grad",
        ["L001"],
    ),
    "newton: no graph of the gradient": (
        "autograd.grad(f, x, create_graph=True)",
        "autograd.grad(f, x)",
        ["L017"],
    ),
    "second derivative: after backward": (
        "(dy,) = torch.autograd.grad(y.sum(), x, create_graph=True)\n",
        "y.sum().backward()\ndy = x.grad\n",
        ["L017"],
    ),
    "finite differences: digits": ("abs(x.grad - estimate) < 1e-6", "x.grad - estimate == 0.1", ["L056"]),
    "two losses: freed": ("one.backward(retain_graph=True)", "one.backward()", ["L005"]),
    "kept gradient: not kept": ("y.retain_grad()\n", "", ["L006"]),
    "kept gradient: asked late": (
        "x = torch.tensor(2.0, requires_grad=True)\ny = x * 3\ny.retain_grad()\nz = y ** 2\n",
        "x = torch.tensor(2.0)\ny = x * 3\nz = y ** 2\nx.requires_grad_()\n",
        ["L016"],
    ),
    "dropout: integers": (
        "w = torch.ones(6, requires_grad=True)",
        "w = torch.tensor([1, 1, 1, 1, 1, 1], requires_grad=True)",
        ["L011"],
    ),
    "dropout: a number in the loss": (
        "out = (w * keep / 0.5).sum()",
        "out = torch.tensor((w * keep / 0.5).sum().item())",
        ["L008"],
    ),
    "dropout: not called": ("out.backward()\n", "out.backward\n", ["L020"]),
    "dropout: computed unrecorded": ("out = (w *", "with torch.no_grad():\n    out = (w *", ["L009"]),
    "clipping: a norm by hand": ("loss = (w ** 4).sum()", "loss = torch.sqrt((w ** 2).sum())", ["L054"]),
    "batches: a sum of graphs": ("total += loss.item() * len(rows)", "total += loss", ["L015"]),
    "masked logarithm: one where": ("torch.log(safe)", "torch.log(x)", ["L055"]),
    "triplet: a leaf nobody uses": (
        "a = torch.tensor([1.0",
        "c = torch.ones(2, requires_grad=True)\na = torch.tensor([1.0",
        ["L012"],
    ),
    "triplet: a name misspelt": ("torch.relu", "torch.rellu", ["E0204"]),
}
