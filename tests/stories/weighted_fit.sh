# Points with error bars of their own.
printf 'x,y,s\n1,1.1,0.1\n2,1.9,0.1\n3,3.4,0.5\n4,4.0,0.1\n' > w.csv

autodiff minimize -e 'a = 1; b = 0; L = ((a*x + b - y)**2/s**2).sum()' --data w.csv | awk '{printf "%s %.3f %.3f\n", $1, $2, $3}'
