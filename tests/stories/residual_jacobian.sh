# The Jacobian of residuals, for a least-squares program.
# today: for i in 0 1 2; do autodiff grad line.ad --wrt a,b --of "r[$i]" | cut -f2 | paste -s; done
echo 'a = 0.0; b = 1.0; x = [0, 1, 2]; y = [0, 1, 2]; r = [y[i] - (a + b*x[i]) for i in range(3)]' > line.ad

autodiff jacobian line.ad --wrt a,b
