# A nightly fit that does not converge must not pass unnoticed.

autodiff minimize -e 'x = 1; L = -x**2' > result.txt 2> why.txt || echo "exit $?: $(head -n 1 why.txt | cut -d: -f1,2)"
