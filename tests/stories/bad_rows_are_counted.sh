# One row of a nightly table is broken: the others are answered, and the job says so.
printf 'x\n4\nnine\n9\n' > x.csv

autodiff grad -e 'x = 1; y = sqrt(x)' --each x.csv > slopes.txt 2> why.txt || echo "exit $?"
grep -c . slopes.txt; grep -o '1 of 3 rows' why.txt
