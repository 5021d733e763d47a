# A script was rewritten: do its value and gradients stay?
echo 'x = 2; y = x**2 + 2*x + 1' > old.ad; echo 'x = 2; y = (x + 1)**2' > new.ad

autodiff diff old.ad new.ad && echo same
