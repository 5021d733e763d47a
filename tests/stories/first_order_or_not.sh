# Whether first order is enough for a wide error bar.

autodiff propagate -e 'x = 0.1; y = x**2' --sigma x=0.1 --monte-carlo 2000 2>&1 >/dev/null | grep -o 'because of curvature'
