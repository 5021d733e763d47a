# Whether a stationary point is a minimum, a maximum or a saddle, by its Hessian.
# today: python3 -c 'from sympy import *; x,y=symbols("x y"); f=(x**2+y-11)**2+(x+y**2-7)**2; print(hessian(f,(x,y)).det().subs({x:-.270845,y:-.923039}))'
echo 'x = -0.270845; y = -0.923039; f = (x**2 + y - 11)**2 + (x + y**2 - 7)**2' > himmelblau.ad

autodiff hessian himmelblau.ad | paste -s | awk '{d = $1*$4 - $2*$3; print (d > 0 ? ($1 > 0 ? "minimum" : "maximum") : "saddle")}'
