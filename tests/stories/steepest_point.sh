# Where a curve is steepest, from the points of a plot.

autodiff plot -e 'x = 0; y = 1/(1 + exp(-x))' --over x=-4:4:0.5 --format csv | tail -n +2 | sort -t, -k3 -g | tail -n 1 | cut -d, -f1
