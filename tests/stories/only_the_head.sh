# A reader that has enough closes the pipe, and nobody complains.

autodiff grad -e 'x = 1; y = x**2' --sweep x=1:50000:1 2> errors.txt | head -n 2; wc -c < errors.txt
