"""Scripts of a course about gradients themselves: derivatives of all kinds, hooks, functions of one's own."""

from __future__ import annotations

GRADIENTS = {
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
