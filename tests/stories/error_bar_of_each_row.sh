# A table of cylinders: the error bar of each density, all lengths known to 0.01.
# today: tail -n +2 cyl.csv | python3 -c 'import sys; from math import pi; from uncertainties import ufloat as u; [print((4*u(m,.01)/(pi*u(d,.01)**2*u(h,.01))).s) for m,h,d in (map(float, x.split(",")) for x in sys.stdin)]'
cat > cyl.csv <<'END'
m,h,d
28.93,3.28,1.29
20.46,2.3,1.29
END
echo 'm = 1; h = 1; d = 1; rho = 4*m/(pi*d**2*h)' > cyl.ad

autodiff grad cyl.ad --each cyl.csv | awk '{print .01*sqrt($1^2 + $2^2 + $3^2)}'
