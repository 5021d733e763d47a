# A density from three measured lengths and a mass, with its standard deviation.
# today: python3 -c 'from uncertainties import ufloat as u; from math import pi; print((u(.029,.005)/(pi*u(.0082,.0001)**2*u(.0154,.0001))).std_dev)'
cat > density.ad <<'END'
m = 0.029; r = 0.0082; l = 0.0154
d = m/(pi*r**2*l)
END

autodiff propagate density.ad --sigma m=0.005,r=0.0001,l=0.0001 | cut -f2
