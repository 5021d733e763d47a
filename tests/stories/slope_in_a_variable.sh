# A slope for the arithmetic of the shell.
# today: slope=$(python3 -c 'import torch; w=torch.tensor(3., requires_grad=True); (w**2).backward(); print(int(w.grad))'); echo $((slope * 7))

slope=$(autodiff grad --wrt w -e 'w = 3; L = w**2'); echo $((slope * 7))
