# How much a volume changes when radius and height change a little.

autodiff jvp -e 'r = 2; h = 5; V = pi*r**2*h' --vector r=0.01 --vector h=-0.02 | awk '{printf "%.4f\n", $1}'
