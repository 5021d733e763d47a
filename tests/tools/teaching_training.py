"""Scripts of a course that train something: steps against gradients, in all the ways they are written."""

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

TRAINING = {
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
}
