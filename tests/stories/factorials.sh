# The n-th derivative of x to the n is n!, for a lecture.

for n in 1 2 3 4 5; do autodiff grad -e "x = 1; y = x**$n" --order $n; done | paste -sd' '
