# Places, values and slopes for a plot.
# today: for x in 0.5 1 1.5; do printf '%s\t' $x; python3 -c "from math import *; x=$x; print(sin(x)/x, (x*cos(x)-sin(x))/x**2)"; done

autodiff grad -e 'y = sin(x)/x' --sweep x=0.5:1.5:0.5 --value | awk '{printf "%.1f %.6f %.6f\n", $1, $2, $3}'
