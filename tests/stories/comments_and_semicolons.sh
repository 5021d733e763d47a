# A table of a logger with remarks and semicolons.
printf '# logger 7\nt;v\n1;2.5\n2;4.5\n' > log.csv

autodiff grad -e 'a = 2; L = ((a*t - v)**2).sum()' --data log.csv
