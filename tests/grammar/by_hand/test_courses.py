"""Derivations as courses have them, right and with planted mistakes: each is named at its own line."""

from __future__ import annotations

import pytest
from hand_checks import check_steps
from seeds import MORE

#: By name: a script, the steps, and mistakes: a text of the steps, another in its place, what is said.
COURSES: dict[str, tuple[str, str, list[tuple[str, str, str]]]] = {
    "softmax_classifier": (
        """
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
y = tensor([0, 2, 1])
W = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2]], requires_grad=True)
reg = 0.1
scores = X @ W
shifted = scores - scores.max(1, keepdim=True).values
probs = exp(shifted)/exp(shifted).sum(1, keepdim=True)
loss = -log(probs[arange(3), y]).mean() + reg*(W*W).sum()
""",
        """
num_train = X.shape[0]
dscores = probs.copy()
dscores[np.arange(num_train), y] -= 1
dscores /= num_train
dW = X.T.dot(dscores)
dW += 2 * reg * W
""",
        [
            ("2 * reg", "reg", "W stands twice in W*W: a factor 2 is missing"),
            ("-= 1", "+= 1", "the sign of the term 1 is wrong (line 4)"),
            ("X.T.dot", "X.dot", "X must be transposed: X.T"),
            ("/= num_train", "*= num_train", "a factor 9 is superfluous"),
        ],
    ),
    "support_vector_machine": (
        """
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
y = tensor([0, 2, 1])
W = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2]], requires_grad=True)
scores = X @ W
correct = scores[arange(3), y].reshape(3, 1)
margins = relu(scores - correct + 1)
loss = (margins.sum() - 3)/3
""",
        """
N = 3
binary = margins.clone()
binary[margins > 0] = 1
row_sum = np.sum(binary, axis=1)
binary[np.arange(N), y] -= row_sum
dW = np.dot(X.T, binary) / N
""",
        [
            ("-= row_sum", "+= row_sum", "the sign of the term row_sum is wrong (line 6)"),
            ("/ N", "/ 2", "1.5 times"),
        ],
    ),
    "batch_norm_step_by_step": (
        """
x = tensor([[0.9, -0.4, 1.3], [-1.1, 0.7, 0.2], [0.3, 1.6, -0.8], [1.2, 0.1, 0.5]], requires_grad=True)
gamma = tensor([1.2, 0.8, 1.5], requires_grad=True)
beta = tensor([0.1, -0.2, 0.3], requires_grad=True)
w = tensor([[0.3, -0.2, 0.5],[1.,2.,-1.],[0.1,0.4,-0.7],[0.9,0.3,0.2]])
eps = 1e-5
mu = x.mean(0)
xmu = x - mu
sq = xmu**2
var = sq.mean(0)
sqrtvar = sqrt(var + eps)
ivar = 1/sqrtvar
xhat = xmu*ivar
gammax = gamma*xhat
out = gammax + beta
loss = (w*out**2).sum()
""",
        """
N, D = x.shape
dout = 2*w*out
dbeta = np.sum(dout, axis=0)
dgammax = dout #not necessary, but more understandable
dgamma = np.sum(dgammax*xhat, axis=0)
dxhat = dgammax * gamma
#step7
divar = np.sum(dxhat*xmu, axis=0)
dxmu1 = dxhat * ivar
#step6
dsqrtvar = -1. /(sqrtvar**2) * divar
dvar = 0.5 * 1. /np.sqrt(var+eps) * dsqrtvar
dsq = 1. /N * np.ones((N,D)) * dvar
dxmu2 = 2 * xmu * dsq
dx1 = (dxmu1 + dxmu2)
dmu = -1 * np.sum(dxmu1+dxmu2, axis=0)
dx2 = 1. /N * np.ones((N,D)) * dmu
dx = dx1 + dx2
""",
        [
            ("dxmu2 = 2 * xmu", "dxmu2 = xmu", "the term dxmu2 = up to 2.33656 stands for the path"),
            ("-1. /(sqrtvar**2)", "1. /(sqrtvar**2)", "the sign is wrong"),
            ("dx = dx1 + dx2", "dx = dx1 - dx2", "its sign is wrong"),
            ("0.5 * 1.", "1.", "the 1/2 of sqrt(var + eps)"),
        ],
    ),
    "batch_norm_in_one_line": (
        """
x = tensor([[0.9, -0.4, 1.3], [-1.1, 0.7, 0.2], [0.3, 1.6, -0.8], [1.2, 0.1, 0.5]], requires_grad=True)
gamma = tensor([1.2, 0.8, 1.5], requires_grad=True)
beta = tensor([0.1, -0.2, 0.3], requires_grad=True)
w = tensor([[0.3, -0.2, 0.5],[1.,2.,-1.],[0.1,0.4,-0.7],[0.9,0.3,0.2]])
eps = 1e-5
mu = x.mean(0)
xmu = x - mu
sq = xmu**2
var = sq.mean(0)
sqrtvar = sqrt(var + eps)
ivar = 1/sqrtvar
xhat = xmu*ivar
gammax = gamma*xhat
out = gammax + beta
loss = (w*out**2).sum()
""",
        """
N = 4
dout = 2*w*out
dxhat = dout*gamma
dx = ivar/N*(N*dxhat - dxhat.sum(0) - xhat*(dxhat*xhat).sum(0))
""",
        [
            ("- dxhat.sum(0)", "+ dxhat.sum(0)", "the sign of the term dxhat.sum(0) is wrong"),
            ("xhat*(dxhat*xhat)", "xhat*(dxhat)", "the factor xhat is missing beside dxhat"),
            ("ivar/N", "1/N", "dxhat/dxmu = ivar is missing"),
        ],
    ),
    "character_model": (
        """
import torch
import torch.nn.functional as F
n = 4
vocab_size = 3
Xb = torch.tensor([[0,1],[2,0],[1,1],[2,2]])
Yb = torch.tensor([1,0,2,1])
C = torch.tensor([[0.3,-0.5],[0.8,0.1],[-0.2,0.6]], requires_grad=True)
W1 = torch.tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2],[0.1,0.9,-0.6],[0.3,-0.2,0.7]], requires_grad=True)
b1 = torch.tensor([0.1,-0.1,0.2], requires_grad=True)
W2 = torch.tensor([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [-0.2, 0.7, 0.5]], requires_grad=True)
b2 = torch.tensor([0.1,0.0,-0.2], requires_grad=True)
bngain = torch.tensor([[1.1,0.9,1.2]], requires_grad=True)
bnbias = torch.tensor([[0.1,-0.3,0.2]], requires_grad=True)
emb = C[Xb]
embcat = emb.view(emb.shape[0], -1)
hprebn = embcat @ W1 + b1
bnmeani = 1/n*hprebn.sum(0, keepdim=True)
bndiff = hprebn - bnmeani
bndiff2 = bndiff**2
bnvar = 1/(n-1)*(bndiff2).sum(0, keepdim=True)
bnvar_inv = (bnvar + 1e-5)**-0.5
bnraw = bndiff * bnvar_inv
hpreact = bngain * bnraw + bnbias
h = torch.tanh(hpreact)
logits = h @ W2 + b2
logit_maxes = logits.max(1, keepdim=True).values
norm_logits = logits - logit_maxes
counts = norm_logits.exp()
counts_sum = counts.sum(1, keepdims=True)
counts_sum_inv = counts_sum**-1
probs = counts * counts_sum_inv
logprobs = probs.log()
loss = -logprobs[range(n), Yb].mean()
parameters = [C, W1, b1, W2, b2, bngain, bnbias]
for p in parameters:
    p.grad = None
for t in [logprobs, probs, counts, counts_sum, counts_sum_inv, norm_logits, logit_maxes,
          logits, h, hpreact, bnraw, bnvar_inv, bnvar, bndiff2, bndiff, hprebn, bnmeani, embcat, emb]:
    t.retain_grad()
loss.backward()
""",
        """
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0/n
dprobs = (1.0 / probs) * dlogprobs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts = counts_sum_inv * dprobs
dcounts_sum = (-counts_sum**-2) * dcounts_sum_inv
dcounts += torch.ones_like(counts) * dcounts_sum
dnorm_logits = counts * dcounts
dlogits = dnorm_logits.clone()
dlogit_maxes = (-dnorm_logits).sum(1, keepdim=True)
dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
dh = dlogits @ W2.T
dW2 = h.T @ dlogits
db2 = dlogits.sum(0)
dhpreact = (1.0 - h**2) * dh
dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
dbnraw = bngain * dhpreact
dbnbias = dhpreact.sum(0, keepdim=True)
dbndiff = bnvar_inv * dbnraw
dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
dbnvar = (-0.5*(bnvar + 1e-5)**-1.5) * dbnvar_inv
dbndiff2 = (1.0/(n-1))*torch.ones_like(bndiff2) * dbnvar
dbndiff += (2*bndiff) * dbndiff2
dhprebn = dbndiff.clone()
dbnmeani = (-dbndiff).sum(0)
dhprebn += 1.0/n * (torch.ones_like(hprebn) * dbnmeani)
dembcat = dhprebn @ W1.T
dW1 = embcat.T @ dhprebn
db1 = dhprebn.sum(0)
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
for k in range(Xb.shape[0]):
  for j in range(Xb.shape[1]):
    ix = Xb[k,j]
    dC[ix] += demb[k,j]

cmp('logprobs', dlogprobs, logprobs)
cmp('probs', dprobs, probs)
""",
        [
            ("dC[ix] += demb", "dC[ix] = demb", "each turn overwrites dC[ix]: write `dC[ix] += ...`"),
            ("1.0/n * (torch", "1.0/(n-1) * (torch", "1.33333 times"),
            ("-0.5*(bnvar", "0.5*(bnvar", "the sign is wrong"),
            ("dbndiff += (2*bndiff) * dbndiff2\n", "", "the path bnraw <- bnvar_inv"),
            ("(-counts_sum**-2)", "(counts_sum**-2)", "the -1 of counts_sum**-1"),
        ],
    ),
    "character_model_in_two_lines": (
        """
import torch
import torch.nn.functional as F
n = 4
vocab_size = 3
Xb = torch.tensor([[0,1],[2,0],[1,1],[2,2]])
Yb = torch.tensor([1,0,2,1])
C = torch.tensor([[0.3,-0.5],[0.8,0.1],[-0.2,0.6]], requires_grad=True)
W1 = torch.tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2],[0.1,0.9,-0.6],[0.3,-0.2,0.7]], requires_grad=True)
b1 = torch.tensor([0.1,-0.1,0.2], requires_grad=True)
W2 = torch.tensor([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [-0.2, 0.7, 0.5]], requires_grad=True)
b2 = torch.tensor([0.1,0.0,-0.2], requires_grad=True)
bngain = torch.tensor([[1.1,0.9,1.2]], requires_grad=True)
bnbias = torch.tensor([[0.1,-0.3,0.2]], requires_grad=True)
emb = C[Xb]
embcat = emb.view(emb.shape[0], -1)
hprebn = embcat @ W1 + b1
bnmeani = 1/n*hprebn.sum(0, keepdim=True)
bndiff = hprebn - bnmeani
bndiff2 = bndiff**2
bnvar = 1/(n-1)*(bndiff2).sum(0, keepdim=True)
bnvar_inv = (bnvar + 1e-5)**-0.5
bnraw = bndiff * bnvar_inv
hpreact = bngain * bnraw + bnbias
h = torch.tanh(hpreact)
logits = h @ W2 + b2
logit_maxes = logits.max(1, keepdim=True).values
norm_logits = logits - logit_maxes
counts = norm_logits.exp()
counts_sum = counts.sum(1, keepdims=True)
counts_sum_inv = counts_sum**-1
probs = counts * counts_sum_inv
logprobs = probs.log()
loss = -logprobs[range(n), Yb].mean()
parameters = [C, W1, b1, W2, b2, bngain, bnbias]
for p in parameters:
    p.grad = None
for t in [logprobs, probs, counts, counts_sum, counts_sum_inv, norm_logits, logit_maxes,
          logits, h, hpreact, bnraw, bnvar_inv, bnvar, bndiff2, bndiff, hprebn, bnmeani, embcat, emb]:
    t.retain_grad()
loss.backward()
""",
        """
dlogits = F.softmax(logits, 1)
dlogits[range(n), Yb] -= 1
dlogits /= n
dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
""",
        [
            ("n/(n-1)*", "", "entry [1, 0] is"),
            ("-= 1", "-= n", "the term n (the 1st of 2) is 4 times what it should be"),
            ("/= n", "/= 3", "1.33333 times"),
        ],
    ),
    "attention": (
        """
Q = tensor([[0.3,-0.5],[0.8,0.1],[-0.2,0.6]], requires_grad=True)
K = tensor([[0.5, -0.3], [-0.7, 0.4],[0.1,0.9]], requires_grad=True)
V = tensor([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [-0.2, 0.7, 0.5]], requires_grad=True)
w = tensor([[0.3, -0.2, 0.5],[1.,2.,-1.],[0.1,0.4,-0.7]])
d = 2
S = Q @ K.T / math.sqrt(d)
A = softmax(S, dim=-1)
O = A @ V
L = (w*O).sum()
""",
        """
dO = w
dV = A.T @ dO
dA = dO @ V.T
dS = A * (dA - (dA * A).sum(-1, keepdim=True))
dQ = dS @ K / math.sqrt(d)
dK = dS.T @ Q / math.sqrt(d)
""",
        [
            ("A.T @ dO", "A @ dO", "A must be transposed: A.T"),
            ("(dA * A)", "(dA)", "the factor A is missing beside dA"),
            ("dS.T @ Q", "dS @ Q", "dS must be transposed: dS.T"),
            ("dS @ K / math.sqrt(d)", "dS @ K / d", "the divisor 1.41421"),
            ("dA - (", "dA + (", "the sign of the term (dA * A).sum(-1, keepdim=True) is wrong"),
        ],
    ),
    "layer_norm": (
        """
x = tensor([[0.9, -0.4, 1.3], [-1.1, 0.7, 0.2]], requires_grad=True)
g = tensor([1.2, 0.8, 1.5], requires_grad=True)
b = tensor([0.1, -0.2, 0.3], requires_grad=True)
w = tensor([[0.3, -0.2, 0.5],[1.,2.,-1.]])
mu = x.mean(1, keepdim=True)
var = ((x - mu)**2).mean(1, keepdim=True)
rstd = 1/sqrt(var + 1e-5)
xhat = (x - mu)*rstd
y = g*xhat + b
L = (w*y*y).sum()
""",
        """
dy = 2*w*y
dg = (dy*xhat).sum(0)
db = dy.sum(0)
dxhat = dy*g
dx = rstd*(dxhat - dxhat.mean(1, keepdim=True) - xhat*(dxhat*xhat).mean(1, keepdim=True))
""",
        [
            ("dxhat.mean(1, keepdim=True) -", "dxhat.mean(0) -", "entry [0, 0] is"),
            ("- xhat*", "+ xhat*", "the sign of the term xhat*"),
            ("rstd*(dx", "(dx", "rstd is missing"),
            ("(dy*xhat).sum(0)", "(dy*x).sum(0)", "the factor x should be d(g*xhat)/dg = xhat"),
            ("(dxhat*xhat).mean", "(dxhat*x).mean", "with xhat in place of x"),
        ],
    ),
    "gaussian_likelihood": (
        """
x = tensor([1.2, 0.7, -0.3, 2.2])
mu = tensor(0.5, requires_grad=True)
sigma = tensor(1.3, requires_grad=True)
n = 4
ll = -n/2*log(tensor(2*pi)) - n*log(sigma) - ((x - mu)**2).sum()/(2*sigma**2)
""",
        """
dmu = (x - mu).sum()/sigma**2
dsigma = -n/sigma + ((x - mu)**2).sum()/sigma**3
""",
        [
            ("/sigma**2", "/sigma", "with sigma**2 in place of sigma"),
            ("-n/sigma", "n/sigma", "its sign is wrong"),
            ("sigma**3", "sigma**2", "with sigma**3 in place of sigma**2"),
            ("(x - mu).sum()", "(mu - x).sum()", "the minus of x - mu"),
        ],
    ),
    "gaussian_second_derivatives": (
        """
mu = 0.5
sigma = 1.3
x = 1.2
ll = -ln(sigma) - (x - mu)^2/(2*sigma^2) - 0.5*ln(2*pi)
""",
        """
dmu = (x - mu)/sigma^2
dsigma = -1/sigma + (x - mu)^2/sigma^3
d2ll/dmu2 == -1/sigma^2
d2ll/dsigma2 == 1/sigma^2 - 3*(x-mu)^2/sigma^4
d2ll/dmu dsigma == -2*(x-mu)/sigma^3
""",
        [
            ("- 3*(x", "- (x", "is missing: it gives -0.343125"),
            ("-2*(x", "2*(x", "the sign is wrong"),
            ("== -1/sigma^2", "== -1/sigma", "with sigma**2 in place of sigma"),
        ],
    ),
    "logistic_hessian": (
        """
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
y = tensor([0., 1., 1.])
w = tensor([0.5, -0.7], requires_grad=True)
p = sigmoid(X @ w)
L = -(y*log(p) + (1-y)*log(1-p)).sum()
""",
        """
dw = X.T @ (p - y)
d2L/dw2 == X.T @ diag(p*(1-p)) @ X
d2L/dw2[0, 1] == (p*(1-p)*X[:, 0]*X[:, 1]).sum()
""",
        [
            ("(p - y)", "(y - p)", "the sign is wrong"),
            ("diag(p*(1-p))", "diag(p)", "entry [0, 0] is"),
            ("X.T @ diag", "X @ diag", "X must be transposed: X.T"),
            ("p*(1-p)*X", "p*X", ""),
        ],
    ),
    "softmax_jacobian": (
        """
x = tensor([0.5,-0.3,1.2], requires_grad=True)
s = softmax(x, 0)
""",
        """
ds/dx == diag(s) - outer(s, s)
ds[0]/dx == s[0]*(tensor([1., 0., 0.]) - s)
ds[0]/dx[1] == -s[0]*s[1]
""",
        [
            ("- outer", "+ outer", "the sign of the term outer(s, s) is wrong"),
            ("outer(s, s)", "outer(s, x)", "with s in place of x"),
            ("== -s[0]", "== s[0]", "the sign is wrong"),
            ("diag(s) - outer(s, s)", "s*(1-s)", "entry [0, 2] is"),
            ("diag(s)", "diag(x)", "with s in place of x"),
            ("diag(s)", "s", "with diag(s) in place of s"),
        ],
    ),
    "outer_product": (
        """
W = tensor([[0.5,-0.3],[0.2,0.8]], requires_grad=True)
x = tensor([0.4,1.5])
t = tensor([1.,-2.])
e = W @ x - t
L = (e**2).sum()
""",
        """
dW = 2*outer(e, x)
""",
        [
            ("outer(e, x)", "outer(x, e)", "outer(x, e) must be transposed"),
            ("2*outer", "outer", "the 2 of e**2"),
            ("2*outer(e, x)", "2*e*x", "with outer(2*e, x) in place of 2*e*x"),
            ("2*outer(e, x)", "2*e @ x", "with outer(2*e, x) in place of 2*e @ x"),
        ],
    ),
    "quadratic_form": (
        """
A = tensor([[2.,0.5],[0.3,1.]])
x = tensor([0.4,1.5], requires_grad=True)
b = tensor([1.,-2.])
f = 0.5*x @ A @ x - b @ x
""",
        """
dx = 0.5*(A + A.T) @ x - b
d2f/dx2 == 0.5*(A + A.T)
""",
        [
            ("0.5*(A + A.T) @ x - b", "A @ x - b", "with (A + A.T)/2 in place of A"),
            ("== 0.5*(A + A.T)", "== A", "with (A + A.T)/2 in place of A"),
            ("x - b", "x + b", "its sign is wrong"),
        ],
    ),
    "ridge_regression": (
        """
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
y = tensor([0.2, 1., 1.5])
w = tensor([0.5, -0.7], requires_grad=True)
lam = 0.3
r = X @ w - y
J = (r @ r)/(2*3) + lam/2*(w @ w)
""",
        """
m = 3
dr = r/m
dw = X.T @ dr + lam*w
""",
        [
            ("lam*w", "2*lam*w", "a factor 2 is superfluous"),
            ("X.T @ dr", "dr @ X.T", "X.T must not be transposed"),
            ("r/m", "2*r/m", "a factor 2 is superfluous"),
        ],
    ),
    "lstm_cell": (
        """
x = 0.5
h0 = 0.2
c0 = -0.3
wi = 0.7; wf = -0.4; wo = 0.9; wg = 1.1
i = sigmoid(wi*x + h0); f = sigmoid(wf*x + h0); o = sigmoid(wo*x + h0); g = tanh(wg*x + h0)
c = f*c0 + i*g
h = o*tanh(c)
L = h**2
""",
        """
dh = 2*h
do = dh*tanh(c)
dc = dh*o*(1 - tanh(c)**2)
df = dc*c0
di = dc*g
dg = dc*i
dwi = di*i*(1-i)*x
dwf = df*f*(1-f)*x
dwo = do*o*(1-o)*x
dwg = dg*(1-g**2)*x
dc0 = dc*f
dh0 = di*i*(1-i) + df*f*(1-f) + do*o*(1-o) + dg*(1-g**2)
""",
        [
            ("dc*c0", "dc*c", "d(f*c0)/df = c0"),
            ("(1 - tanh(c)**2)", "(1 - c**2)", "d(tanh(c))/dc = 1 - tanh(c)**2"),
            ("dg*(1-g**2)*x", "dg*g*(1-g)*x", "dg/d(wg*x + h0) = 1 - g**2"),
            ("di*i*(1-i) + ", "", "<- i*g <- i <- wi*x + h0 <- h0 is missing"),
            ("dwo = do*o*(1-o)*x", "dwo = do*o*x", "do/d(wo*x + h0) = o*(1 - o)"),
        ],
    ),
    "convolution_in_loops": (
        """
x = tensor([0.5,-0.3,1.2,0.7], requires_grad=True)
k = tensor([0.2,-1.1], requires_grad=True)
y = stack([x[0]*k[0]+x[1]*k[1], x[1]*k[0]+x[2]*k[1], x[2]*k[0]+x[3]*k[1]])
L = (y**3).sum()
""",
        """
dy = 3*y**2
dk = torch.zeros(2)
for i in range(3):
    for j in range(2):
        dk[j] += dy[i]*x[i+j]
dx = torch.zeros(4)
for i in range(3):
    dx[i:i+2] += dy[i]*k
""",
        [
            ("x[i+j]", "x[i]", "entry [1] is"),
            ("dy[i]*k", "dy[i]*k.flip(0)", "entry [1] is"),
            ("3*y**2", "3*y", "d(y**3)/dy = 3*y**2"),
        ],
    ),
    "dropout": (
        """
x = tensor([[0.9, -0.4], [-1.1, 0.7]], requires_grad=True)
p = 0.8
mask = tensor([[1.,0.],[1.,1.]])/p
out = x*mask
L = (out**2).sum()
""",
        """
dout = 2*out
dx = dout*mask
""",
        [
            ("dout*mask", "dout*mask*p", "the factor p is superfluous"),
            ("dout*mask", "dout/mask", "should be 0"),
        ],
    ),
    "hinge_loss": (
        """
w = tensor([0.5,-0.3], requires_grad=True)
b = tensor(0.1, requires_grad=True)
x = tensor([[1.,2.],[0.5,-1.],[2.,0.3]]); y = tensor([1.,-1.,1.])
m = y*(x @ w + b)
L = relu(1 - m).mean() + 0.05*(w@w)
""",
        """
active = (m < 1).float()
dm = -active/3
dw = x.T @ (dm*y) + 0.1*w
db = (dm*y).sum()
""",
        [
            ("(dm*y).sum()", "dm.sum()", "the factor y is missing beside dm"),
            ("(m < 1)", "(m > 1)", "entry [2] is"),
            ("0.1*w", "0.05*w", "w stands twice in w@w: a factor 2 is missing"),
            ("dw = x.T @ (dm*y)", "dw = x.T @ dm", "the factor y is missing beside x.T"),
        ],
    ),
}
#: Each mistake with the name of its derivation; a usual run plants every other.
PLANTED = [(name, *mistake) for name, (_, _, mistakes) in COURSES.items() for mistake in mistakes][
    :: 1 if MORE >= 1 else 2
]


@pytest.mark.parametrize("name", COURSES)
def test_a_derivation_is_right(name: str) -> None:
    script, steps, _ = COURSES[name]
    found = check_steps(script, steps)
    assert [(step.left, step.is_right, step.remarks) for step in found] == [
        (step.left, True, []) for step in found
    ]
    assert all(step.points > 1 for step in found)


@pytest.mark.parametrize(("name", "right", "wrong", "says"), PLANTED)
def test_a_mistake_is_named_at_its_line(name: str, right: str, wrong: str, says: str) -> None:
    script, steps, _ = COURSES[name]
    before, found, after = steps.partition(right)
    assert found
    told = [step for step in check_steps(script, before + wrong + after) if not step.is_right]
    assert len(told) == 1
    assert told[0].is_right is False
    assert says in " ".join(told[0].remarks)
