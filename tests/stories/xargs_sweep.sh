# A slope for each number of a list, by xargs.

seq 1 4 | xargs -I@ autodiff grad -e 'y = x**3' --set x=@ | paste -sd+ | xargs -I@ awk 'BEGIN {print @}'
