# Ten steps of gradient descent, to see how they go.

w=5
for k in 1 2 3 4 5 6 7 8 9 10; do w=$(awk "BEGIN {print $w - 0.25*$(autodiff grad -e 'L = (w - 1)**2' --set w=$w)}"); echo $w; done | tail -n 2
