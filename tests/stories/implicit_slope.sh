# The slope dV/dP of a van der Waals gas at constant temperature, by the implicit rule.
cat > gas.ad <<'END'
a = 3.592; b = 0.04267; V = 10; P = 2.5
F = (P + a/V**2)*(V - b)
END

autodiff grad gas.ad --wrt V,P | cut -f2 | paste -s | awk '{printf "%.6f\n", -$2/$1}'
