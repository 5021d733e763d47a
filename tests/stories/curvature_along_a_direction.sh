# The second derivatives along one direction, without the whole matrix.

autodiff hvp -e 'x = 1; y = 2; f = x**2*y + y**3' --vector x=1 --vector y=1
