# Value and gradient on one line, for an optimizer in another language.
# today: python3 -c 'import torch; x=torch.tensor(.2,requires_grad=True); y=torch.tensor(-.17,requires_grad=True); f=(x-1)**2+100*(y-x**2)**2; f.backward(); print(f.item(), x.grad.item(), y.grad.item())'

autodiff grad -e 'f = (x - 1)**2 + 100*(y - x**2)**2' --set x=.2 --set y=-.17 --format json | jq -c '[.output.value, .gradients[].grad] | map(.*100 | round/100)'
