# The slope of a mean square by a gain, from the output of another program.
printf 'alice 3 10\nbob 4 12\n' > usage.txt

awk '{print $2, $3}' usage.txt | autodiff grad -e 'a = 2; L = ((a*x - y)**2).mean()' --data - --columns x,y
