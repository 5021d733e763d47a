# A run with random numbers can be repeated byte by byte.

autodiff run -e 'x = randn(3, requires_grad=True); L = (x**2).sum()' --seed 7 --format json > 1.json
autodiff run -e 'x = randn(3, requires_grad=True); L = (x**2).sum()' --seed 7 --format json | cmp - 1.json && echo 'the same'
