# Two readings of the same meter, whose errors are correlated.
# today: python3 -c 'from uncertainties import *; x,y=correlated_values([2,3],[[.01,.01],[.01,.04]]); print((x*y).s)'
printf 'x,y\n0.01,0.01\n0.01,0.04\n' > cov.csv

autodiff propagate -e 'x = 2; y = 3; z = x*y' --cov cov.csv | cut -f2
