# A table of all combinations of two settings.

autodiff grad -e 'x = 1; k = 2; y = k*x**2' --wrt x --sweep x='[1, 2]' --sweep k=1:3:1 | paste -sd' ' | tr '\t' ,
