# The radius of the can of one litre that needs the least tin.
# today: python3 -c 'from scipy.optimize import minimize; from math import pi; print(minimize(lambda r: 2*pi*r[0]**2+2000/r[0],[3]).x)'

autodiff minimize -e 'r = 3; A = 2*pi*r**2 + 2*1000/r' | awk '{printf "%.3f cm\n", $2}'
