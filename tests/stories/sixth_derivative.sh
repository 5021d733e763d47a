# The sixth derivative of log(1 + x) at 0.5.
# today: python3 -c 'from sympy import *; x=Symbol("x"); print(diff(log(1+x),x,6).subs(x,.5))'

autodiff grad -e 'x = 0.5; y = log(1 + x)' --order 6 | cut -c1-8
