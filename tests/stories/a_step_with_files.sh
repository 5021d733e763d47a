# Weights and gradients as files of numpy: one step of training.
echo '[1, 2, 3]' > w.json

autodiff grad -e 'L = (w**2).sum()' --set w=@w.json -o g.npy
autodiff grad -e 'x = 0; y = sum(w - 0.1*g) + x' --set w=@w.json --set g=@g.npy --wrt x --format json | jq '.output.value*10 | round/10'
