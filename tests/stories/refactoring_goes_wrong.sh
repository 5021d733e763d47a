# The same, with a mistake in the new script.
echo 'x = 2; y = x**2 + 2*x + 1' > old.ad; echo 'x = 2; y = (x + 1)**3' > new.ad

autodiff diff old.ad new.ad || echo "exit $?"
